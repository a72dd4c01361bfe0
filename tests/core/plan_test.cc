// SPDX-License-Identifier: BSD-3-Clause
// Queues, owners and pools from settings and device facts; and the bundle that workers read.
#include "core/plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace {

core::PortFacts device(const std::string& name, uint16_t rx, uint16_t tx) {
  core::PortFacts facts;
  facts.device = name;
  facts.max_rx_queues = rx;
  facts.max_tx_queues = tx;
  return facts;
}

core::Settings gateway_of(const std::vector<const char*>& groups) {
  core::Settings settings;
  for (const char* group : groups) settings.ports.emplace_back().group = group;
  return settings;
}

using Numbers = std::vector<uint16_t>;

struct LayoutRow {
  const char* name;
  std::vector<const char*> groups;
  std::vector<core::PortFacts> facts;
  unsigned workers;
  std::optional<uint16_t> rx_queues, queues_per_nic;  // explicit settings; rx_queues for every port
  Numbers expected_rx, expected_q;
  size_t notes;
  std::vector<const char*> problems;  // where
};

TEST(Layout, DefaultsAreCappedAndNotedExplicitNumbersRefused) {
  const core::PortFacts big = device("big", 64, 64), single = device("single", 1, 1);
  core::PortFacts capture = device("capture", 1, 1);
  capture.sends = false;
  core::PortFacts tap = device("tap", 16, 16);
  tap.pairs_queues = true;
  const LayoutRow rows[] = {
      {"defaults: 2 x lcores RX, Q = lcores",
       {"access", "uplink"},
       {big, big},
       3,
       {},
       {},
       {6, 6},
       {3, 3},
       0,
       {}},
      {"capped by the device",
       {"access", "uplink"},
       {big, device("small", 3, 5)},
       2,
       {},
       {},
       {4, 3},
       {2, 2},
       1,
       {}},
      {"Q capped for the whole group",
       {"access", "uplink", "uplink"},
       {big, big, device("s", 64, 2)},
       2,
       {},
       {},
       {4, 4, 4},
       {2, 1, 1},
       1,
       {}},
      {"explicit RX queues the device has", {"access", "uplink"}, {big, big}, 1, 5, 2, {5, 5}, {2, 2}, 0, {}},
      {"more RX queues than it has",
       {"access", "uplink"},
       {big, single},
       1,
       2,
       1,
       {2, 2},
       {1, 1},
       0,
       {"port[1].rx_queues"}},
      {"more TX queues than it has",
       {"access", "uplink"},
       {big, device("s", 64, 3)},
       2,
       1,
       2,
       {1, 1},
       {2, 1},
       0,
       {"distribution.queues_per_nic"}},
      {"a capture that is only read has no say in Q",
       {"access", "uplink", "uplink"},
       {capture, big, capture},
       2,
       1,
       4,
       {1, 1, 1},
       {4, 4, 4},
       0,
       {}},
      {"as many RX as TX queues", {"access", "uplink"}, {tap, big}, 1, {}, {}, {1, 2}, {1, 1}, 1, {}},
      {"as many, three workers", {"access", "uplink"}, {tap, big}, 3, {}, {}, {9, 6}, {3, 3}, 1, {}},
      {"not as many", {"access", "uplink"}, {tap, big}, 1, 2, 1, {2, 2}, {1, 1}, 0, {"port[0].rx_queues"}},
      {"not one TX queue a worker",
       {"access", "uplink"},
       {big, single},
       2,
       1,
       {},
       {1, 1},
       {2, 1},
       1,
       {"port[1].device"}},
  };
  for (const LayoutRow& row : rows) {
    SCOPED_TRACE(row.name);
    core::Settings settings = gateway_of(row.groups);
    for (core::PortSettings& port : settings.ports) port.rx_queues = row.rx_queues;
    settings.distribution.queues_per_nic = row.queues_per_nic;
    const core::Layout layout = core::lay_out_queues(settings, row.facts, row.workers);
    ASSERT_EQ(layout.problems.size(), row.problems.size());
    for (size_t i = 0; i < row.problems.size(); ++i) EXPECT_EQ(layout.problems[i].where, row.problems[i]);
    Numbers rx, q;
    for (const core::PortLayout& port : layout.ports) {
      rx.push_back(port.rx_queues);
      q.push_back(port.queues_per_nic);
    }
    EXPECT_EQ(rx, row.expected_rx);
    EXPECT_EQ(q, row.expected_q);
    EXPECT_EQ(layout.notes.size(), row.notes);
  }
}

TEST(Layout, TooManyBucketsAreRefusedBeforeATableIsBuilt) {
  core::Settings settings = gateway_of({"access", "uplink", "uplink"});
  settings.distribution.buckets_per_queue = 4096;
  const std::vector<core::PortFacts> facts(3, device("d", 1024, 1024));
  EXPECT_TRUE(core::lay_out_queues(settings, facts, 8).problems.empty());  // 2 x 8 x 4,096 = 65,536
  const core::Layout layout = core::lay_out_queues(settings, facts, 9);    // Q follows the workers
  ASSERT_EQ(layout.problems.size(), 1u);
  EXPECT_EQ(layout.problems[0].where, "distribution.buckets_per_queue");
}

// Q is left to the workers: 2 ports x Q x 64 buckets, and Q queues.
TEST(Layout, PinsThatLieBeyondAreRefusedOnceQIsKnown) {
  using Lines = std::vector<std::string>;
  const struct {
    const char* name;
    unsigned workers;
    uint16_t tx_queues;  // of one of the two devices
    core::PinSettings pin;
    Lines expected;
  } rows[] = {
      {"the last of all", 2, 64, {.group = "uplink", .bucket = 255, .queue = 1}, {}},
      {"a bucket beyond",
       2,
       64,
       {.group = "uplink", .bucket = 256},
       {"pin[0].bucket: found 256; allowed 0 to 255"}},
      {"a queue beyond", 2, 64, {.group = "uplink", .queue = 2}, {"pin[0].queue: found 2; allowed 0 to 1"}},
      {"both",
       1,
       64,
       {.group = "uplink", .bucket = 128, .queue = 1},
       {"pin[0].bucket: found 128; allowed 0 to 127", "pin[0].queue: found 1; allowed 0 to 0"}},
      {"of a group of one",
       2,
       64,
       {.group = "access", .bucket = 128},
       {"pin[0].bucket: found 128; allowed 0 to 127"}},
      {"a device with fewer queues",
       2,
       2,
       {.group = "uplink", .bucket = 128},
       {"pin[0].bucket: found 128; allowed 0 to 127"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    core::Settings settings = gateway_of({"access", "uplink", "uplink"});
    settings.pins = {row.pin};
    const std::vector<core::PortFacts> facts = {device("a", 64, 64), device("u0", 64, 64),
                                                device("u1", 64, row.tx_queues)};
    const core::Layout layout = core::lay_out_queues(settings, facts, row.workers);
    EXPECT_EQ(core::texts_of(layout.problems), row.expected);
    EXPECT_EQ(core::texts_of(core::pins_beyond(settings, layout)), row.expected);
    settings.engine.mode = core::Mode::io;
    EXPECT_EQ(core::texts_of(core::lay_out_queues(settings, facts, row.workers).problems), Lines{});
  }
}

TEST(Layout, EveryRxQueueHasOneOwnerAndWorkIsSpread) {
  // Four single-queue ports and two workers: two each, not all on the first.
  const core::Settings settings = gateway_of({"access", "access", "uplink", "uplink"});
  const std::vector<core::PortFacts> facts(4, device("d", 1, 8));
  const core::Layout layout = core::lay_out_queues(settings, facts, 2);
  Numbers owners;
  for (const core::PortLayout& port : layout.ports) {
    owners.insert(owners.end(), port.rx_queue_worker.begin(), port.rx_queue_worker.end());
  }
  EXPECT_EQ(owners, (Numbers{0, 1, 0, 1}));
}

TEST(Pools, EveryTermCounts) {
  core::Settings settings = gateway_of({"access", "uplink", "uplink"});
  settings.engine.hold_packets = 10;
  settings.engine.burst = 64;
  settings.engine.reserve_mbufs = 7;
  for (core::PortSettings& port : settings.ports) {
    port.rx_descriptors = 256;
    port.tx_descriptors = 128;
  }
  std::vector<core::PortFacts> facts(3, device("d", 64, 64));
  facts[0].preloaded_mbufs = 99;
  facts[2].numa_node = 1;
  const auto needs = core::pool_needs(settings, facts, core::lay_out_queues(settings, facts, 2));
  ASSERT_EQ(needs.size(), 2u);  // one a node
  EXPECT_EQ(needs[0].rx_rings, 2u * 4 * 256);
  EXPECT_EQ(needs[1].rx_rings, 1u * 4 * 256);
  for (const core::PoolNeed& need : needs) {
    EXPECT_EQ(need.tx_rings, 3u * 4 * 128);             // a packet may leave by the other node's NIC
    EXPECT_EQ(need.held, 3u * 4 * 10 + 2u * 2 * 1024);  // and what waits, for each worker and group
    EXPECT_EQ(need.caches, 3u * 384);
    EXPECT_EQ(need.in_flight, 2u * 64);
  }
  EXPECT_EQ(needs[0].preloaded, 99u);
  EXPECT_EQ(needs[1].preloaded, 0u);
  EXPECT_EQ(needs[0].mbufs(), 2048u + 1536 + 1152 + 128 + 4216 + 99 + 7);
}

TEST(Pools, HandingOverKeepsPacketsToo) {
  core::Settings settings = gateway_of({"access", "uplink"});
  settings.distribution.owner = core::Owner::by_hash;
  settings.engine.hold_packets = 0;
  const std::vector<core::PortFacts> facts(2, device("d", 64, 64));
  const core::Layout layout = core::lay_out_queues(settings, facts, 3);
  EXPECT_EQ(layout.ports[0].tx_queues, 3);  // Q, not W * Q
  EXPECT_EQ(core::pool_needs(settings, facts, layout)[0].held, 3u * 2 * 2048 + 3u * 2 * 1024);
}

TEST(Pools, LargeSettingsDoNotWrap) {
  core::Settings settings;
  settings.ports.resize(64);
  settings.engine.hold_packets = 65536;
  settings.distribution.queues_per_nic = 64;
  const std::vector<core::PortFacts> facts(64, device("d", 4096, 4096));
  const auto needs = core::pool_needs(settings, facts, core::lay_out_queues(settings, facts, 16));
  EXPECT_EQ(needs[0].held, uint64_t{64} * 16 * 64 * 65536 + 16u * 2 * 1024);  // more than 2^32
}

// Fast release needs one pool, whole packets and no other owner.
TEST(FastFree, OnlyWhereItsConditionsHold) {
  struct Row {
    const char* name;
    std::function<void(core::Settings&, std::vector<core::PortFacts>&)> change;
    bool may;
  };
  const Row rows[] = {
      {"one pool, whole frames", [](auto&, auto&) {}, true},
      {"the longest whole frame", [](auto& s, auto&) { s.ports[1].mtu = 2026; }, true},
      {"a longer one", [](auto& s, auto&) { s.ports[1].mtu = 2027; }, false},
      {"jumbo mbufs", [](auto& s, auto&) { s.ports[1].mtu = 9000, s.engine.mbuf_bytes = 9216; }, true},
      {"two nodes, two pools", [](auto&, auto& f) { f[1].numa_node = 1; }, false},
      {"a ring of others' mbufs", [](auto&, auto& f) { f[0].driver = "net_ring"; }, false},
      {"one mbuf by several devices", [](auto&, auto& f) { f[1].driver = "net_bonding"; }, false},
      {"devices behind a device", [](auto&, auto& f) { f[0].driver = "net_failsafe"; }, false},
      {"buffers that are attached", [](auto&, auto& f) { f[0].attaches_buffers = true; }, false},
      {"somebody may capture", [](auto& s, auto&) { s.eal.secondary = true; }, false},
  };
  for (const Row& row : rows) {
    core::Settings settings = gateway_of({"access", "uplink"});
    std::vector<core::PortFacts> facts(2, device("d", 8, 8));
    row.change(settings, facts);
    EXPECT_EQ(core::may_free_fast(settings, facts), row.may) << row.name;
  }
}

// Frames up to this size need no question when they leave by the group.
TEST(Plan, WhatEveryMemberTakesAsItIs) {
  core::Settings settings = gateway_of({"access", "uplink", "uplink"});
  std::vector<core::PortFacts> facts = {device("a", 8, 8), device("u0", 8, 8), device("u1", 8, 8)};
  settings.ports[1].mtu = 9000;
  const auto of_uplink = [&] {
    return core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1)).groups[1].takes_as_is;
  };
  EXPECT_EQ(of_uplink(), 1514u);  // the smallest
  settings.ports[2].next_hop_mac = core::MacAddress{2};
  EXPECT_EQ(of_uplink(), 0u);
  settings.ports[2].next_hop_mac = {};
  facts[1].sends = false;
  EXPECT_EQ(of_uplink(), 0u);
}

TEST(Plan, BucketsLeadToTheExitsOfTheTargetGroup) {
  core::Settings settings = gateway_of({"uplink", "access", "uplink"});
  settings.distribution.queues_per_nic = 2;
  settings.distribution.buckets_per_queue = 4;
  std::vector<core::PortFacts> facts = {device("u0", 8, 8), device("a", 8, 8), device("u1", 8, 8)};
  for (uint16_t i = 0; i < 3; ++i) facts[i].port = static_cast<uint16_t>(10 + i);
  const core::Plan plan = core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1));
  EXPECT_EQ(plan.exits, 6);
  ASSERT_EQ(plan.groups.size(), 2u);
  const core::GroupPlan& uplink = plan.groups[*plan.groups[plan.ports[1].group].routes.constant()];
  EXPECT_EQ(uplink.name, "uplink");
  EXPECT_EQ(plan.groups[*plan.groups[plan.ports[0].group].routes.constant()].name, "access");
  EXPECT_EQ(uplink.members, (Numbers{0, 2}));
  EXPECT_EQ(uplink.buckets.divisor(), 16u);
  // Slots 0 to 3 are (u0, 0), (u0, 1), (u1, 0), (u1, 1): exits 0, 1, 4, 5, since the access port has 2 and 3.
  const Numbers exits = {0, 1, 4, 5};
  for (size_t b = 0; b < 16; ++b) EXPECT_EQ(uplink.table(0).exit_of_bucket[b], exits[b % 4]) << b;
  EXPECT_EQ(uplink.table(0).from_rule.buckets, 0u);
}

TEST(Plan, UnequalWeightsMoveBucketsAndSaySo) {
  core::Settings settings = gateway_of({"access", "uplink", "uplink"});
  settings.ports[2].weight = 3;
  const std::vector<core::PortFacts> facts(3, device("d", 8, 8));
  const core::Plan plan = core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1));
  EXPECT_EQ(plan.groups[1].table(0).from_rule.buckets, 32u);  // of 128: from one half to a quarter
  EXPECT_EQ(plan.groups[1].table(0).from_rule.needed, 32u);
}

TEST(Plan, SettingsReachThePorts) {
  core::Settings settings = gateway_of({"access", "uplink"});
  settings.ports[1].mtu = 9000;
  settings.ports[1].speed_bps = 100'000'000'000;
  settings.ports[1].next_hop_mac = core::MacAddress{1, 2, 3, 4, 5, 6};
  std::vector<core::PortFacts> facts(2, device("d", 8, 8));
  const core::Plan plan = core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1));
  EXPECT_EQ(plan.ports[0].speed_bps, 0u);
  EXPECT_EQ(plan.ports[1].speed_bps, 100'000'000'000u);
  EXPECT_EQ(plan.ports[1].mtu, 9000);
  EXPECT_EQ(plan.ports[0].mtu, 1500);
  EXPECT_EQ(plan.ports[1].next_hop, settings.ports[1].next_hop_mac);
}

TEST(Plan, PairsOutsideTheGateway) {
  core::Settings settings = gateway_of({"", "", ""});
  settings.engine.mode = core::Mode::io;
  const std::vector<core::PortFacts> facts(3, device("d", 8, 8));
  const core::Plan plan = core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1));
  EXPECT_TRUE(plan.groups.empty());
  EXPECT_EQ(plan.ports[0].paired, 1);
  EXPECT_EQ(plan.ports[1].paired, 0);
  EXPECT_EQ(plan.ports[2].paired, 2);
}

}  // namespace
