// SPDX-License-Identifier: BSD-3-Clause
// Sends every flow through a row of boxes and counts the paths it takes; see tiers.h. On all CPUs.
#include "hashlab/tiers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "hashlab/each_flow.h"
#include "hashlab/evenness.h"

namespace hashlab {
namespace {

constexpr uint32_t kTrials = 1000;
constexpr double kRare = 0.001;

core::GroupState group_of(uint32_t paths) {
  core::GroupState group;
  group.members.resize(paths);
  return group;
}

bool takes_remainder(const Tier& tier) {
  return tier.reduction == Reduction::modulo || tier.reduction == Reduction::resilient;
}

// A tier as it is asked for every flow.
struct Stage {
  explicit Stage(const Tier& tier)
      : hash(tier.hash.hash()),
        spreader(tier.reduction, group_of(tier.paths)),
        fields(tier.fields),
        rotate_bits(static_cast<int>(tier.rotate_bits)) {}

  core::FlowHash hash;
  Spreader spreader;
  core::KeyFields fields;
  int rotate_bits;
};

// Flows by path of each tier, the paths of its first box first.
struct Paths {
  uint64_t flows = 0;
  std::vector<std::vector<uint64_t>> loads;
  void add(const Paths& other) {
    flows += other.flows;
    for (size_t tier = 0; tier < loads.size(); ++tier) add_up(loads[tier], other.loads[tier]);
  }
};

Paths paths_of(const Traffic& traffic, const std::vector<Tier>& tiers, const std::string& doing) {
  std::vector<Stage> stages;
  Paths none;
  size_t paths = 1;
  for (const Tier& tier : tiers) {
    stages.emplace_back(tier);
    none.loads.emplace_back(paths *= tier.paths);
  }
  return over_flows(doing, traffic, none, [&](Paths& sum, const Flow& flow, uint64_t) {
    size_t box = 0;
    for (size_t tier = 0; tier < stages.size(); ++tier) {
      const Stage& stage = stages[tier];
      const core::FlowKey key = key_of(flow.material, stage.fields);
      box = box * stage.spreader.slots() + stage.spreader(std::rotl(stage.hash(key), stage.rotate_bits));
      ++sum.loads[tier][box];
    }
    ++sum.flows;
  });
}

// The part of all that each path is meant to carry by what reached its box; 0 behind boxes that nothing
// reached.
std::vector<double> fair_shares(const std::vector<uint64_t>& boxes, uint32_t paths) {
  std::vector<double> shares;
  for (const uint64_t flows : boxes) shares.insert(shares.end(), paths, static_cast<double>(flows) / paths);
  return shares;
}

// The mean over the boxes that are reached: how much of its paths n flows use, 1 - (1 - 1/paths)^n.
double used_by_chance(const std::vector<uint64_t>& boxes, uint32_t paths) {
  double sum = 0, reached = 0;
  for (const uint64_t flows : boxes) {
    if (flows == 0) continue;
    sum += 1 - std::pow(1 - 1.0 / paths, static_cast<double>(flows));
    ++reached;
  }
  return sum / reached;
}

// `boxes`: flows by box of the tier. A tier is judged by what reached it, whatever those before it did.
TierSpread spread_of(const std::vector<uint64_t>& boxes, const std::vector<uint64_t>& loads, uint32_t paths,
                     uint64_t flows) {
  TierSpread spread;
  spread.paths = paths;
  spread.first_box.assign(loads.begin(), loads.begin() + paths);
  if (flows == 0) return spread;
  const WeightClass units[] = {{1, flows}};
  const std::vector<double> alike(loads.size(), 1), fair = fair_shares(boxes, paths);
  spread.max_over_mean = evenness_of(loads, alike).max_over_mean;
  spread.chance_max = ideal_spread(units, alike, kTrials).max_over_mean.mean;
  const Evenness found = evenness_of(loads, fair);
  spread.reachable = static_cast<double>(found.used) / found.of;
  spread.chance = used_by_chance(boxes, paths);
  const Ideal ideal = ideal_spread(units, fair, kTrials);
  spread.polarised = 1 - ideal.used.at_least(found.used + 1) < kRare;
  spread.uneven = ideal.max_over_mean.at_least(found.max_over_mean) < kRare;
  return spread;
}

}  // namespace

Likeness likeness_of(const Tier& earlier, const Tier& later) {
  const HashChoice &one = earlier.hash, &other = later.hash;
  const bool same = one.seed == other.seed;
  const bool jenkins = one.algorithm == core::HashAlgorithm::jenkins;  // another seed makes another hash
  if (one.algorithm != other.algorithm || one.key != other.key || (jenkins && !same) ||
      earlier.fields != later.fields || earlier.rotate_bits != later.rotate_bits)
    return Likeness::none;
  const uint32_t divisor = std::gcd(earlier.paths, later.paths);
  bool alike = false;
  if (takes_remainder(earlier) && takes_remainder(later)) {
    alike = same ? divisor > 1 : divisor % 2 == 0;  // XOR leaves low bits apart, no other remainders
  } else if (earlier.reduction == Reduction::multiply_shift) {
    alike = later.reduction == earlier.reduction;
  } else if (earlier.reduction == Reduction::maglev) {
    alike = later.reduction == earlier.reduction && later.paths == earlier.paths && same;
  }
  return !alike ? Likeness::none : same ? Likeness::same_hash : Likeness::same_but_xor;
}

TierSpreads tiers_of(const Traffic& traffic, const std::vector<Tier>& tiers, const std::string& doing) {
  const Paths paths = paths_of(traffic, tiers, doing);
  TierSpreads spreads{paths.flows, {}};
  std::vector<uint64_t> boxes = {paths.flows};
  for (size_t t = 0; t < tiers.size(); ++t) {
    TierSpread spread = spread_of(boxes, paths.loads[t], tiers[t].paths, paths.flows);
    const auto alike = [&](const Tier& earlier) { return likeness_of(earlier, tiers[t]) != Likeness::none; };
    const bool by_choice = paths.flows > 0 && spread.reachable < 1 &&
                           std::any_of(tiers.begin(), tiers.begin() + static_cast<ptrdiff_t>(t), alike);
    spread.few_flows = by_choice && !spread.polarised;
    spread.polarised |= by_choice;
    spreads.tiers.push_back(std::move(spread));
    boxes = paths.loads[t];
  }
  return spreads;
}

}  // namespace hashlab
