// SPDX-License-Identifier: BSD-3-Clause
// Text in testpmd's shape. What is expected was printed by Debian's dpdk-testpmd 22.11, not by us.
#include "console/port_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "console/statistics_text.h"

namespace {

using namespace std::chrono_literals;

glue::PortInfo net_null() {
  glue::PortInfo info;
  info.device = "net_null0";
  info.driver = "net_null";
  info.bus = "vdev";
  info.mac = {0x12, 0x6d, 0x8f, 0xc2, 0x54, 0xc7};
  info.socket = 0;
  info.link_up = info.full_duplex = true;
  info.link_speed = "10 Gbps";
  info.mtu = 1500;
  info.promiscuous = info.allmulticast = true;
  info.most_macs = 1;
  info.vlan = glue::VlanOffload{};
  info.reta_size = 128;
  info.rss_types = {"ipv4",       "ipv4-frag", "ipv4-tcp",    "ipv4-udp",    "ipv4-sctp", "ipv4-other",
                    "ipv6",       "ipv6-frag", "ipv6-tcp",    "ipv6-udp",    "ipv6-sctp", "ipv6-other",
                    "l2-payload", "ipv6-ex",   "ipv6-tcp-ex", "ipv6-udp-ex", "port",      "vxlan",
                    "geneve",     "nvgre",     "mpls"};
  info.most_rx_packet = 4294967295;
  info.rx_queues = info.tx_queues = 1;
  info.most_rx_queues = info.most_tx_queues = 1024;
  info.rx_descriptors = info.tx_descriptors = {65535, 0, 1};
  info.most_segments = info.most_segments_per_mtu = 65535;
  info.error_handling = "none";
  return info;
}

TEST(PortText, Info) {
  EXPECT_EQ(console::port_info_text(net_null()), R"(
********************* Infos for port 0  *********************
MAC address: 12:6D:8F:C2:54:C7
Device name: net_null0
Driver name: net_null
Firmware-version: not available
Devargs: 
Connect to socket: 0
memory allocation on the socket: 0
Link status: up
Link speed: 10 Gbps
Link duplex: full-duplex
Autoneg status: Off
MTU: 1500
Promiscuous mode: enabled
Allmulticast mode: enabled
Maximum number of MAC addresses: 1
Maximum number of MAC addresses of hash filtering: 0
VLAN offload: 
  strip off, filter off, extend off, qinq strip off
Redirection table size: 128
Supported RSS offload flow types:
  ipv4  ipv4-frag  ipv4-tcp  ipv4-udp  ipv4-sctp  ipv4-other
  ipv6  ipv6-frag  ipv6-tcp  ipv6-udp  ipv6-sctp  ipv6-other
  l2-payload  ipv6-ex  ipv6-tcp-ex  ipv6-udp-ex  port  vxlan
  geneve  nvgre  mpls
Minimum size of RX buffer: 0
Maximum configurable length of RX packet: 4294967295
Maximum configurable size of LRO aggregated packet: 0
Current number of RX queues: 1
Max possible RX queues: 1024
Max possible number of RXDs per queue: 65535
Min possible number of RXDs per queue: 0
RXDs number alignment: 1
Current number of TX queues: 1
Max possible TX queues: 1024
Max possible number of TXDs per queue: 65535
Min possible number of TXDs per queue: 0
TXDs number alignment: 1
Max segment number per packet: 65535
Max segment number per MTU/TSO: 65535
Device capabilities: 0x0( )
Device error handling mode: none
)");
}

TEST(PortText, WhatOnlySomeDevicesHave) {
  glue::PortInfo info = net_null();
  info.port = 12;
  info.firmware = "22.35.1012 (MT_0000000359)";
  info.socket = -1;
  info.link_up = false;
  info.hash_key_bytes = 40;
  info.rss_types.clear();
  info.most_vfs = 8;
  info.capabilities = 0x13;
  info.capability_names = {"RUNTIME_RX_QUEUE_SETUP", "RUNTIME_TX_QUEUE_SETUP", "FLOW_SHARED_OBJECT_KEEP"};
  info.switch_info = glue::SwitchInfo{"0000:3b:00.0", 1, 2, 3};
  const std::string text = console::port_info_text(info);
  for (const char* part :
       {"********************* Infos for port 12 *********************\n",
        "Firmware-version: 22.35.1012 (MT_", "Connect to socket: 0\nmemory allocation on the socket: 0\n",
        "Link status: down\n", "Hash key size in bytes: 40\nRedirection table",
        "Redirection table size: 128\nNo RSS offload flow type is supported.\nMinimum size",
        "Maximum number of VFs: 8\nCurrent number",
        "Device capabilities: 0x13( RUNTIME_RX_QUEUE_SETUP RUNTIME_TX_QUEUE_SETUP FLOW_SHARED_OBJECT_KEEP "
        ")\n",
        "Switch name: 0000:3b:00.0\nSwitch domain Id: 1\nSwitch Port Id: 2\nSwitch Rx domain: 3\nDevice "
        "error"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(PortText, SummaryAndDevices) {
  glue::PortInfo second = net_null();
  second.port = 1;
  second.device = "net_null1";
  second.mac = {0xa6, 0xad, 0xae, 0x1f, 0x6d, 0xd0};
  second.link_up = false;
  EXPECT_EQ(console::port_summary_text({net_null(), second}, 3),
            "Number of available ports: 3\n"
            "Port MAC Address       Name         Driver         Status   Link\n"
            "0    12:6D:8F:C2:54:C7 net_null0    net_null       up       10 Gbps\n"
            "1    A6:AD:AE:1F:6D:D0 net_null1    net_null       down     10 Gbps\n");
  glue::DeviceInfo device{"net_null0", "vdev", "", "net_null", "", -1, {net_null()}};
  EXPECT_EQ(console::device_info_text({device}),
            "\n********************* Infos for device net_null0 *********************\n"
            "Bus name: vdev\nBus information: \nDriver name: net_null\nDevargs: \nConnect to socket: -1\n\n"
            "\tPort id: 0 \n\tMAC address: 12:6D:8F:C2:54:C7\n\tDevice name: net_null0\n"
            "\tDevice speed capability: Autonegotiate (all speeds)\n");
  device.ports[0].speeds = {"10 Gbps", "25 Gbps"};
  EXPECT_NE(console::device_info_text({device}).find("speed capability: 10 Gbps   25 Gbps  \n"),
            std::string::npos);
}

TEST(PortText, Queues) {
  glue::QueueInfo info;
  info.pool = "mb_pool_0";
  info.free_threshold = 64;
  info.state = "started";
  info.buffer_bytes = 2048;
  info.descriptors = 512;
  info.burst_mode = "Vector AVX2";
  EXPECT_EQ(console::rx_queue_text(0, 1, info), R"(
********************* Infos for port 0 , RX queue 1  *********************
Mempool: mb_pool_0
RX prefetch threshold: 0
RX host threshold: 0
RX writeback threshold: 0
RX free threshold: 64
RX drop packets: off
RX deferred start: off
RX scattered packets: off
Rx queue state: started
RX buffer size: 2048
Number of RXDs: 512
Burst mode: Vector AVX2
)");
  info.burst_mode_per_queue = true;
  EXPECT_EQ(console::tx_queue_text(0, 1, info), R"(
********************* Infos for port 0 , TX queue 1  *********************
TX prefetch threshold: 0
TX host threshold: 0
TX writeback threshold: 0
TX RS threshold: 0
TX free threshold: 64
TX deferred start: off
Number of TXDs: 512
Tx queue state: started
Burst mode: Vector AVX2 (per queue)
)");
}

TEST(PortText, Rss) {
  EXPECT_EQ(console::rss_hash_text({{}, {}}, true), "RSS disabled\n");
  const glue::RssHash hash{{"ip", "ipv4", "ipv6"}, {0x6d, 0x5a, 0x00, 0xff}};
  EXPECT_EQ(console::rss_hash_text(hash, false), "RSS functions:\n  ip  ipv4  ipv6\n");
  EXPECT_EQ(console::rss_hash_text(hash, true), "RSS functions:\n  ip  ipv4  ipv6\nRSS key:\n6D5A00FF\n");
  std::vector<uint16_t> queues(65, 0);
  queues[64] = 7;
  EXPECT_EQ(
      console::reta_text(queues, {0b10, 0b11}),
      "RSS RETA configuration: hash index=1, queue=0\nRSS RETA configuration: hash index=64, queue=7\n");
}

TEST(PortText, FlowRules) {
  std::map<uint32_t, glue::FlowRules::Installed> rules;
  EXPECT_EQ(console::flow_list_text(rules), "");
  const auto add = [&](uint32_t id, const std::string& words) {
    rules[id].rule = core::read_flow_rule(words).rule;
  };
  add(0, "group 1 ingress pattern eth / end actions drop / end");
  add(1, "priority 5 ingress transfer pattern eth / ipv4 / end actions count / queue index 1 / end");
  add(2, "egress pattern udp / end actions mark id 1 / end");
  EXPECT_EQ(console::flow_list_text(rules),
            "ID\tGroup\tPrio\tAttr\tRule\n"
            "2\t0\t0\t-e-\tUDP => MARK\n"
            "1\t0\t5\ti-t\tETH IPV4 => COUNT QUEUE\n"
            "0\t1\t0\ti--\tETH => DROP\n");
  EXPECT_EQ(console::flow_list_text(rules, {1}), "ID\tGroup\tPrio\tAttr\tRule\n0\t1\t0\ti--\tETH => DROP\n");
  EXPECT_EQ(console::flow_count_text({7, {}}), "COUNT:\n hits_set: 1\n bytes_set: 0\n hits: 7\n bytes: 0\n");
}

TEST(StatisticsText, OfTheDevice) {
  glue::PortStatistics counted;
  counted.packets.rx_packets = 3219136;
  counted.packets.tx_packets = 3038912;
  EXPECT_EQ(console::nic_statistics_text(0, counted, {4988262, 0, 4708993, 0}), R"(
  ######################## NIC statistics for port 0  ########################
  RX-packets: 3219136    RX-missed: 0          RX-bytes:  0
  RX-errors: 0
  RX-nombuf:  0         
  TX-packets: 3038912    TX-errors: 0          TX-bytes:  0

  Throughput (since last show)
  Rx-pps:      4988262          Rx-bps:            0
  Tx-pps:      4708993          Tx-bps:            0
  ############################################################################
)");
  EXPECT_EQ(console::extended_statistics_text(0, {{"rx_good_packets", 3219136}, {"tx_q0_bytes", 0}}),
            "###### NIC extended statistics for port 0 \nrx_good_packets: 3219136\ntx_q0_bytes: 0\n");
}

TEST(StatisticsText, Rates) {
  glue::PortStatistics before, now;
  now.packets.rx_packets = 500;
  now.rx_bytes = 32000;
  before.packets.tx_packets = 10;  // cleared since
  const console::PortRates rates = console::rates_between(before, now, 500ms);
  EXPECT_EQ(rates.rx_pps, 1000u);
  EXPECT_EQ(rates.rx_bps, 512000u);
  EXPECT_EQ(rates.tx_pps, 0u);
  EXPECT_EQ(console::rates_between(before, now, 0ns).rx_pps, 0u);
}

TEST(StatisticsText, OfForwarding) {
  const uint64_t packets = 3038912;
  console::ForwardStatistics first{.port = 0, .rx_packets = packets, .tx_packets = packets}, second = first;
  second.port = 1;
  EXPECT_EQ(console::forward_statistics_text({first, second}), R"(
  ---------------------- Forward statistics for port 0  ----------------------
  RX-packets: 3038912        RX-dropped: 0             RX-total: 3038912
  TX-packets: 3038912        TX-dropped: 0             TX-total: 3038912
  ----------------------------------------------------------------------------

  ---------------------- Forward statistics for port 1  ----------------------
  RX-packets: 3038912        RX-dropped: 0             RX-total: 3038912
  TX-packets: 3038912        TX-dropped: 0             TX-total: 3038912
  ----------------------------------------------------------------------------

  +++++++++++++++ Accumulated forward statistics for all ports+++++++++++++++
  RX-packets: 6077824        RX-dropped: 0             RX-total: 6077824
  TX-packets: 6077824        TX-dropped: 0             TX-total: 6077824
  ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
)");
  first.rx_nombuf = 3;
  first.tx_dropped = 8;
  first.rx_bursts = {1, 0, 0, 3};
  const std::string text = console::forward_statistics_text({first});
  EXPECT_NE(text.find("  RX-error: 0\n  RX-nombufs: 3             \n  TX-packets"), std::string::npos)
      << text;
  EXPECT_NE(text.find("TX-dropped: 8             TX-total: 3038920\n  RX-bursts : 4 ["), std::string::npos)
      << text;
  EXPECT_NE(text.find("  RX-nombufs: 3             \n  ++++"), std::string::npos) << text;
}

TEST(StatisticsText, Cycles) {
  EXPECT_EQ(console::cycles_text(100, 0, "io", 1), "");
  EXPECT_EQ(console::cycles_text(1000, 8, "io", 2'400'000'000),
            "\n  CPU cycles/packet=125.00 (total cycles=1000 / total io packets=8) at 2400 MHz Clock\n");
}

TEST(StatisticsText, Bursts) {
  struct Row {
    const char* name;
    std::vector<uint64_t> bursts;
    std::string expected;
  };
  for (const Row& row :
       {Row{"none", {0, 0}, ""}, Row{"empty ones only", {9}, "  RX-bursts : 9 [100% of 0 pkts]\n"},
        Row{"two sizes", {1, 0, 3}, "  RX-bursts : 4 [25% of 0 pkts + 75% of 2 pkts]\n"},
        Row{"the more frequent first",
            {0, 1, 2},
            "  RX-bursts : 3 [0% of 0 pkts + 66% of 2 pkts + 34% of 1 pkts]\n"},
        Row{"more than three",
            {10, 20, 30, 40},
            "  RX-bursts : 100 [10% of 0 pkts + 40% of 3 pkts + 30% of 2 pkts + 20% of other]\n"}}) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(console::bursts_text("RX", row.bursts), row.expected);
  }
}

}  // namespace
