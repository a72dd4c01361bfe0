// SPDX-License-Identifier: BSD-3-Clause
// Keeps several NICs on one Ethernet segment from doubling and looping frames. Learns from source addresses
// on which group a station is; drops a frame that comes in by a group while its source was just seen on
// another (our own frame came back: `looped`), and takes in flooded frames (to a group address, or to a
// station nobody has heard of) by the elected member of a group only (`not_elected`). One a worker, mode
// gateway; reads the tables of all workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/burst.h"
#include "core/mac_table.h"
#include "core/plan.h"

namespace path {

// The tables of all workers, by worker.
using MacTables = std::vector<std::unique_ptr<core::MacTable>>;

class L2Guard {
 public:
  L2Guard(const MacTables& tables, unsigned worker, size_t ports)
      : tables_(tables), own_(*tables[worker]), passed_(ports) {}

  // Whether frames that come in by this port must be shown to the guard at all.
  static bool watches(const core::Plan& plan, uint16_t port_index);

  // The time of this round, in ticks of core::kMacTickMs.
  void set_tick(uint64_t tick) {
    const auto now = static_cast<uint16_t>(tick & 0xfff);
    if (now == tick_) return;
    own_.expire(now);
    tick_ = now;
    forget();
  }
  // Asks anew for every address; after a change of plan.
  void forget() { std::fill(passed_.begin(), passed_.end(), core::MacPair{}); }

  // The addresses of the last frame that passed on this port in this tick: another one with the same passes
  // too. Only where all frames of the port go to one group.
  const core::MacPair& last_passed(uint16_t port_index) const { return passed_[port_index]; }
  bool is_like_the_last(const uint8_t* frame, uint16_t port_index) const {
    return std::memcmp(passed_[port_index].words, frame, sizeof(core::MacPair)) == 0;
  }

  // The reason to drop a frame (at least 14 bytes at `frame`) that came in by `port_index` and goes to group
  // `target`. Learns its source.
  std::optional<core::DropReason> judge(const uint8_t* frame, const core::Plan& plan, uint16_t port_index,
                                        uint16_t target);

 private:
  bool is_back(const uint8_t* source, const core::Plan& plan, uint16_t port_index);
  bool is_flooded(const uint8_t* destination, const core::Plan& plan, uint16_t port_index,
                  uint16_t target) const;

  const MacTables& tables_;
  core::MacTable& own_;
  uint16_t tick_ = 0;
  std::vector<core::MacPair> passed_;  // by port index; all zero: none
};

}  // namespace path
