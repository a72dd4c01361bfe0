// SPDX-License-Identifier: BSD-3-Clause
// What heavy flows do to queues, what would help, and both in sentences. Called by command elephants. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hashlab/heavy_hitters.h"
#include "hashlab/rebalance.h"

namespace hashlab {

// An input, weighed under one hash and spreader.
struct Study {
  core::KeyFields fields;
  HashChoice hash;
  core::FlowHash function;  // of it
  core::GroupState group;
  Spreader spreader;
  std::vector<double> shares;
  std::string measure;
  Weighed weighed;

  uint32_t bucket_of(const Hitter& hitter) const {
    return hashlab::bucket_of(hitter.material, fields, function, spreader);
  }
  core::Slot slot_of(const Hitter& hitter) const { return spreader.table()[bucket_of(hitter)]; }
  double part(uint64_t weight) const {
    return static_cast<double>(weight) / static_cast<double>(weighed.total);
  }
  // Over the even share of the slot.
  double over_share(uint64_t weight, core::Slot slot) const { return part(weight) / shares[slot]; }
  Overload overload(const std::vector<uint64_t>& loads) const {
    return overload_of(loads, shares, group.queues_per_nic);
  }
  // Otherwise NICs are as full as their queues, or there is only one.
  bool nics_differ_from_queues() const { return group.queues_per_nic > 1 && group.members.size() > 1; }
  std::string slot_name(core::Slot slot) const {
    return "NIC " + std::to_string(slot / group.queues_per_nic) + " queue " +
           std::to_string(slot % group.queues_per_nic);
  }
  // The usable slot with the largest load over its even share.
  core::Slot fullest(const std::vector<uint64_t>& loads) const;
};

// The queues if each of the heaviest flows sent from so many source ports.
struct Split {
  uint32_t ports = 1;
  Overload overload;
  double worst_share = 0;  // of all, on the fullest queue
};

std::vector<Split> splits_of(const Study& study);  // over 1, 2, 4 and 8 ports

// What it means and what to do. `most_moves` as rebalance had it; none when buckets cannot be pinned.
std::vector<std::string> verdicts_of(const Study& study, const Rebalanced& balanced,
                                     const std::vector<Split>& splits, std::optional<size_t> most_moves);

}  // namespace hashlab
