// SPDX-License-Identifier: BSD-3-Clause
// Checks the measures of evenness on spreads that can be worked out by hand, and the ideal of chance against
// published and independently simulated means.
#include "core/fairness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace {

TEST(Fairness, OfKnownSpreads) {
  struct Row {
    const char* name;
    std::vector<uint64_t> loads;
    std::vector<double> shares;
    double max_over_mean, jain;
  };
  const Row rows[] = {
      {"even", {5, 5, 5, 5}, {1, 1, 1, 1}, 1, 1},
      {"all on one of four", {8, 0, 0, 0}, {1, 1, 1, 1}, 4, 0.25},
      {"half of the queues", {3, 3, 0, 0}, {1, 1, 1, 1}, 2, 0.5},
      {"one, two, three", {1, 2, 3}, {1, 1, 1}, 1.5, 36.0 / 42},
      {"one queue", {7}, {1}, 1, 1},
      {"scale of the shares is free", {1, 2, 3}, {0.2, 0.2, 0.2}, 1.5, 36.0 / 42},
      {"loads as the weights ask", {100, 300, 600}, {1, 3, 6}, 1, 1},
      {"even loads, uneven weights", {6, 6}, {1, 2}, 6 / 4.0, 81.0 / (2 * 45)},
      {"the first has twice its part", {20, 20, 60}, {1, 3, 6}, 2, 121.0 / 147},
      {"a queue without share is left out", {4, 9, 4}, {1, 0, 1}, 1, 1},
      {"nothing sent", {0, 0, 0}, {1, 1, 1}, 0, 0},
      {"no queue with a share", {4, 4}, {0, 0}, 0, 0},
      {"no queues", {}, {}, 0, 0},
      {"loads near 2^64", {1ull << 63, 1ull << 63}, {1, 1}, 1, 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const core::Fairness fairness = core::fairness_of(row.loads, row.shares);
    EXPECT_NEAR(fairness.max_over_mean, row.max_over_mean, 1e-12);
    EXPECT_NEAR(fairness.jain, row.jain, 1e-12);
  }
}

TEST(IdealRandom, MatchesSimulatedMeans) {
  constexpr uint32_t kQueues[] = {4, 8, 16, 32, 64};
  struct Row {
    const char* name;
    uint64_t flows;
    double expected[5];  // means of 20,000 trials
  };
  const Row rows[] = {
      {"64 flows", 64, {1.263, 1.533, 1.967, 2.706, 3.957}},
      {"256 flows", 256, {1.130, 1.259, 1.465, 1.798, 2.343}},
      {"1,024 flows", 1024, {1.065, 1.128, 1.226, 1.382, 1.631}},
      {"10,000 flows", 10000, {1.021, 1.040, 1.071, 1.119, 1.192}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(core::ideal_random_max_over_mean(row.flows, kQueues[i], 20000).mean, row.expected[i],
                  0.01 * row.expected[i])
          << kQueues[i] << " queues";
  }
}

TEST(IdealRandom, MatchesExactMeans) {
  struct Row {
    const char* name;
    uint64_t flows;
    uint32_t queues;
    double expected;
  };
  const Row rows[] = {
      {"no flows", 0, 8, 0},
      {"no queues", 8, 0, 0},
      {"one queue", 1000, 1, 1},
      {"one queue, many flows", 50'000'000, 1, 1},
      {"one flow is alone on its queue", 1, 16, 16},
      {"two flows on two queues", 2, 2, 1.5},
      {"three flows on two queues", 3, 2, 2.25 / 1.5},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_NEAR(core::ideal_random_max_over_mean(row.flows, row.queues, 20000).mean, row.expected,
                0.01 * row.expected);
  }
}

// E|X - n/2| of a binomial is sqrt(n / (2 pi)): the larger of two queues is that much above the mean.
TEST(IdealRandom, ApproximationOfTwoQueues) {
  for (const double flows : {2e6, 1e7, 1e12}) {
    SCOPED_TRACE(flows);
    const double excess = core::ideal_random_max_over_mean(static_cast<uint64_t>(flows), 2, 100'000).mean - 1;
    EXPECT_NEAR(excess * std::sqrt(flows), std::sqrt(2 / std::numbers::pi), 0.005);
  }
}

// The excess over 1 shrinks with the root of the flows, across the border between drawing and approximating.
TEST(IdealRandom, ApproximationContinuesTheDraws) {
  for (const uint32_t queues : {4u, 64u, 1024u}) {
    SCOPED_TRACE(queues);
    const double drawn = core::ideal_random_max_over_mean(1'000'000, queues).mean - 1;
    const double approximated = core::ideal_random_max_over_mean(1'000'001, queues).mean - 1;
    const double fourfold = core::ideal_random_max_over_mean(4'000'004, queues).mean - 1;
    // 20 draws of four queues are a rough mean; those of 1,024 a fine one, but rightly a little above normal.
    EXPECT_NEAR(drawn / approximated, 1, queues == 4 ? 0.3 : 0.06);
    EXPECT_NEAR(fourfold / approximated, 0.5, 0.005);
  }
}

TEST(IdealRandom, SameQuestionSameAnswer) {
  EXPECT_EQ(core::ideal_random_max_over_mean(2048, 16).mean, core::ideal_random_max_over_mean(2048, 16).mean);
  EXPECT_EQ(core::ideal_random_max_over_mean(2'000'000, 16).mean,
            core::ideal_random_max_over_mean(2'000'000, 16).mean);
}

}  // namespace
