// SPDX-License-Identifier: BSD-3-Clause
// The table's promises: the documents' rule while healthy, least movement, evenness, no memory of history.
#include "core/distribution_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace core {
namespace {

constexpr unsigned kQueueCounts[] = {1, 2, 3, 4, 8, 16};

GroupState group(unsigned members, unsigned queues, unsigned buckets_per_queue) {
  GroupState state;
  state.queues_per_nic = static_cast<uint16_t>(queues);
  state.buckets_per_queue = static_cast<uint16_t>(buckets_per_queue);
  state.members.resize(members);
  return state;
}

GroupState weighted(const std::vector<uint32_t>& weights, unsigned queues, unsigned buckets_per_queue) {
  GroupState state = group(static_cast<unsigned>(weights.size()), queues, buckets_per_queue);
  for (size_t i = 0; i < weights.size(); ++i) state.members[i].weight = weights[i];
  return state;
}

std::string words(const GroupState& state) {
  std::string text = std::to_string(state.members.size()) + " members, " +
                     std::to_string(state.queues_per_nic) + " queues, K " +
                     std::to_string(state.buckets_per_queue) + ", weights";
  for (const MemberState& member : state.members) {
    text += " " + std::to_string(member.weight) + (member.usable() ? "" : "(lost)");
  }
  return text;
}

std::vector<uint32_t> per_slot(const GroupState& state, const std::vector<Slot>& table) {
  std::vector<uint32_t> counts(state.members.size() * state.queues_per_nic);
  for (const Slot slot : table) ++counts.at(slot);
  return counts;
}

std::vector<uint32_t> per_member(const GroupState& state, const std::vector<Slot>& table) {
  std::vector<uint32_t> counts(state.members.size());
  for (const Slot slot : table) ++counts.at(slot / state.queues_per_nic);
  return counts;
}

// Largest minus smallest over usable members: of buckets per member, or per TX queue.
struct Spread {
  uint32_t members, queues;
};
Spread spread(const GroupState& state, const std::vector<Slot>& table) {
  const auto slots = per_slot(state, table), members = per_member(state, table);
  uint32_t least = UINT32_MAX, most = 0, least_queue = UINT32_MAX, most_queue = 0;
  for (unsigned member = 0; member < members.size(); ++member) {
    if (!state.members[member].usable()) {
      EXPECT_EQ(members[member], 0u) << "a lost member holds buckets";
      continue;
    }
    least = std::min(least, members[member]);
    most = std::max(most, members[member]);
    for (unsigned queue = 0; queue < state.queues_per_nic; ++queue) {
      least_queue = std::min(least_queue, slots[member * state.queues_per_nic + queue]);
      most_queue = std::max(most_queue, slots[member * state.queues_per_nic + queue]);
    }
  }
  return {most - least, most_queue - least_queue};
}

// Buckets that moved although the member they sat on is still usable.
uint32_t needless_moves(const GroupState& after_state, const std::vector<Slot>& before,
                        const std::vector<Slot>& after) {
  uint32_t moves = 0;
  for (size_t bucket = 0; bucket < before.size(); ++bucket) {
    const bool survived = after_state.members[before[bucket] / after_state.queues_per_nic].usable();
    if (survived && before[bucket] != after[bucket]) ++moves;
  }
  return moves;
}

TEST(DistributionTable, HealthyIsTheDocumentsRule) {
  std::mt19937 random(1);
  for (unsigned members = 1; members <= 16; ++members) {
    for (const unsigned queues : kQueueCounts) {
      for (const unsigned k : {1u, 4u, 64u}) {
        const GroupState state = group(members, queues, k);
        SCOPED_TRACE(words(state));
        const auto table = build_table(state);
        ASSERT_EQ(table.size(), size_t{members} * queues * k);
        EXPECT_EQ(table, documents_rule(state));
        for (int i = 0; i < 1000; ++i) {
          const uint32_t hash = static_cast<uint32_t>(random());
          ASSERT_EQ(table[hash % table.size()], hash % (queues * members)) << hash;
        }
      }
    }
  }
}

TEST(DistributionTable, OneLossMovesOnlyTheLostAndIsEven) {
  for (unsigned members = 2; members <= 16; ++members) {
    for (const unsigned queues : kQueueCounts) {
      for (const unsigned k : {1u, 4u, 64u}) {
        const auto healthy = build_table(group(members, queues, k));
        for (unsigned lost = 0; lost < members; ++lost) {
          GroupState state = group(members, queues, k);
          state.members[lost].up = false;
          SCOPED_TRACE(words(state));
          const auto table = build_table(state);
          EXPECT_EQ(needless_moves(state, healthy, table), 0u);
          const Moves moves = moves_between(healthy, table, state);
          EXPECT_EQ(moves.buckets, k * queues);
          EXPECT_EQ(moves.needed, k * queues);
          const Spread found = spread(state, table);
          EXPECT_LE(found.members, 1u);
          EXPECT_LE(found.queues, 1u);
        }
      }
    }
  }
}

TEST(DistributionTable, AQueueOfALostMemberIsSpreadOverManyMembers) {
  GroupState state =
      group(5, 4, 64);  // queues and survivors share a factor: the case a plain turn gets wrong
  state.members[2].up = false;
  const auto table = build_table(state);
  for (unsigned queue = 0; queue < 4; ++queue) {
    std::vector<unsigned> at(5);
    for (size_t bucket = 2 * 4 + queue; bucket < table.size(); bucket += 20) ++at[table[bucket] / 4];
    for (const unsigned member : {0u, 1u, 3u, 4u}) EXPECT_GT(at[member], 4u) << "queue " << queue;
  }
}

TEST(DistributionTable, TwoLossesWithinTwo) {
  for (unsigned members = 3; members <= 16; ++members) {
    for (const unsigned queues : kQueueCounts) {
      for (const unsigned k : {1u, 4u, 64u}) {
        for (unsigned a = 0; a < members; ++a) {
          GroupState state = group(members, queues, k);
          const unsigned b = (a + 1 + (a * 7 + queues) % (members - 1)) % members;
          state.members[a].up = state.members[b].up = false;
          SCOPED_TRACE(words(state));
          EXPECT_LE(spread(state, build_table(state)).members, 2u);
        }
      }
    }
  }
}

TEST(DistributionTable, ThreeLossesWithinThree) {
  std::mt19937 random(3);
  for (unsigned members = 4; members <= 16; ++members) {
    for (const unsigned queues : kQueueCounts) {
      for (const unsigned k : {1u, 4u, 16u, 64u}) {
        for (int trial = 0; trial < 12; ++trial) {
          GroupState state = group(members, queues, k);
          for (unsigned lost = 0; lost < 3;) {
            MemberState& member = state.members[random() % members];
            if (member.up) ++lost;
            member.up = false;
          }
          SCOPED_TRACE(words(state));
          EXPECT_LE(spread(state, build_table(state)).members, members <= 8 && k >= 16 ? 2u : 3u);
        }
      }
    }
  }
}

TEST(DistributionTable, AnyNumberOfLossesUpToEightMembers) {
  for (unsigned members = 2; members <= 8; ++members) {
    for (const unsigned queues : {1u, 4u, 16u}) {
      for (const unsigned k : {16u, 64u}) {
        for (unsigned lost = 1; lost + 1 < 1u << members; ++lost) {
          GroupState state = group(members, queues, k);
          for (unsigned member = 0; member < members; ++member)
            state.members[member].up = (lost >> member & 1) == 0;
          SCOPED_TRACE(words(state));
          EXPECT_LE(spread(state, build_table(state)).members, k == 64 ? 2u : 4u);
        }
      }
    }
  }
}

TEST(DistributionTable, FurtherLossesMoveOnlyTheLostAndReturnsGoHome) {
  std::mt19937 random(4);
  for (const unsigned members : {2u, 3u, 4u, 7u, 8u, 9u, 16u, 24u, 64u}) {
    for (const unsigned queues : {1u, 3u, 16u}) {
      for (const bool equal : {true, false}) {
        GroupState state = group(members, queues, members == 64 ? 16 : 64);
        for (MemberState& member : state.members) member.weight = equal ? 1 : 1 + random() % 9;
        std::vector<unsigned> order(members);
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), random);
        std::vector<std::vector<Slot>> tables = {build_table(state)};
        const unsigned steps = std::min(members - 1, 15u);
        for (unsigned step = 0; step < steps; ++step) {
          state.members[order[step]].up = false;
          SCOPED_TRACE(words(state));
          tables.push_back(build_table(state));
          const auto& before = tables[step];
          EXPECT_EQ(needless_moves(state, before, tables.back()), 0u);
          const Moves moves = moves_between(before, tables.back(), state);
          EXPECT_EQ(moves.buckets, moves.needed);
        }
        for (unsigned step = steps; step-- > 0;) {
          state.members[order[step]].up = true;
          EXPECT_EQ(build_table(state), tables[step]) << words(state);
        }
      }
    }
  }
}

TEST(DistributionTable, HistoryLeavesNoTrace) {
  std::mt19937 random(5);
  GroupState state = group(6, 4, 16);
  std::vector<std::pair<GroupState, std::vector<Slot>>> seen = {{state, build_table(state)}};
  for (int change = 0; change < 100; ++change) {
    MemberState& member = state.members[random() % 6];
    switch (random() % 5) {
      case 0:
        member.up = !member.up;
        break;
      case 1:
        member.drained = !member.drained;
        break;
      case 2:
        member.excluded = !member.excluded;
        break;
      case 3:
        member.weight = random() % 4;
        break;
      default:
        state.pinned.push_back({static_cast<uint32_t>(random() % 384), static_cast<Slot>(random() % 24)});
    }
    seen.emplace_back(state, build_table(state));
  }
  std::shuffle(seen.begin() + 1, seen.end(), random);
  for (auto again = seen.rbegin(); again != seen.rend(); ++again) {
    EXPECT_EQ(build_table(again->first), again->second) << words(again->first);
  }
}

TEST(DistributionTable, DrainedAndExcludedAreLikeDown) {
  GroupState down = group(4, 2, 64), drained = down, excluded = down;
  down.members[1].up = false;
  drained.members[1].drained = true;
  excluded.members[1].excluded = true;
  EXPECT_NE(build_table(down), documents_rule(down));
  EXPECT_EQ(build_table(drained), build_table(down));
  EXPECT_EQ(build_table(excluded), build_table(down));
}

TEST(DistributionTable, NobodyLeft) {
  GroupState state = group(3, 2, 4);
  for (MemberState& member : state.members) member.up = false;
  EXPECT_EQ(build_table(state), std::vector<Slot>(24, kNoSlot));
  EXPECT_EQ(build_table(weighted({0, 0, 0}, 2, 4)), std::vector<Slot>(24, kNoSlot));
  const Moves moves = moves_between(build_table(group(3, 2, 4)), build_table(state), state);
  EXPECT_EQ(moves.buckets, 24u);
  EXPECT_EQ(moves.needed, 24u);
}

TEST(DistributionTable, WeightsGiveProportionalShares) {
  EXPECT_EQ(build_table(weighted({7, 7, 7}, 4, 64)), documents_rule(group(3, 4, 64)));
  struct Row {
    const char* name;
    std::vector<uint32_t> weights;
    std::vector<uint32_t> expected;  // buckets of 1 queue, K = 64
  };
  const Row rows[] = {{"1:2:3:4", {1, 2, 3, 4}, {26, 51, 77, 102}},  // 25.6 51.2 76.8 102.4
                      {"1:1:1:3", {1, 1, 1, 3}, {43, 43, 42, 128}},  // 42.67 three times: ties to the first
                      {"0:1:1", {0, 1, 1}, {0, 96, 96}},
                      {"100:1", {100, 1}, {127, 1}},  // 126.7 1.3
                      {"largest", {UINT32_MAX, UINT32_MAX, UINT32_MAX, 1}, {86, 85, 85, 0}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const GroupState one_queue = weighted(row.weights, 1, 64);
    EXPECT_EQ(per_member(one_queue, build_table(one_queue)), row.expected);
    const GroupState state = weighted(row.weights, 8, 64);
    const auto slots = per_slot(state, build_table(state));
    for (size_t first = 0; first < slots.size(); first += 8) {
      const auto [least, most] = std::minmax_element(slots.begin() + static_cast<long>(first),
                                                     slots.begin() + static_cast<long>(first) + 8);
      EXPECT_LE(*most - *least, 1u) << "queues of member " << first / 8;
    }
  }
}

// Moving more than the least is allowed by one bucket a TX queue (a Kth of the table), beside a factor of
// two.
TEST(DistributionTable, AWeightChangeMovesFewBuckets) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 400; ++trial) {
    const unsigned members = 2 + random() % 15, queues = 1u << random() % 5;
    GroupState state = group(members, queues, 64);
    for (MemberState& member : state.members) member.weight = 1 + random() % 40;
    const auto before = build_table(state);
    MemberState& changed = state.members[random() % members];
    changed.weight = trial % 2 == 0 ? changed.weight + 1 : random() % 40;
    SCOPED_TRACE(words(state));
    const auto after = build_table(state);
    const Moves moves = moves_between(before, after, state);
    EXPECT_LE(moves.buckets, 2 * moves.needed + members * queues);
    EXPECT_GE(moves.buckets, moves.needed);
  }
}

TEST(DistributionTable, LossUnderUnequalWeightsStaysProportional) {
  for (const auto& weights :
       {std::vector<uint32_t>{1, 2, 3, 4}, {1, 1, 1, 3}, {10, 25, 25, 40, 100}, {5, 1, 1}}) {
    for (const unsigned queues : {1u, 4u, 16u}) {
      const auto healthy = build_table(weighted(weights, queues, 64));
      for (size_t lost = 0; lost < weights.size(); ++lost) {
        GroupState state = weighted(weights, queues, 64);
        state.members[lost].up = false;
        SCOPED_TRACE(words(state));
        const auto table = build_table(state);
        EXPECT_EQ(needless_moves(state, healthy, table), 0u);
        const auto shares = per_member(state, table);
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0) - weights[lost];
        for (size_t member = 0; member < weights.size(); ++member) {
          if (member == lost) continue;
          EXPECT_NEAR(shares[member], static_cast<double>(table.size()) * weights[member] / sum, 2.0);
        }
      }
    }
  }
}

TEST(DistributionTable, PinsWinOverEverythingButALostMember) {
  struct Row {
    const char* name;
    std::vector<PinnedBucket> pins;
    bool lost;      // member 1, slots 2 and 3
    Slot expected;  // of bucket 5, which lives at slot 5
  };
  GroupState lost_state = group(3, 2, 8);
  lost_state.members[1].up = false;
  const Row rows[] = {{"no pin", {}, false, 5},
                      {"pinned", {{5, 3}}, false, 3},
                      {"the last pin counts", {{5, 3}, {5, 0}}, false, 0},
                      {"to a lost member", {{5, 3}}, true, 5},
                      {"slot outside", {{5, 6}}, false, 5},
                      {"bucket outside", {{48, 0}}, false, 5}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    GroupState state = row.lost ? lost_state : group(3, 2, 8);
    auto expected = build_table(state);
    state.pinned = row.pins;
    expected[5] = row.expected;
    EXPECT_EQ(build_table(state), expected);
  }
  lost_state.pinned = {{2, 4}};  // bucket 2 lives at the lost member
  EXPECT_EQ(build_table(lost_state)[2], 4);
}

TEST(DistributionTable, LargestTable) {
  GroupState state = group(64, 16, 64);
  state.members[63].up = false;
  const auto table = build_table(state);
  EXPECT_EQ(table.size(), kMaxBuckets);
  EXPECT_LE(spread(state, table).members, 1u);
}

TEST(Moves, CountsBucketsAndMembers) {
  struct Row {
    const char* name;
    std::vector<Slot> before, after;
    uint32_t buckets, needed;
  };
  const Row rows[] = {{"same", {0, 1, 2, 3}, {0, 1, 2, 3}, 0, 0},
                      {"queue of one member", {0, 1, 2, 3}, {1, 0, 2, 3}, 2, 0},
                      {"swap of members", {0, 1, 2, 3}, {2, 1, 0, 3}, 2, 0},
                      {"one to the other member", {0, 1, 2, 3}, {2, 1, 2, 3}, 1, 1},
                      {"to nobody", {0, 1, 2, 3}, {kNoSlot, 1, 2, kNoSlot}, 2, 2},
                      {"from nobody", {kNoSlot, 1, 2, 3}, {0, 1, 2, 3}, 1, 1}};
  const GroupState state = group(2, 2, 1);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Moves moves = moves_between(row.before, row.after, state);
    EXPECT_EQ(moves.buckets, row.buckets);
    EXPECT_EQ(moves.needed, row.needed);
  }
}

}  // namespace
}  // namespace core
