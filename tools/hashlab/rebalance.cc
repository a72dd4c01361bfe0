// SPDX-License-Identifier: BSD-3-Clause
// Moves buckets on paper; see rebalance.h. Pure.
#include "hashlab/rebalance.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "hashlab/tally.h"

namespace hashlab {
namespace {

// Queues, or NICs: what each carries over its even share.
class Places {
 public:
  Places(std::vector<uint64_t> loads, std::vector<double> shares)
      : loads_(std::move(loads)), shares_(std::move(shares)) {
    total_ = static_cast<double>(std::reduce(loads_.begin(), loads_.end()));
  }

  const std::vector<uint64_t>& loads() const { return loads_; }
  bool usable(size_t place) const { return shares_[place] > 0; }
  double overload(size_t place, uint64_t load) const {
    return total_ == 0 ? 0 : static_cast<double>(load) / (total_ * shares_[place]);
  }
  double overload(size_t place) const { return overload(place, loads_[place]); }
  double with(size_t place, uint64_t more) const { return overload(place, loads_[place] + more); }
  double without(size_t place, uint64_t less) const { return overload(place, loads_[place] - less); }
  size_t fullest() const {
    std::optional<size_t> best;
    for (size_t place = 0; place < loads_.size(); ++place) {
      if (usable(place) && (!best || overload(place) > overload(*best))) best = place;
    }
    return *best;
  }
  double largest() const { return overload(fullest()); }
  void move(size_t from, size_t to, uint64_t weight) {
    loads_[from] -= weight;
    loads_[to] += weight;
  }

 private:
  std::vector<uint64_t> loads_;
  std::vector<double> shares_;
  double total_ = 0;
};

// A group in the middle of the work.
struct Group {
  Places queues, nics;
  std::vector<core::Slot> table;  // by bucket
  std::vector<bool> moved;        // by bucket
  uint16_t queues_per_nic;

  Group(std::vector<uint64_t> loads, std::span<const double> shares, std::span<const core::Slot> at,
        uint16_t per_nic)
      : queues(loads, {shares.begin(), shares.end()}),
        nics(by_nic(loads, per_nic), by_nic(shares, per_nic)),
        table(at.begin(), at.end()),
        moved(at.size()),
        queues_per_nic(per_nic) {}

  Overload overload() const { return {queues.largest(), nics.largest()}; }
  void move(uint32_t bucket, core::Slot to, uint64_t weight) {
    const core::Slot from = table[bucket];
    queues.move(from, to, weight);
    nics.move(from / queues_per_nic, to / queues_per_nic, weight);
    table[bucket] = to;
    moved[bucket] = true;
  }
};

struct Choice {
  uint32_t bucket = 0;
  core::Slot to = 0;
  double gain = 0;            // of queue and NIC together
  double nic = 0, queue = 0;  // overloads behind it: the fuller one of the two NICs, the new queue
  bool better_than(const Choice& other) const {
    return std::tuple(-gain, nic, queue) < std::tuple(-other.gain, other.nic, other.queue);
  }
};

// Whether lowering an overload of `largest` by `gain` is worth that a bucket moves, one that is `alone` times
// its new queue's even share.
bool worth(double gain, double largest, double alone) {
  return gain >= kLeastGain && (alone <= 1 || gain >= kLeastPart * (largest - 1));
}

// What comes of moving a bucket of that weight, if it is worth it. `most`: the overloads as they are.
std::optional<Choice> choice_of(const Group& group, const Overload& most, uint32_t bucket, uint64_t weight,
                                core::Slot to) {
  const core::Slot from = group.table[bucket];
  const size_t from_nic = from / group.queues_per_nic, to_nic = to / group.queues_per_nic;
  const bool same_nic = from_nic == to_nic;
  const double queue = group.queues.with(to, weight);
  const double nic = group.nics.with(to_nic, same_nic ? 0 : weight);
  if (queue > most.queue || nic > most.nic) return {};
  const double fuller_queue = std::max(queue, group.queues.without(from, weight));
  const double fuller_nic = std::max(nic, group.nics.without(from_nic, same_nic ? 0 : weight));
  const double queue_gain = group.queues.overload(from) == most.queue ? most.queue - fuller_queue : 0;
  const double nic_gain = group.nics.overload(from_nic) == most.nic ? most.nic - fuller_nic : 0;
  const double alone = group.queues.overload(to, weight);
  if (!worth(queue_gain, most.queue, alone) && !worth(nic_gain, most.nic, alone)) return {};
  return Choice{bucket, to, queue_gain + nic_gain, fuller_nic, queue};
}

// The best move of a bucket off the fullest queue or NIC.
std::optional<Choice> best_choice(const Group& group, std::span<const uint64_t> buckets) {
  const size_t fullest_queue = group.queues.fullest(), fullest_nic = group.nics.fullest();
  const Overload most = group.overload();
  std::optional<Choice> best;
  for (uint32_t bucket = 0; bucket < buckets.size(); ++bucket) {
    const core::Slot from = group.table[bucket];
    const bool full = from == fullest_queue || from / group.queues_per_nic == fullest_nic;
    if (!full || buckets[bucket] == 0 || group.moved[bucket]) continue;
    for (core::Slot to = 0; to < group.queues.loads().size(); ++to) {
      if (to == from || !group.queues.usable(to)) continue;
      const auto choice = choice_of(group, most, bucket, buckets[bucket], to);
      if (choice && (!best || choice->better_than(*best))) best = choice;
    }
  }
  return best;
}

// How many of the moves, from the first, are worth it. A move that lowers one of several queues that are
// equally full gains nothing by itself: so gains are averaged up to where they are most.
size_t worthwhile(const Overload& before, std::span<const BucketMove> moves) {
  size_t count = 0;
  double sum = 0, best = 0;
  Overload last = before;
  for (size_t i = 0; i < moves.size(); ++i) {
    const Overload& now = moves[i].overload;
    sum += std::max(last.queue - now.queue, last.nic - now.nic) - kLeastGain;
    if (sum > best) best = sum, count = i + 1;
    last = now;
  }
  if (count == 0) return 0;
  const Overload& after = moves[count - 1].overload;
  const bool enough = before.queue - after.queue >= kLeastPart * (before.queue - 1) ||
                      before.nic - after.nic >= kLeastPart * (before.nic - 1);
  return enough ? count : 0;
}

}  // namespace

Overload overload_of(std::span<const uint64_t> loads, std::span<const double> shares,
                     uint16_t queues_per_nic) {
  return Group({loads.begin(), loads.end()}, shares, {}, queues_per_nic).overload();
}

Rebalanced rebalance(std::span<const uint64_t> buckets, std::span<const core::Slot> table,
                     std::span<const double> shares, uint16_t queues_per_nic, size_t most_moves) {
  Rebalanced result;
  result.before.resize(shares.size());
  for (size_t bucket = 0; bucket < buckets.size(); ++bucket) result.before[table[bucket]] += buckets[bucket];
  const Group before(result.before, shares, table, queues_per_nic);
  result.overload_before = before.overload();

  Group trial = before;
  while (result.moves.size() < most_moves && trial.overload().queue > kEvenEnough) {
    const auto choice = best_choice(trial, buckets);
    if (!choice) break;
    const core::Slot from = trial.table[choice->bucket];
    trial.move(choice->bucket, choice->to, buckets[choice->bucket]);
    result.moves.push_back({choice->bucket, from, choice->to, buckets[choice->bucket], trial.overload()});
  }
  result.moves.resize(worthwhile(result.overload_before, result.moves));

  Group after = before;
  for (const BucketMove& move : result.moves) after.move(move.bucket, move.to, move.weight);
  result.after = after.queues.loads();
  result.overload_after = after.overload();
  const size_t fullest = after.queues.fullest();
  std::optional<uint32_t> heaviest;
  for (uint32_t bucket = 0; bucket < buckets.size(); ++bucket) {
    if (after.table[bucket] == fullest && (!heaviest || buckets[bucket] > buckets[*heaviest]))
      heaviest = bucket;
  }
  const auto largest_share =
      static_cast<size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  result.heaviest_bucket = *heaviest;
  result.heaviest_overload = after.queues.overload(largest_share, buckets[*heaviest]);
  return result;
}

}  // namespace hashlab
