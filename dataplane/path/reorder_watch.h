// SPDX-License-Identifier: BSD-3-Clause
// Feeds the reorder meters of one worker: chooses flows by their hash, reads the numbers of their packets
// before a driver takes them, and counts those it took, in the order in which they leave. Worker lcore;
// control reads the counters.
#pragma once

#include <rte_mbuf.h>

#include <span>
#include <vector>

#include "core/burst.h"
#include "core/plan.h"
#include "core/reorder_meter.h"
#include "path/flow_note.h"

namespace path {

class ReorderWatch {
 public:
  explicit ReorderWatch(const core::Plan& plan);

  // Whether packets with this flow hash are watched: one flow in plan.reorder_sample.
  bool watches(uint32_t hash) const { return core::spread_hash(hash) < below_; }
  uint64_t below() const { return below_; }

  // Reads the numbers of watched packets in a line that is about to be handed to a driver.
  void look_at(std::span<rte_mbuf* const> mbufs);
  // The first `taken` packets of that line have left.
  void left(uint16_t taken);

  // Null when no flow is watched.
  const core::ReorderCounters* counters(size_t group) const {
    return meters_.empty() ? nullptr : &meters_[group].counters();
  }

 private:
  struct Seen {
    uint16_t place;
    uint8_t group;
    core::SequenceSample sample;
  };
  uint64_t below_;
  core::VlanTag vlan_tag_;
  std::vector<core::ReorderMeter> meters_;  // by target group; none when nothing is watched
  std::vector<Seen> seen_;                  // of the present line; capacity for the longest
};

}  // namespace path
