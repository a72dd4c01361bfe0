// SPDX-License-Identifier: BSD-3-Clause
// Follows every flow from the table before a change to the table after it; see loss.h. On all CPUs.
#include "hashlab/loss.h"

#include <algorithm>

#include "hashlab/each_flow.h"

namespace hashlab {
namespace {

// What is counted of one change. The last place of each list is for no slot.
struct Count {
  explicit Count(const PolicyChange& change)
      : before(change.before.slots() + 1),
        after(change.after.slots() + 1),
        from_to((change.nics + 1) * (change.nics + 1)) {}

  void add(const Count& other) {
    moved += other.moved;
    moved_packets += other.moved_packets;
    add_up(before, other.before);
    add_up(after, other.after);
    add_up(from_to, other.from_to);
  }

  uint64_t moved = 0, moved_packets = 0;
  std::vector<uint64_t> before, after, from_to;
};

struct Counts {
  uint64_t flows = 0, packets = 0;
  std::vector<Count> changes;
  void add(const Counts& other) {
    flows += other.flows;
    packets += other.packets;
    for (size_t i = 0; i < changes.size(); ++i) changes[i].add(other.changes[i]);
  }
};

void count(const PolicyChange& change, uint32_t hash, uint64_t packets, Count& sum) {
  const core::Slot from = change.before(hash), to = change.after(hash);
  const auto nic_of = [&](core::Slot slot) {
    return slot == core::kNoSlot ? change.nics : slot / change.queues_per_nic;
  };
  if (from != to) {
    ++sum.moved;
    sum.moved_packets += packets;
  }
  ++sum.before[from == core::kNoSlot ? sum.before.size() - 1 : from];
  ++sum.after[to == core::kNoSlot ? sum.after.size() - 1 : to];
  ++sum.from_to[nic_of(from) * (change.nics + 1) + nic_of(to)];
}

Movement movement_of(const Counts& all, const Count& sum, size_t nics) {
  Movement movement{.flows = all.flows,
                    .moved = sum.moved,
                    .packets = all.packets,
                    .moved_packets = sum.moved_packets,
                    .from_to = {},
                    .loads_before = {sum.before.begin(), sum.before.end() - 1},
                    .loads_after = {sum.after.begin(), sum.after.end() - 1}};
  std::vector<uint64_t> had(nics + 1), has(nics + 1);
  for (size_t from = 0; from <= nics; ++from) {
    const auto row = sum.from_to.begin() + static_cast<ptrdiff_t>(from * (nics + 1));
    movement.from_to.emplace_back(row, row + static_cast<ptrdiff_t>(nics + 1));
    for (size_t to = 0; to <= nics; ++to) {
      const uint64_t flows = movement.from_to[from][to];
      had[from] += flows;
      has[to] += flows;
      if (from != to) movement.moved_nic += flows;
    }
  }
  for (size_t nic = 0; nic <= nics; ++nic) movement.needed += has[nic] - std::min(has[nic], had[nic]);
  return movement;
}

}  // namespace

std::string_view name_of(NicEvent event) {
  return kNicEventNames[static_cast<size_t>(event)];
}

GroupChange change_of(const core::GroupState& group, NicEvent event, uint16_t nic, uint32_t weight) {
  GroupChange change{group, group};
  core::MemberState& after = change.after.members[nic];
  switch (event) {
    case NicEvent::lost:
      after.up = false;
      break;
    case NicEvent::returned:
      change.before.members[nic].up = false;
      after.up = true;
      break;
    case NicEvent::drained:
      after.drained = true;
      break;
    case NicEvent::added:
      change.after.members.push_back({.weight = group.members[nic].weight});
      break;
    case NicEvent::reweighted:
      after.weight = weight;
      break;
  }
  return change;
}

bool fits(const GroupChange& change) {
  const size_t nics = change.after.members.size();
  return nics <= core::kMaxMembers &&
         nics * change.after.queues_per_nic * change.after.buckets_per_queue <= core::kMaxBuckets;
}

PolicyChange::PolicyChange(Reduction reduction, const GroupChange& change, uint32_t maglev_slots)
    : before(reduction, change.before, maglev_slots),
      after(reduction, change.after, maglev_slots),
      queues_per_nic(change.before.queues_per_nic),
      nics(std::max(change.before.members.size(), change.after.members.size())) {}

std::vector<Movement> movements_of(const Traffic& traffic, const core::KeyFields& fields,
                                   const core::FlowHash& hash, std::span<const PolicyChange> changes) {
  Counts none;
  for (const PolicyChange& change : changes) none.changes.emplace_back(change);
  const Counts all = over_flows("hashing", traffic, none, [&](Counts& sum, const Flow& flow, uint64_t) {
    const uint32_t word = hash(key_of(flow.material, fields));
    ++sum.flows;
    sum.packets += flow.packets;
    for (size_t i = 0; i < changes.size(); ++i) count(changes[i], word, flow.packets, sum.changes[i]);
  });
  std::vector<Movement> movements;
  for (size_t i = 0; i < changes.size(); ++i)
    movements.push_back(movement_of(all, all.changes[i], changes[i].nics));
  return movements;
}

}  // namespace hashlab
