// SPDX-License-Identifier: BSD-3-Clause
// Figures of spreads that can be worked out by hand, chi-squared against printed tables, and ideal draws
// against means and bands known from elsewhere.
#include "hashlab/evenness.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fairness.h"
#include "core/splitmix.h"

namespace hashlab {
namespace {

std::vector<double> alike(size_t slots) {
  return std::vector<double>(slots, 1.0 / static_cast<double>(slots));
}

TEST(Evenness, OfKnownSpreads) {
  struct Row {
    const char* name;
    std::vector<uint64_t> loads;
    std::vector<double> shares;
    double max_over_mean, variation, jain, chi_squared;
    uint32_t used, of;
  };
  const Row rows[] = {
      {"even", {5, 5, 5, 5}, {1, 1, 1, 1}, 1, 0, 1, 0, 4, 4},
      {"all on one of four", {8, 0, 0, 0}, {1, 1, 1, 1}, 4, std::sqrt(3.0), 0.25, 24, 1, 4},
      {"one, two, three", {1, 2, 3}, {1, 1, 1}, 1.5, std::sqrt(1.0 / 6), 36.0 / 42, 1, 3, 3},
      {"as the shares ask", {100, 300, 600}, {0.1, 0.3, 0.6}, 1, 0, 1, 0, 3, 3},
      {"even loads, uneven shares", {6, 6}, {1, 2}, 6 / 4.0, 1.0 / 3, 0.9, 1 + 0.5, 2, 2},
      {"without share", {4, 9, 4, 0}, {1, 0, 1, 1}, 1.5, std::sqrt(0.5), 64.0 / 96, 4, 2, 3},
      {"no load", {0, 0}, {1, 1}, 0, 0, 0, 0, 0, 2},
      {"no share", {4, 4}, {0, 0}, 0, 0, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Evenness found = evenness_of(row.loads, row.shares);
    EXPECT_NEAR(found.max_over_mean, row.max_over_mean, 1e-12);
    EXPECT_NEAR(found.variation, row.variation, 1e-7);
    EXPECT_NEAR(found.jain, row.jain, 1e-12);
    EXPECT_NEAR(found.chi_squared, row.chi_squared, 1e-12);
    EXPECT_EQ(found.used, row.used);
    EXPECT_EQ(found.of, row.of);
    const core::Fairness gateway = core::fairness_of(row.loads, row.shares);
    EXPECT_NEAR(found.max_over_mean, gateway.max_over_mean, 1e-12);
    EXPECT_NEAR(found.jain, gateway.jain, 1e-12);
  }
}

// Abramowitz and Stegun, table 26.8; and e^(-x/2), which it is for two degrees.
TEST(ChiSquared, AsPrinted) {
  struct Row {
    double chi_squared;
    uint32_t degrees;
    double p, within;
  };
  const Row rows[] = {{3.841, 1, 0.05, 2e-5},
                      {6.63490, 1, 0.01, 1e-7},
                      {14.067, 7, 0.05, 1e-5},
                      {24.996, 15, 0.05, 1e-5},
                      {1.145476, 5, 0.95, 1e-6},
                      {2.16735, 7, 0.95, 1e-6},
                      {37.5662, 20, 0.01, 1e-6},
                      {124.342, 100, 0.05, 1e-5},
                      {77.9295, 100, 0.95, 1e-6},
                      {2, 2, std::exp(-1), 1e-14},
                      {40, 2, std::exp(-20), 1e-20},
                      {0, 3, 1, 0},
                      {5, 0, 1, 0},
                      {1e6, 3, 0, 1e-300},
                      {4095, 4095, 0.4970609, 1e-6}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << row.chi_squared << " of " << row.degrees);
    EXPECT_NEAR(chi_squared_p(row.chi_squared, row.degrees), row.p, row.within);
  }
}

TEST(WeightClasses, PutEqualOnesTogetherAndSmallOnesWhenTheyAreMany) {
  const auto classes = weight_classes({3, 1, 3, 0, 7, 1, 1});
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {{7, 1}, {3, 2}, {1, 3}};
  ASSERT_EQ(classes.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(classes[i].weight, expected[i].first);
    EXPECT_EQ(classes[i].count, expected[i].second);
  }
  EXPECT_TRUE(weight_classes({0, 0}).empty());

  std::vector<uint64_t> many(20'000);
  std::iota(many.begin(), many.end(), 1);
  const auto fewer = weight_classes(many, 1000);
  EXPECT_LE(fewer.size(), 1000u);
  uint64_t count = 0;
  double sum = 0;
  for (size_t i = 0; i < fewer.size(); ++i) {
    count += fewer[i].count;
    sum += static_cast<double>(fewer[i].weight * fewer[i].count);
  }
  for (size_t i = 0; i < 488; ++i) EXPECT_EQ(fewer[i].weight, 20'000 - i);  // the largest as they are
  for (size_t i = 1; i < fewer.size(); ++i) EXPECT_LT(fewer[i].weight, fewer[i - 1].weight);
  EXPECT_EQ(count, 20'000u);
  EXPECT_EQ(fewer.back().weight, 1u);
  EXPECT_GT(static_cast<double>(fewer[488].weight), 19'512 / std::exp2(0.125));
  EXPECT_NEAR(sum / (20'000.0 * 20'001 / 2), 1, 1e-4);
}

// Means of 20,000 trials by another program.
TEST(IdealSpread, MeansOfEqualUnits) {
  constexpr size_t kSlots[] = {4, 8, 16, 32, 64};
  struct Row {
    uint64_t units;
    double expected[5];
  };
  const Row rows[] = {{64, {1.263, 1.533, 1.967, 2.706, 3.957}},
                      {256, {1.130, 1.259, 1.465, 1.798, 2.343}},
                      {1024, {1.065, 1.128, 1.226, 1.382, 1.631}},
                      {10'000, {1.021, 1.040, 1.071, 1.119, 1.192}}};
  for (const Row& row : rows) {
    for (size_t i = 0; i < 5; ++i) {
      SCOPED_TRACE(testing::Message() << row.units << " units, " << kSlots[i] << " slots");
      const WeightClass units[] = {{1, row.units}};
      const Ideal ideal = ideal_spread(units, alike(kSlots[i]), 20'000);
      EXPECT_EQ(ideal.trials, 20'000u);
      EXPECT_NEAR(ideal.max_over_mean.mean / row.expected[i], 1, 0.01);
      EXPECT_LE(ideal.max_over_mean.p5, ideal.max_over_mean.p50);
      EXPECT_LE(ideal.max_over_mean.p50, ideal.max_over_mean.p95);
      // Chi-squared has as its mean the degrees of freedom, whatever the number of units.
      EXPECT_NEAR(ideal.chi_squared.mean / static_cast<double>(kSlots[i] - 1), 1, 0.03);
    }
  }
}

// 95 of 100 chi-squareds are below the printed value, drawn one by one and as binomials.
TEST(IdealSpread, ChiSquaredIsDistributedAsPrinted) {
  for (const uint64_t count : {300u, 5000u, 1'000'000'000u}) {
    SCOPED_TRACE(count);
    const WeightClass units[] = {{1, count}};
    const Ideal even = ideal_spread(units, alike(8), 20'000);
    EXPECT_NEAR(even.chi_squared.at_least(14.067), 0.05, 0.006);
    const Ideal uneven = ideal_spread(units, std::vector<double>{0.4, 0, 0.1, 0.3, 0.2}, 20'000);
    EXPECT_NEAR(uneven.chi_squared.at_least(7.815), 0.05, 0.006);
    EXPECT_EQ(uneven.used.p5, 4);
  }
}

// One slot's load is a binomial: quantiles of B(10000, 1/4) and B(100, 1/4) as R's qbinom has them, and of
// shares.
TEST(IdealSpread, BandsOfSlots) {
  struct Row {
    uint64_t count;
    std::vector<double> shares, low, high;
    double within;
  };
  const Row rows[] = {
      {10'000, alike(4), {2429, 2429, 2429, 2429}, {2571, 2571, 2571, 2571}, 2},
      {100, {0.25, 0.5, 0.25, 0}, {18, 42, 18, 0}, {32, 58, 32, 0}, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.count);
    const WeightClass units[] = {{1, row.count}};
    const Ideal ideal = ideal_spread(units, row.shares, 20'000);
    ASSERT_EQ(ideal.low.size(), row.shares.size());
    for (size_t slot = 0; slot < row.shares.size(); ++slot) {
      EXPECT_NEAR(ideal.low[slot], row.low[slot], row.within);
      EXPECT_NEAR(ideal.high[slot], row.high[slot], row.within);
    }
    EXPECT_EQ(ideal.low[0], ideal.low[2]);  // of one share
  }
}

// Of two units of 3 and one of 2 on two slots: all together in a quarter of the draws (8), the 2 beside a 3
// (5) in a half, alone (6) in a quarter.
TEST(IdealSpread, UnitsFallAsAWhole) {
  const WeightClass units[] = {{3, 2}, {2, 1}};
  const Ideal ideal = ideal_spread(units, alike(2), 20'000);
  EXPECT_NEAR(ideal.max_over_mean.at_least(2), 0.25, 0.01);
  EXPECT_NEAR(ideal.max_over_mean.at_least(1.5), 0.5, 0.01);
  EXPECT_NEAR(ideal.max_over_mean.at_least(1.25), 1, 0);
  EXPECT_NEAR(ideal.used.mean, 1.75, 0.01);
}

TEST(IdealSpread, IsTheSameOnAnyNumberOfCpus) {
  const WeightClass units[] = {{1000, 3}, {1, 100'000}};
  const std::vector<double> shares = {0.5, 0.25, 0.25};
  const Ideal all = ideal_spread(units, shares, 500, 7);
  const oneapi::tbb::global_control one(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  const Ideal same = ideal_spread(units, shares, 500, 7), other = ideal_spread(units, shares, 500, 8);
  EXPECT_EQ(all.max_over_mean.sorted, same.max_over_mean.sorted);
  EXPECT_EQ(all.low, same.low);
  EXPECT_NE(all.max_over_mean.sorted, other.max_over_mean.sorted);
}

TEST(IdealSpread, DrawsWhatItCanAfford) {
  struct Row {
    const char* name;
    std::vector<WeightClass> units;
    std::vector<double> shares;
    uint32_t wanted, trials;
  };
  std::vector<WeightClass> unlike;
  for (uint64_t weight = 1; weight <= 1000; ++weight) unlike.push_back({weight, 1000});
  const Row rows[] = {{"no units", {}, alike(4), 10, 0},
                      {"units of nothing", {{5, 0}}, alike(4), 10, 0},
                      {"no share", {{1, 10}}, {0, 0}, 10, 0},
                      {"no slot", {{1, 10}}, {}, 10, 0},
                      {"as wanted", {{1, 10}}, alike(4), 10, 10},
                      {"a million units, few kinds", {{1, 1'000'000}}, alike(4), 2000, 2000},
                      {"a million units, many kinds", unlike, alike(4), 2000, 1000}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(ideal_spread(row.units, row.shares, row.wanted).trials, row.trials);
  }
}

}  // namespace
}  // namespace hashlab
