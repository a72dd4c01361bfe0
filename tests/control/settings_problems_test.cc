// SPDX-License-Identifier: BSD-3-Clause
// Settings files that are TOML but wrong: every line that is said of them.
#include <gtest/gtest.h>

#include "control/settings_file.h"
#include "support/settings_text.h"

namespace {

using control::LoadedSettings;
using control::parse_settings;
using test_support::expect_problems;
using test_support::kIo;
using test_support::kTables;
using test_support::Lines;

const std::string kModes =
    "\"gateway\", \"io\", \"mac\", \"macswap\", \"5tswap\", \"rxonly\", \"txonly\", \"flowgen\"";
const std::string kFields =
    "\"src_ip\", \"dst_ip\", \"src_port\", \"dst_port\", \"proto\", \"vlan\", \"dest_qp\", "
    "\"packet_length\", "
    "\"port_range\"";

TEST(SettingsProblems, NumbersOutOfRange) {
  expect_problems({
      {"burst", "[engine]\nmode = \"io\"\nburst = 513\n", {"f:3: engine.burst: found 513; allowed 1 to 512"}},
      {"negative",
       kIo + "engine.hold_packets = -1\n",
       {"f:2: engine.hold_packets: found -1; allowed 0 to 65536"}},
      {"wider than the member",
       kIo + "[[port]]\ndevice = \"a\"\n[[port]]\ndevice = \"b\"\nmtu = 70000\n",
       {"f:6: port[1].mtu: found 70000; allowed 68 to 9702"}},
      {"widest",
       kIo + "[[port]]\ndevice = \"a\"\nweight = 9223372036854775807\n",
       {"f:4: port[0].weight: found 9223372036854775807; allowed 0 to 1000"}},
      {"optional number",
       kIo + "[distribution]\nqueues_per_nic = 65\n",
       {"f:3: distribution.queues_per_nic: found 65; allowed 1 to 64"}},
      {"descriptors",
       kIo + "[[port]]\ndevice = \"a\"\nrx_descriptors = 16\ntx_descriptors = 65536\n",
       {"f:4: port[0].rx_descriptors: found 16; allowed 32 to 32768",
        "f:5: port[0].tx_descriptors: found 65536; allowed 32 to 32768"}},
      {"all of engine",
       "[engine]\nmode = \"io\"\nidle_rounds = 0\nidle_sleep_us = 0\nmbuf_bytes = 1\n"
       "reserve_mbufs = -5\n",
       {"f:3: engine.idle_rounds: found 0; allowed 1 to 1000000",
        "f:4: engine.idle_sleep_us: found 0; allowed 1 to 100000",
        "f:5: engine.mbuf_bytes: found 1; allowed 512 to 16384",
        "f:6: engine.reserve_mbufs: found -5; allowed 0 to 4194304"}},
      {"seed",
       kIo + "[distribution]\nseed = 4294967296\n",
       {"f:3: distribution.seed: found 4294967296; allowed: a whole number 0 to 4294967295, or \"0x0\" to "
        "\"0xffffffff\""}},
      {"sizes, each by its number",
       kIo + "[flowgen]\nkind = \"rocev2\"\nsizes = [45, 61, 64,\n9221]\n",
       {"f:4: flowgen.sizes[0]: found 45; allowed 46 to 9220",
        "f:4: flowgen.sizes[1]: found 61; allowed 62 to 9220 for kind \"rocev2\", ip \"4\"",
        "f:5: flowgen.sizes[3]: found 9221; allowed 46 to 9220"}},
      {"default sizes do not fit ip 6",
       kIo + "[flowgen]\nip = \"6\"\n",
       {"f:2: flowgen.sizes[0]: found 64; allowed 82 to 9220 for kind \"mixed\", ip \"6\""}},
      {"reorder_sample",
       kIo + "engine.reorder_sample = 65537\n",
       {"f:2: engine.reorder_sample: found 65537; allowed 0 to 65536"}},
      {"all of failover",
       kIo + "[failover]\nhold_down_ms = 600001\nsettle_us = 10001\nprobe_interval_ms = 9\nprobes = 0\n",
       {"f:3: failover.hold_down_ms: found 600001; allowed 0 to 600000",
        "f:4: failover.settle_us: found 10001; allowed 0 to 10000",
        "f:5: failover.probe_interval_ms: found 9; allowed 10 to 60000",
        "f:6: failover.probes: found 0; allowed 1 to 100"}},
      {"priorities",
       kIo + "[[port]]\ndevice = \"a\"\nexcluded_priorities = [7,\n8, -1]\n[[route]]\npriority = 8\n",
       {"f:5: port[0].excluded_priorities[1]: found 8; allowed 0 to 7",
        "f:5: port[0].excluded_priorities[2]: found -1; allowed 0 to 7",
        "f:7: route[0].priority: found 8; allowed 0 to 7"}},
      {"pins",
       kIo + "[[pin]]\nbucket = 65535\nqueue = 64\n[[pin]]\nbucket = 65536\nqueue = 63\n",
       {"f:4: pin[0].queue: found 64; allowed 0 to 63",
        "f:6: pin[1].bucket: found 65536; allowed 0 to 65535"}},
  });
}

TEST(SettingsProblems, WrongTypes) {
  expect_problems({
      {"string for a number",
       kIo + "[[port]]\ndevice = \"a\"\nmtu = \"9000\"\n",
       {"f:4: port[0].mtu: found string \"9000\"; allowed: a whole number 68 to 9702"}},
      {"fraction",
       kIo + "engine.burst = 32.0\n",
       {"f:2: engine.burst: found 32.0; allowed: a whole number 1 to 512"}},
      {"not a number",
       kIo + "engine.burst = nan\n",
       {"f:2: engine.burst: found nan; allowed: a whole number 1 to 512"}},
      {"truth for a number",
       kIo + "flowgen.flows = true\n",
       {"f:2: flowgen.flows: found true; allowed: a whole number 1 to 1000000"}},
      {"date for a number",
       kIo + "flowgen.flows = 2024-02-29\n",
       {"f:2: flowgen.flows: found a date or time; allowed: a whole number 1 to 1000000"}},
      {"table for a number",
       kIo + "[flowgen.flows]\n",
       {"f:2: flowgen.flows: found a table; allowed: a whole number 1 to 1000000"}},
      {"number for truth",
       kIo + "eal.secondary = 1\n",
       {"f:2: eal.secondary: found 1; allowed: true, false"}},
      {"number for a string",
       kIo + "[[port]]\ndevice = 3\n",
       {"f:3: port[0].device: found 3; allowed: a string"}},
      {"string for a list",
       kIo + "eal.args = \"--no-pci\"\n",
       {"f:2: eal.args: found string \"--no-pci\"; allowed: a list of strings"}},
      {"number in a list of strings",
       kIo + "eal.args = [\"-m\", 512]\n",
       {"f:2: eal.args[1]: found 512; allowed: a string"}},
      {"number for a word", "engine.mode = 5\n", {"f:1: engine.mode: found 5; allowed: " + kModes}},
      {"number for a table",
       kIo + "distribution = 3\n",
       {"f:2: distribution: found 3; allowed: a table, written [distribution]"}},
      {"list of tables for a table",
       "[[engine]]\nmode = \"io\"\n",
       {"f:1: engine: found [[engine]]; write [engine], only once"}},
      {"one port written as a table",
       kIo + "[port]\ndevice = \"a\"\n",
       {"f:2: port: found [port]; write [[port]], once for each port"}},
      {"numbers for ports",
       kIo + "port = [1, 2]\n",
       {"f:2: port[0]: found 1; allowed: a table, written [[port]]",
        "f:2: port[1]: found 2; allowed: a table, written [[port]]"}},
      {"string for ports",
       kIo + "port = \"a\"\n",
       {"f:2: port: found string \"a\"; allowed: tables, written [[port]], one for each port"}},
      {"one route, group and pin written as a table",
       kIo + "[route]\n[group]\n[pin]\n",
       {"f:2: route: found [route]; write [[route]], once for each route",
        "f:3: group: found [group]; write [[group]], once for each group",
        "f:4: pin: found [pin]; write [[pin]], once for each pin"}},
      {"numbers for routes, a string for pins",
       kIo + "route = [1,\n2]\npin = \"a\"\n",
       {"f:2: route[0]: found 1; allowed: a table, written [[route]]",
        "f:3: route[1]: found 2; allowed: a table, written [[route]]",
        "f:4: pin: found string \"a\"; allowed: tables, written [[pin]], one for each pin"}},
      {"list of tables for failover",
       kIo + "[[failover]]\n",
       {"f:2: failover: found [[failover]]; write [failover], only once"}},
      {"number for priorities",
       kIo + "[[port]]\ndevice = \"a\"\nexcluded_priorities = 3\n",
       {"f:4: port[0].excluded_priorities: found 3; allowed: a list of priorities, as in [3, 4]"}},
      {"strings and truths of the new tables",
       kIo + "[[group]]\nname = 1\nloop_guard = \"no\"\n[[route]]\nfrom = true\n[failover]\ndomains_down = "
             "\"A\"\n",
       {"f:3: group[0].name: found 1; allowed: a string",
        "f:4: group[0].loop_guard: found string \"no\"; allowed: true, false",
        "f:6: route[0].from: found true; allowed: a string",
        "f:8: failover.domains_down: found string \"A\"; allowed: a list of strings"}},
  });
}

TEST(SettingsProblems, WrongWordsAndForms) {
  expect_problems({
      {"mode; what would follow from it is not said",
       "[engine]\nmode = \"oi\"\n",
       {"f:2: engine.mode: found string \"oi\"; allowed: " + kModes}},
      {"idle",
       kIo + "engine.idle = \"lazy\"\n",
       {"f:2: engine.idle: found string \"lazy\"; allowed: \"busy\", \"sleep\""}},
      {"treatments",
       kIo + "engine.link_local = \"forward\"\nengine.malformed = \"\"\n",
       {"f:2: engine.link_local: found string \"forward\"; allowed: \"drop\", \"pass\"",
        "f:3: engine.malformed: found string \"\"; allowed: \"drop\", \"pass\""}},
      {"hash",
       kIo + "distribution.hash = \"md5\"\n",
       {"f:2: distribution.hash: found string \"md5\"; allowed: \"jenkins\", \"crc32c\", \"crc32c-rfc\", "
        "\"toeplitz\", \"bond-l2\", \"bond-l23\", \"bond-l34\""}},
      {"other words of distribution",
       kIo + "[distribution]\ntoeplitz_key = \"intel\"\nvlan_tag = \"both\"\n"
             "owner = \"shared\"\n",
       {"f:3: distribution.toeplitz_key: found string \"intel\"; allowed: \"microsoft\", \"mlx5\", "
        "\"symmetric\"",
        "f:4: distribution.vlan_tag: found string \"both\"; allowed: \"outer\", \"inner\"",
        "f:5: distribution.owner: found string \"shared\"; allowed: \"per_worker\", \"by_hash\""}},
      {"words of flowgen",
       kIo + "[flowgen]\nkind = \"sctp\"\nip = 4\n",
       {"f:3: flowgen.kind: found string \"sctp\"; allowed: \"rocev2\", \"udp\", \"tcp\", \"mixed\"",
        "f:4: flowgen.ip: found 4; allowed: \"4\", \"6\", \"mixed\""}},
      {"fields",
       kIo + "distribution.fields = [\"src_ip\", \"sport\", 5]\n",
       {"f:2: distribution.fields[1]: found string \"sport\"; allowed: " + kFields,
        "f:2: distribution.fields[2]: found 5; allowed: " + kFields}},
      {"no fields",
       kIo + "distribution.fields = []\n",
       {"f:2: distribution.fields: found none; a key needs at least one field"}},
      {"lcores",
       kIo + "engine.lcores = [1, \"2@0\", \"2\", \"x@1\", \"3@\", -4, 128, 1]\n",
       {"f:2: engine.lcores[3]: found string \"x@1\"; allowed: an lcore 0 to 127, or lcore and CPU as in "
        "\"2@0\"",
        "f:2: engine.lcores[4]: found string \"3@\"; allowed: an lcore 0 to 127, or lcore and CPU as in "
        "\"2@0\"",
        "f:2: engine.lcores[5]: found -4; allowed: an lcore 0 to 127, or lcore and CPU as in \"2@0\"",
        "f:2: engine.lcores[6]: found 128; allowed: an lcore 0 to 127, or lcore and CPU as in \"2@0\"",
        "f:2: engine.lcores[2]: lcore 2 is already entry 1; each lcore is one worker",
        "f:2: engine.lcores[7]: lcore 1 is already entry 0; each lcore is one worker"}},
      {"speed",
       kIo + "[[port]]\ndevice = \"a\"\nspeed = \"fast\"\n[[port]]\ndevice = \"b\"\nspeed = \"9999G\"\n"
             "[[port]]\ndevice = \"c\"\nspeed = 100\n",
       {"f:4: port[0].speed: found string \"fast\"; allowed: a speed as in \"100G\", \"2.5G\", \"10M\" or a "
        "number of "
        "bit/s, 1M to 1600G",
        "f:7: port[1].speed: found string \"9999G\"; allowed: a speed as in \"100G\", \"2.5G\", \"10M\" or a "
        "number "
        "of bit/s, 1M to 1600G",
        "f:10: port[2].speed: found 100; allowed: a speed as in \"100G\", \"2.5G\", \"10M\" or a number of "
        "bit/s, 1M "
        "to 1600G"}},
      {"next hop",
       kIo + "[[port]]\ndevice = \"a\"\nnext_hop_mac = \"02:00:00:00:00\"\n[[port]]\ndevice = \"b\"\n"
             "next_hop_mac = \"02:00:00:00:00:0g\"\n",
       {"f:4: port[0].next_hop_mac: found string \"02:00:00:00:00\"; allowed: a MAC address as in "
        "\"02:00:00:00:00:01\"",
        "f:7: port[1].next_hop_mac: found string \"02:00:00:00:00:0g\"; allowed: a MAC address as in "
        "\"02:00:00:00:00:01\""}},
      {"words of ports and groups",
       kIo + "[[port]]\ndevice = \"a\"\nliveness = \"bfd\"\n[[group]]\nbroadcast = \"all\"\n",
       {"f:4: port[0].liveness: found string \"bfd\"; allowed: \"link\", \"probe\"",
        "f:6: group[0].broadcast: found string \"all\"; allowed: \"one\", \"any\""}},
      {"port ranges",
       kIo + "[distribution]\nfields = [\"port_range\"]\nport_ranges = [\"80\", \"5-4\", \"0-70000\"]\n",
       {"f:4: distribution.port_ranges[0]: found string \"80\"; allowed: two ports 0 to 65535, as in "
        "\"1024-49151\"",
        "f:4: distribution.port_ranges[2]: found string \"0-70000\"; allowed: two ports 0 to 65535, as in "
        "\"1024-49151\"",
        "f:4: distribution.port_ranges[1]: found 5-4; the smaller port stands first"}},
      {"seeds in hexadecimal",
       kIo + "distribution.seed = \"0x100000000\"\nflowgen.seed = \"5eed\"\n",
       {"f:2: distribution.seed: found string \"0x100000000\"; allowed: a whole number 0 to 4294967295, or "
        "\"0x0\" to "
        "\"0xffffffff\"",
        "f:3: flowgen.seed: found string \"5eed\"; allowed: a whole number 0 to 4294967295, or \"0x0\" to "
        "\"0xffffffff\""}},
      {"a long string is cut between characters",
       kIo + "engine.idle = \"" + std::string(59, 'x') + "\u00e9\"\n",
       {"f:2: engine.idle: found string \"" + std::string(59, 'x') + "...\"; allowed: \"busy\", \"sleep\""}},
      {"a long string, a control character",
       kIo + "engine.idle = \"" + std::string(80, 'x') + "\"\n" + "engine.malformed = \"a\\nb\"\n",
       {"f:2: engine.idle: found string \"" + std::string(60, 'x') + "...\"; allowed: \"busy\", \"sleep\"",
        "f:3: engine.malformed: found string \"a\\x0ab\"; allowed: \"drop\", \"pass\""}},
  });
}

// A pin without them would silently be one of bucket 0 or queue 0.
TEST(SettingsProblems, APinNeedsItsBucketAndQueue) {
  expect_problems({
      {"neither",
       kIo + "[[pin]]\n[[pin]]\nqueue = 1\n",
       {"f:2: pin[0].bucket: missing; allowed 0 to 65535", "f:2: pin[0].queue: missing; allowed 0 to 63",
        "f:3: pin[1].bucket: missing; allowed 0 to 65535"}},
      {"misspelt is not also missing",
       kIo + "[[pin]]\nbuckt = 1\nqueue = 1\n",
       {"f:3: pin[0]: unknown key \"buckt\"; did you mean \"bucket\"?"}},
      {"refused is not also missing",
       kIo + "[[pin]]\nbucket = \"1\"\nqueue = 1\n",
       {"f:3: pin[0].bucket: found string \"1\"; allowed: a whole number 0 to 65535"}},
  });
}

TEST(SettingsProblems, UnknownKeysAndTables) {
  expect_problems({
      {"near a key",
       "[engine]\nmode = \"io\"\nburts = 3\n",
       {"f:3: engine: unknown key \"burts\"; did you mean "
        "\"burst\"?"}},
      {"near no key",
       kIo + "[eal]\ncolour = 1\n",
       {"f:3: eal: unknown key \"colour\"; allowed: \"args\", \"secondary\""}},
      {"near a table",
       kIo + "[distributoin]\n",
       {"f:2: unknown table \"distributoin\"; did you mean [distribution]?"}},
      {"near the list of tables",
       kIo + "[[prot]]\ndevice = \"a\"\n",
       {"f:2: unknown table \"prot\"; did you mean [[port]]?"}},
      {"near a new list of tables",
       kIo + "[[rout]]\nform = \"access\"\n[[group]]\nboardcast = \"any\"\n[failver]\n",
       {"f:2: unknown table \"rout\"; did you mean [[route]]?",
        "f:5: group[0]: unknown key \"boardcast\"; did you mean \"broadcast\"?",
        "f:6: unknown table \"failver\"; did you mean [failover]?"}},
      {"near no key of a route",
       kIo + "[[route]]\nmetric = 1\n",
       {"f:3: route[0]: unknown key \"metric\"; allowed: \"from\", \"to\", \"fallback\", \"dst\", "
        "\"dst_mac\", "
        "\"priority\""}},
      {"near no table", kIo + "[logging]\n", {"f:2: unknown table \"logging\"; allowed: " + kTables}},
      {"key outside its table",
       "burst = 3\n[engine]\nmode = \"io\"\n",
       {"f:1: unknown key \"burst\"; allowed: " + kTables}},
      {"a group that is there, misspelt, is not also missing",
       "[[port]]\ndevice = \"a\"\ngruop = \"access\"\n[[port]]\ndevice = \"b\"\ngroup = \"uplink\"\n",
       {"f:3: port[0]: unknown key \"gruop\"; did you mean \"group\"?"}},
      {"a misspelt key beside the right one",
       kIo + "[[port]]\ndevice = \"a\"\nmtu = 1\nmtuu = 1\n",
       {"f:4: port[0].mtu: found 1; allowed 68 to 9702",
        "f:5: port[0]: unknown key \"mtuu\"; did you mean \"mtu\"?"}},
      {"key with a line break",
       kIo + "eal.\"a\\nb\" = 1\n",
       {"f:2: eal: unknown key \"a\\x0ab\"; allowed: \"args\", \"secondary\""}},
      {"table inside a table",
       kIo + "[engine.port]\n",
       {"f:2: engine: unknown table \"port\"; allowed: \"mode\", \"lcores\", \"forwarding_ports\", "
        "\"port_topology\", \"rss\", \"simd\", \"burst\", \"idle\", \"idle_rounds\", "
        "\"idle_sleep_us\", \"hold_packets\", \"mbuf_bytes\", \"reserve_mbufs\", \"reorder_sample\", "
        "\"record_core_cycles\", \"record_burst_stats\", "
        "\"link_local\", \"malformed\""}},
  });
}

TEST(SettingsProblems, RulesBetweenKeysHaveLinesToo) {
  const std::string access = "[[port]]\ndevice = \"a\"\ngroup = \"access\"\n";
  expect_problems({
      {"no ports at all",
       "[engine]\nburst = 1\n",
       {"f: port: mode gateway needs at least one port in group access; found none",
        "f: port: mode gateway needs at least one port in group uplink; found none"}},
      {"no uplink", access, {"f:1: port: mode gateway needs at least one port in group uplink; found none"}},
      {"a missing key: the line of its table",
       access + "[[port]]\ndevice = \"b\"\n",
       {"f:4: port[1].group: missing; mode gateway needs it, allowed: \"access\", \"uplink\""}},
      {"a missing device",
       kIo + "[[port]]\nmtu = 9000\n",
       {"f:2: port[0].device: missing; allowed: a PCI address as in \"0000:01:00.0\", or a vdev's name as in "
        "\"net_pcap0\""}},
      {"a device twice",
       kIo + "[[port]]\ndevice = \"a\"\n[[port]]\ndevice = \"a\"\n",
       {"f:5: port[1].device: \"a\" is already port[0]"}},
      {"a group without partner",
       access + "[[port]]\ndevice = \"b\"\ngroup = \"core\"\n",
       {"f:6: port[1].group: a group called \"core\" has no partner; groups that exchange traffic without "
        "[[route]]: access, uplink; others need [[route]]"}},
      {"a seed that is not taken",
       kIo + "[distribution]\nseed = 5\nhash = \"bond-l34\"\n",
       {"f:3: distribution.seed: hash \"bond-l34\" takes no seed; leave it out or set it to 0"}},
      {"every problem, in the file's order",
       "[flowgen]\nflows = 0\n[engine]\nburst = 0\nspeed = 1\n[[port]]\ngroup = \"access\"\nmtu = \"x\"\n"
       "[distribution]\nfields = []\n",
       {"f:2: flowgen.flows: found 0; allowed 1 to 1000000", "f:4: engine.burst: found 0; allowed 1 to 512",
        "f:5: engine: unknown key \"speed\"; allowed: \"mode\", \"lcores\", \"forwarding_ports\", "
        "\"port_topology\", \"rss\", \"simd\", \"burst\", \"idle\", "
        "\"idle_rounds\", "
        "\"idle_sleep_us\", \"hold_packets\", \"mbuf_bytes\", \"reserve_mbufs\", \"reorder_sample\", "
        "\"record_core_cycles\", \"record_burst_stats\", "
        "\"link_local\", "
        "\"malformed\"",
        "f:6: port[0].device: missing; allowed: a PCI address as in \"0000:01:00.0\", or a vdev's name as in "
        "\"net_pcap0\"",
        "f:6: port: mode gateway needs at least one port in group uplink; found none",
        "f:8: port[0].mtu: found string \"x\"; allowed: a whole number 68 to 9702",
        "f:10: distribution.fields: found none; a key needs at least one field"}},
  });
}

TEST(SettingsProblems, WhatOnlyFollowsFromAnotherIsNotSaid) {
  const std::string left = "[[port]]\ndevice = \"a\"\ngroup = \"left\"\n";
  const std::string right = "[[port]]\ndevice = \"b\"\ngroup = \"right\"\n";
  const std::string routes =
      "[[route]]\nfrom = \"left\"\nto = \"right\"\n[[route]]\nfrom = \"right\"\nto = \"left\"\n";
  expect_problems({
      {"a refused mode: whether groups, routes and pins matter",
       "[engine]\nmode = 5\n[[route]]\nto = \"x\"\n[[group]]\nname = \"x\"\n[[pin]]\nbucket = 1\nqueue = 1\n",
       {"f:2: engine.mode: found 5; allowed: " + kModes}},
      {"misspelt routes: whether other groups are allowed",
       left + right + "[[rout]]\nfrom = \"left\"\n",
       {"f:7: unknown table \"rout\"; did you mean [[route]]?"}},
      {"refused routes",
       "route = \"left\"\n" + left + right,
       {"f:1: route: found string \"left\"; allowed: tables, written [[route]], one for each route"}},
      {"refused ports: which groups there are",
       "port = 3\n" + routes,
       {"f:1: port: found 3; allowed: tables, written [[port]], one for each port"}},
      {"a refused group of a port",
       left + "[[port]]\ndevice = \"b\"\ngroup = 3\n" + routes,
       {"f:6: port[1].group: found 3; allowed: a string"}},
      {"a misspelt group of a port",
       left + "[[port]]\ndevice = \"b\"\ngruop = \"right\"\n" + routes,
       {"f:6: port[1]: unknown key \"gruop\"; did you mean \"group\"?"}},
      {"a misspelt end of a route",
       left + right + routes + "[[route]]\nform = \"left\"\nto = \"right\"\n",
       {"f:14: route[2]: unknown key \"form\"; did you mean \"from\"?"}},
      {"a refused device: what pins name",
       left + "[[port]]\ndevice = 3\ngroup = \"right\"\n" + routes +
           "[[pin]]\ngroup = \"right\"\ndevice = \"b\"\nbucket = 0\nqueue = 0\n",
       {"f:5: port[1].device: found 3; allowed: a string"}},
      {"a refused domain: what is taken down",
       left + "domain = 3\n" + right + routes + "[failover]\ndomains_down = [\"A\"]\n",
       {"f:4: port[0].domain: found 3; allowed: a string"}},
      {"what does not follow is said",
       left + right + "mtu = 1\n" + routes + "[[route]]\nfrom = \"left\"\nto = \"rihgt\"\n",
       {"f:7: port[1].mtu: found 1; allowed 68 to 9702",
        "f:16: route[2].to: no port is in group \"rihgt\"; groups: left, right"}},
  });
}

}  // namespace
