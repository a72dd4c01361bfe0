// SPDX-License-Identifier: BSD-3-Clause
// The moves of buckets, and how full queues and NICs are, on loads known beforehand.
#include "hashlab/rebalance.h"

#include <gtest/gtest.h>

#include <set>

#include "core/splitmix.h"
#include "hashlab/spreader.h"

namespace hashlab {
namespace {

using Loads = std::vector<uint64_t>;

TEST(Rebalance, MovesWhatHelpsMost) {
  // Buckets of slots 0, 1, 0, 1, ...: slot 0 has 70 + 20 + 10, slot 1 has nothing.
  const Loads buckets = {70, 0, 20, 0, 10, 0};
  const std::vector<core::Slot> table = {0, 1, 0, 1, 0, 1};
  const std::vector<double> even = {0.5, 0.5};
  const Rebalanced balanced = rebalance(buckets, table, even, 1, 16);
  // 70 against 30 is the best that one move gives; then none helps.
  ASSERT_EQ(balanced.moves.size(), 1u);
  EXPECT_EQ(balanced.moves[0].bucket, 0u);
  EXPECT_EQ(balanced.moves[0].from, 0u);
  EXPECT_EQ(balanced.moves[0].to, 1u);
  EXPECT_EQ(balanced.moves[0].weight, 70u);
  EXPECT_DOUBLE_EQ(balanced.moves[0].overload.queue, 1.4);
  EXPECT_EQ(balanced.before, (Loads{100, 0}));
  EXPECT_EQ(balanced.after, (Loads{30, 70}));
  EXPECT_DOUBLE_EQ(balanced.overload_before.queue, 2.0);
  EXPECT_DOUBLE_EQ(balanced.overload_after.queue, 1.4);
  EXPECT_EQ(balanced.heaviest_bucket, 0u);
  EXPECT_DOUBLE_EQ(balanced.heaviest_overload, 1.4);  // more than an even share: it cannot be mended
}

TEST(Rebalance, MakesNoMoreMovesThanAllowed) {
  const Loads buckets = {10, 10, 10, 10, 10, 10, 10, 10};
  const std::vector<core::Slot> table(8, 0);
  const std::vector<double> even = {0.5, 0.5};
  const Loads expected[] = {{80, 0}, {70, 10}, {60, 20}, {50, 30}, {40, 40}, {40, 40}};
  for (size_t most = 0; most < std::size(expected); ++most) {
    const Rebalanced balanced = rebalance(buckets, table, even, 2, most);
    EXPECT_EQ(balanced.after, expected[most]) << most;
    EXPECT_EQ(balanced.moves.size(), std::min<size_t>(most, 4));
  }
}

TEST(Rebalance, KeepsToSharesAndUsableQueues) {
  // Slot 0 is not to be used; slot 1 is meant to carry three times what slot 2 does.
  const Loads buckets = {10, 10, 10, 10, 10, 10, 10, 10};
  const std::vector<core::Slot> table(8, 2);
  const std::vector<double> shares = {0, 0.75, 0.25};
  const Rebalanced balanced = rebalance(buckets, table, shares, 1, 16);
  EXPECT_EQ(balanced.after, (Loads{0, 60, 20}));
  EXPECT_DOUBLE_EQ(balanced.overload_before.queue, 4.0);  // of all, over a quarter
  EXPECT_DOUBLE_EQ(balanced.overload_after.queue, 1.0);
}

// Two NICs of two queues: slots 0 and 1, 2 and 3.
TEST(Rebalance, WeighsNicsAndGains) {
  struct Row {
    const char* name;
    Loads buckets;
    std::vector<core::Slot> table;
    Loads after;
    size_t moves;
  };
  const Row rows[] = {
      // Slot 3 is the emptiest queue, but 82 on NIC 1 would be more than the 80 on NIC 0.
      {"no NIC gets fuller than the fullest", {40, 10, 30, 43, 29}, {0, 0, 1, 2, 3}, {40, 40, 43, 29}, 1},
      {"of equal queues, that of the emptier NIC", {40, 40, 10, 0, 10}, {0, 0, 1, 2, 3}, {40, 10, 40, 10}, 1},
      // No move betters queue 0, but NIC 0 carries 3/4: its other queue's load can go.
      {"the NIC, when no queue can gain", {50, 25, 15, 10}, {0, 1, 2, 3}, {50, 0, 15, 35}, 1},
      // Each of two equally full queues has to move one bucket before anything is gained.
      {"equally full queues, one by one", {20, 20, 20, 20, 10, 10}, {0, 0, 1, 1, 2, 3}, {30, 20, 20, 30}, 3},
      {"a gain of less than 0.02", {251, 4, 250, 250, 241, 4}, {0, 0, 1, 2, 3, 3}, {255, 250, 250, 245}, 0},
      {"many small gains",
       {55, 50, 1, 1, 1, 1, 1, 90, 100, 100},
       {0, 0, 0, 0, 0, 0, 0, 1, 2, 3},
       {110, 90, 100, 100},
       0},
      {"an elephant from queue to queue", {900, 5, 5, 5, 5, 5}, {0, 0, 0, 1, 2, 3}, {910, 5, 5, 5}, 0},
      {"an elephant that leaves others behind", {60, 30, 10, 0}, {0, 0, 1, 2}, {30, 10, 60, 0}, 1},
      {"even enough", {26, 25, 25, 24}, {0, 1, 2, 3}, {26, 25, 25, 24}, 0},
  };
  const std::vector<double> even(4, 0.25);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Rebalanced balanced = rebalance(row.buckets, row.table, even, 2, 16);
    EXPECT_EQ(balanced.after, row.after);
    EXPECT_EQ(balanced.moves.size(), row.moves);
  }
}

// Whatever the traffic: no move makes the fullest queue or NIC fuller, and none is for nothing.
TEST(Rebalance, NeverMakesAnyOverloadWorse) {
  core::SplitMix random(8);
  for (unsigned round = 0; round < 300; ++round) {
    const auto nics = static_cast<uint16_t>(1 + random.below(5)),
               per_nic = static_cast<uint16_t>(1 + random.below(4));
    core::GroupState group;
    group.queues_per_nic = per_nic;
    group.members.resize(nics);
    for (core::MemberState& member : group.members)
      member.weight = static_cast<uint32_t>(1 + random.below(3));
    group.members[0].up = nics == 1 || random.below(4) > 0;
    const std::vector<core::Slot> table = core::build_table(group);
    Loads buckets(table.size());
    for (uint64_t& bucket : buckets) bucket = random.below(20);
    for (unsigned n = 0; n < 5; ++n)
      buckets[random.below(static_cast<uint32_t>(buckets.size()))] += random.below(3000);
    const std::vector<double> shares = shares_of(group);
    const Rebalanced balanced = rebalance(buckets, table, shares, per_nic, 40);
    Overload last = balanced.overload_before;
    std::set<uint32_t> moved;
    for (const BucketMove& move : balanced.moves) {
      EXPECT_LE(move.overload.queue, last.queue) << round;
      EXPECT_LE(move.overload.nic, last.nic) << round;
      EXPECT_TRUE(moved.insert(move.bucket).second) << round;
      EXPECT_GT(shares[move.to], 0) << round;
      last = move.overload;
    }
    const Overload recounted = overload_of(balanced.after, shares, per_nic);
    EXPECT_EQ(recounted.queue, last.queue) << round;
    EXPECT_EQ(recounted.nic, last.nic) << round;
    const double gains =
        balanced.overload_before.queue - last.queue + balanced.overload_before.nic - last.nic;
    EXPECT_GE(gains, kLeastGain * static_cast<double>(balanced.moves.size())) << round;
  }
}

TEST(Overload, IsLoadOverEvenShare) {
  struct Row {
    Loads loads;
    std::vector<double> shares;
    uint16_t queues_per_nic;
    double queue, nic;
  };
  const Row rows[] = {
      {{25, 25, 25, 25}, {0.25, 0.25, 0.25, 0.25}, 2, 1, 1},
      {{50, 0, 25, 25}, {0.25, 0.25, 0.25, 0.25}, 2, 2, 1},
      {{50, 0, 25, 25}, {0.25, 0.25, 0.25, 0.25}, 1, 2, 2},
      // 20 of 100 on a tenth. Over the mean of loads over shares it would be 1.6.
      {{20, 20, 60}, {0.1, 0.3, 0.6}, 1, 2, 2},
      {{20, 20, 60}, {0.1, 0.3, 0.6}, 3, 2, 1},
      {{0, 10, 30}, {0, 0.5, 0.5}, 1, 1.5, 1.5},  // the first is down
      {{0, 0}, {0.5, 0.5}, 1, 0, 0},
  };
  for (const Row& row : rows) {
    const Overload found = overload_of(row.loads, row.shares, row.queues_per_nic);
    EXPECT_NEAR(found.queue, row.queue, 1e-12);
    EXPECT_NEAR(found.nic, row.nic, 1e-12);
  }
}

}  // namespace
}  // namespace hashlab
