// SPDX-License-Identifier: BSD-3-Clause
// Percentiles of the latency histogram beside those of the sorted values themselves.
#include "perf/latency_histogram.h"

#include <gtest/gtest.h>

#include <random>

namespace perf {
namespace {

LatencyHistogram histogram_of(const std::vector<uint64_t>& values) {
  LatencyHistogram histogram;
  for (const uint64_t value : values) histogram.add(value);
  return histogram;
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  std::vector<uint64_t> one_to_hundred(100);
  for (uint64_t i = 0; i < 100; ++i) one_to_hundred[i] = 100 - i;
  const struct {
    const char* name;
    std::vector<uint64_t> values;
    double share;
    uint64_t expected;
  } cases[] = {
      {"none", {}, 0.5, 0},
      {"one", {7}, 0.5, 7},
      {"one, its highest", {7}, 1, 7},
      {"zero is a value", {0, 0, 9}, 0.5, 0},
      {"even count: the lower one", {1, 2, 3, 4}, 0.5, 2},
      {"odd count", {5, 1, 3}, 0.5, 3},
      {"median", one_to_hundred, 0.5, 50},
      {"99 %", one_to_hundred, 0.99, 99},
      {"99.9 %", one_to_hundred, 0.999, 100},
      {"less than one value", one_to_hundred, 0.001, 1},
      {"last of its own count", {511}, 1, 511},
  };
  for (const auto& one : cases)
    EXPECT_EQ(histogram_of(one.values).percentile(one.share), one.expected) << one.name;
}

TEST(LatencyHistogram, LargeValuesAreWithinAFifthOfAPercent) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const uint64_t value : {uint64_t{1} << bit, (uint64_t{1} << bit) + ((uint64_t{1} << bit) - 1)}) {
      LatencyHistogram histogram;
      histogram.add(value);
      histogram.add(UINT64_MAX);  // else what is read would be held down to the highest value
      const double read = static_cast<double>(histogram.percentile(0.5));
      EXPECT_NEAR(read / static_cast<double>(value), 1, 0.002) << value;
    }
  }
}

TEST(LatencyHistogram, IsWhatSortingSays) {
  std::mt19937_64 chance(1);
  std::lognormal_distribution<double> ticks(8, 1.5);
  std::vector<uint64_t> values(100'000);
  for (uint64_t& value : values) value = static_cast<uint64_t>(ticks(chance));
  const LatencyHistogram histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.highest(), values.back());
  for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto sorted = static_cast<double>(values[static_cast<size_t>(share * 100'000) - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.percentile(share)), sorted, 0.002 * sorted + 1) << share;
  }
}

}  // namespace
}  // namespace perf
