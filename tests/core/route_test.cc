// SPDX-License-Identifier: BSD-3-Clause
// Which group a packet goes to: prefixes of every kind of length, MAC addresses, priorities, the order of
// routes, fallbacks, and what stands for [[route]] when there is none.
#include "core/route.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/frames.h"
#include "support/parse_expect.h"

namespace {

using namespace test_support;
using core::IpPrefix;
using core::kNoGroup;
using core::RouteList;
using core::RouteSettings;
using core::Settings;
using V4 = std::array<uint8_t, 4>;
using V6 = std::array<uint8_t, 16>;

IpPrefix v4(V4 bytes, uint8_t bits) {
  IpPrefix prefix{.bits = bits};
  std::copy(bytes.begin(), bytes.end(), prefix.address.bytes.begin());
  return prefix;
}
IpPrefix v6(const V6& bytes, uint8_t bits) {
  return {.address = {.v6 = true, .bytes = bytes}, .bits = bits};
}

// Bytes first, 0, ..., 0, last.
V6 ends(uint8_t first, uint8_t last) {
  V6 bytes{};
  bytes.front() = first;
  bytes.back() = last;
  return bytes;
}

Bytes to_v4(V4 dst, uint8_t tos = 0) {
  return ethernet(kIpv4, ipv4({.dst = dst, .tos = tos}, udp(1, 2)));
}
Bytes to_v6(const V6& dst, uint8_t traffic_class = 0) {
  return ethernet(kIpv6, ipv6({.dst = dst, .traffic_class = traffic_class}, udp(1, 2)));
}

const std::vector<std::string> kGroups = {"in", "a", "b", "c"};
const std::vector<bool> kAllUsable(4, true);

RouteList from_in(std::vector<RouteSettings> routes, const std::vector<bool>& usable = kAllUsable) {
  Settings settings;
  for (RouteSettings& route : routes) route.from = "in";
  settings.routes = std::move(routes);
  return core::make_routes(settings, kGroups, usable).at(0);
}

uint16_t target(const RouteList& list, const Bytes& frame) {
  return list.target_of(whole_view(frame), parse_whole(frame));
}

TEST(Route, Prefixes) {
  struct Row {
    const char* name;
    IpPrefix dst;
    Bytes frame;
    bool taken;
  };
  const V6 all_ones = [] {
    V6 bytes;
    bytes.fill(0xff);
    return bytes;
  }();
  const Row rows[] = {
      {"0.0.0.0/0", v4({}, 0), to_v4({255, 255, 255, 255}), true},
      {"/0 of IPv4 holds no IPv6", v4({}, 0), to_v6({}), false},
      {"/0 of IPv6 holds no IPv4", v6({}, 0), to_v4({}), false},
      {"::/0", v6({}, 0), to_v6(all_ones), true},
      {"128.0.0.0/1, inside", v4({128}, 1), to_v4({128, 1, 2, 3}), true},
      {"128.0.0.0/1, outside", v4({128}, 1), to_v4({127, 255, 255, 255}), false},
      {"10.0.0.0/7, second half", v4({10}, 7), to_v4({11, 255, 255, 255}), true},
      {"10.0.0.0/7, behind", v4({10}, 7), to_v4({12, 0, 0, 0}), false},
      {"10.0.0.0/8, last", v4({10}, 8), to_v4({10, 255, 255, 255}), true},
      {"10.0.0.0/8, behind", v4({10}, 8), to_v4({11, 0, 0, 0}), false},
      {"10.128.0.0/9, first", v4({10, 128}, 9), to_v4({10, 128, 0, 0}), true},
      {"10.128.0.0/9, before", v4({10, 128}, 9), to_v4({10, 127, 255, 255}), false},
      {"192.0.2.2/31, odd", v4({192, 0, 2, 2}, 31), to_v4({192, 0, 2, 3}), true},
      {"192.0.2.2/31, behind", v4({192, 0, 2, 2}, 31), to_v4({192, 0, 2, 4}), false},
      {"192.0.2.2/32, itself", v4({192, 0, 2, 2}, 32), to_v4({192, 0, 2, 2}), true},
      {"192.0.2.2/32, next", v4({192, 0, 2, 2}, 32), to_v4({192, 0, 2, 3}), false},
      {"8000::/1, inside", v6({0x80}, 1), to_v6(all_ones), true},
      {"8000::/1, outside", v6({0x80}, 1), to_v6(ends(0x7f, 0xff)), false},
      {"fc00::/7, inside", v6({0xfc}, 7), to_v6(ends(0xfd, 1)), true},
      {"fc00::/7, outside", v6({0xfc}, 7), to_v6(ends(0xfe, 1)), false},
      {"2000::/8, inside", v6({0x20}, 8), to_v6({0x20, 0xff}), true},
      {"2000::/8, outside", v6({0x20}, 8), to_v6({0x21}), false},
      {"2080::/9, inside", v6({0x20, 0x80}, 9), to_v6({0x20, 0xff}), true},
      {"2080::/9, outside", v6({0x20, 0x80}, 9), to_v6({0x20, 0x7f}), false},
      {"2001:db8::/31, inside", v6({0x20, 1, 0x0d, 0xb8}, 31), to_v6({0x20, 1, 0x0d, 0xb9}), true},
      {"2001:db8::/31, outside", v6({0x20, 1, 0x0d, 0xb8}, 31), to_v6({0x20, 1, 0x0d, 0xba}), false},
      {"2001:db8::/32, inside", v6({0x20, 1, 0x0d, 0xb8}, 32), to_v6({0x20, 1, 0x0d, 0xb8, 0xff}), true},
      {"2001:db8::/32, outside", v6({0x20, 1, 0x0d, 0xb8}, 32), to_v6({0x20, 1, 0x0d, 0xb9}), false},
      {"2000::2/127, odd", v6(ends(0x20, 2), 127), to_v6(ends(0x20, 3)), true},
      {"2000::2/127, behind", v6(ends(0x20, 2), 127), to_v6(ends(0x20, 4)), false},
      {"2000::2/128, itself", v6(ends(0x20, 2), 128), to_v6(ends(0x20, 2)), true},
      {"2000::2/128, next", v6(ends(0x20, 2), 128), to_v6(ends(0x20, 3)), false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(target(from_in({{.to = "a", .dst = row.dst}}), row.frame), row.taken ? 1 : kNoGroup);
  }
}

// The source of these frames is in the prefix throughout; only the destination counts.
TEST(Route, WhereTheDestinationStands) {
  struct Row {
    const char* name;
    Bytes frame;
    bool taken;
  };
  const V4 in = {198, 51, 100, 7}, source = {198, 51, 100, 9}, out = {192, 0, 2, 7};
  const Bytes inside = ipv4({.src = source, .dst = in}, udp(1, 2));
  const Bytes outside = ipv4({.src = source, .dst = out}, udp(1, 2));
  const Bytes options = ipv4({.src = source, .dst = in, .options = Bytes(8, 1)}, udp(1, 2));
  Bytes arp = {0, 1, 8, 0, 6, 4, 0, 1};
  arp.resize(28, 198);
  const Row rows[] = {
      {"untagged", ethernet(kIpv4, inside), true},
      {"outside", ethernet(kIpv4, outside), false},
      {"options", ethernet(kIpv4, options), true},
      {"one tag", ethernet(kCTag, vlan(0, 5, kIpv4, inside)), true},
      {"one tag, outside", ethernet(kCTag, vlan(0, 5, kIpv4, outside)), false},
      {"two tags", ethernet(kSTag, vlan(0, 5, kCTag, vlan(0, 6, kIpv4, inside))), true},
      {"two tags, outside", ethernet(kSTag, vlan(0, 5, kCTag, vlan(0, 6, kIpv4, outside))), false},
      {"ARP", padded(ethernet(kArp, arp)), false},
      {"malformed", ethernet(kIpv4, ipv4({.src = source, .dst = in, .total_length = 3}, udp(1, 2))), false},
      {"Ethernet header alone", ethernet(kIpv4), false},
  };
  const RouteList list = from_in({{.to = "a", .dst = v4({198, 51, 100}, 24)}});
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(target(list, row.frame), row.taken ? 1 : kNoGroup);
  }
}

TEST(Route, GrhOfRoceV1IsRoutedAsIpv6) {
  const Bytes frame = ethernet(kRoceV1, ipv6({.next = kBthNext, .dst = ends(0xfe, 9)}, bth(7)));
  EXPECT_EQ(target(from_in({{.to = "a", .dst = v6(ends(0xfe, 9), 128)}}), frame), 1);
  EXPECT_EQ(target(from_in({{.to = "a", .dst = v6(ends(0xfe, 8), 128)}}), frame), kNoGroup);
}

TEST(Route, MacAddresses) {
  const RouteList list = from_in({{.to = "a", .dst_mac = kDstMac}, {.to = "b"}});
  core::MacAddress last_differs = kDstMac;
  last_differs[5] ^= 1;
  EXPECT_EQ(target(list, ethernet(0x1234)), 1);
  EXPECT_EQ(target(list, ethernet(0x1234, {}, last_differs)), 2);
  EXPECT_EQ(target(list, ethernet(0x1234, {}, kSrcMac, kDstMac)), 2) << "the source does not count";
}

TEST(Route, Priorities) {
  struct Row {
    const char* name;
    Bytes frame;
    uint8_t priority;
  };
  const Bytes cs5 = ipv4({.tos = 0xa0}), ef6 = ipv6({.traffic_class = 46 << 2});
  const Row rows[] = {
      {"no tag, no IP", padded(ethernet(kArp)), 0},
      {"DSCP 0", to_v4({}), 0},
      {"CS5", to_v4({}, 40 << 2), 5},
      {"AF31 and ECN", to_v4({}, 26 << 2 | 3), 3},
      {"ECN is no priority", to_v4({}, 3), 0},
      {"CS7, IPv6", to_v6({}, 56 << 2), 7},
      {"EF, IPv6", ethernet(kIpv6, ef6), 5},
      {"a tag wins over DSCP", ethernet(kCTag, vlan(3, 5, kIpv4, cs5)), 3},
      {"a priority tag", ethernet(kCTag, vlan(6, 0, kIpv4, cs5)), 6},
      {"PCP 0 wins too", ethernet(kCTag, vlan(0, 5, kIpv4, cs5)), 0},
      {"PCP of a frame without IP", ethernet(kCTag, vlan(4, 5, kArp)), 4},
      {"the outer of two tags", ethernet(kSTag, vlan(1, 5, kCTag, vlan(2, 6, kIpv4, cs5))), 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    for (uint8_t priority = 0; priority < core::kPriorities; ++priority) {
      EXPECT_EQ(target(from_in({{.to = "a", .priority = priority}}), row.frame),
                priority == row.priority ? 1 : kNoGroup)
          << int{priority};
    }
  }
}

TEST(Route, FirstMatchWins) {
  const IpPrefix ten = v4({10}, 8), ten_one = v4({10, 1}, 16);
  struct Row {
    const char* name;
    std::vector<RouteSettings> routes;
    V4 dst;
    uint8_t tos;
    uint16_t expected;
  };
  const Row rows[] = {
      {"longer first", {{.to = "a", .dst = ten_one}, {.to = "b", .dst = ten}}, {10, 1, 0, 1}, 0, 1},
      {"longer first, not in it",
       {{.to = "a", .dst = ten_one}, {.to = "b", .dst = ten}},
       {10, 2, 0, 1},
       0,
       2},
      {"shorter first", {{.to = "b", .dst = ten}, {.to = "a", .dst = ten_one}}, {10, 1, 0, 1}, 0, 2},
      {"the rest", {{.to = "a", .dst = ten}, {.to = "c"}}, {11, 0, 0, 1}, 0, 3},
      {"no rest", {{.to = "a", .dst = ten}, {.to = "b", .dst = ten_one}}, {11, 0, 0, 1}, 0, kNoGroup},
      {"both conditions", {{.to = "a", .dst = ten, .priority = 5}, {.to = "c"}}, {10, 0, 0, 1}, 0xa0, 1},
      {"prefix alone", {{.to = "a", .dst = ten, .priority = 5}, {.to = "c"}}, {10, 0, 0, 1}, 0, 3},
      {"priority alone", {{.to = "a", .dst = ten, .priority = 5}, {.to = "c"}}, {11, 0, 0, 1}, 0xa0, 3},
      {"all three, MAC address differs",
       {{.to = "a", .dst = ten, .dst_mac = kSrcMac, .priority = 5}, {.to = "c"}},
       {10, 0, 0, 1},
       0xa0,
       3},
      {"all three",
       {{.to = "a", .dst = ten, .dst_mac = kDstMac, .priority = 5}, {.to = "c"}},
       {10, 0, 0, 1},
       0xa0,
       1},
      {"no routes", {}, {10, 0, 0, 1}, 0, kNoGroup},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Settings settings;
    settings.routes = {{.from = "b", .to = "in"}};  // another group's, before all others
    for (RouteSettings route : row.routes) {
      route.from = "in";
      settings.routes.push_back(route);
    }
    const std::vector<RouteList> lists = core::make_routes(settings, kGroups, kAllUsable);
    ASSERT_EQ(lists.size(), kGroups.size());
    EXPECT_EQ(target(lists[0], to_v4(row.dst, row.tos)), row.expected);
    EXPECT_EQ(target(lists[1], to_v4(row.dst, row.tos)), kNoGroup);
    EXPECT_EQ(target(lists[2], to_v4(row.dst, row.tos)), 0);
  }
}

TEST(Route, Fallbacks) {
  struct Row {
    const char* name;
    std::vector<bool> usable;  // in, a, b, c
    std::string fallback;
    uint16_t expected;
  };
  const Row rows[] = {
      {"both usable", {true, true, true, true}, "b", 1},
      {"target not usable", {true, false, true, true}, "b", 2},
      {"fallback not usable either", {true, false, false, true}, "b", 1},
      {"fallback alone not usable", {true, true, false, true}, "b", 1},
      {"no fallback", {true, false, true, true}, "", 1},
      {"another fallback", {true, false, false, true}, "c", 3},
      {"the group it comes from does not count", {false, true, true, true}, "b", 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const IpPrefix ten = v4({10}, 8);
    const RouteList list =
        from_in({{.to = "a", .fallback = row.fallback, .dst = ten}, {.to = "c"}}, row.usable);
    EXPECT_EQ(target(list, to_v4({10, 0, 0, 1})), row.expected);
    EXPECT_EQ(target(list, to_v4({11, 0, 0, 1})), 3);
    EXPECT_EQ(from_in({{.to = "a", .fallback = row.fallback}}, row.usable).constant(), row.expected);
  }
}

TEST(Route, ConstantWhenNoRouteLooksAtPackets) {
  EXPECT_EQ(from_in({}).constant(), kNoGroup);
  EXPECT_EQ(from_in({{.to = "b"}}).constant(), 2);
  EXPECT_EQ(from_in({{.to = "a", .dst = v4({}, 0)}}).constant(), std::nullopt);
  EXPECT_EQ(from_in({{.to = "a", .dst_mac = kDstMac}, {.to = "a"}}).constant(), std::nullopt);
  EXPECT_EQ(from_in({{.to = "a", .priority = 0}}).constant(), std::nullopt);
  const RouteList cut = from_in({{.to = "b"}, {.to = "a", .priority = 0}, {.to = "c"}});
  EXPECT_EQ(cut.constant(), 2) << "what follows is never reached";
  EXPECT_EQ(cut.routes.size(), 1u);
}

TEST(Route, WithoutRoutesAccessAndUplinkExchangeTraffic) {
  for (const bool usable : {true, false}) {
    const auto lists = core::make_routes({}, {"access", "uplink"}, {usable, usable});
    ASSERT_EQ(lists.size(), 2u);
    EXPECT_EQ(lists[0].constant(), 1);
    EXPECT_EQ(lists[1].constant(), 0);
    EXPECT_EQ(lists[0].routes.size(), 1u);
  }
}

TEST(Route, NamesOfGroups) {
  struct Row {
    const char* name;
    core::Mode mode;
    std::vector<std::string> ports;
    bool routes;
    std::vector<std::string> expected;
  };
  using core::Mode;
  const Row rows[] = {
      {"gateway", Mode::gateway, {"uplink", "access"}, false, {"access", "uplink"}},
      {"gateway without ports", Mode::gateway, {}, false, {"access", "uplink"}},
      {"gateway with another name", Mode::gateway, {"core"}, false, {"access", "uplink"}},
      {"routes", Mode::gateway, {"right", "left", "right", "lab", "left"}, true, {"right", "left", "lab"}},
      {"routes, the two first",
       Mode::gateway,
       {"dmz", "uplink", "access"},
       true,
       {"access", "uplink", "dmz"}},
      {"routes, a port without group", Mode::gateway, {"", "left", ""}, true, {"left"}},
      {"routes, no ports", Mode::gateway, {}, true, {}},
      {"another mode", Mode::io, {"b", "", "a"}, false, {"b", "a"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Settings settings;
    settings.engine.mode = row.mode;
    for (const std::string& group : row.ports) settings.ports.emplace_back().group = group;
    if (row.routes) settings.routes = {{.from = "left", .to = "right"}};
    EXPECT_EQ(core::group_names(settings), row.expected);
  }
}

}  // namespace
