// SPDX-License-Identifier: BSD-3-Clause
// [[route]] from end to end: which group a frame leaves by, chosen by destination prefix, destination MAC and
// priority, first match first; fallbacks while a group has no usable member; and what no route takes.
#include <gtest/gtest.h>

#include <map>

#include "support/ring_bench.h"

namespace {

using core::DropReason;
using core::MacAddress;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

// Ports and their groups: three groups, uplink with two members.
enum Port : uint16_t { kAccess, kUplink1, kUplink2, kStorage, kPorts };
constexpr const char* kGroupOfPort[] = {"access", "uplink", "uplink", "storage"};

constexpr MacAddress kRouter = {0x02, 0, 0, 0, 7, 7};
constexpr std::array<uint8_t, 16> kStorageV6 = {0x20, 0x01, 0x0d, 0xb8, 0x00, 0x14, 0, 0,
                                                0,    0,    0,    0,    0,    0,    0, 5};

core::IpPrefix v4(std::array<uint8_t, 4> address, uint8_t bits) {
  core::IpPrefix prefix{{.v6 = false}, bits};
  std::copy(address.begin(), address.end(), prefix.address.bytes.begin());
  return prefix;
}
core::IpPrefix v6(std::array<uint8_t, 6> front, uint8_t bits) {
  core::IpPrefix prefix{{.v6 = true}, bits};
  std::copy(front.begin(), front.end(), prefix.address.bytes.begin());
  return prefix;
}

struct FrameTo {
  std::array<uint8_t, 4> dst = {198, 51, 100, 2};
  MacAddress mac = test_support::kDstMac;
  uint8_t tos = 0;
  uint16_t port = 1000;
};
Bytes frame_to(const FrameTo& to) {
  const test_support::Ipv4 header{.dst = to.dst, .tos = to.tos};
  return test_support::ethernet(test_support::kIpv4,
                                test_support::ipv4(header, test_support::udp(to.port, 53)), to.mac);
}
Bytes v6_frame_to(const std::array<uint8_t, 16>& dst, uint8_t traffic_class = 0) {
  return test_support::ethernet(
      test_support::kIpv6,
      test_support::ipv6({.dst = dst, .traffic_class = traffic_class}, test_support::udp(1000, 53)));
}
Bytes tagged(uint8_t pcp, const Bytes& frame) {
  Bytes out = frame;
  const Bytes tag = {0x81, 0x00, static_cast<uint8_t>(pcp << 5), 0x05};
  out.insert(out.begin() + 12, tag.begin(), tag.end());
  return out;
}
Bytes arp_frame() {
  return test_support::padded(test_support::ethernet(test_support::kArp, Bytes(28, 1)));
}

std::vector<BenchPort> ports() {
  std::vector<BenchPort> ports(kPorts);
  for (size_t i = 0; i < ports.size(); ++i) ports[i].settings.group = kGroupOfPort[i];
  return ports;
}

core::Settings settings_with(std::vector<core::RouteSettings> routes) {
  core::Settings settings;
  settings.distribution.queues_per_nic = 1;
  settings.routes = std::move(routes);
  return settings;
}

// By group, what came out by any of its ports.
using Outcome = std::map<std::string, std::vector<Bytes>>;
Outcome take_all(RingBench& bench) {
  Outcome outcome;
  for (uint16_t port = 0; port < kPorts; ++port) {
    for (const Bytes& frame : bench.take(port, 0)) outcome[kGroupOfPort[port]].push_back(frame);
  }
  return outcome;
}

std::vector<core::RouteSettings> routes() {
  return {
      {.from = "access", .to = "storage", .dst = v4({10, 20, 0, 0}, 16)},
      {.from = "access", .to = "storage", .dst = v6({0x20, 0x01, 0x0d, 0xb8, 0x00, 0x14}, 48)},
      {.from = "access", .to = "storage", .dst_mac = kRouter, .priority = uint8_t{6}},
      {.from = "access", .to = "access", .dst_mac = kRouter},
      {.from = "access", .to = "storage", .priority = uint8_t{5}},
      {.from = "access", .to = "uplink"},
      {.from = "storage", .to = "access", .dst = v4({192, 0, 2, 0}, 24)},
      {.from = "uplink", .to = "access"},
  };
}

struct Row {
  const char* name;
  Port in;
  Bytes frame;
  const char* out;  // group; empty: no route
};
std::vector<Row> rows() {
  return {
      {"nothing special", kAccess, frame_to({}), "uplink"},
      {"IPv4 prefix, first address", kAccess, frame_to({.dst = {10, 20, 0, 0}}), "storage"},
      {"IPv4 prefix, last address", kAccess, frame_to({.dst = {10, 20, 255, 255}}), "storage"},
      {"beside the IPv4 prefix", kAccess, frame_to({.dst = {10, 21, 0, 0}}), "uplink"},
      {"IPv4 prefix behind a tag", kAccess, tagged(0, frame_to({.dst = {10, 20, 3, 4}})), "storage"},
      {"IPv6 prefix", kAccess, v6_frame_to(kStorageV6), "storage"},
      {"beside the IPv6 prefix", kAccess, v6_frame_to({0x20, 0x01, 0x0d, 0xb8, 0x00, 0x15}), "uplink"},
      {"MAC address: back where it came from", kAccess, frame_to({.mac = kRouter}), "access"},
      {"the prefix stands before the MAC address", kAccess, frame_to({.dst = {10, 20, 1, 1}, .mac = kRouter}),
       "storage"},
      {"MAC address and priority", kAccess, tagged(6, frame_to({.mac = kRouter})), "storage"},
      {"priority alone, another MAC address", kAccess, tagged(6, frame_to({})), "uplink"},
      {"priority of the tag", kAccess, tagged(5, frame_to({})), "storage"},
      {"priority of the DSCP", kAccess, frame_to({.tos = 5 << 5}), "storage"},
      {"the tag's priority counts before that of the DSCP", kAccess, tagged(0, frame_to({.tos = 5 << 5})),
       "uplink"},
      {"priority of IPv6", kAccess, v6_frame_to({0x20, 0x01}, 5 << 5), "storage"},
      {"neither IPv4 nor IPv6", kAccess, arp_frame(), "uplink"},
      {"from storage", kStorage, frame_to({.dst = {192, 0, 2, 77}}), "access"},
      {"from storage to nowhere", kStorage, frame_to({.dst = {192, 0, 3, 77}}), ""},
      {"ARP from storage to nowhere", kStorage, arp_frame(), ""},
      {"IPv6 from storage to nowhere", kStorage, v6_frame_to(kStorageV6), ""},
      {"from uplink", kUplink1, frame_to({.dst = {10, 20, 0, 0}}), "access"},
  };
}

// Whoever sends stays the same in a test, so that no frame looks like one that came back.
std::vector<core::GroupSettings> unguarded() {
  return {{.name = "access", .broadcast = core::Broadcast::any, .loop_guard = false},
          {.name = "uplink", .broadcast = core::Broadcast::any, .loop_guard = false},
          {.name = "storage", .broadcast = core::Broadcast::any, .loop_guard = false}};
}

TEST(Routes, ChooseTheGroup) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    core::Settings settings = settings_with(routes());
    settings.groups = unguarded();
    RingBench bench(settings, ports());
    bench.put(row.in, 0, row.frame);
    bench.run();
    const bool routed = row.out[0] != '\0';
    EXPECT_EQ(take_all(bench), routed ? (Outcome{{row.out, {row.frame}}}) : Outcome{});
    EXPECT_EQ(bench.dropped(row.in, DropReason::no_route), routed ? 0u : 1u);
    EXPECT_TRUE(bench.ledger().balanced());
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

// All of them in one burst: each frame by its own route, nothing carried over from its neighbour.
TEST(Routes, ChooseForEachFrameOfABurst) {
  core::Settings settings = settings_with(routes());
  settings.groups = unguarded();
  RingBench bench(settings, ports());
  Outcome expected;
  uint64_t nowhere = 0;
  for (int round = 0; round < 5; ++round) {
    for (const Row& row : rows()) bench.put(row.in, 0, row.frame);
  }
  for (const Port in : {kAccess, kUplink1, kStorage}) {
    for (int round = 0; round < 5; ++round) {
      for (const Row& row : rows()) {
        if (row.in != in) continue;
        if (row.out[0] == '\0') ++nowhere;
        if (row.out[0] != '\0') expected[row.out].push_back(row.frame);
      }
    }
  }
  bench.run();
  Outcome outcome = take_all(bench);
  for (auto* frames : {&outcome, &expected}) {
    for (auto& [group, of_group] : *frames) std::sort(of_group.begin(), of_group.end());
  }
  EXPECT_EQ(outcome, expected);
  EXPECT_EQ(bench.dropped(kStorage, DropReason::no_route), nowhere);
  EXPECT_EQ(bench.ledger().dropped, nowhere);
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// The table chooses inside the group that the route chose, and a failure moves flows of that group only.
TEST(Routes, TheTableChoosesInsideTheGroup) {
  core::Settings settings = settings_with(routes());
  settings.groups = unguarded();
  RingBench bench(settings, ports());
  bench.start();
  const auto put_round = [&bench] {
    for (uint16_t port = 1; port <= 200; ++port) {
      bench.put(kAccess, 0, frame_to({.port = port}));
      bench.put(kAccess, 0, frame_to({.dst = {10, 20, 1, 1}, .port = port}));
    }
    bench.wait_until_quiet();
  };
  put_round();
  const std::vector<Bytes> one = bench.take(kUplink1, 0), two = bench.take(kUplink2, 0);
  EXPECT_EQ(one.size() + two.size(), 200u);
  EXPECT_GT(one.size(), 60u);
  EXPECT_GT(two.size(), 60u);
  EXPECT_EQ(bench.take(kStorage, 0).size(), 200u);
  bench.change(bench.settings(), {true, false, true, true});
  bench.wait_until_settled();
  put_round();
  bench.stop();
  EXPECT_EQ(bench.take(kUplink1, 0).size(), 0u);
  EXPECT_EQ(bench.take(kUplink2, 0).size(), 200u);
  EXPECT_EQ(bench.take(kStorage, 0).size(), 200u);
  EXPECT_EQ(bench.ledger().dropped, 0u);
}

// The way of a frame to storage, or, without it, to uplink, by the health of the ports.
TEST(Routes, AFallbackIsUsedWhileItsGroupHasNoMember) {
  core::Settings settings =
      settings_with({{.from = "access", .to = "storage", .fallback = "uplink", .dst = v4({10, 20, 0, 0}, 16)},
                     {.from = "access", .to = "uplink"},
                     {.from = "uplink", .to = "access"},
                     {.from = "storage", .to = "access"}});
  settings.groups = unguarded();
  RingBench bench(settings, ports());
  bench.start();
  struct Step {
    const char* name;
    std::vector<bool> up;
    bool drain;  // storage's port
    const char* out;
    DropReason dropped;
  };
  const Bytes frame = frame_to({.dst = {10, 20, 0, 9}});
  for (const Step& step :
       {Step{"all up", {true, true, true, true}, false, "storage", {}},
        Step{"storage down", {true, true, true, false}, false, "uplink", {}},
        Step{"one uplink down, too", {true, false, true, false}, false, "uplink", {}},
        Step{"nobody is left", {true, false, false, false}, false, "", DropReason::no_member},
        Step{"storage returns", {true, false, false, true}, false, "storage", {}},
        Step{"storage is drained", {true, true, true, true}, true, "uplink", {}},
        Step{"and back", {true, true, true, true}, false, "storage", {}}}) {
    SCOPED_TRACE(step.name);
    core::Settings next = bench.settings();
    next.ports[kStorage].drain = step.drain;
    bench.change(next, step.up);
    bench.wait_until_settled();
    const core::IngressTotals before = bench.ingress(kAccess);
    bench.put(kAccess, 0, frame);
    bench.wait_until_quiet();
    const bool sent = step.out[0] != '\0';
    EXPECT_EQ(take_all(bench), sent ? (Outcome{{step.out, {frame}}}) : Outcome{});
    const auto reason = static_cast<size_t>(step.dropped);
    if (!sent) {
      EXPECT_EQ(bench.ingress(kAccess).dropped[reason], before.dropped[reason] + 1);
    }
    EXPECT_EQ(bench.ingress(kAccess).dropped_in_all(), before.dropped_in_all() + !sent);
  }
  bench.stop();
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// Two workers and either owner: routes are the same, each queue has one owner.
TEST(Routes, AreTheSameForEveryWorker) {
  for (const core::Owner owner : {core::Owner::per_worker, core::Owner::by_hash}) {
    SCOPED_TRACE(static_cast<int>(owner));
    core::Settings settings = settings_with(routes());
    settings.groups = unguarded();
    settings.distribution.owner = owner;
    std::vector<BenchPort> two_queues = ports();
    two_queues[kAccess].rx_queues = 2;
    RingBench bench(settings, two_queues, 2);
    std::map<std::string, size_t> expected, out;
    for (uint16_t queue : {0, 1}) {
      for (const Row& row : rows()) {
        if (row.in != kAccess) continue;
        bench.put(kAccess, queue, row.frame);
        ++expected[row.out];
      }
    }
    bench.run();
    for (uint16_t port = 0; port < kPorts; ++port) {
      for (uint16_t queue = 0; queue < (owner == core::Owner::by_hash ? 1 : 2); ++queue) {
        const size_t frames = bench.take(port, queue).size();
        if (frames > 0) out[kGroupOfPort[port]] += frames;
      }
    }
    EXPECT_EQ(out, expected);
    EXPECT_TRUE(bench.ledger().balanced());
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

}  // namespace
