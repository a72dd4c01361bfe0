// SPDX-License-Identifier: BSD-3-Clause
// Every event as a change of the group, and what it moves: by hand for a few flows, by the known shares for
// many, against core's own count for the gateway's table.
#include "hashlab/loss.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <numeric>

#include "hashlab/evenness.h"
#include "hashlab/listed_traffic.h"
#include "hashlab/loss_report.h"
#include "hashlab/run_command.h"

namespace hashlab {
namespace {

using core::GroupState;
using test_support::ipv4_flow;
using test_support::ListedTraffic;
using test_support::random_traffic;

GroupState group_of(size_t nics, uint16_t queues = 1) {
  GroupState group;
  group.queues_per_nic = queues;
  group.members.resize(nics);
  return group;
}

const core::FlowHash kJenkins(core::HashAlgorithm::jenkins, 0);
// Of a flow with source address and ports 0: the destination address, as loaded, when that is below 256.
const core::FlowHash kXor(core::HashAlgorithm::bond_l34, 0);

Movement movement_of(const Traffic& traffic, const core::FlowHash& hash, Reduction reduction,
                     const GroupChange& change) {
  const PolicyChange changes[] = {PolicyChange(reduction, change)};
  return movements_of(traffic, {}, hash, changes).front();
}

TEST(NicEvents, ChangeTheGroup) {
  GroupState group = group_of(3);
  group.members[1] = {.up = true, .drained = false, .excluded = false, .weight = 5};
  GroupState down = group;
  down.members[1].up = false;
  struct Row {
    NicEvent event;
    GroupState group;
    bool up_before, up, drained;
    size_t nics;
    uint32_t weight, weight_of_last;
  };
  const Row rows[] = {{NicEvent::lost, group, true, false, false, 3, 5, 1},
                      {NicEvent::returned, group, false, true, false, 3, 5, 1},
                      {NicEvent::returned, down, false, true, false, 3, 5, 1},
                      {NicEvent::drained, group, true, true, true, 3, 5, 1},
                      {NicEvent::added, group, true, true, false, 4, 5, 5},
                      {NicEvent::reweighted, group, true, true, false, 3, 9, 1}};
  for (const Row& row : rows) {
    SCOPED_TRACE(name_of(row.event));
    const GroupChange change = change_of(row.group, row.event, 1, 9);
    ASSERT_EQ(change.before.members.size(), 3u);
    EXPECT_EQ(change.before.members[1].up, row.up_before);
    EXPECT_EQ(change.before.members[1].weight, 5u);
    ASSERT_EQ(change.after.members.size(), row.nics);
    EXPECT_EQ(change.after.members[1].up, row.up);
    EXPECT_EQ(change.after.members[1].drained, row.drained);
    EXPECT_EQ(change.after.members[1].weight, row.weight);
    EXPECT_EQ(change.after.members.back().weight, row.weight_of_last);
    EXPECT_EQ(change.before.members[0], change.after.members[0]);
  }
}

TEST(NicEvents, FitUnlessTheGroupIsFull) {
  struct Row {
    size_t nics;
    uint16_t queues;
    NicEvent event;
    bool expected;
  };
  const Row rows[] = {{63, 1, NicEvent::added, true},
                      {64, 1, NicEvent::added, false},
                      {64, 16, NicEvent::lost, true},
                      {16, 64, NicEvent::added, false},
                      {15, 64, NicEvent::added, true}};
  for (const Row& row : rows)
    EXPECT_EQ(fits(change_of(group_of(row.nics, row.queues), row.event, 0, 1)), row.expected) << row.nics;
}

// Flows whose hashes are known: destination x and nothing else hashes to x, x below 256 in the last byte as
// loaded.
TEST(Movements, OfAFewFlowsByHand) {
  std::vector<Flow> flows;
  for (uint32_t x = 0; x < 6; ++x) flows.push_back(ipv4_flow(0, x << 24, 0, 0, x + 1));
  // Hashes 0 to 5 over list 0,1,2,3 (two NICs, two queues), then over 0,1 when NIC 1 is lost.
  const Movement movement = movement_of(ListedTraffic(flows), kXor, Reduction::modulo,
                                        change_of(group_of(2, 2), NicEvent::lost, 1, 0));
  EXPECT_EQ(movement.flows, 6u);
  EXPECT_EQ(movement.loads_before, (std::vector<uint64_t>{2, 2, 1, 1}));
  EXPECT_EQ(movement.loads_after, (std::vector<uint64_t>{3, 3, 0, 0}));
  EXPECT_EQ(movement.moved, 2u);
  EXPECT_EQ(movement.needed, 2u);
  EXPECT_EQ(movement.moved_nic, 2u);
  EXPECT_EQ(movement.packets, 21u);
  EXPECT_EQ(movement.moved_packets, 7u);  // flows 2 and 3
  const std::vector<std::vector<uint64_t>> from_to = {{4, 0, 0}, {2, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(movement.from_to, from_to);
}

TEST(Movements, OfTheLastNicGoNowhere) {
  std::vector<Flow> flows;
  for (uint32_t x = 0; x < 6; ++x) flows.push_back(ipv4_flow(0, x << 24, 0, 0));
  for (const Reduction reduction : {Reduction::modulo, Reduction::resilient}) {
    const Movement movement =
        movement_of(ListedTraffic(flows), kXor, reduction, change_of(group_of(1, 2), NicEvent::lost, 0, 0));
    EXPECT_EQ(movement.moved, 6u);
    EXPECT_EQ(movement.needed, 6u);
    EXPECT_EQ(movement.loads_after, (std::vector<uint64_t>{0, 0}));
    const std::vector<std::vector<uint64_t>> from_to = {{0, 6}, {0, 0}};
    EXPECT_EQ(movement.from_to, from_to);
  }
}

// Of 200,000 random flows, the mean over the NICs; what has to move is 1/N of them, up to the lot of each
// NIC.
TEST(Movements, WhenANicIsLostOrReturns) {
  const ListedTraffic traffic = random_traffic(200'000);
  struct Row {
    Reduction reduction;
    size_t nics;
    double expected;
  };
  const Row rows[] = {{Reduction::modulo, 3, 2.0 / 3}, {Reduction::modulo, 4, 0.75},
                      {Reduction::modulo, 8, 0.875},   {Reduction::resilient, 3, 1.0 / 3},
                      {Reduction::resilient, 4, 0.25}, {Reduction::resilient, 8, 0.125},
                      {Reduction::maglev, 4, 0.252}};
  for (const Row& row : rows) {
    for (const NicEvent event : {NicEvent::lost, NicEvent::returned, NicEvent::drained}) {
      SCOPED_TRACE(testing::Message() << name_of(row.reduction) << " " << row.nics << " " << name_of(event));
      std::vector<PolicyChange> changes;
      for (uint16_t nic = 0; nic < row.nics; ++nic)
        changes.emplace_back(row.reduction, change_of(group_of(row.nics), event, nic, 0));
      double moved = 0, needed = 0;
      for (const Movement& movement : movements_of(traffic, {}, kJenkins, changes)) {
        moved += static_cast<double>(movement.moved) / 200'000.0 / static_cast<double>(row.nics);
        needed += static_cast<double>(movement.needed) / 200'000.0 / static_cast<double>(row.nics);
        EXPECT_GE(movement.moved_nic, movement.needed);
        if (row.reduction == Reduction::resilient) {
          EXPECT_EQ(movement.moved, movement.needed);
        }
      }
      EXPECT_NEAR(moved, row.expected, 0.003);
      EXPECT_NEAR(needed, 1.0 / static_cast<double>(row.nics), 0.003);
    }
  }
}

// One flow a bucket is core's own count of buckets.
TEST(Movements, CountAsTheGatewayCounts) {
  GroupState group = group_of(4, 2);
  group.members[2].weight = 3;
  std::vector<Flow> flows;
  for (uint32_t bucket = 0; bucket < 512; ++bucket) {
    for (uint32_t word = 0; flows.size() == bucket; ++word) {
      core::FlowKey key;
      const Flow flow = ipv4_flow(word, bucket, 0, 0);
      core::make_flow_key(flow.material, {}, key);
      if (kJenkins(key) % 512 == bucket) flows.push_back(flow);
    }
  }
  const ListedTraffic traffic(std::move(flows));
  for (const NicEvent event : {NicEvent::lost, NicEvent::returned, NicEvent::drained, NicEvent::reweighted}) {
    SCOPED_TRACE(name_of(event));
    const GroupChange change = change_of(group, event, 2, 2);
    const Movement movement = movement_of(traffic, kJenkins, Reduction::resilient, change);
    const core::Moves moves =
        core::moves_between(core::build_table(change.before), core::build_table(change.after), change.after);
    EXPECT_EQ(movement.moved, moves.buckets);
    EXPECT_EQ(movement.needed, moves.needed);
    EXPECT_GT(movement.moved, 0u);
  }
}

TEST(Movements, OfANewNicGoToItUnderMaglevAndAboutUnderModulo) {
  const ListedTraffic traffic = random_traffic(100'000);
  const GroupChange change = change_of(group_of(4), NicEvent::added, 0, 0);
  struct Row {
    Reduction reduction;
    double moved;
  };
  // Over 4 and over 5 in turn, 4 of 20 remainders agree; by the high bits, one share of 1/5 + 2/5 + 3/5 + ...
  // moves.
  const Row rows[] = {{Reduction::modulo, 0.8}, {Reduction::multiply_shift, 0.5}, {Reduction::maglev, 0.203}};
  for (const Row& row : rows) {
    SCOPED_TRACE(name_of(row.reduction));
    const Movement movement = movement_of(traffic, kJenkins, row.reduction, change);
    EXPECT_NEAR(static_cast<double>(movement.moved) / 100'000, row.moved, 0.006);
    EXPECT_NEAR(static_cast<double>(movement.needed) / 100'000, 0.2, 0.006);
    ASSERT_EQ(movement.from_to.size(), 6u);
    uint64_t to_new = 0;
    for (const auto& row_of_nic : movement.from_to) to_new += row_of_nic[4];
    EXPECT_EQ(to_new, movement.loads_after[4]);
    EXPECT_NEAR(evenness_of(movement.loads_after, shares_of(change.after)).max_over_mean, 1, 0.02);
  }
}

TEST(Movements, AreTheSameOnAnyNumberOfCpus) {
  const ListedTraffic traffic = random_traffic(50'000);
  const GroupChange change = change_of(group_of(5, 2), NicEvent::lost, 3, 0);
  const Movement all = movement_of(traffic, kJenkins, Reduction::maglev, change);
  const oneapi::tbb::global_control one(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  const Movement same = movement_of(traffic, kJenkins, Reduction::maglev, change);
  EXPECT_EQ(all.from_to, same.from_to);
  EXPECT_EQ(all.moved, same.moved);
  EXPECT_EQ(all.flows, 50'000u);
}

// 12 flows that hash to 0 to 11, two NICs of one queue, then three: their remainders by 2 and by 3.
TEST(LossReport, OfANewNic) {
  std::vector<Flow> flows;
  for (uint32_t x = 0; x < 12; ++x) flows.push_back(ipv4_flow(0, x << 24, 0, 0, x == 2 ? 9 : 1));
  const std::vector<NicCase> cases = {{NicEvent::added, 2, change_of(group_of(2), NicEvent::added, 0, 0)}};
  std::vector<PolicyChange> changes;
  for (const Reduction policy : kPolicies) changes.emplace_back(policy, cases.front().change, 251);
  const auto movements = movements_of(ListedTraffic(flows), {}, kXor, changes);
  Report report;
  add_movements(cases, movements, Reduction::modulo, report);
  add_verdicts(cases, movements, 2, report);

  ASSERT_EQ(report.tables.size(), 2u);
  ASSERT_EQ(report.tables[0].rows.size(), 4u);
  // 0, 1, 6, 7 stay; 4 of 12 must go to the new one; 9 + 7 packets of 20 move; 6 of 12 on each before.
  const std::vector<Value> modulo = {std::string("added"),
                                     uint64_t{2},
                                     std::string("modulo"),
                                     8.0 / 12,
                                     4.0 / 12,
                                     4.0 / 12,
                                     16.0 / 20,
                                     1.0,
                                     1.0};
  EXPECT_EQ(report.tables[0].rows[0], modulo);
  EXPECT_EQ(report.tables[0].rows[3][2], Value(std::string("resilient")));
  EXPECT_EQ(report.tables[1].title, "NIC 2 added, modulo: flows from NIC (line) to NIC (column)");
  const std::vector<std::vector<Value>> from_to = {
      {std::string("NIC 0"), uint64_t{2}, uint64_t{2}, uint64_t{2}},
      {std::string("NIC 1"), uint64_t{2}, uint64_t{2}, uint64_t{2}},
      {std::string("NIC 2"), uint64_t{0}, uint64_t{0}, uint64_t{0}}};
  EXPECT_EQ(report.tables[1].rows, from_to);
  EXPECT_EQ(report.plots.size(), 5u);
  ASSERT_EQ(report.verdicts.size(), 2u);
  EXPECT_TRUE(report.verdicts[0].starts_with("One more NIC beside 2 moves 66.7 % of flows under modulo, "));
  EXPECT_TRUE(
      report.verdicts[0].ends_with("66.7 % under resilient (the gateway's), where 33.3 % had to move."));
  EXPECT_TRUE(report.verdicts[1].starts_with("A new NIC changes the gateway's number of buckets."));
}

TEST(LossCommand, StoppedBeforeAFlowWasLookedAtSaysNothingOfFlows) {
  test_support::expect_nothing_told_when_stopped(kLoss);
}

TEST(LossCommand, RefusesWhatDoesNotApply) {
  struct Row {
    std::vector<std::string> arguments;
    const char* expected;
  };
  const Row rows[] = {{{"--event", "lost", "--weight", "3"}, "--weight 3: only of --event reweighted"},
                      {{"--event", "lost,reweighted", "--weight", "3"}, "taken"},
                      {{"--weight", "3"}, "taken"},
                      {{"--hash", "all"}, "--hash all: one hash only"}};
  for (Row row : rows) {
    row.arguments.insert(row.arguments.end(), {"--pattern", "random", "--flows", "10"});
    EXPECT_EQ(test_support::refusal_of([&] { test_support::run_command(kLoss, row.arguments); }),
              row.expected);
  }
}

TEST(LossReport, MeanOverTheNics) {
  std::vector<NicCase> cases;
  std::vector<PolicyChange> changes;
  for (uint16_t nic = 0; nic < 4; ++nic) {
    cases.push_back({NicEvent::lost, nic, change_of(group_of(4), NicEvent::lost, nic, 0)});
    for (const Reduction policy : kPolicies) changes.emplace_back(policy, cases.back().change, 251);
  }
  std::vector<Flow> flows;  // as many of each remainder by 4 and by 3
  for (uint32_t x = 0; x < 192; ++x) flows.push_back(ipv4_flow(0, x << 24, 0, 0));
  const auto movements = movements_of(ListedTraffic(flows), {}, kXor, changes);
  Report report;
  add_verdicts(cases, movements, 4, report);
  ASSERT_EQ(report.verdicts.size(), 1u);
  EXPECT_TRUE(report.verdicts[0].starts_with("Losing one of 4 NICs moves 75.0 % of flows under modulo, "));
  EXPECT_TRUE(
      report.verdicts[0].ends_with("and 25.0 % under resilient (the gateway's), where 25.0 % had to move."));
}

}  // namespace
}  // namespace hashlab
