// SPDX-License-Identifier: BSD-3-Clause
// Keeps several NICs on one Ethernet segment from doubling and looping frames. Learns from source addresses
// on which group a station is; drops a frame that comes in by a group while its source was just seen on
// another (our own frame came back: `looped`), and takes in flooded frames (to a group address, or to a
// station nobody has heard of) by the elected member of a group only (`not_elected`). One a worker, mode
// gateway; reads the tables of all workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/mac_table.h"
#include "core/plan.h"

namespace path {

// The tables of all workers, by worker.
using MacTables = std::vector<std::unique_ptr<core::MacTable>>;

class L2Guard {
 public:
  L2Guard(const MacTables& tables, unsigned worker) : tables_(tables), own_(*tables[worker]) {}

  // Whether frames that come in by this port must be shown to the guard at all.
  static bool watches(const core::Plan& plan, uint16_t port_index);

  // The time of this round, in ticks of core::kMacTickMs.
  void set_tick(uint64_t tick) {
    const auto now = static_cast<uint16_t>(tick & 0xfff);
    if (now != tick_) own_.expire(now);
    tick_ = now;
  }

  // The reason to drop a frame (at least 14 bytes at `frame`) that came in by `port_index` and goes to group
  // `target`. Learns its source.
  std::optional<core::DropReason> judge(const uint8_t* frame, const core::Plan& plan, uint16_t port_index,
                                        uint16_t target) {
    const core::GroupPlan& group = plan.groups[plan.ports[port_index].group];
    const uint8_t* source = frame + 6;
    if (!own_.is_fresh(source, plan.ports[port_index].group, tick_)) [[unlikely]] {
      if (is_back(source, plan, port_index)) return core::DropReason::looped;
    }
    const bool takes_flooded = group.elected == core::kNoPort || group.elected == port_index;
    if (!takes_flooded && is_flooded(frame, plan, port_index, target)) return core::DropReason::not_elected;
    return std::nullopt;
  }

 private:
  bool is_back(const uint8_t* source, const core::Plan& plan, uint16_t port_index);
  bool is_flooded(const uint8_t* destination, const core::Plan& plan, uint16_t port_index,
                  uint16_t target) const;

  const MacTables& tables_;
  core::MacTable& own_;
  uint16_t tick_ = 0;
};

}  // namespace path
