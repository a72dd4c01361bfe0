// SPDX-License-Identifier: BSD-3-Clause
// Checks that the flow meter counts different hashes, from none to millions, whatever their order and number
// of repetitions, and that merged meters count what any of them saw.
#include "core/flow_meter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

// A bijection of 32 bits (the finalizer of MurmurHash3): different numbers, different and well-mixed hashes.
uint32_t mixed(uint32_t n) {
  n = (n ^ n >> 16) * 0x85ebca6b;
  n = (n ^ n >> 13) * 0xc2b2ae35;
  return n ^ n >> 16;
}

void see_range(core::FlowMeter& meter, uint32_t first, uint32_t last) {
  for (uint32_t n = first; n < last; ++n) meter.see(mixed(n));
}

TEST(FlowMeter, EstimatesTheNumberOfFlows) {
  struct Row {
    const char* name;
    uint32_t flows;
    double tolerance;  // relative
  };
  const Row rows[] = {
      {"none", 0, 0},
      {"one", 1, 0},
      {"ten", 10, 0},
      {"a hundred", 100, 0.03},
      {"a thousand", 1000, 0.03},
      {"more flows than registers", 6000, 0.02},
      {"where linear counting ends", 10'000, 0.05},
      {"two hundred thousand", 200'000, 0.05},
      {"three million", 3'000'000, 0.05},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    core::FlowMeter meter;
    see_range(meter, 0, row.flows);
    EXPECT_NEAR(static_cast<double>(meter.estimate()), row.flows, row.tolerance * row.flows);
  }
}

// Of 500 million flows 5 % share a hash with another; without the large-range correction they would be
// missing.
TEST(FlowMeter, CorrectsForSharedHashes) {
  core::FlowMeter meter;
  // As in a register file of 500 million flows: each register holds the expected largest of 122,070 ranks.
  for (uint32_t index = 0; index < core::FlowMeter::kRegisters; ++index) {
    const unsigned zeros = index % 3 == 0 ? 16 : 17;  // countl_zero of the 20 bits behind the index
    meter.see(index << 20 | 1u << (19 - zeros));
  }
  const double m = core::FlowMeter::kRegisters;
  const double third = std::ceil(m / 3);
  const double sum = third * std::ldexp(1, -17) + (m - third) * std::ldexp(1, -18);
  const double raw = 0.7213 / (1 + 1.079 / m) * m * m / sum;
  EXPECT_NEAR(static_cast<double>(meter.estimate()), -0x1p32 * std::log(1 - raw / 0x1p32), 1);
  EXPECT_GT(static_cast<double>(meter.estimate()), 1.05 * raw);
}

// Linear counting is for meters with empty registers; without them the raw estimate stands, however small.
TEST(FlowMeter, CountsFewFlowsInFullRegisters) {
  core::FlowMeter meter;
  for (uint32_t index = 0; index < core::FlowMeter::kRegisters; ++index) meter.see(index << 20 | 1u << 19);
  const double m = core::FlowMeter::kRegisters;
  EXPECT_NEAR(static_cast<double>(meter.estimate()), 2 * 0.7213 / (1 + 1.079 / m) * m, 1);
}

// Every register at its limit of 21: the estimate is large, not infinite or negative.
TEST(FlowMeter, StaysFiniteWhenFull) {
  core::FlowMeter meter;
  for (uint32_t index = 0; index < core::FlowMeter::kRegisters; ++index) meter.see(index << 20);
  EXPECT_GT(meter.estimate(), 4'000'000'000u);
  EXPECT_LT(meter.estimate(), 200'000'000'000u);
}

TEST(FlowMeter, SeenAgainChangesNothing) {
  for (const uint32_t flows : {10u, 1000u, 200'000u}) {
    SCOPED_TRACE(flows);
    core::FlowMeter meter;
    see_range(meter, 0, flows);
    const uint64_t once = meter.estimate();
    see_range(meter, 0, flows);
    EXPECT_EQ(meter.estimate(), once);
  }
}

TEST(FlowMeter, MergeIsTheUnion) {
  struct Row {
    const char* name;
    uint32_t first_end, second_start;  // one meter sees [0, first_end), the other [second_start, 100,000)
  };
  const Row rows[] = {
      {"apart", 50'000, 50'000},
      {"overlapping", 70'000, 30'000},
      {"the other is part of one", 100'000, 90'000},
      {"one is part of the other", 1'000, 0},
      {"one saw nothing", 0, 0},
      {"the other saw nothing", 100'000, 100'000},
  };
  core::FlowMeter all;
  see_range(all, 0, 100'000);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    core::FlowMeter one, other;
    see_range(one, 0, row.first_end);
    see_range(other, row.second_start, 100'000);
    const uint64_t other_before = other.estimate();
    one.merge(other);
    EXPECT_EQ(one.estimate(), all.estimate());
    EXPECT_EQ(other.estimate(), other_before);
  }
}

}  // namespace
