// SPDX-License-Identifier: BSD-3-Clause
// Rules of routes and pins: each row changes valid settings in one way and names every problem or warning of
// that.
#include <gtest/gtest.h>

#include <string>

#include "core/settings.h"
#include "support/settings_rows.h"

namespace {

using core::IpPrefix;
using core::RouteSettings;
using core::Settings;
using test_support::Lines;
using test_support::port;
using test_support::run;

IpPrefix v4(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t bits) {
  return {.address = {.v6 = false, .bytes = {a, b, c, d}}, .bits = bits};
}
IpPrefix v6(uint8_t a, uint8_t b, uint8_t bits) {
  return {.address = {.v6 = true, .bytes = {a, b}}, .bits = bits};
}

// left has ports 0 and 1, right 2 and 3, lab 4.
Settings routed() {
  Settings settings;
  settings.ports = {port("net_null0", "left"), port("net_null1", "left"), port("net_null2", "right"),
                    port("0000:3b:00.1", "right"), port("net_null4", "lab")};
  settings.routes = {{.from = "left", .to = "right", .fallback = "lab"},
                     {.from = "right", .to = "left"},
                     {.from = "lab", .to = "left"}};
  return settings;
}

// Pins need no routes.
Settings pinned() {
  Settings settings = test_support::gateway();
  settings.distribution.queues_per_nic = 4;
  settings.distribution.buckets_per_queue = 8;  // 64 buckets for the two ports of uplink
  settings.pins = {{.group = "uplink", .device = "net_null2", .bucket = 5, .queue = 1}};
  return settings;
}

TEST(SettingsRoutes, GroupsThatTheyName) {
  run({{"missing",
        [](Settings& s) { s.routes[1] = {}; },
        {"route[1].from: missing; the group that packets come in by; groups: left, right, lab",
         "route[1].to: missing; the group that packets go to; groups: left, right, lab"}},
       {"misspelt",
        [](Settings& s) {
          s.routes[0].from = "lfet";
          s.routes[0].to = "rihgt";
          s.routes[0].fallback = "lba";
        },
        {"route[0].from: no port is in group \"lfet\"; groups: left, right, lab",
         "route[0].to: no port is in group \"rihgt\"; groups: left, right, lab",
         "route[0].fallback: no port is in group \"lba\"; groups: left, right, lab"}},
       {"back",
        [](Settings& s) { s.routes[1].to = "right"; },
        {"route[1].to: sends packets back to where they come from; allowed: another group than \"right\""}},
       {"back by the fallback",
        [](Settings& s) { s.routes[0].fallback = "left"; },
        {"route[0].fallback: sends packets back to where they come from; allowed: another group than "
         "\"left\""}},
       {"fallback to itself",
        [](Settings& s) { s.routes[0].fallback = "right"; },
        {"route[0].fallback: a fallback to itself; name another group, or leave it out"}},
       {"two that are each other's fallback",
        [](Settings& s) { s.routes.push_back({.from = "left", .to = "lab", .fallback = "right"}); },
        {}}},
      routed, core::validate);
}

TEST(SettingsRoutes, Numbers) {
  const auto fill = [](size_t count) {
    return [count](Settings& s) { s.routes.resize(count, {.from = "left", .to = "lab"}); };
  };
  run({{"64 routes", fill(64), {}},
       {"65 routes", fill(65), {"route: found 65 routes; allowed 0 to 64"}},
       {"priority 7", [](Settings& s) { s.routes[1].priority = 7; }, {}},
       {"priority 8",
        [](Settings& s) { s.routes[1].priority = 8; },
        {"route[1].priority: found 8; allowed 0 to 7"}},
       {"whole addresses",
        [](Settings& s) {
          s.routes[0].dst = v4(10, 0, 0, 1, 32);
          s.routes[1].dst = v6(0x20, 1, 128);
        },
        {}},
       {"longer than an address",
        [](Settings& s) {
          s.routes[0].dst = v4(10, 0, 0, 1, 33);
          s.routes[1].dst = v6(0x20, 1, 129);
        },
        {"route[0].dst: found /33; allowed 0 to 32", "route[1].dst: found /129; allowed 0 to 128"}}},
      routed, core::validate);
}

TEST(SettingsRoutes, Pins) {
  run({{"a pin", [](Settings&) {}, {}},
       {"one bucket in two groups",
        [](Settings& s) { s.pins.push_back({.group = "access", .device = "net_pcap0", .bucket = 5}); },
        {}},
       {"without group",
        [](Settings& s) { s.pins[0] = {}; },
        {"pin[0].group: missing; the group whose table has the bucket; groups: access, uplink"}},
       {"unknown group",
        [](Settings& s) { s.pins[0].group = "uplnk"; },
        {"pin[0].group: no port is in group \"uplnk\"; groups: access, uplink"}},
       {"without device",
        [](Settings& s) { s.pins[0].device = ""; },
        {"pin[0].device: missing; ports of group uplink: net_null1, net_null2"}},
       {"device of another group",
        [](Settings& s) { s.pins[0].device = "net_pcap0"; },
        {"pin[0].device: found \"net_pcap0\"; ports of group uplink: net_null1, net_null2"}},
       {"last bucket and queue",
        [](Settings& s) {
          s.pins[0].bucket = 63;
          s.pins[0].queue = 3;
        },
        {}},
       {"beyond the last",
        [](Settings& s) {
          s.pins[0].bucket = 64;
          s.pins[0].queue = 4;
        },
        {"pin[0].queue: found 4; allowed 0 to 3", "pin[0].bucket: found 64; allowed 0 to 63"}},
       {"beyond the last of a group of one",
        [](Settings& s) { s.pins[0] = {.group = "access", .device = "net_pcap0", .bucket = 32}; },
        {"pin[0].bucket: found 32; allowed 0 to 31"}},
       {"queues that depend on the device",
        [](Settings& s) {
          s.distribution.queues_per_nic.reset();
          s.pins[0].bucket = 65'535;
          s.pins[0].queue = 63;
        },
        {}},
       {"beyond what any device has",
        [](Settings& s) {
          s.distribution.queues_per_nic.reset();
          s.pins[0].bucket = 65'536;
          s.pins[0].queue = 64;
        },
        {"pin[0].queue: found 64; allowed 0 to 63", "pin[0].bucket: found 65536; allowed 0 to 65535"}},
       {"numbers that are refused themselves bound nothing",
        [](Settings& s) {
          s.distribution.queues_per_nic = 0;
          s.pins[0].queue = 63;
        },
        {"distribution.queues_per_nic: found 0; allowed 1 to 64"}},
       {"one bucket twice",
        [](Settings& s) {
          s.pins.push_back({.group = "uplink", .device = "net_null1", .bucket = 6});
          s.pins.push_back({.group = "uplink", .device = "net_null1", .bucket = 5});
        },
        {"pin[2].bucket: bucket 5 of group uplink is already pin[0]"}},
       {"4097 pins",
        [](Settings& s) {
          s.distribution.buckets_per_queue = 4096;
          while (s.pins.size() < 4097) {
            s.pins.push_back({.group = "uplink",
                              .device = "net_null1",
                              .bucket = static_cast<uint32_t>(s.pins.size() + 5)});
          }
        },
        {"pin: found 4097 pins; allowed 0 to 4096"}}},
      pinned, core::validate);
  run({{"a PCI address without domain",
        [](Settings& s) { s.pins = {{.group = "right", .device = "3b:00.1"}}; },
        {}},
       {"a group that a port without one may belong to",
        [](Settings& s) {
          s.ports[4].group = "";
          s.pins = {{.group = "lab", .device = "net_null4"}};
        },
        {"port[4].group: missing; mode gateway needs it: a name that a [[route]] uses"}}},
      routed, core::validate);
}

// Two routes from left, and what is said of the second.
struct Pair {
  const char* name;
  RouteSettings first, second;
  std::string expected;
};

TEST(SettingsRoutes, RoutesThatAreNotReached) {
  const std::string never = "never reached: route[2] takes all of its packets first; ";
  const std::string longer = "put the longer prefix first", more = "put the one with more conditions first",
                    out = "leave one of them out";
  const core::MacAddress mac = {2, 0, 0, 0, 0, 1}, other_mac = {2, 0, 0, 0, 0, 2};
  const Pair pairs[] = {
      {"longer first", {.dst = v4(10, 1, 0, 0, 16)}, {.dst = v4(10, 0, 0, 0, 8)}, ""},
      {"longer last",
       {.dst = v4(10, 0, 0, 0, 8)},
       {.dst = v4(10, 1, 0, 0, 16)},
       "route[3].dst: " + never + longer},
      {"longer by one bit",
       {.dst = v4(10, 128, 0, 0, 9)},
       {.dst = v4(10, 192, 0, 0, 10)},
       "route[3].dst: " + never + longer},
      {"beside it", {.dst = v4(10, 128, 0, 0, 9)}, {.dst = v4(10, 0, 0, 0, 10)}, ""},
      {"the same prefix", {.dst = v6(0x20, 1, 16)}, {.dst = v6(0x20, 1, 16)}, "route[3].dst: " + never + out},
      {"the other IP version", {.dst = v4(0, 0, 0, 0, 0)}, {.dst = v6(0, 0, 0)}, ""},
      {"all of IPv4 is not all", {.dst = v4(0, 0, 0, 0, 0)}, {.priority = 3}, ""},
      {"all first", {}, {.dst = v4(10, 0, 0, 0, 8)}, "route[3].dst: " + never + more},
      {"all first, then a MAC address", {}, {.dst_mac = mac}, "route[3]: " + never + more},
      {"all twice", {}, {}, "route[3]: " + never + out},
      {"another MAC address", {.dst_mac = mac}, {.dst_mac = other_mac}, ""},
      {"another priority", {.priority = 3}, {.priority = 4}, ""},
      {"MAC address, then with priority",
       {.dst_mac = mac},
       {.dst_mac = mac, .priority = 3},
       "route[3]: " + never + more},
      {"with priority, then without", {.dst_mac = mac, .priority = 3}, {.dst_mac = mac}, ""},
      {"prefix and priority, then longer",
       {.dst = v4(10, 0, 0, 0, 8), .priority = 0},
       {.dst = v4(10, 1, 0, 0, 16), .priority = 0},
       "route[3].dst: " + never + longer},
      {"prefix and priority, then longer of another priority",
       {.dst = v4(10, 0, 0, 0, 8), .priority = 0},
       {.dst = v4(10, 1, 0, 0, 16), .priority = 1},
       ""},
      {"same prefix, then with priority",
       {.dst = v4(10, 0, 0, 0, 8)},
       {.dst = v4(10, 0, 0, 0, 8), .priority = 1},
       "route[3].dst: " + never + more},
      {"prefixes that are refused", {.dst = v4(10, 0, 0, 0, 255)}, {.dst = v4(10, 0, 0, 0, 255)}, ""},
  };
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    Settings settings = routed();
    settings.routes.erase(settings.routes.begin());
    for (RouteSettings route : {pair.first, pair.second}) {
      route.from = "left";
      route.to = "right";
      settings.routes.push_back(route);
    }
    EXPECT_EQ(test_support::lines_of(core::warnings(settings)),
              pair.expected.empty() ? Lines{} : Lines{pair.expected});
  }
}

TEST(SettingsRoutes, OtherWarnings) {
  run({{"routes of other groups take nothing away",
        [](Settings& s) { s.routes[0].dst = s.routes[1].dst = s.routes[2].dst = v4(10, 0, 0, 0, 8); },
        {}},
       {"told once, of the first that takes all",
        [](Settings& s) {
          s.routes.push_back({.from = "left", .to = "lab"});
          s.routes.push_back({.from = "left", .to = "right"});
        },
        {"route[3]: never reached: route[0] takes all of its packets first; leave one of them out",
         "route[4]: never reached: route[0] takes all of its packets first; leave one of them out"}},
       {"groups without route",
        [](Settings& s) { s.routes.resize(1); },
        {"port[2].group: what comes in by group right has no route and is dropped (no_route)",
         "port[4].group: what comes in by group lab has no route and is dropped (no_route)"}}},
      routed, core::warnings);
}

}  // namespace
