// SPDX-License-Identifier: BSD-3-Clause
// What a change of one NIC moves, under each policy. Called by command loss. On all CPUs; ends early when
// stopped(), with the flows that were looked at by then.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/distribution_table.h"
#include "hashlab/hashing.h"
#include "hashlab/spreader.h"
#include "hashlab/traffic.h"

namespace hashlab {

enum class NicEvent : uint8_t { lost, returned, drained, added, reweighted };
inline constexpr std::array<std::string_view, 5> kNicEventNames = {"lost", "returned", "drained", "added",
                                                                   "reweighted"};
std::string_view name_of(NicEvent event);

// The group before and after. `returned` is `lost` the other way round, and ends with the NIC up whatever it
// is in `group`; `added` puts one more NIC, of the weight of `nic`, behind the others; `reweighted` gives
// `nic` the weight.
struct GroupChange {
  core::GroupState before, after;
};
GroupChange change_of(const core::GroupState& group, NicEvent event, uint16_t nic, uint32_t weight);
// Whether the group after has no more NICs and buckets than a group may have: `added` can make too many.
bool fits(const GroupChange& change);

// A change as one policy deals with it.
struct PolicyChange {
  PolicyChange(Reduction reduction, const GroupChange& change, uint32_t maglev_slots = kMaglevSlots);
  Spreader before, after;
  uint16_t queues_per_nic;
  size_t nics;  // of the larger group
};

// In flows; `packets` weighs them.
struct Movement {
  uint64_t flows = 0;
  uint64_t moved = 0;  // leave by another NIC or queue than before
  // The least that leads from what NICs carry before to what they carry after: of a lost NIC, its own flows.
  uint64_t needed = 0;
  uint64_t moved_nic = 0;  // of moved: leave by another NIC
  uint64_t packets = 0, moved_packets = 0;
  // Flows by NIC before and NIC after, the NICs of the larger group; behind them, no NIC at all.
  std::vector<std::vector<uint64_t>> from_to;
  std::vector<uint64_t> loads_before, loads_after;  // flows by slot
};
// One for each change: flows are hashed once for all of them.
std::vector<Movement> movements_of(const Traffic& traffic, const core::KeyFields& fields,
                                   const core::FlowHash& hash, std::span<const PolicyChange> changes);

}  // namespace hashlab
