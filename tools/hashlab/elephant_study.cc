// SPDX-License-Identifier: BSD-3-Clause
// Elephants and their cures, in figures and sentences; see elephant_study.h. Pure.
#include "hashlab/elephant_study.h"

#include <algorithm>
#include <array>

#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

constexpr std::array<uint32_t, 4> kSplits = {1, 2, 4, 8};
constexpr double kElephant = 0.1;  // of a queue's even share: what a flow must carry to matter by itself

std::string times(double overload) {
  return fixed(overload, 2) + " times its even share";
}

// How full the fullest queue and NIC are, and how much of that queue the listed flows are.
std::string fullest_sentence(const Study& study, const Rebalanced& balanced) {
  const core::Slot fullest = study.fullest(balanced.before);
  uint64_t listed_weight = 0, listed_flows = 0;
  for (const Hitter& hitter : study.weighed.heaviest) {
    if (study.slot_of(hitter) != fullest) continue;
    listed_weight += hitter.weight;
    ++listed_flows;
  }
  const uint64_t load = balanced.before[fullest];
  std::string text = "The fullest queue, " + study.slot_name(fullest) + ", carries " +
                     percent(study.part(load), 1) + " of all " + study.measure + ", " +
                     times(balanced.overload_before.queue) + "; ";
  if (listed_flows == 0) {
    text += "none of the flows listed is on it.";
  } else {
    text += percent(static_cast<double>(listed_weight) / static_cast<double>(load), 1) + " of it " +
            (listed_flows == 1 ? "is 1" : "are " + grouped(listed_flows)) + " of the flows listed.";
  }
  if (study.nics_differ_from_queues())
    text += " The fullest NIC carries " + times(balanced.overload_before.nic) + ".";
  return text;
}

// The heaviest flow of a bucket, if it is listed.
const Hitter* heaviest_in(const Study& study, uint32_t bucket) {
  for (const Hitter& hitter : study.weighed.heaviest) {
    if (study.bucket_of(hitter) == bucket) return &hitter;
  }
  return nullptr;
}

std::string stuck_sentence(const Study& study, const Rebalanced& balanced) {
  const uint32_t bucket = balanced.heaviest_bucket;
  const uint64_t weight = study.weighed.buckets[bucket];
  const bool alike = std::all_of(study.shares.begin(), study.shares.end(), [&](double share) {
    return share == 0 || share == *std::max_element(study.shares.begin(), study.shares.end());
  });
  std::string text = "Bucket " + std::to_string(bucket) + " alone carries " +
                     fixed(balanced.heaviest_overload, 2) + " times " +
                     (alike ? "a queue's even share" : "the even share of the queue with the largest") +
                     ", so no move can make its queue even";
  // As much of the overload as one key has; what is more is chance or the hash.
  const Hitter* hitter = heaviest_in(study, bucket);
  const double part = hitter ? static_cast<double>(hitter->weight) / static_cast<double>(weight) : 0;
  if (part * balanced.heaviest_overload <= kEvenEnough)
    return text + "; another hash, or more buckets, may part its flows.";
  text += ": " + percent(part, 1) + " of it is " + words_of(hitter->material);
  text += hitter->members > 1 ? " and " + grouped(hitter->members - 1) +
                                    " of the same key, which only more fields can tell apart"
                              : ", which only more source ports (or more queue pairs) can spread";
  return text + ".";
}

std::string split_sentence(const std::vector<Split>& splits) {
  const Split& best = *std::min_element(splits.begin(), splits.end(), [](const Split& a, const Split& b) {
    return a.overload.queue < b.overload.queue;
  });
  if (best.ports == 1) return "Splitting these flows over the next source ports would not help.";
  return "Split over " + std::to_string(best.ports) +
         " source ports each, these flows would leave the fullest queue at " + times(best.overload.queue) +
         " instead of " + fixed(splits.front().overload.queue, 2) + ".";
}

std::string moves_sentence(const Study& study, const Rebalanced& balanced, size_t most_moves) {
  if (most_moves == 0) return "No moves were asked for.";
  const size_t made = balanced.moves.size();
  if (made == 0) {
    return "No buckets are worth moving: " +
           (most_moves == 1 ? "one move" : "up to " + counted(most_moves, "move")) +
           " would hardly help the fullest queue" + (study.nics_differ_from_queues() ? " or NIC." : ".");
  }
  const Overload &before = balanced.overload_before, &after = balanced.overload_after;
  std::string text = counted(made, "move") + (made == 1 ? " brings" : " bring") + " the fullest queue from " +
                     fixed(before.queue, 2) + " to " + times(after.queue);
  if (study.nics_differ_from_queues()) {
    const std::string from = fixed(before.nic, 2), to = fixed(after.nic, 2);
    text += from == to
                ? (made == 1 ? " and leaves the fullest NIC at " : " and leave the fullest NIC at ") + to
                : " and the fullest NIC from " + from + " to " + to;
  }
  return text + ".";
}

}  // namespace

core::Slot Study::fullest(const std::vector<uint64_t>& loads) const {
  core::Slot best = 0;
  for (core::Slot slot = 1; slot < loads.size(); ++slot) {
    const bool fuller = shares[best] == 0 || over_share(loads[slot], slot) > over_share(loads[best], best);
    if (shares[slot] > 0 && fuller) best = slot;
  }
  return best;
}

std::vector<Split> splits_of(const Study& study) {
  std::vector<Split> splits;
  for (const uint32_t ports : kSplits) {
    const auto loads = slots_of(
        buckets_when_split(study.weighed, study.fields, study.hash, study.spreader, ports), study.spreader);
    splits.push_back({ports, study.overload(loads), study.part(loads[study.fullest(loads)])});
  }
  return splits;
}

std::vector<std::string> verdicts_of(const Study& study, const Rebalanced& balanced,
                                     const std::vector<Split>& splits, std::optional<size_t> most_moves) {
  std::vector<std::string> verdicts;
  verdicts.push_back(fullest_sentence(study, balanced));
  if (balanced.overload_before.queue <= kEvenEnough) {
    verdicts.push_back("That is even enough: nothing needs to be done.");
    return verdicts;
  }
  const Hitter& top = study.weighed.heaviest.front();
  const double of_queue = study.over_share(top.weight, study.slot_of(top));
  if (of_queue < kElephant) {
    verdicts.push_back("There are no elephants: the heaviest flow is " + percent(of_queue, 1) +
                       " of a queue's even share. Command spread tells whether hash, fields or the number of "
                       "flows are to blame.");
  } else {
    verdicts.push_back(split_sentence(splits));
  }
  if (!most_moves) return verdicts;
  verdicts.push_back(moves_sentence(study, balanced, *most_moves));
  if (balanced.heaviest_overload > kEvenEnough && balanced.overload_after.queue > kEvenEnough)
    verdicts.push_back(stuck_sentence(study, balanced));
  return verdicts;
}

}  // namespace hashlab
