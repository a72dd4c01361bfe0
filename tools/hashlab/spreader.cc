// SPDX-License-Identifier: BSD-3-Clause
// Builds the table of each reduction; see spreader.h. Pure.
#include "hashlab/spreader.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/names.h"
#include "core/splitmix.h"
#include "hashlab/bad_input.h"

namespace hashlab {
namespace {

using core::GroupState;
using core::Slot;

bool is_prime(uint32_t number) {
  for (uint64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

// Of usable members, the least whole numbers of the same proportions; 0 for others.
std::vector<uint32_t> reduced_weights(const GroupState& group) {
  std::vector<uint32_t> weights;
  uint32_t divisor = 0;
  for (const core::MemberState& member : group.members) {
    weights.push_back(member.usable() ? member.weight : 0);
    divisor = std::gcd(divisor, weights.back());
  }
  for (uint32_t& weight : weights) weight /= std::max(divisor, 1u);
  return weights;
}

std::vector<Slot> list_of(const GroupState& group) {
  const std::vector<uint32_t> weights = reduced_weights(group);
  std::vector<Slot> list;
  for (size_t nic = 0; nic < weights.size(); ++nic) {
    for (uint32_t turn = 0; turn < weights[nic]; ++turn) {
      for (uint32_t queue = 0; queue < group.queues_per_nic; ++queue)
        list.push_back(static_cast<Slot>(nic * group.queues_per_nic + queue));
    }
  }
  return list;
}

// A slot and its walk over the table: every place once, since the size is a prime.
struct Walker {
  Slot slot;
  uint32_t weight;
  uint32_t at, step;
  uint64_t turns = 0;
};

std::vector<Walker> walkers_of(const GroupState& group, uint32_t size) {
  const std::vector<uint32_t> weights = reduced_weights(group);
  std::vector<Walker> walkers;
  for (uint32_t nic = 0; nic < weights.size(); ++nic) {
    for (uint32_t queue = 0; queue < group.queues_per_nic && weights[nic] > 0; ++queue) {
      // By the names of NIC and queue alone: a walk does not change when others come or go.
      core::SplitMix random(uint64_t{nic} << 32 | queue);
      const auto start = static_cast<uint32_t>(random.next() % size);
      const auto step = static_cast<uint32_t>(random.next() % (size - 1) + 1);
      walkers.push_back({static_cast<Slot>(nic * group.queues_per_nic + queue), weights[nic], start, step});
    }
  }
  return walkers;
}

std::vector<Slot> maglev_table(const GroupState& group, uint32_t size) {
  if (!is_prime(size))
    throw BadInput("--maglev-slots " + std::to_string(size) + ": not a prime; try 251, 1021, 4093 or 65537");
  std::vector<Walker> walkers = walkers_of(group, size);
  std::vector<Slot> table(size, core::kNoSlot);
  uint32_t heaviest = 0, filled = 0;
  for (const Walker& walker : walkers) heaviest = std::max(heaviest, walker.weight);
  for (uint64_t round = 1; filled < size && heaviest > 0; ++round) {
    for (Walker& walker : walkers) {
      // The heaviest takes its turn in every round, others in as many as their weight lets them.
      if (round * walker.weight < (walker.turns + 1) * heaviest || filled == size) continue;
      ++walker.turns;
      const auto advance = [&] {
        walker.at = static_cast<uint32_t>((uint64_t{walker.at} + walker.step) % size);
      };
      while (table[walker.at] != core::kNoSlot) advance();
      table[walker.at] = walker.slot;
      ++filled;
      advance();
    }
  }
  return table;
}

std::vector<Slot> table_of(Reduction reduction, const GroupState& group, uint32_t maglev_slots) {
  switch (reduction) {
    case Reduction::maglev:
      return maglev_table(group, maglev_slots);
    case Reduction::resilient:
      return core::build_table(group);
    case Reduction::modulo:
    case Reduction::multiply_shift:
      break;
  }
  std::vector<Slot> list = list_of(group);
  if (list.empty()) list.push_back(core::kNoSlot);
  return list;
}

}  // namespace

std::string_view name_of(Reduction reduction) {
  return kReductionNames[static_cast<size_t>(reduction)];
}
std::optional<Reduction> reduction_of(std::string_view name) {
  return core::value_of<Reduction>(kReductionNames, name);
}

Spreader::Spreader(Reduction reduction, const GroupState& group, uint32_t maglev_slots)
    : table_(table_of(reduction, group, maglev_slots)),
      modulo_(static_cast<uint32_t>(table_.size())),
      high_bits_(reduction == Reduction::multiply_shift),
      slots_(static_cast<uint32_t>(group.members.size() * group.queues_per_nic)) {}

std::vector<double> table_shares_of(const Spreader& spreader) {
  std::vector<double> shares(spreader.slots());
  for (const Slot slot : spreader.table()) {
    if (slot != core::kNoSlot) shares[slot] += 1.0 / spreader.buckets();
  }
  return shares;
}

std::vector<double> shares_of(const GroupState& group) {
  double sum = 0;
  for (const core::MemberState& member : group.members) sum += member.usable() ? member.weight : 0;
  std::vector<double> shares;
  for (const core::MemberState& member : group.members) {
    const double share = member.usable() ? member.weight / sum / group.queues_per_nic : 0;
    shares.insert(shares.end(), group.queues_per_nic, share);
  }
  return shares;
}

}  // namespace hashlab
