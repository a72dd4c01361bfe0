// SPDX-License-Identifier: BSD-3-Clause
// testpmd's modes and the gateway's rewriting: exact bytes in, exact bytes out.
#include <gtest/gtest.h>

#include <set>

#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace {

using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

core::Settings in_mode(core::Mode mode) {
  core::Settings settings;
  settings.engine.mode = mode;
  settings.distribution.queues_per_nic = 1;
  return settings;
}

const Bytes kUdp4 =
    test_support::ethernet(test_support::kIpv4, test_support::ipv4({}, test_support::udp(1000, 2000)));

// The same with both MAC addresses replaced.
Bytes with_macs(Bytes frame, const core::MacAddress& dst, const core::MacAddress& src) {
  std::copy(dst.begin(), dst.end(), frame.begin());
  std::copy(src.begin(), src.end(), frame.begin() + 6);
  return frame;
}

TEST(Modes, PairedAsInTestpmd) {
  RingBench bench(in_mode(core::Mode::io), std::vector<BenchPort>(5));
  for (uint16_t port = 0; port < 5; ++port) bench.put(port, 0, Bytes(60, static_cast<uint8_t>(port)));
  bench.run();
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, 4}}) {
    EXPECT_EQ(bench.take(static_cast<uint16_t>(to), 0),
              std::vector<Bytes>{Bytes(60, static_cast<uint8_t>(from))})
        << from << " -> " << to;
  }
  EXPECT_TRUE(bench.ledger().balanced());
}

TEST(Modes, IoTouchesNothing) {
  RingBench bench(in_mode(core::Mode::io), std::vector<BenchPort>(2));
  std::vector<Bytes> frames;
  for (size_t size = 14; size < 1522; size += 13) frames.push_back(Bytes(size, static_cast<uint8_t>(size)));
  for (const Bytes& frame : frames) bench.put(0, 0, frame);
  bench.run();
  EXPECT_EQ(bench.take(1, 0), frames);
}

// PAUSE ends at the port in every mode (fault B36); with the ethertype in a segment of its own, too.
TEST(Modes, MacControlIsNeverForwarded) {
  const Bytes pause =
      test_support::padded(test_support::ethernet(test_support::kMacControl, {0, 1, 0xff, 0xff}));
  for (core::Mode mode :
       {core::Mode::io, core::Mode::mac, core::Mode::macswap, core::Mode::five_tuple_swap}) {
    SCOPED_TRACE(core::name_of(mode));
    RingBench bench(in_mode(mode), std::vector<BenchPort>(2));
    bench.put(0, 0, pause);
    bench.put(0, 0, pause, 13);
    bench.put(0, 0, Bytes(13, 1));
    bench.run();
    EXPECT_EQ(bench.dropped(0, core::DropReason::mac_control), 2u);
    EXPECT_EQ(bench.dropped(0, core::DropReason::runt), 1u);
    EXPECT_TRUE(bench.take(1, 0).empty());
    EXPECT_TRUE(bench.ledger().balanced());
  }
}

TEST(Modes, MacSetsPeerAndOwnAddress) {
  std::vector<BenchPort> ports(2);
  ports[0].settings.next_hop_mac = core::MacAddress{2, 4, 6, 8, 10, 12};
  RingBench bench(in_mode(core::Mode::mac), ports);
  bench.put(0, 0, kUdp4);
  bench.put(1, 0, kUdp4);
  bench.run();
  const auto& plan = bench.plan();
  const core::MacAddress peer = {0x02, 0, 0, 0, 0, static_cast<uint8_t>(plan.ports[1].port)};
  EXPECT_EQ(bench.take(1, 0), std::vector<Bytes>{with_macs(kUdp4, peer, plan.ports[1].mac)});
  EXPECT_EQ(bench.take(0, 0), std::vector<Bytes>{with_macs(kUdp4, {2, 4, 6, 8, 10, 12}, plan.ports[0].mac)});
}

TEST(Modes, MacSwap) {
  for (uint16_t segment_bytes : {0, 5, 9}) {
    RingBench bench(in_mode(core::Mode::macswap), std::vector<BenchPort>(2));
    bench.put(0, 0, kUdp4, segment_bytes);
    bench.run();
    EXPECT_EQ(bench.take(1, 0),
              std::vector<Bytes>{with_macs(kUdp4, test_support::kSrcMac, test_support::kDstMac)});
  }
}

TEST(Modes, FiveTupleSwap) {
  using test_support::ethernet;
  using test_support::ipv4;
  using test_support::ipv6;
  using test_support::tcp;
  using test_support::udp;
  struct Row {
    const char* name;
    Bytes in, out;
  };
  const auto back = [](uint16_t type, const Bytes& packet) {
    return ethernet(type, packet, test_support::kSrcMac, test_support::kDstMac);
  };
  const test_support::Ipv4 there4{.proto = test_support::kTcp};
  const test_support::Ipv4 back4{.proto = test_support::kTcp, .src = there4.dst, .dst = there4.src};
  const test_support::Ipv6 there6{};
  test_support::Ipv6 back6{};
  std::swap(back6.src, back6.dst);
  const test_support::Ipv4 icmp{.proto = test_support::kIcmp};
  const test_support::Ipv4 icmp_back{.proto = test_support::kIcmp, .src = icmp.dst, .dst = icmp.src};
  const Row rows[] = {
      {"TCP over IPv4", ethernet(test_support::kIpv4, ipv4(there4, tcp(1, 2))),
       back(test_support::kIpv4, ipv4(back4, tcp(2, 1)))},
      {"UDP over IPv6", ethernet(test_support::kIpv6, ipv6(there6, udp(7, 9))),
       back(test_support::kIpv6, ipv6(back6, udp(9, 7)))},
      {"ICMP has no ports", ethernet(test_support::kIpv4, ipv4(icmp, Bytes(8, 3))),
       back(test_support::kIpv4, ipv4(icmp_back, Bytes(8, 3)))},
      {"ARP", ethernet(test_support::kArp, Bytes(28, 1)), back(test_support::kArp, Bytes(28, 1))},
      {"behind a tag",
       ethernet(test_support::kCTag, test_support::vlan(3, 7, test_support::kIpv4, ipv4(there4, tcp(1, 2)))),
       back(test_support::kCTag, test_support::vlan(3, 7, test_support::kIpv4, ipv4(back4, tcp(2, 1))))}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    for (uint16_t segment_bytes : {0, 1, 17}) {
      RingBench bench(in_mode(core::Mode::five_tuple_swap), std::vector<BenchPort>(2));
      bench.put(0, 0, row.in, segment_bytes);
      bench.run();
      EXPECT_EQ(bench.take(1, 0), std::vector<Bytes>{row.out});
    }
  }
}

TEST(Modes, RxOnlyCountsAndFrees) {
  RingBench bench(in_mode(core::Mode::rxonly), std::vector<BenchPort>(2));
  for (int i = 0; i < 100; ++i) bench.put(1, 0, kUdp4);
  bench.run();
  EXPECT_EQ(bench.dropped(1, core::DropReason::rx_only), 100u);
  EXPECT_EQ(bench.ingress(1).rx_bytes, 100 * kUdp4.size());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// Generators fill the TX ring and then wait: nothing is dropped, and each flow of the pattern comes in its
// turn.
TEST(Modes, FlowgenSendsEveryFlowInTurn) {
  core::Settings settings = in_mode(core::Mode::flowgen);
  settings.flowgen = {.flows = 30, .ip = core::IpVersion::mixed, .sizes = {100, 3000}};
  std::vector<BenchPort> ports(1);
  ports[0].settings.mtu = 9000;
  ports[0].ring_slots = 128;
  RingBench bench(settings, ports);
  bench.start();
  while (bench.ledger().held == 0) sched_yield();
  bench.stop();
  const std::vector<Bytes> frames = bench.take(0, 0);
  ASSERT_EQ(frames.size(), 127u);
  const core::MacAddress peer = {0x02, 0, 0, 0, 0, static_cast<uint8_t>(bench.plan().ports[0].port)};
  for (uint32_t i = 0; i < frames.size(); ++i) {
    ASSERT_EQ(frames[i], core::make_frame(settings.flowgen, i % 30, 0, peer, bench.plan().ports[0].mac)) << i;
  }
  EXPECT_EQ(bench.dropped(0, core::DropReason::tx_full), 0u);
  EXPECT_TRUE(bench.ledger().balanced());
}

TEST(Modes, TwoFlowgenWorkersShareTheFlows) {
  core::Settings settings = in_mode(core::Mode::flowgen);
  settings.flowgen.flows = 10;
  std::vector<BenchPort> ports(1);
  ports[0].ring_slots = 64;
  ports[0].rx_queues = 2;
  RingBench bench(settings, ports, 2);
  bench.start();
  while (bench.worker(0).ingress(0).held.read() == 0 || bench.worker(1).ingress(0).held.read() == 0)
    sched_yield();
  bench.stop();
  std::set<Bytes> by_worker[2];
  for (uint16_t worker : {0, 1}) {
    for (const Bytes& frame : bench.take(0, worker)) by_worker[worker].insert(frame);
    EXPECT_EQ(by_worker[worker].size(), 5u);
  }
  for (const Bytes& frame : by_worker[0]) EXPECT_FALSE(by_worker[1].contains(frame));
}

TEST(Modes, TxOnlySendsOneFlow) {
  core::Settings settings = in_mode(core::Mode::txonly);
  std::vector<BenchPort> ports(1);
  ports[0].ring_slots = 64;
  RingBench bench(settings, ports);
  bench.start();
  while (bench.ledger().held == 0) sched_yield();
  bench.stop();
  const std::vector<Bytes> frames = bench.take(0, 0);
  EXPECT_EQ(std::set<Bytes>(frames.begin(), frames.end()).size(), 1u);
  EXPECT_EQ(bench.ledger().received, 0u);
  EXPECT_TRUE(bench.ledger().balanced());
}

TEST(Gateway, NextHopIsWrittenWhereThePortAsksForIt) {
  core::Settings settings = in_mode(core::Mode::gateway);
  std::vector<BenchPort> ports(2);
  ports[0].settings.group = "access";
  ports[1].settings.group = "uplink";
  ports[1].settings.next_hop_mac = core::MacAddress{0x0a, 1, 2, 3, 4, 5};
  for (uint16_t segment_bytes : {0, 8}) {
    RingBench bench(settings, ports);
    bench.put(0, 0, kUdp4, segment_bytes);
    const Bytes back = with_macs(kUdp4, test_support::kSrcMac, test_support::kDstMac);
    bench.put(1, 0, back, segment_bytes);
    bench.run();
    EXPECT_EQ(bench.take(1, 0),
              std::vector<Bytes>{with_macs(kUdp4, {0x0a, 1, 2, 3, 4, 5}, bench.plan().ports[1].mac)});
    EXPECT_EQ(bench.take(0, 0), std::vector<Bytes>{back});
  }
}

}  // namespace
