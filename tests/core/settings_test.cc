// SPDX-License-Identifier: BSD-3-Clause
// Rules of core/settings: each row changes valid settings in one way and names every problem or warning of
// that.
#include "core/settings.h"

#include <gtest/gtest.h>

#include <string>

#include "support/settings_rows.h"

namespace {

using core::Settings;
using test_support::gateway;
using test_support::Lines;
using test_support::port;
using test_support::run;

Settings io() {
  Settings settings;
  settings.engine.mode = core::Mode::io;
  return settings;
}

TEST(Settings, ValidOnes) {
  run({{"gateway with groups", [](Settings&) {}, {}},
       {"weight 0 beside weight 1", [](Settings& s) { s.ports[1].weight = 0; }, {}},
       {"largest table",
        [](Settings& s) {
          s.distribution.queues_per_nic = 64;
          s.distribution.buckets_per_queue = 512;
        },
        {}},
       {"seed with crc32c",
        [](Settings& s) {
          s.distribution.hash = core::HashAlgorithm::crc32c;
          s.distribution.seed = 7;
        },
        {}},
       {"next hop", [](Settings& s) { s.ports[1].next_hop_mac = core::MacAddress{2, 0, 0, 0, 0, 1}; }, {}}},
      gateway, core::validate);
  run({{"no ports: those of EAL", [](Settings&) {}, {}},
       {"no group needed",
        [](Settings& s) {
          s.ports = {port("a"), port("b", "anything")};
        },
        {}},
       {"weights alone do not matter",
        [](Settings& s) {
          s.ports = {port("a", "uplink")};
          s.ports[0].weight = 0;
        },
        {}}},
      io, core::validate);
}

TEST(Settings, NumbersOutOfRange) {
  run({{"burst 0", [](Settings& s) { s.engine.burst = 0; }, {"engine.burst: found 0; allowed 1 to 512"}},
       {"burst 513",
        [](Settings& s) { s.engine.burst = 513; },
        {"engine.burst: found 513; allowed 1 to 512"}},
       {"idle_rounds",
        [](Settings& s) { s.engine.idle_rounds = 0; },
        {"engine.idle_rounds: found 0; allowed 1 to 1000000"}},
       {"idle_sleep_us",
        [](Settings& s) { s.engine.idle_sleep_us = 100'001; },
        {"engine.idle_sleep_us: found 100001; allowed 1 to 100000"}},
       {"hold_packets",
        [](Settings& s) { s.engine.hold_packets = 65'537; },
        {"engine.hold_packets: found 65537; allowed 0 to 65536"}},
       {"mbuf_bytes",
        [](Settings& s) { s.engine.mbuf_bytes = 511; },
        {"engine.mbuf_bytes: found 511; allowed 512 to 16384"}},
       {"reserve_mbufs",
        [](Settings& s) { s.engine.reserve_mbufs = 5'000'000; },
        {"engine.reserve_mbufs: found 5000000; allowed 0 to 4194304"}},
       {"reorder_sample",
        [](Settings& s) { s.engine.reorder_sample = 65'537; },
        {"engine.reorder_sample: found 65537; allowed 0 to 65536"}},
       {"lcore",
        [](Settings& s) {
          s.engine.lcores = {{1, 1}, {128, 0}};
        },
        {"engine.lcores[1]: found 128; allowed 0 to 127"}},
       {"cpu",
        [](Settings& s) {
          s.engine.lcores = {{1, 1024}};
        },
        {"engine.lcores[0]: found 1024; allowed 0 to 1023"}},
       {"rx_queues",
        [](Settings& s) { s.ports[1].rx_queues = 257; },
        {"port[1].rx_queues: found 257; allowed 1 to 256"}},
       {"descriptors",
        [](Settings& s) {
          s.ports[0].rx_descriptors = 31;
          s.ports[2].tx_descriptors = 32'769;
        },
        {"port[0].rx_descriptors: found 31; allowed 32 to 32768",
         "port[2].tx_descriptors: found 32769; allowed 32 to 32768"}},
       {"weight",
        [](Settings& s) { s.ports[1].weight = 1001; },
        {"port[1].weight: found 1001; allowed 0 to 1000"}},
       {"speed",
        [](Settings& s) { s.ports[1].speed_bps = 999'999; },
        {"port[1].speed: found 999999; allowed 1000000 to 1600000000000"}},
       {"mtu",
        [](Settings& s) {
          s.ports[0].mtu = 67;
          s.ports[1].mtu = 9703;
        },
        {"port[0].mtu: found 67; allowed 68 to 9702", "port[1].mtu: found 9703; allowed 68 to 9702"}},
       {"queues_per_nic",
        [](Settings& s) { s.distribution.queues_per_nic = 0; },
        {"distribution.queues_per_nic: found 0; allowed 1 to 64"}},
       {"buckets_per_queue",
        [](Settings& s) { s.distribution.buckets_per_queue = 0; },
        {"distribution.buckets_per_queue: found 0; allowed 1 to 4096"}},
       {"flows", [](Settings& s) { s.flowgen.flows = 0; }, {"flowgen.flows: found 0; allowed 1 to 1000000"}},
       {"several at once, in the file's order",
        [](Settings& s) {
          s.flowgen.flows = 1'000'001;
          s.ports[0].mtu = 0;
          s.engine.burst = 0;
        },
        {"engine.burst: found 0; allowed 1 to 512", "port[0].mtu: found 0; allowed 68 to 9702",
         "flowgen.flows: found 1000001; allowed 1 to 1000000"}}},
      gateway, core::validate);
}

TEST(Settings, RulesOfPortsAndLcores) {
  run({{"empty device",
        [](Settings& s) { s.ports[1].device = ""; },
        {"port[1].device: missing; allowed: a PCI address as in \"0000:01:00.0\", or a vdev's name as in "
         "\"net_pcap0\""}},
       {"device twice",
        [](Settings& s) { s.ports[2].device = "net_null1"; },
        {"port[2].device: \"net_null1\" is already port[1]"}},
       {"PCI device twice, with and without domain",
        [](Settings& s) {
          s.ports[0].device = "0000:3b:00.1";
          s.ports[2].device = "3b:00.1";
        },
        {"port[2].device: \"3b:00.1\" is already port[0]"}},
       {"device with arguments",
        [](Settings& s) { s.ports[1].device = "net_null1,no-rx=1"; },
        {"port[1].device: found \"net_null1,no-rx=1\"; allowed: the name alone, its arguments stand in "
         "eal.args"}},
       {"multicast next hop",
        [](Settings& s) { s.ports[1].next_hop_mac = core::MacAddress{1, 0, 0x5e, 0, 0, 1}; },
        {"port[1].next_hop_mac: found a group address; allowed: the address of one station"}},
       {"zero next hop",
        [](Settings& s) { s.ports[1].next_hop_mac = core::MacAddress{}; },
        {"port[1].next_hop_mac: found all zeros; allowed: the address of one station"}},
       {"65 ports",
        [](Settings& s) {
          while (s.ports.size() < 65)
            s.ports.push_back(port("net_null" + std::to_string(s.ports.size()), "uplink"));
        },
        {"port: found 65 ports; allowed 0 to 32"}},
       {"one lcore twice",
        [](Settings& s) {
          s.engine.lcores = {{1, 1}, {2, 2}, {1, 3}};
        },
        {"engine.lcores[2]: lcore 1 is already entry 0; each lcore is one worker"}},
       {"lcores chosen twice",
        [](Settings& s) {
          s.engine.lcores = {{1, 1}};
          s.eal.args = {"-l", "0,1"};
        },
        {"engine.lcores: eal.args choose lcores too; keep one of the two"}},
       {"--log-level chooses no lcores",
        [](Settings& s) {
          s.engine.lcores = {{1, 1}};
          s.eal.args = {"--log-level=8"};
        },
        {}},
       {"65 workers without Q",
        [](Settings& s) {
          for (unsigned i = 0; i < 65; ++i) s.engine.lcores.push_back({i, i});
        },
        {"engine.lcores: found 65 workers; more than 64 need distribution.queues_per_nic, which is otherwise "
         "their "
         "number"}},
       {"EAL arguments that end or break it",
        [](Settings& s) {
          s.eal.args = {"--no-pci", "", "--"};
        },
        {"eal.args[1]: found an empty string; leave it out",
         "eal.args[2]: found \"--\", which ends EAL's options; leave it out"}}},
      gateway, core::validate);
}

TEST(Settings, RulesOfGroups) {
  run({{"no ports",
        [](Settings& s) { s.ports.clear(); },
        {"port: mode gateway needs at least one port in group access; found none",
         "port: mode gateway needs at least one port in group uplink; found none"}},
       {"no uplink",
        [](Settings& s) { s.ports.resize(1); },
        {"port: mode gateway needs at least one port in group uplink; found none"}},
       {"no access",
        [](Settings& s) { s.ports.erase(s.ports.begin()); },
        {"port: mode gateway needs at least one port in group access; found none"}},
       {"port without group",
        [](Settings& s) { s.ports[0].group = ""; },
        {"port[0].group: missing; mode gateway needs it, allowed: \"access\", \"uplink\""}},
       {"unknown group",
        [](Settings& s) { s.ports[2].group = "core"; },
        {"port[2].group: a group called \"core\" has no partner; groups that exchange traffic without "
         "[[route]]: access, uplink; others need [[route]]"}},
       {"all weights 0",
        [](Settings& s) { s.ports[1].weight = s.ports[2].weight = 0; },
        {"port[1].weight: every port of group uplink has weight 0; at least one needs more"}},
       {"table too large",
        [](Settings& s) {
          s.distribution.queues_per_nic = 64;
          s.distribution.buckets_per_queue = 513;
        },
        {"distribution.buckets_per_queue: found 513 x 64 queues x 2 ports of group uplink = 65664 buckets; "
         "allowed at "
         "most 65536"}}},
      gateway, core::validate);
}

TEST(Settings, RulesOfDistributionAndFlowgen) {
  using core::FlowKind;
  using core::IpVersion;
  run({{"seed that is not taken",
        [](Settings& s) {
          s.distribution.hash = core::HashAlgorithm::toeplitz;
          s.distribution.seed = 1;
        },
        {"distribution.seed: hash \"toeplitz\" takes no seed; leave it out or set it to 0"}},
       {"frames longer than a port takes",
        [](Settings& s) {
          s.engine.mode = core::Mode::flowgen;
          s.ports.resize(1);
          s.ports[0].device = "net_null0";
          s.ports[0].mtu = 1500;
          s.flowgen.sizes = {64, 1519};
        },
        {"flowgen.sizes: 1519 is more than port[0].mtu lets through (1518 with FCS); raise the MTU, or send "
         "shorter frames"}},
       {"long frames that nobody sends", [](Settings& s) { s.flowgen.sizes = {9000}; }, {}},
       {"several arguments in a string",
        [](Settings& s) { s.eal.args = {"--no-pci --vdev=net_null0"}; },
        {"eal.args[0]: found several arguments in one string; write each as a string of its own"}},
       {"no fields",
        [](Settings& s) {
          auto& f = s.distribution.fields;
          f.src_ip = f.dst_ip = f.src_port = f.dst_port = false;
        },
        {"distribution.fields: found none; a key needs at least one field"}},
       {"port_range without ranges",
        [](Settings& s) { s.distribution.fields.port_range = true; },
        {"distribution.port_ranges: found none; field port_range needs at least one"}},
       {"range upside down",
        [](Settings& s) {
          s.distribution.fields.port_ranges = {{0, 9}, {9, 8}};
        },
        {"distribution.port_ranges[1]: found 9-8; the smaller port stands first"}},
       {"65 ranges",
        [](Settings& s) { s.distribution.fields.port_ranges.resize(65); },
        {"distribution.port_ranges: found 65 ranges; allowed 0 to 64"}},
       {"no sizes",
        [](Settings& s) { s.flowgen.sizes.clear(); },
        {"flowgen.sizes: found none; at least one frame length is needed"}},
       {"too short for RoCEv2 over IPv6",
        [](Settings& s) {
          s.flowgen.kind = FlowKind::roce_v2;
          s.flowgen.ip = IpVersion::v6;
          s.flowgen.sizes = {82, 81};
        },
        {"flowgen.sizes[1]: found 81; allowed 82 to 9220 for kind \"rocev2\", ip \"6\""}},
       {"too long",
        [](Settings& s) {
          s.flowgen.sizes = {64, 9221};
        },
        {"flowgen.sizes[1]: found 9221; allowed 62 to 9220 for kind \"mixed\", ip \"4\""}},
       {"too much memory",
        [](Settings& s) {
          s.flowgen.flows = 1'000'000;
          s.flowgen.sizes = {64, 1001};
        },
        {"flowgen.flows: 1000000 flows of up to 1001 bytes need 1001 MB; allowed at most 1000 MB"}},
       {"just enough memory",
        [](Settings& s) {
          s.flowgen.flows = 1'000'000;
          s.flowgen.sizes = {1000};
        },
        {}}},
      io, core::validate);
}

TEST(Settings, Warnings) {
  run({{"none", [](Settings&) {}, {}},
       {"packet_length",
        [](Settings& s) { s.distribution.fields.packet_length = true; },
        {"distribution.fields: packet_length sends packets of one flow by several queues: they can arrive in "
         "another "
         "order"}},
       {"XOR hashes ignore added fields",
        [](Settings& s) {
          s.distribution.hash = core::HashAlgorithm::bond_l34;
          s.distribution.fields.packet_length = true;
        },
        {"distribution.hash: \"bond-l34\" looks at MAC addresses, IP addresses and ports only and is "
         "symmetric: "
         "other fields and symmetric have no effect"}},
       {"weights differ",
        [](Settings& s) { s.ports[2].weight = 3; },
        {"port[2].weight: weights of group uplink differ (net_null2 has 3): the rule hash % (queues_per_nic "
         "* "
         "ports) holds only for equal weights"}},
       {"the first one differs",
        [](Settings& s) { s.ports[1].weight = 3; },
        {"port[1].weight: weights of group uplink differ (net_null1 has 3): the rule hash % (queues_per_nic "
         "* "
         "ports) holds only for equal weights"}},
       {"both differ from 1",
        [](Settings& s) {
          s.ports[1].weight = 3;
          s.ports[2].weight = 0;
        },
        {"port[1].weight: weights of group uplink differ (net_null1 has 3, net_null2 has 0): the rule hash % "
         "(queues_per_nic * ports) holds only for equal weights"}},
       {"alike, and not 1", [](Settings& s) { s.ports[1].weight = s.ports[2].weight = 3; }, {}},
       {"weights differ between groups only", [](Settings& s) { s.ports[0].weight = 3; }, {}},
       {"weights differ where no group is used",
        [](Settings& s) {
          s.engine.mode = core::Mode::io;
          s.ports[2].weight = 3;
        },
        {}},
       {"no address",
        [](Settings& s) { s.distribution.fields.src_ip = s.distribution.fields.dst_ip = false; },
        {"distribution.fields: neither src_ip nor dst_ip: many hosts can share few keys, so few queues"}},
       {"Toeplitz key without Toeplitz",
        [](Settings& s) { s.distribution.toeplitz_key = core::ToeplitzKey::symmetric; },
        {"distribution.toeplitz_key: has no effect with hash \"jenkins\", only with \"toeplitz\""}},
       {"Toeplitz key with Toeplitz",
        [](Settings& s) {
          s.distribution.hash = core::HashAlgorithm::toeplitz;
          s.distribution.toeplitz_key = core::ToeplitzKey::symmetric;
        },
        {}},
       {"hashes of devices without Toeplitz",
        [](Settings& s) { s.distribution.reuse_rss_hash = true; },
        {"distribution.reuse_rss_hash: has no effect with hash \"jenkins\", only with \"toeplitz\""}},
       {"hashes of devices with another field",
        [](Settings& s) {
          s.distribution.hash = core::HashAlgorithm::toeplitz;
          s.distribution.reuse_rss_hash = s.distribution.fields.proto = true;
        },
        {"distribution.reuse_rss_hash: has no effect with other fields: devices hash src_ip, dst_ip, "
         "src_port "
         "and dst_port"}},
       {"ranges without the field",
        [](Settings& s) { s.distribution.fields.port_ranges = core::default_port_ranges(); },
        {"distribution.port_ranges: has no effect without \"port_range\" in fields"}},
       {"two lcores on one CPU",
        [](Settings& s) {
          s.engine.lcores = {{1, 0}, {2, 1}, {3, 0}, {4, 0}};
        },
        {"engine.lcores[2]: lcores 1, 3 and 4 share CPU 0: each runs only part of the time"}}},
      gateway, core::warnings);
}

TEST(Settings, NamesOfModesAreReadBack) {
  const Lines names = {"gateway", "io", "mac", "macswap", "5tswap", "rxonly", "txonly", "flowgen"};
  for (size_t i = 0; i < names.size(); ++i) {
    SCOPED_TRACE(names[i]);
    EXPECT_EQ(core::name_of(static_cast<core::Mode>(i)), names[i]);
    EXPECT_EQ(core::mode_of(names[i]), static_cast<core::Mode>(i));
  }
  EXPECT_EQ(core::mode_of("five_tuple_swap"), std::nullopt);
  EXPECT_EQ(core::mode_of(""), std::nullopt);
}

TEST(Settings, GroupsExchangeTraffic) {
  EXPECT_EQ(core::target_of("access"), "uplink");
  EXPECT_EQ(core::target_of("uplink"), "access");
  EXPECT_EQ(core::target_of("core"), "");
  EXPECT_EQ(core::target_of(""), "");
}

}  // namespace
