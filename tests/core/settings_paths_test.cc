// SPDX-License-Identifier: BSD-3-Clause
// Rules of groups, their members, domains and probes: each row changes valid settings in one way and names
// every problem or warning of that.
#include <gtest/gtest.h>

#include <string>

#include "core/settings.h"
#include "support/settings_rows.h"

namespace {

using core::IpAddress;
using core::Settings;
using test_support::gateway;
using test_support::Lines;
using test_support::port;
using test_support::run;

// Three groups of any names: left has ports 0 and 1, right 2 and 3, lab 4.
Settings routed() {
  Settings settings;
  settings.ports = {port("net_null0", "left"), port("net_null1", "left"), port("net_null2", "right"),
                    port("net_null3", "right"), port("net_null4", "lab")};
  settings.routes = {{.from = "left", .to = "right", .fallback = "lab"},
                     {.from = "right", .to = "left"},
                     {.from = "lab", .to = "left"}};
  return settings;
}

IpAddress v4(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
  return {.v6 = false, .bytes = {a, b, c, d}};
}
IpAddress v6(uint8_t first, uint8_t last) {
  IpAddress ip{.v6 = true};
  ip.bytes.front() = first;
  ip.bytes.back() = last;
  return ip;
}

// Port 1 asks 192.0.2.1.
Settings probing() {
  Settings settings = gateway();
  settings.ports[1].liveness = core::Liveness::probe;
  settings.ports[1].address = v4(192, 0, 2, 2);
  settings.ports[1].next_hop_ip = v4(192, 0, 2, 1);
  return settings;
}

Settings in_mode_io() {
  Settings settings = gateway();
  settings.engine.mode = core::Mode::io;
  return settings;
}

TEST(SettingsPaths, GroupsOfAnyNameNeedRoutes) {
  run({{"three groups", [](Settings&) {}, {}},
       {"16 groups",
        [](Settings& s) {
          for (int i = 5; i < 18; ++i)
            s.ports.push_back(port("net_null" + std::to_string(i), "g" + std::to_string(i)));
        },
        {}},
       {"17 groups",
        [](Settings& s) {
          for (int i = 5; i < 19; ++i)
            s.ports.push_back(port("net_null" + std::to_string(i), "g" + std::to_string(i)));
        },
        {"port[18].group: \"g18\" is one of 17 groups; allowed at most 16"}},
       {"access and uplink may be named too",
        [](Settings& s) {
          s.ports[4].group = "access";
          s.routes[0].fallback = s.routes[2].from = "access";
        },
        {}},
       {"no ports",
        [](Settings& s) { s.ports.clear(); },
        {"port: mode gateway needs ports, each in a group; found none"}},
       {"a port without group, which may be the one that routes name",
        [](Settings& s) { s.ports[4].group = ""; },
        {"port[4].group: missing; mode gateway needs it: a name that a [[route]] uses"}},
       {"without routes",
        [](Settings& s) { s.routes.clear(); },
        {"port[0].group: a group called \"left\" has no partner; groups that exchange traffic without "
         "[[route]]: access, uplink; others need [[route]]",
         "port[1].group: a group called \"left\" has no partner; groups that exchange traffic without "
         "[[route]]: access, uplink; others need [[route]]",
         "port[2].group: a group called \"right\" has no partner; groups that exchange traffic without "
         "[[route]]: access, uplink; others need [[route]]",
         "port[3].group: a group called \"right\" has no partner; groups that exchange traffic without "
         "[[route]]: access, uplink; others need [[route]]",
         "port[4].group: a group called \"lab\" has no partner; groups that exchange traffic without "
         "[[route]]: access, uplink; others need [[route]]"}}},
      routed, core::validate);
}

TEST(SettingsPaths, GroupTables) {
  run({{"one for each group",
        [](Settings& s) {
          s.groups = {{.name = "uplink"}, {.name = "access"}};
        },
        {}},
       {"without name",
        [](Settings& s) {
          s.groups = {{.loop_guard = false}, {}};
        },
        {"group[0].name: missing; the group that these settings are of; groups: access, uplink",
         "group[1].name: missing; the group that these settings are of; groups: access, uplink"}},
       {"of no port",
        [](Settings& s) { s.groups = {{.name = "uplnk"}}; },
        {"group[0].name: no port is in group \"uplnk\"; groups: access, uplink"}},
       {"twice",
        [](Settings& s) {
          s.groups = {{.name = "access"}, {.name = "uplink"}, {.name = "access"}};
        },
        {"group[2].name: \"access\" is already group[0]"}}},
      gateway, core::validate);
}

TEST(SettingsPaths, MembersOfEveryGroup) {
  run({{"weight 0 in a group of one",
        [](Settings& s) { s.ports[4].weight = 0; },
        {"port[4].weight: every port of group lab has weight 0; at least one needs more"}},
       {"largest table",
        [](Settings& s) {
          s.distribution.queues_per_nic = 64;
          s.distribution.buckets_per_queue = 512;
        },
        {}},
       {"tables too large",
        [](Settings& s) {
          s.distribution.queues_per_nic = 64;
          s.distribution.buckets_per_queue = 513;
        },
        {"distribution.buckets_per_queue: found 513 x 64 queues x 2 ports of group left = 65664 buckets; "
         "allowed at most 65536",
         "distribution.buckets_per_queue: found 513 x 64 queues x 2 ports of group right = 65664 buckets; "
         "allowed at most 65536"}},
       {"all drained or stopped",
        [](Settings& s) {
          s.ports[0].drain = s.ports[1].drain = true;
          s.ports[4].enabled = false;
        },
        {}},
       {"priorities excluded here and there",
        [](Settings& s) {
          s.ports[0].excluded_priorities = 0x0f;
          s.ports[1].excluded_priorities = 0xf0;
        },
        {}},
       {"priorities excluded everywhere",
        [](Settings& s) {
          s.ports[2].excluded_priorities = 0b1000'1001;
          s.ports[3].excluded_priorities = 0b1000'1110;
          s.ports[4].excluded_priorities = 0b0000'0001;
        },
        {"port[2].excluded_priorities: priority 3 is excluded on every port of group right; leave it to at "
         "least one",
         "port[2].excluded_priorities: priority 7 is excluded on every port of group right; leave it to at "
         "least one",
         "port[4].excluded_priorities: priority 0 is excluded on every port of group lab; leave it to at "
         "least one"}}},
      routed, core::validate);
}

TEST(SettingsPaths, Domains) {
  run({{"two domains, and one port alone in one",
        [](Settings& s) {
          s.ports[0].domain = s.ports[2].domain = s.ports[4].domain = "A";
          s.ports[1].domain = s.ports[3].domain = "B";
          s.failover.domains_down = {"A"};
        },
        {}},
       {"beside a port without domain",
        [](Settings& s) {
          s.ports[0].domain = "A";
          s.failover.domains_down = {"A", "A"};
        },
        {}},
       {"a group of one domain",
        [](Settings& s) { s.ports[2].domain = s.ports[3].domain = "A"; },
        {"port[2].domain: every port of group right is in domain \"A\": losing it loses the group; name the "
         "domains apart, or leave them out"}},
       {"a group taken down",
        [](Settings& s) {
          s.ports[0].domain = "A";
          s.ports[1].domain = "B";
          s.failover.domains_down = {"B", "A"};
        },
        {"failover.domains_down: takes down every port of group left; leave at least one of its domains up"}},
       {"a domain of no port",
        [](Settings& s) {
          s.ports[0].domain = s.ports[2].domain = "A";
          s.ports[1].domain = "B";
          s.failover.domains_down = {"A", "tor-c", ""};
        },
        {"failover.domains_down[1]: no port is in domain \"tor-c\"; domains: A, B",
         "failover.domains_down[2]: no port is in domain \"\"; domains: A, B"}},
       {"no domains at all",
        [](Settings& s) { s.failover.domains_down = {"A"}; },
        {"failover.domains_down[0]: no port is in domain \"A\"; domains: none"}}},
      routed, core::validate);
}

TEST(SettingsPaths, NumbersOfFailover) {
  run({{"least",
        [](Settings& s) {
          s.failover = {.hold_down_ms = 0, .settle_us = 0, .probe_interval_ms = 10, .probes = 1};
        },
        {}},
       {"most",
        [](Settings& s) {
          s.failover = {
              .hold_down_ms = 600'000, .settle_us = 10'000, .probe_interval_ms = 60'000, .probes = 100};
        },
        {}},
       {"beyond",
        [](Settings& s) {
          s.failover = {
              .hold_down_ms = 600'001, .settle_us = 10'001, .probe_interval_ms = 60'001, .probes = 101};
        },
        {"failover.hold_down_ms: found 600001; allowed 0 to 600000",
         "failover.settle_us: found 10001; allowed 0 to 10000",
         "failover.probe_interval_ms: found 60001; allowed 10 to 60000",
         "failover.probes: found 101; allowed 1 to 100"}},
       {"below, and in a mode that does not use them",
        [](Settings& s) {
          s.engine.mode = core::Mode::io;
          s.failover = {.probe_interval_ms = 9, .probes = 0};
        },
        {"failover.probe_interval_ms: found 9; allowed 10 to 60000",
         "failover.probes: found 0; allowed 1 to 100"}}},
      gateway, core::validate);
}

TEST(SettingsPaths, Probes) {
  const auto one_station = [](const std::string& where, const std::string& kind) {
    return Lines{"port[1]." + where + ": found " + kind + " address; allowed: the address of one station"};
  };
  run({{"IPv4", [](Settings&) {}, {}},
       {"IPv6",
        [](Settings& s) {
          s.ports[1].address = v6(0xfe, 2);
          s.ports[1].next_hop_ip = v6(0xfe, 1);
        },
        {}},
       {"an address alone",
        [](Settings& s) {
          s.ports[1].liveness = core::Liveness::link;
          s.ports[1].next_hop_ip.reset();
        },
        {}},
       {"nobody asks",
        [](Settings& s) { s.ports[1].address.reset(); },
        {"port[1].address: missing; liveness \"probe\" sends its questions from it"}},
       {"nobody is asked",
        [](Settings& s) { s.ports[1].next_hop_ip.reset(); },
        {"port[1].next_hop_ip: missing; liveness \"probe\" asks it"}},
       {"neither",
        [](Settings& s) { s.ports[0].liveness = core::Liveness::probe; },
        {"port[0].address: missing; liveness \"probe\" sends its questions from it",
         "port[0].next_hop_ip: missing; liveness \"probe\" asks it"}},
       {"two versions",
        [](Settings& s) { s.ports[1].next_hop_ip = v6(0x20, 1); },
        {"port[1].next_hop_ip: found IPv6, and address is IPv4; liveness \"probe\" needs one version"}},
       {"two versions that nobody needs",
        [](Settings& s) {
          s.ports[1].liveness = core::Liveness::link;
          s.ports[1].next_hop_ip = v6(0x20, 1);
        },
        {}},
       {"itself",
        [](Settings& s) { s.ports[1].next_hop_ip = s.ports[1].address; },
        {"port[1].next_hop_ip: found the port's own address; allowed: the address of another station"}},
       {"0.0.0.0", [](Settings& s) { s.ports[1].address = v4(0, 0, 0, 0); },
        one_station("address", "the unspecified")},
       {"0.0.0.1", [](Settings& s) { s.ports[1].address = v4(0, 0, 0, 1); }, {}},
       {"::",
        [](Settings& s) {
          s.ports[1].address = v6(0x20, 1);
          s.ports[1].next_hop_ip = v6(0, 0);
        },
        one_station("next_hop_ip", "the unspecified")},
       {"223.255.255.255", [](Settings& s) { s.ports[1].address = v4(223, 255, 255, 255); }, {}},
       {"224.0.0.0", [](Settings& s) { s.ports[1].address = v4(224, 0, 0, 0); },
        one_station("address", "a multicast")},
       {"239.255.255.255", [](Settings& s) { s.ports[1].next_hop_ip = v4(239, 255, 255, 255); },
        one_station("next_hop_ip", "a multicast")},
       {"240.0.0.0", [](Settings& s) { s.ports[1].address = v4(240, 0, 0, 0); }, {}},
       {"255.255.255.254", [](Settings& s) { s.ports[1].address = v4(255, 255, 255, 254); }, {}},
       {"255.255.255.255", [](Settings& s) { s.ports[1].address = v4(255, 255, 255, 255); },
        one_station("address", "the broadcast")},
       {"ff00::1, whatever the mode and liveness",
        [](Settings& s) {
          s.engine.mode = core::Mode::io;
          s.ports[1].liveness = core::Liveness::link;
          s.ports[1].address = v6(0xff, 1);
        },
        one_station("address", "a multicast")},
       {"IPv6 whose bytes are no IPv4 multicast",
        [](Settings& s) {
          s.ports[1].address = v6(0xe0, 1);
          s.ports[1].next_hop_ip = v6(0xe0, 2);
        },
        {}}},
      probing, core::validate);
}

TEST(SettingsPaths, OtherModesDoNotLookAtGroups) {
  run({{"anything",
        [](Settings& s) {
          s.groups = {{.name = "nobody"}};
          s.routes = {{.from = "nobody", .to = "nobody"}};
          s.pins = {{.group = "nobody"}};
          s.failover.domains_down = {"nowhere"};
          s.ports[1].domain = s.ports[2].domain = "A";
          s.ports[0].excluded_priorities = 0xff;
        },
        {}}},
      in_mode_io, core::validate);
  run({{"nothing set", [](Settings&) {}, {}},
       {"all set",
        [](Settings& s) {
          s.groups = {{.name = "access"}};
          s.routes = {{.from = "access", .to = "uplink"}};
          s.pins = {{.group = "access", .device = "net_pcap0"}};
          s.failover.probes = 4;
          s.ports[1].next_hop_ip = v4(192, 0, 2, 1);
          s.ports[1].drain = s.ports[2].drain = true;
        },
        {"group: has no effect in mode io", "route: has no effect in mode io",
         "pin: has no effect in mode io", "failover: has no effect in mode io"}},
       {"a domain down",
        [](Settings& s) { s.failover.domains_down = {"A"}; },
        {"failover: has no effect in mode io"}}},
      in_mode_io, core::warnings);
}

TEST(SettingsPaths, WarningsOfMembers) {
  const std::string of_left =
      "every port of group left is drained, stopped, of weight 0 or in a domain that is "
      "down: what goes there is dropped where its route has no fallback";
  run({{"none", [](Settings&) {}, {}},
       {"weights differ in two groups",
        [](Settings& s) { s.ports[1].weight = s.ports[2].weight = s.ports[4].weight = 2; },
        {"port[1].weight: weights of group left differ (net_null1 has 2): the rule hash % (queues_per_nic * "
         "ports) holds only for equal weights",
         "port[2].weight: weights of group right differ (net_null2 has 2): the rule hash % (queues_per_nic * "
         "ports) holds only for equal weights"}},
       {"one of two drained", [](Settings& s) { s.ports[0].drain = true; }, {}},
       {"drained and stopped",
        [](Settings& s) {
          s.ports[0].drain = true;
          s.ports[1].enabled = false;
        },
        {"port[0].drain: " + of_left}},
       {"stopped and of weight 0",
        [](Settings& s) {
          s.ports[0].enabled = false;
          s.ports[1].weight = 0;
        },
        {"port[1].weight: weights of group left differ (net_null1 has 0): the rule hash % (queues_per_nic * "
         "ports) holds only for equal weights",
         "port[0].enabled: " + of_left}},
       {"in a domain that is down, and drained",
        [](Settings& s) {
          s.ports[0].domain = "A";
          s.ports[1].drain = true;
          s.failover.domains_down = {"A"};
        },
        {"port[0].domain: " + of_left}},
       {"next hop that nobody asks",
        [](Settings& s) { s.ports[3].next_hop_ip = v4(192, 0, 2, 1); },
        {"port[3].next_hop_ip: has no effect without liveness \"probe\""}}},
      routed, core::warnings);
  run({{"without routes",
        [](Settings& s) { s.ports[0].drain = true; },
        {"port[0].drain: every port of group access is drained, stopped, of weight 0 or in a domain that is "
         "down: what goes there is dropped"}},
       {"no port in a group", [](Settings& s) { s.ports.resize(1); }, {}}},
      gateway, core::warnings);
  run({{"a next hop that is asked", [](Settings&) {}, {}}}, probing, core::warnings);
}

}  // namespace
