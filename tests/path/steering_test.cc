// SPDX-License-Identifier: BSD-3-Clause
// Where packets go: real bytes onto rings, real workers, and the exact TX ring on which each frame must come
// out, in order, unchanged. The expected queue is computed here from the documents' rule and DPDK's own
// Jenkins hash.
#include <gtest/gtest.h>
#include <rte_jhash.h>

#include <cstring>
#include <map>
#include <numeric>

#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace {

using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

core::Settings gateway(uint16_t queues_per_nic) {
  core::Settings settings;
  settings.distribution.queues_per_nic = queues_per_nic;
  return settings;
}

BenchPort port_in(const char* group, uint16_t rx_queues = 1) {
  BenchPort port;
  port.settings.group = group;
  port.rx_queues = rx_queues;
  return port;
}

// One access port and `nics` uplinks.
std::vector<BenchPort> fan(unsigned nics, uint16_t access_rx_queues = 1) {
  std::vector<BenchPort> ports = {port_in("access", access_rx_queues)};
  for (unsigned i = 0; i < nics; ++i) ports.push_back(port_in("uplink"));
  return ports;
}

Bytes flow_frame(const core::FlowPattern& pattern, uint32_t flow, uint32_t packet) {
  return core::make_frame(pattern, flow, packet, test_support::kDstMac, test_support::kSrcMac);
}

// rte_jhash over source, destination and ports of an untagged IPv4 or IPv6 frame without options.
uint32_t dpdk_hash(const Bytes& frame, uint32_t seed) {
  uint8_t key[36];
  const bool v6 = frame[12] == 0x86;
  const size_t addresses = v6 ? 32 : 8;
  std::memcpy(key, &frame[v6 ? 22 : 26], addresses);
  std::memcpy(key + addresses, &frame[v6 ? 54 : 34], 4);
  return rte_jhash(key, static_cast<uint32_t>(addresses + 4), seed);
}

TEST(Steering, EveryFrameLeavesByTheQueueOfTheDocumentsRule) {
  struct Row {
    const char* name;
    unsigned nics;
    uint16_t queues;
    uint32_t seed;
  };
  for (const Row& row :
       {Row{"one NIC, one queue", 1, 1, 0}, Row{"two NICs", 2, 1, 0}, Row{"four NICs, two queues", 4, 2, 0},
        Row{"three NICs, three queues, seeded", 3, 3, 0xfeed}, Row{"five NICs, one queue", 5, 1, 7}}) {
    SCOPED_TRACE(row.name);
    core::Settings settings = gateway(row.queues);
    settings.distribution.seed = row.seed;
    RingBench bench(settings, fan(row.nics));
    const core::FlowPattern pattern{.flows = 300, .ip = core::IpVersion::mixed, .sizes = {128, 600}};
    std::map<unsigned, std::vector<Bytes>> expected;  // by rule's queue over all NICs
    for (uint32_t packet = 0; packet < 3; ++packet) {
      for (uint32_t flow = 0; flow < pattern.flows; ++flow) {
        const Bytes frame = flow_frame(pattern, flow, packet);
        bench.put(0, 0, frame);
        expected[dpdk_hash(frame, row.seed) % (row.queues * row.nics)].push_back(frame);
      }
    }
    bench.run();
    for (uint16_t nic = 0; nic < row.nics; ++nic) {
      for (uint16_t q = 0; q < row.queues; ++q) {
        EXPECT_EQ(bench.take(static_cast<uint16_t>(nic + 1), q), expected[nic * row.queues + q])
            << "nic " << nic << " queue " << q;
      }
    }
    EXPECT_TRUE(bench.ledger().balanced());
    EXPECT_EQ(bench.ledger().sent, 900u);
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

TEST(Steering, UplinkSendsToAccess) {
  RingBench bench(gateway(2), {port_in("access"), port_in("uplink"), port_in("access")});
  const core::FlowPattern pattern{.flows = 64};
  for (uint32_t flow = 0; flow < pattern.flows; ++flow) bench.put(1, 0, flow_frame(pattern, flow, 0));
  bench.run();
  EXPECT_EQ(bench.sent_by(1, 0) + bench.sent_by(1, 1), 0u);
  size_t out = 0;
  for (uint16_t port : {0, 2}) {
    for (uint16_t q : {0, 1}) out += bench.take(port, q).size();
  }
  EXPECT_EQ(out, 64u);
}

// Two workers, each with its own RX queue and its own TX queues; flows are split over RX queues as RSS would.
TEST(Steering, TwoWorkersKeepEveryFlowInOrder) {
  constexpr uint16_t kQueues = 2;
  constexpr unsigned kNics = 2;
  constexpr uint32_t kPackets = 100;
  RingBench bench(gateway(kQueues), fan(kNics, 2), 2);
  const core::FlowPattern pattern{.flows = 200, .kind = core::FlowKind::udp};
  for (uint32_t packet = 0; packet < kPackets; ++packet) {
    for (uint32_t flow = 0; flow < pattern.flows; ++flow) {
      bench.put(0, static_cast<uint16_t>(flow % 2), flow_frame(pattern, flow, packet));
    }
  }
  bench.run();
  ASSERT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.ledger().sent, uint64_t{kPackets} * pattern.flows);
  EXPECT_EQ(bench.worker(0).ingress(0).rx_packets.read(), uint64_t{kPackets} * 100);
  EXPECT_EQ(bench.worker(1).ingress(0).rx_packets.read(), uint64_t{kPackets} * 100);

  std::map<Bytes, std::vector<uint32_t>>
      packets_of_flow;  // addresses and ports -> packet numbers as they came out
  for (uint16_t nic = 0; nic < kNics; ++nic) {
    for (uint16_t worker = 0; worker < 2; ++worker) {
      for (uint16_t q = 0; q < kQueues; ++q) {
        for (const Bytes& frame :
             bench.take(static_cast<uint16_t>(nic + 1), static_cast<uint16_t>(worker * kQueues + q))) {
          EXPECT_EQ(dpdk_hash(frame, 0) % (kQueues * kNics), nic * kQueues + q);
          packets_of_flow[Bytes(&frame[26], &frame[38])].push_back(core::load_be32(&frame[42]));
        }
      }
    }
  }
  std::vector<uint32_t> in_order(kPackets);
  std::iota(in_order.begin(), in_order.end(), 0);
  EXPECT_EQ(packets_of_flow.size(), pattern.flows);
  for (const auto& [flow, packets] : packets_of_flow) ASSERT_EQ(packets, in_order);
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// The header in segments of a few bytes must lead to the same queue as in one piece, and leave as it came.
TEST(Steering, SplitHeadersAreReadAsOne) {
  for (uint16_t segment_bytes : {1, 7, 13, 14, 33, 41, 54}) {
    SCOPED_TRACE(segment_bytes);
    RingBench bench(gateway(2), fan(4));
    const core::FlowPattern pattern{.flows = 40, .ip = core::IpVersion::mixed, .sizes = {200}};
    std::map<unsigned, std::vector<Bytes>> expected;
    for (uint32_t flow = 0; flow < pattern.flows; ++flow) {
      const Bytes frame = flow_frame(pattern, flow, 0);
      bench.put(0, 0, frame, segment_bytes);
      expected[dpdk_hash(frame, 0) % 8].push_back(frame);
    }
    bench.run();
    for (unsigned q = 0; q < 8; ++q) {
      EXPECT_EQ(bench.take(static_cast<uint16_t>(q / 2 + 1), q % 2), expected[q]) << "queue " << q;
    }
  }
}

// Pure ACKs (54 bytes, nothing behind the TCP header) spread like data of the same flows; fault B06 of
// bonding.
TEST(Steering, AcksWithoutDataSpreadByTheirPorts) {
  RingBench bench(gateway(1), fan(4));
  std::map<unsigned, size_t> expected;
  for (uint16_t port = 1000; port < 1064; ++port) {
    const Bytes ack = test_support::ethernet(
        test_support::kIpv4, test_support::ipv4({.proto = test_support::kTcp}, test_support::tcp(port, 80)));
    ASSERT_EQ(ack.size(), 54u);
    bench.put(0, 0, ack, port % 2 ? 34 : 0);  // every other one with the TCP header alone in its segment
    ++expected[dpdk_hash(ack, 0) % 4];
  }
  bench.run();
  EXPECT_EQ(expected.size(), 4u);
  for (uint16_t nic = 0; nic < 4; ++nic)
    EXPECT_EQ(bench.take(static_cast<uint16_t>(nic + 1), 0).size(), expected[nic]);
}

// The flow count behind the yardstick does not depend on how well the hash spreads.
TEST(Steering, FlowsAreCountedUnderARivalHashToo) {
  for (core::HashAlgorithm hash : {core::HashAlgorithm::jenkins, core::HashAlgorithm::bond_l2}) {
    SCOPED_TRACE(core::name_of(hash));
    core::Settings settings = gateway(1);
    settings.distribution.hash = hash;
    RingBench bench(settings, fan(4));
    const core::FlowPattern pattern{.flows = 500};
    for (int packet = 0; packet < 2; ++packet) {
      for (uint32_t flow = 0; flow < pattern.flows; ++flow) bench.put(0, 0, flow_frame(pattern, flow, 0));
    }
    bench.run();
    EXPECT_NEAR(static_cast<double>(bench.worker(0).flows(1).estimate()), 500, 25);
  }
}

}  // namespace
