// SPDX-License-Identifier: BSD-3-Clause
// Draws what an ideal random hash would do, many times; see evenness.h. Trials run on all CPUs; each starts
// its own random sequence by its number, so the answer is the same on any number of them.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/splitmix.h"
#include "hashlab/evenness.h"
#include "hashlab/progress.h"

namespace hashlab {
namespace {

constexpr double kMostDraws = 4e8;
constexpr double kFewestTrials = 20;
// A binomial costs as much as this many units that are drawn one by one.
constexpr double kDrawsOfBinomial = 100;
// Loads that are kept for the bands of slots, over all trials: 32 MB.
constexpr size_t kKeptLoads = 4'000'000;
constexpr size_t kFewestKept = 20;

// SplitMix as std's distributions want it.
struct RandomBits {
  using result_type = uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }
  result_type operator()() { return random.next(); }
  core::SplitMix random;
};

// Throws units into the slots that have a share.
class Thrower {
 public:
  explicit Thrower(std::span<const double> shares) {
    for (uint32_t slot = 0; slot < shares.size(); ++slot) {
      if (shares[slot] > 0) slots_.push_back(slot);
    }
    equal_ = std::all_of(slots_.begin(), slots_.end(),
                         [&](uint32_t slot) { return shares[slot] == shares[slots_.front()]; });
    for (const uint32_t slot : slots_) shares_.push_back(shares[slot]);
    std::partial_sum(shares_.begin(), shares_.end(), std::back_inserter(up_to_));
    for (size_t i = 0, first = 0; i < slots_.size() && !equal_; ++i) {
      const double from = static_cast<double>(i) / static_cast<double>(slots_.size()) * up_to_.back();
      while (first + 1 < slots_.size() && up_to_[first] <= from) ++first;
      guide_.push_back(static_cast<uint32_t>(first));
    }
  }

  bool empty() const { return slots_.empty(); }
  // Of one trial, in units that are drawn one by one.
  double cost(std::span<const WeightClass> units) const {
    double sum = 0;
    for (const WeightClass& kind : units) {
      const auto count = static_cast<double>(kind.count);
      sum += one_by_one(kind) ? count : kDrawsOfBinomial * static_cast<double>(slots_.size());
    }
    return sum;
  }

  void operator()(const WeightClass& kind, RandomBits& bits, std::vector<uint64_t>& loads) const {
    if (!one_by_one(kind)) return by_binomials(kind, bits, loads);
    for (uint64_t unit = 0; unit < kind.count; ++unit) loads[slots_[place(bits)]] += kind.weight;
  }

 private:
  bool one_by_one(const WeightClass& kind) const {
    return static_cast<double>(kind.count) <= kDrawsOfBinomial * static_cast<double>(slots_.size());
  }

  size_t place(RandomBits& bits) const {
    if (equal_) return bits.random.below(static_cast<uint32_t>(slots_.size()));
    const double part = static_cast<double>(bits() >> 11) * 0x1p-53;
    const double at = part * up_to_.back();
    size_t found = guide_[static_cast<size_t>(part * static_cast<double>(guide_.size()))];
    while (found + 1 < up_to_.size() && up_to_[found] <= at) ++found;
    return found;
  }

  // The first slot's load, then the second's of what is left, and so on.
  void by_binomials(const WeightClass& kind, RandomBits& bits, std::vector<uint64_t>& loads) const {
    auto left = static_cast<int64_t>(kind.count);
    for (size_t i = 0; i + 1 < slots_.size() && left > 0; ++i) {
      const double rest = up_to_.back() - up_to_[i] + shares_[i];
      const int64_t taken = std::binomial_distribution<int64_t>(left, std::min(1.0, shares_[i] / rest))(bits);
      loads[slots_[i]] += static_cast<uint64_t>(taken) * kind.weight;
      left -= taken;
    }
    loads[slots_.back()] += static_cast<uint64_t>(left) * kind.weight;
  }

  std::vector<uint32_t> slots_;         // with a share
  std::vector<double> shares_, up_to_;  // of these; sums of the first ones
  std::vector<uint32_t> guide_;         // where the search in up_to_ starts, by equal parts of the sum
  bool equal_ = true;
};

double percentile(std::span<const double> sorted, double part) {
  return sorted[static_cast<size_t>(static_cast<double>(sorted.size() - 1) * part)];
}

template <class Member>
Draws draws_of(const std::vector<Evenness>& trials, Member Evenness::*figure) {
  Draws draws;
  for (const Evenness& trial : trials) draws.sorted.push_back(static_cast<double>(trial.*figure));
  std::sort(draws.sorted.begin(), draws.sorted.end());
  const double sum = std::accumulate(draws.sorted.begin(), draws.sorted.end(), 0.0);
  draws.mean = sum / static_cast<double>(draws.sorted.size());
  draws.p5 = percentile(draws.sorted, 0.05);
  draws.p50 = percentile(draws.sorted, 0.50);
  draws.p95 = percentile(draws.sorted, 0.95);
  return draws;
}

// 5 and 95 % of each slot's loads. Slots of one share have one distribution: their loads are taken together.
void find_bands(const std::vector<std::vector<uint64_t>>& kept, std::span<const double> shares,
                Ideal& ideal) {
  std::vector<uint32_t> slots(shares.size());
  std::iota(slots.begin(), slots.end(), 0);
  std::stable_sort(slots.begin(), slots.end(), [&](uint32_t a, uint32_t b) { return shares[a] < shares[b]; });
  for (auto first = slots.begin(); first != slots.end();) {
    const double share = shares[*first];
    const auto last = std::find_if(first, slots.end(), [&](uint32_t slot) { return shares[slot] != share; });
    std::vector<double> loads;
    for (const std::vector<uint64_t>& trial : kept)
      std::for_each(first, last, [&](uint32_t slot) { loads.push_back(static_cast<double>(trial[slot])); });
    std::sort(loads.begin(), loads.end());
    std::for_each(first, last, [&](uint32_t slot) {
      ideal.low[slot] = percentile(loads, 0.05);
      ideal.high[slot] = percentile(loads, 0.95);
    });
    first = last;
  }
}

}  // namespace

double Draws::at_least(double value) const {
  if (sorted.empty()) return 0;
  // Equal loads may differ in the last bits of their figures.
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), value * (1 - 1e-12));
  return static_cast<double>(sorted.end() - found) / static_cast<double>(sorted.size());
}

Ideal ideal_spread(std::span<const WeightClass> units, std::span<const double> shares, uint32_t trials,
                   uint64_t seed, std::span<const double> wanted) {
  if (wanted.empty()) wanted = shares;
  const Thrower throw_units(shares);
  Ideal ideal{.low = std::vector<double>(shares.size()), .high = std::vector<double>(shares.size())};
  const double cost = throw_units.cost(units);
  if (throw_units.empty() || cost == 0) return ideal;
  const auto affordable = static_cast<size_t>(std::max(kMostDraws / cost, kFewestTrials));
  std::vector<Evenness> drawn(std::min<size_t>(trials, affordable));
  std::vector<std::vector<uint64_t>> kept(
      std::min(drawn.size(), std::max(kFewestKept, kKeptLoads / shares.size())));

  const uint64_t start = core::SplitMix(seed).next();  // other seeds share no trial
  Progress progress("drawing", "trials", static_cast<double>(drawn.size()));
  using Trials = oneapi::tbb::blocked_range<size_t>;
  oneapi::tbb::parallel_for(Trials(0, drawn.size()), [&](const Trials& range) {
    std::vector<uint64_t> loads(shares.size());
    for (size_t trial = range.begin(); trial < range.end(); ++trial) {
      if (stopped() && trial >= kFewestTrials) break;
      std::fill(loads.begin(), loads.end(), 0);
      RandomBits bits{core::SplitMix(core::SplitMix(start + trial).next())};
      for (const WeightClass& kind : units) throw_units(kind, bits, loads);
      drawn[trial] = evenness_of(loads, wanted);
      if (trial < kept.size()) kept[trial] = loads;
      progress.advance(1);
    }
  });
  std::erase_if(drawn, [](const Evenness& trial) { return trial.of == 0; });  // left out when stopped
  std::erase_if(kept, [](const std::vector<uint64_t>& trial) { return trial.empty(); });

  ideal.trials = static_cast<uint32_t>(drawn.size());
  ideal.max_over_mean = draws_of(drawn, &Evenness::max_over_mean);
  ideal.variation = draws_of(drawn, &Evenness::variation);
  ideal.jain = draws_of(drawn, &Evenness::jain);
  ideal.chi_squared = draws_of(drawn, &Evenness::chi_squared);
  ideal.used = draws_of(drawn, &Evenness::used);
  find_bands(kept, shares, ideal);
  return ideal;
}

}  // namespace hashlab
