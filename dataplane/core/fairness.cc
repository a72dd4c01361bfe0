// SPDX-License-Identifier: BSD-3-Clause
// Computes how even a spread is and how even chance would have made it, the yardstick that tells a bad hash
// from too few flows. Called by control/report, by tools and tests; the simulation takes up to a tenth of a
// second.
#include "core/fairness.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "core/splitmix.h"

namespace core {
namespace {

constexpr uint64_t kSeed = 0x0ddba11;
// More flows vary less, so they need fewer trials: this bounds the work and keeps the error below a percent.
constexpr uint64_t kMaxDraws = 20'000'000;
constexpr uint64_t kFewestTrials = 20;
// Above this each queue's load is drawn from a normal distribution instead of flow by flow.
constexpr uint64_t kMaxDrawnFlows = 1'000'000;

uint64_t trials_within(uint64_t draws_per_trial, uint32_t wanted) {
  const uint64_t affordable = std::max(kMaxDraws / draws_per_trial, kFewestTrials);
  return std::clamp<uint64_t>(wanted, 1, affordable);
}

// Summary of one max/mean a trial.
IdealSpread summary_of(std::vector<double> trials) {
  const double sum = std::accumulate(trials.begin(), trials.end(), 0.0);
  const auto rank95 = trials.begin() + static_cast<ptrdiff_t>((trials.size() - 1) * 95 / 100);
  std::nth_element(trials.begin(), rank95, trials.end());
  return {sum / static_cast<double>(trials.size()), *rank95};
}

IdealSpread drawn_max_over_mean(uint64_t flows, uint32_t queues, uint32_t wanted) {
  SplitMix random(kSeed);
  std::vector<double> trials(trials_within(flows, wanted));
  std::vector<uint32_t> loads(queues);
  const double mean = static_cast<double>(flows) / queues;
  for (double& trial : trials) {
    std::fill(loads.begin(), loads.end(), 0);
    for (uint64_t flow = 0; flow < flows; ++flow) ++loads[random.below(queues)];
    trial = *std::max_element(loads.begin(), loads.end()) / mean;
  }
  return summary_of(std::move(trials));
}

// Box and Muller (1958). 1 - u keeps the logarithm's argument above 0.
double normal(SplitMix& random) {
  const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
  const double v = static_cast<double>(random.next() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(1 - u)) * std::cos(2 * std::numbers::pi * v);
}

// Independent normals of variance `mean`, less their common average: then they sum to `flows` as true loads
// do, and with few queues the mean of the largest is found with half the error.
IdealSpread approximate_max_over_mean(uint64_t flows, uint32_t queues, uint32_t wanted) {
  SplitMix random(kSeed);
  std::vector<double> trials(trials_within(queues, wanted));
  const double mean = static_cast<double>(flows) / queues;
  for (double& trial : trials) {
    double sum = 0;
    double largest = -HUGE_VAL;  // in standard deviations above the mean
    for (uint32_t queue = 0; queue < queues; ++queue) {
      const double z = normal(random);
      sum += z;
      largest = std::max(largest, z);
    }
    trial = 1 + (largest - sum / queues) / std::sqrt(mean);
  }
  return summary_of(std::move(trials));
}

}  // namespace

Fairness fairness_of(std::span<const uint64_t> loads, std::span<const double> shares) {
  double sum = 0;
  double sum_of_squares = 0;
  double largest = 0;
  double counted = 0;
  double all_loads = 0;
  double all_shares = 0;
  for (size_t i = 0; i < std::min(loads.size(), shares.size()); ++i) {
    if (shares[i] <= 0) continue;
    const double load = static_cast<double>(loads[i]) / shares[i];
    sum += load;
    sum_of_squares += load * load;
    largest = std::max(largest, load);
    ++counted;
    all_loads += static_cast<double>(loads[i]);
    all_shares += shares[i];
  }
  if (sum == 0) return {};
  return {.max_over_mean = largest * all_shares / all_loads, .jain = sum * sum / (counted * sum_of_squares)};
}

IdealSpread ideal_random_max_over_mean(uint64_t flows, uint32_t queues, uint32_t trials) {
  if (flows == 0 || queues == 0) return {};
  if (queues == 1) return {1, 1};
  return flows > kMaxDrawnFlows ? approximate_max_over_mean(flows, queues, trials)
                                : drawn_max_over_mean(flows, queues, trials);
}

}  // namespace core
