// SPDX-License-Identifier: BSD-3-Clause
// Each reduction against its rule, by table, and what a lost NIC moves under each.
#include "hashlab/spreader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/splitmix.h"
#include "hashlab/bad_input.h"

namespace hashlab {
namespace {

using core::GroupState;
using core::kNoSlot;
using core::Slot;

GroupState group_of(size_t nics, uint16_t queues, std::vector<uint32_t> weights = {},
                    std::vector<size_t> down = {}) {
  GroupState group;
  group.queues_per_nic = queues;
  group.members.resize(nics);
  for (size_t nic = 0; nic < weights.size(); ++nic) group.members[nic].weight = weights[nic];
  for (const size_t nic : down) group.members[nic].up = false;
  return group;
}

TEST(Spreader, ListsOfModuloAndMultiplyShift) {
  struct Row {
    const char* name;
    GroupState group;
    std::vector<Slot> expected;
  };
  const Row rows[] = {{"all up", group_of(2, 3), {0, 1, 2, 3, 4, 5}},
                      {"one down", group_of(3, 2, {}, {1}), {0, 1, 4, 5}},
                      {"by weight", group_of(3, 1, {2, 1, 3}), {0, 0, 1, 2, 2, 2}},
                      {"weights have a divisor", group_of(2, 2, {20, 10}), {0, 1, 0, 1, 2, 3}},
                      {"the divisor of those that are left", group_of(3, 1, {20, 10, 7}, {2}), {0, 0, 1}},
                      {"weight 0", group_of(3, 1, {1, 0, 1}), {0, 2}},
                      {"nobody left", group_of(2, 1, {}, {0, 1}), {kNoSlot}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Spreader modulo(Reduction::modulo, row.group), shift(Reduction::multiply_shift, row.group);
    EXPECT_EQ(modulo.table(), row.expected);
    EXPECT_EQ(shift.table(), row.expected);
    EXPECT_EQ(modulo.slots(), row.group.members.size() * row.group.queues_per_nic);
  }
}

TEST(Spreader, BucketsOfHashes) {
  struct Row {
    Reduction reduction;
    uint32_t hash, bucket;
  };
  // 6 slots; maglev with 65537 places, resilient with 384 buckets.
  const Row rows[] = {{Reduction::modulo, 0xdaa7b5a5, 0xdaa7b5a5 % 6},
                      {Reduction::modulo, UINT32_MAX, 3},
                      {Reduction::multiply_shift, 0xdaa7b5a5, 5},
                      {Reduction::multiply_shift, 0x80000000, 3},
                      {Reduction::multiply_shift, 0x7fffffff, 2},
                      {Reduction::multiply_shift, UINT32_MAX, 5},
                      {Reduction::maglev, 0xdaa7b5a5, 0xdaa7b5a5 % 65537},
                      {Reduction::resilient, 0xdaa7b5a5, 0xdaa7b5a5 % 384}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << name_of(row.reduction) << " of " << row.hash);
    const Spreader spreader(row.reduction, group_of(3, 2));
    EXPECT_EQ(spreader.bucket_of(row.hash), row.bucket);
    EXPECT_EQ(spreader(row.hash), spreader.table()[row.bucket]);
  }
}

TEST(Spreader, ModuloIsTheDocumentsRuleAndResilientTheGatewaysTable) {
  const GroupState healthy = group_of(4, 2), hurt = group_of(5, 3, {3, 1, 2, 2, 1}, {2});
  const Spreader modulo(Reduction::modulo, healthy), resilient(Reduction::resilient, healthy);
  const std::vector<Slot> rule = core::documents_rule(healthy);
  core::SplitMix random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto hash = static_cast<uint32_t>(random.next());
    EXPECT_EQ(modulo(hash), rule[hash % rule.size()]);
    EXPECT_EQ(resilient(hash), modulo(hash));
  }
  EXPECT_EQ(Spreader(Reduction::resilient, hurt).table(), core::build_table(hurt));
}

TEST(Spreader, MaglevIsEvenByWeight) {
  struct Row {
    const char* name;
    GroupState group;
    uint32_t slots;
  };
  const Row rows[] = {{"even", group_of(4, 2), 65537},
                      {"small", group_of(3, 1), 251},
                      {"by weight", group_of(3, 2, {1, 2, 5}), 65537},
                      {"one down", group_of(4, 1, {7, 3, 5, 1}, {1}), 1021},
                      {"fewer places than slots", group_of(8, 8), 13}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Spreader spreader(Reduction::maglev, row.group, row.slots);
    ASSERT_EQ(spreader.buckets(), row.slots);
    std::vector<uint32_t> places(spreader.slots());
    for (const Slot slot : spreader.table()) ++places.at(slot);
    const std::vector<double> shares = shares_of(row.group);
    for (size_t slot = 0; slot < places.size(); ++slot)
      EXPECT_NEAR(places[slot], shares[slot] * row.slots, 2);  // two turns
  }
  // Turns by weight from the first on: of three places the lighter NIC has one.
  const std::vector<Slot> three = Spreader(Reduction::maglev, group_of(2, 1, {1, 2}), 3).table();
  EXPECT_EQ(std::count(three.begin(), three.end(), Slot{0}), 1);
  EXPECT_EQ(Spreader(Reduction::maglev, group_of(2, 1, {}, {0, 1}), 251).table(),
            std::vector<Slot>(251, kNoSlot));
}

TEST(Spreader, MaglevTakesPrimesOnly) {
  for (const uint32_t slots : {2u, 3u, 251u, 65537u, 1'000'003u})
    EXPECT_EQ(Spreader(Reduction::maglev, group_of(2, 1), slots).buckets(), slots);
  for (const uint32_t slots : {0u, 1u, 4u, 1024u, 65536u, 63001u})
    EXPECT_THROW(Spreader(Reduction::maglev, group_of(2, 1), slots), BadInput) << slots;
}

// The share of all hashes that leave by another NIC when one is lost, on average over the NICs.
double moved_when_lost(Reduction reduction, size_t nics, uint32_t maglev_slots) {
  constexpr uint32_t kHashes = 200'000;
  const Spreader before(reduction, group_of(nics, 1), maglev_slots);
  uint64_t moved = 0;
  for (size_t nic = 0; nic < nics; ++nic) {
    const Spreader after(reduction, group_of(nics, 1, {}, {nic}), maglev_slots);
    core::SplitMix random(nic);
    for (uint32_t i = 0; i < kHashes; ++i) {
      const auto hash = static_cast<uint32_t>(random.next());
      moved += before(hash) != after(hash);
    }
  }
  return static_cast<double>(moved) / static_cast<double>(kHashes * nics);
}

// For maglev what another program measured; its permutations are others.
TEST(Spreader, MovesWhenANicIsLost) {
  struct Row {
    Reduction reduction;
    uint32_t maglev_slots;
    double of_3, of_4, of_8, within;
  };
  const Row rows[] = {{Reduction::modulo, 0, 2.0 / 3, 0.75, 0.875, 0.002},
                      {Reduction::resilient, 0, 1.0 / 3, 0.25, 0.125, 0.002},
                      {Reduction::maglev, 251, 0.345, 0.270, 0.181, 0.015},
                      {Reduction::maglev, 1021, 0.337, 0.259, 0.147, 0.008},
                      {Reduction::maglev, 65537, 0.335, 0.252, 0.127, 0.003}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << name_of(row.reduction) << " " << row.maglev_slots);
    EXPECT_NEAR(moved_when_lost(row.reduction, 3, row.maglev_slots), row.of_3, row.within);
    EXPECT_NEAR(moved_when_lost(row.reduction, 4, row.maglev_slots), row.of_4, row.within);
    EXPECT_NEAR(moved_when_lost(row.reduction, 8, row.maglev_slots), row.of_8, row.within);
  }
}

TEST(Spreader, ResilientMovesTheBucketsOfTheLostNicAndNoOther) {
  for (const size_t nics : {3u, 4u, 8u}) {
    const std::vector<Slot> before = Spreader(Reduction::resilient, group_of(nics, 2)).table();
    for (size_t nic = 0; nic < nics; ++nic) {
      const std::vector<Slot> after = Spreader(Reduction::resilient, group_of(nics, 2, {}, {nic})).table();
      size_t moved = 0;
      for (size_t bucket = 0; bucket < before.size(); ++bucket) moved += before[bucket] != after[bucket];
      EXPECT_EQ(moved * nics, before.size());
    }
  }
}

TEST(Shares, AreByWeightOfWhatIsUsable) {
  struct Row {
    GroupState group;
    std::vector<double> expected;
  };
  const Row rows[] = {{group_of(2, 2), {0.25, 0.25, 0.25, 0.25}},
                      {group_of(3, 1, {1, 2, 5}, {2}), {1.0 / 3, 2.0 / 3, 0}},
                      {group_of(2, 1, {3, 0}), {1, 0}},
                      {group_of(1, 2, {}, {0}), {0, 0}}};
  for (const Row& row : rows) EXPECT_EQ(shares_of(row.group), row.expected);
}

TEST(ReductionNames, ReadBack) {
  for (const std::string_view name : kReductionNames) EXPECT_EQ(name_of(*reduction_of(name)), name);
  EXPECT_FALSE(reduction_of("modulus"));
}

}  // namespace
}  // namespace hashlab
