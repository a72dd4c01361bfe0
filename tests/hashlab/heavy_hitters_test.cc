// SPDX-License-Identifier: BSD-3-Clause
// The heaviest flows and what splitting them gives, on loads known beforehand; what command elephants says.
#include "hashlab/heavy_hitters.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hashlab/listed_traffic.h"
#include "hashlab/run_command.h"
#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

using namespace test_support;
using Loads = std::vector<uint64_t>;

core::GroupState four_by_two() {
  core::GroupState group;
  group.members.resize(4);
  group.queues_per_nic = 2;
  return group;
}

uint64_t sum_of(const Loads& loads) {
  return std::accumulate(loads.begin(), loads.end(), uint64_t{0});
}

// 50,000 flows of one packet, so that several threads have a part, and five heavy ones among them.
ListedTraffic mixed_traffic() {
  core::SplitMix random(3);
  std::vector<Flow> flows;
  for (uint32_t n = 0; n < 50'000; ++n) {
    flows.push_back(ipv4_flow(n, static_cast<uint32_t>(random.next()), 1, 2));
    flows.back().bytes = 100;
  }
  for (uint32_t n = 0; n < 5; ++n) {
    flows[9'000 * n + 1].packets = 1'000 * (n + 1);
    flows[9'000 * n + 1].bytes = 100'000 * (10 - n);  // the other way round
  }
  return ListedTraffic(std::move(flows));
}

TEST(HeavyHitters, AreTheHeaviestInOrder) {
  struct Row {
    LoadBy by;
    std::vector<uint32_t> sources;
    Loads weights;
    uint64_t total;
  };
  const Row rows[] = {
      {LoadBy::packets, {36'001, 27'001, 18'001, 9'001, 1}, {5000, 4000, 3000, 2000, 1000}, 64'995},
      {LoadBy::bytes,
       {1, 9'001, 18'001, 27'001, 36'001},
       {1'000'000, 900'000, 800'000, 700'000, 600'000},
       8'999'500}};
  const ListedTraffic traffic = mixed_traffic();
  const Spreader spreader(Reduction::resilient, four_by_two());
  for (const Row& row : rows) {
    const Weighed weighed = weigh(traffic, {}, {}, spreader, row.by, 5);
    EXPECT_EQ(weighed.keys, 50'000u);
    EXPECT_EQ(weighed.total, row.total);
    ASSERT_EQ(weighed.heaviest.size(), 5u);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(core::load_be32(weighed.heaviest[i].material.front), row.sources[i]);
      EXPECT_EQ(weighed.heaviest[i].weight, row.weights[i]);
      EXPECT_EQ(weighed.heaviest[i].members, 1u);
    }
  }
}

TEST(HeavyHitters, AreWeighedByKey) {
  // Three queue pairs share a tuple: together they are the heaviest.
  std::vector<Flow> flows = {ipv4_flow(1, 2, 3, 4, 50), ipv4_flow(5, 6, 7, 4791, 20),
                             ipv4_flow(5, 6, 7, 4791, 21), ipv4_flow(5, 6, 7, 4791, 22),
                             ipv4_flow(8, 9, 1, 2, 50)};
  flows[2].material.dest_qp = 1;
  flows[3].material.dest_qp = 2;
  const ListedTraffic traffic(flows);
  const Spreader spreader(Reduction::resilient, four_by_two());
  core::KeyFields with_qp;
  with_qp.dest_qp = true;
  const Weighed by_tuple = weigh(traffic, {}, {}, spreader, LoadBy::packets, 10);
  ASSERT_EQ(by_tuple.heaviest.size(), 3u);
  EXPECT_EQ(by_tuple.heaviest[0].weight, 63u);
  EXPECT_EQ(by_tuple.heaviest[0].members, 3u);
  EXPECT_EQ(by_tuple.heaviest[1].material, flows[0].material);  // equal weights: in the order of the input
  EXPECT_EQ(by_tuple.heaviest[2].material, flows[4].material);
  const Weighed by_qp = weigh(traffic, with_qp, {}, spreader, LoadBy::packets, 10);
  EXPECT_EQ(by_qp.keys, 5u);
  EXPECT_EQ(by_qp.heaviest[0].weight, 50u);
}

TEST(HeavyHitters, LoadBucketsByTheGatewaysRule) {
  const ListedTraffic traffic({ipv4_flow(0xc0000201, 0xc6336402, 10000, 4791, 70),
                               ipv4_flow(0xc0000201, 0xc6336402, 49152, 4791, 30)});
  const Spreader spreader(Reduction::resilient, four_by_two());
  const Weighed weighed = weigh(traffic, {}, {}, spreader, LoadBy::packets, 1);
  Loads buckets(512), slots(8);
  buckets[0xdaa7b5a5 % 512] = slots[0xdaa7b5a5 % 8] = 70;  // docs/hashing.md
  buckets[0x3e9ad4e1 % 512] = slots[0x3e9ad4e1 % 8] = 30;  // docs/commands.md
  EXPECT_EQ(weighed.buckets, buckets);
  EXPECT_EQ(slots_of(weighed.buckets, spreader), slots);
}

TEST(Splitting, SharesAFlowAmongTheNextPorts) {
  struct Row {
    uint16_t port;
    std::vector<uint16_t> expected;  // of four
  };
  const Row rows[] = {{50000, {50000, 50001, 50002, 50003}},
                      {65534, {65534, 65535, 49152, 49153}},
                      {49151, {49151, 49152, 49153, 49154}},
                      {1000, {1000, 1024, 1025, 1026}}};
  const Spreader spreader(Reduction::resilient, four_by_two());
  const core::FlowHash hash = HashChoice{}.hash();
  for (const Row& row : rows) {
    const ListedTraffic traffic({ipv4_flow(1, 2, row.port, 4791, 103), ipv4_flow(3, 4, 5, 6, 10)});
    const Weighed weighed = weigh(traffic, {}, {}, spreader, LoadBy::packets, 1);
    Loads expected(512);
    expected[bucket_of(ipv4_flow(3, 4, 5, 6).material, {}, hash, spreader)] += 10;
    for (size_t i = 0; i < 4; ++i) {
      const Flow part = ipv4_flow(1, 2, row.expected[i], 4791);
      expected[bucket_of(part.material, {}, hash, spreader)] += i < 3 ? 26 : 25;  // 103 = 3 x 26 + 25
    }
    EXPECT_EQ(buckets_when_split(weighed, {}, {}, spreader, 4), expected) << row.port;
    EXPECT_EQ(buckets_when_split(weighed, {}, {}, spreader, 1), weighed.buckets) << row.port;
  }
}

TEST(Splitting, LeavesFlowsWithoutPorts) {
  Flow flow = ipv4_flow(1, 2, 0, 0, 100);
  flow.material.has_ports = false;
  const ListedTraffic traffic({flow});
  const Spreader spreader(Reduction::resilient, four_by_two());
  const Weighed weighed = weigh(traffic, {}, {}, spreader, LoadBy::packets, 1);
  EXPECT_EQ(buckets_when_split(weighed, {}, {}, spreader, 8), weighed.buckets);
}

TEST(Elephants, ReportsMovesThatThePromptTakes) {
  const Report report =
      run_command(kElephants, {"--pattern", "elephants", "--flows", "2000", "--elephants", "4",
                               "--elephant-share", "0.3", "--moves", "3", "--top", "4"});
  const Table& moves = table_of(report, "moves");
  ASSERT_EQ(moves.rows.size(), report.commands.size());
  ASSERT_GT(moves.rows.size(), 0u);
  ASSERT_LE(moves.rows.size(), 3u);
  double last = std::get<double>(fact(report, "queue_over_even_share"));
  for (size_t i = 0; i < moves.rows.size(); ++i) {
    const auto bucket = std::get<uint64_t>(cell(moves, i, "bucket")),
               to = std::get<uint64_t>(cell(moves, i, "to_slot"));
    EXPECT_EQ(report.commands[i],
              "set distribution bucket " + std::to_string(bucket) + " queue " + std::to_string(to));
    EXPECT_EQ(cell(moves, i, "from_slot"), Value(bucket % 8));  // its home
    EXPECT_LE(std::get<double>(cell(moves, i, "queue_over_even_share")), last);
    last = std::get<double>(cell(moves, i, "queue_over_even_share"));
  }
  EXPECT_EQ(fact(report, "queue_over_even_share_after"), Value(last));
  Loads before, after;
  const Table& queues = table_of(report, "queues");
  for (size_t slot = 0; slot < 8; ++slot) {
    before.push_back(std::get<uint64_t>(cell(queues, slot, "before")));
    after.push_back(std::get<uint64_t>(cell(queues, slot, "after")));
  }
  EXPECT_EQ(sum_of(before), sum_of(after));
  EXPECT_EQ(fact(report, "packets"), Value(sum_of(before)));
}

// An elephant of more than a queue's even share stays where it is worst; the verdict names it and the cure.
TEST(Elephants, SaysWhatMovesCannotMend) {
  const Report report =
      run_command(kElephants, {"--pattern", "elephants", "--flows", "2000", "--elephants", "1",
                               "--elephant-share", "0.5", "--top", "1", "--moves", "100"});
  const std::string flow = std::get<std::string>(cell(table_of(report, "elephants"), 0, "flow"));
  ASSERT_FALSE(report.verdicts.empty());
  const std::string& last = report.verdicts.back();
  EXPECT_TRUE(last.starts_with("Bucket ")) << last;
  EXPECT_NE(last.find(" alone carries 4.0"), std::string::npos)
      << last;  // half of all on one of eight queues
  EXPECT_NE(last.find("is " + flow + ", which only more source ports"), std::string::npos) << last;
  EXPECT_GE(std::get<double>(fact(report, "queue_over_even_share_after")), 4.0);
}

// What is said of moves, and of NICs.
TEST(Elephants, SaysWhatMovesBring) {
  struct Row {
    const char* name;
    std::vector<std::string> arguments;
    const char* expected;
    const char* never;
  };
  const Row rows[] = {
      {"none asked for", {"--moves", "0"}, "No moves were asked for.", "worth"},
      {"not worth it",
       {"--elephants", "1", "--elephant-share", "0.9"},
       "No buckets are worth moving: up to 16 moves would hardly help the fullest queue or NIC.",
       "bring"},
      {"worth it, by NIC too", {}, "the fullest NIC from 1.42 to 1.0", "leave the fullest NIC"},
      {"the NIC stays",
       {"--elephants", "4", "--elephant-share", "0.6", "--flows", "200", "--pattern-seed", "2"},
       "times its even share and leave the fullest NIC at 1.11.",
       "the fullest NIC from"},
      {"one", {"--moves", "1"}, "1 move brings the fullest queue from 1.76 to ", "bring the"},
      {"a queue on each NIC", {"--queues", "1"}, "times its even share.", "NIC from"},
      {"one NIC", {"--nics", "1", "--queues", "8"}, "times its even share.", "fullest NIC"},
      {"a bucket of many keys",
       {"--hash", "bond-l2"},
       "even; another hash, or more buckets, may part",
       "ports ("},
      {"a key of many flows",
       {"--fields", "vlan"},
       " of the same key, which only more fields can",
       "ports ("},
      {"unequal weights", {"--weights", "1,2,3,4"}, "times its even share", "max/mean"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::vector<std::string> arguments = {"--pattern", "elephants"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    std::string said;
    for (const std::string& sentence : run_command(kElephants, arguments).verdicts) said += sentence + "\n";
    EXPECT_NE(said.find(row.expected), std::string::npos) << said;
    EXPECT_EQ(said.find(row.never), std::string::npos) << said;
  }
}

// Facts, tables and the first sentence have one figure for one thing, whatever the weights.
TEST(Elephants, HasOneMeaningOfFull) {
  for (const char* weights : {"1,1,1,1", "1,2,3,4", "0,1,1,5"}) {
    SCOPED_TRACE(weights);
    const Report report = run_command(kElephants, {"--pattern", "elephants", "--weights", weights});
    for (const std::string when : {"before", "after"}) {
      const std::string suffix = when == "after" ? "_after" : "";
      for (const std::string what : {"queue", "nic"}) {
        const Table& table = table_of(report, what + "s");
        double largest = 0;
        for (size_t i = 0; i < table.rows.size(); ++i) {
          const Value value = cell(table, i, when + "_over_even_share");
          if (std::holds_alternative<double>(value)) largest = std::max(largest, std::get<double>(value));
        }
        EXPECT_NEAR(std::get<double>(fact(report, what + "_over_even_share" + suffix)), largest, 1e-9);
      }
    }
    const double before = std::get<double>(fact(report, "queue_over_even_share"));
    EXPECT_NE(report.verdicts[0].find(fixed(before, 2) + " times its even share"), std::string::npos);
    EXPECT_NEAR(before, std::get<double>(cell(table_of(report, "splitting"), 0, "queue_over_even_share")),
                1e-9);
  }
}

TEST(Elephants, OffersNoMovesWithoutBuckets) {
  const Report report = run_command(kElephants, {"--pattern", "elephants", "--reduction", "modulo"});
  EXPECT_TRUE(report.commands.empty());
  EXPECT_EQ(fact(report, "queue_over_even_share"), fact(report, "queue_over_even_share_after"));
  ASSERT_FALSE(report.notes.empty());
  EXPECT_EQ(report.notes.back(),
            "buckets can be pinned under --reduction resilient only, so no move is offered");
}

}  // namespace
}  // namespace hashlab
