// SPDX-License-Identifier: BSD-3-Clause
// Every packet is sent, held or dropped for a named reason: what each kind of frame becomes, and what happens
// when TX rings are full.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace {

using core::DropReason;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

BenchPort port_in(const char* group, unsigned ring_slots = 4096) {
  BenchPort port;
  port.settings.group = group;
  port.ring_slots = ring_slots;
  return port;
}

core::Settings gateway() {
  core::Settings settings;
  settings.distribution.queues_per_nic = 1;
  return settings;
}

Bytes udp_frame(size_t frame_bytes, unsigned tags = 0) {
  Bytes payload = test_support::udp(1000, 2000, Bytes(frame_bytes - 14 - 4 * tags - 28, 0xab));
  Bytes packet = test_support::ipv4({}, payload);
  uint16_t type = test_support::kIpv4;
  for (unsigned i = 0; i < tags; ++i) {
    packet = test_support::vlan(0, 100 + i, type, packet);
    type = test_support::kCTag;
  }
  return test_support::ethernet(type, packet);
}

Bytes to_link_local(uint8_t last) {
  return test_support::padded(test_support::ethernet(0x88cc, {}, {0x01, 0x80, 0xc2, 0x00, 0x00, last}));
}

Bytes bad_ipv4() {  // header length 4 words
  return test_support::padded(
      test_support::ethernet(test_support::kIpv4, test_support::ipv4({.version_ihl = 0x44})));
}

struct Case {
  const char* name;
  Bytes frame;
  std::optional<DropReason> dropped;  // nothing: it is forwarded as it came
};

void expect_fates(core::Settings settings, uint16_t mtu, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    BenchPort out = port_in("uplink");
    out.settings.mtu = mtu;
    RingBench bench(settings, {port_in("access"), out});
    bench.put(0, 0, c.frame);
    bench.run();
    const std::vector<Bytes> sent = bench.take(1, 0);
    if (c.dropped) {
      EXPECT_EQ(bench.dropped(0, *c.dropped), 1u);
      EXPECT_TRUE(sent.empty());
    } else {
      EXPECT_EQ(sent, std::vector<Bytes>{c.frame});
    }
    EXPECT_EQ(bench.ledger().received, 1u);
    EXPECT_EQ(bench.ledger().dropped, c.dropped ? 1u : 0u);
    EXPECT_TRUE(bench.ledger().balanced());
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

TEST(Fates, ByKindOfFrame) {
  expect_fates(
      gateway(), 1500,
      {{"13 bytes", Bytes(13, 1), DropReason::runt},
       {"14 bytes", test_support::ethernet(0x1234), {}},
       {"59 bytes", Bytes(59, 1), {}},
       {"PAUSE", test_support::padded(test_support::ethernet(test_support::kMacControl, {0, 1, 0xff, 0xff})),
        DropReason::mac_control},
       {"PFC to a foreign address", test_support::ethernet(test_support::kMacControl, Bytes(20, 1)),
        DropReason::mac_control},
       {"LLDP", to_link_local(0x0e), DropReason::link_local},
       {"LACP", to_link_local(0x02), DropReason::link_local},
       {"01:80:c2:00:00:10 is no reserved address", to_link_local(0x10), {}},
       {"bad IPv4 header passes by MAC addresses", bad_ipv4(), {}},
       {"ARP", test_support::padded(test_support::ethernet(test_support::kArp, Bytes(28, 2))), {}}});
}

TEST(Fates, BySetting) {
  core::Settings settings = gateway();
  settings.engine.link_local = core::Treatment::pass;
  settings.engine.malformed = core::Treatment::drop;
  expect_fates(settings, 1500,
               {{"LLDP", to_link_local(0x0e), {}},
                {"MAC control ends here all the same",
                 test_support::ethernet(test_support::kMacControl, Bytes(46, 1)), DropReason::mac_control},
                {"bad IPv4 header", bad_ipv4(), DropReason::malformed}});
}

// The MTU counts what follows the Ethernet header and its tags; lengths of fault B16.
TEST(Fates, ByLength) {
  expect_fates(gateway(), 1500,
               {{"64", udp_frame(64), {}},
                {"132", udp_frame(132), {}},
                {"133", udp_frame(133), {}},
                {"1514", udp_frame(1514), {}},
                {"1515", udp_frame(1515), DropReason::too_big},
                {"1518 with a tag", udp_frame(1518, 1), {}},
                {"1519 with a tag", udp_frame(1519, 1), DropReason::too_big},
                {"1522 with two tags", udp_frame(1522, 2), {}},
                {"1523 with two tags", udp_frame(1523, 2), DropReason::too_big},
                {"9000", udp_frame(9000), DropReason::too_big}});
  expect_fates(gateway(), 9216,
               {{"9000 in a chain", udp_frame(9000), {}},
                {"9230", udp_frame(9230), {}},
                {"9231", udp_frame(9231), DropReason::too_big}});
}

TEST(Fates, NoMemberTakesIt) {
  BenchPort out = port_in("uplink");
  out.settings.weight = 0;
  RingBench bench(gateway(), {port_in("access"), out});
  for (int i = 0; i < 10; ++i) bench.put(0, 0, udp_frame(100));
  bench.run();
  EXPECT_EQ(bench.dropped(0, DropReason::no_member), 10u);
  EXPECT_TRUE(bench.ledger().balanced());
}

// A port that plays a capture and writes none: what the rule sends there is dropped by name, whatever the
// mode, and two workers may share the port, since nothing is shared.
TEST(Fates, APortThatCannotSend) {
  for (core::Mode mode : {core::Mode::gateway, core::Mode::io}) {
    SCOPED_TRACE(core::name_of(mode));
    core::Settings settings = gateway();
    settings.engine.mode = mode;
    BenchPort silent = port_in("access");
    silent.sends = false;
    RingBench bench(settings, {silent, port_in("uplink")}, 2);
    for (int i = 0; i < 10; ++i) bench.put(1, 0, udp_frame(100));
    bench.run();
    EXPECT_EQ(bench.dropped(1, DropReason::no_tx), 10u);
    EXPECT_TRUE(bench.ledger().balanced());
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

// A burst of everything: each frame by its own class, nothing carried over from its neighbour (faults B25,
// B57).
TEST(Fates, MixedBurst) {
  RingBench bench(gateway(), {port_in("access"), port_in("uplink")});
  std::vector<Bytes> expected;
  for (int i = 0; i < 20; ++i) {
    const Bytes ipv6 =
        test_support::ethernet(test_support::kIpv6, test_support::ipv6({}, test_support::udp(1, 2)));
    for (const Bytes& frame : {udp_frame(64), ipv6, udp_frame(80, 2)}) {
      bench.put(0, 0, frame);
      expected.push_back(frame);
    }
    bench.put(0, 0, to_link_local(0x0e));
    bench.put(0, 0, test_support::ethernet(test_support::kMacControl, Bytes(46, 1)));
    bench.put(0, 0, Bytes(9, 9));
  }
  bench.run();
  EXPECT_EQ(bench.take(1, 0), expected);
  EXPECT_EQ(bench.dropped(0, DropReason::link_local), 20u);
  EXPECT_EQ(bench.dropped(0, DropReason::mac_control), 20u);
  EXPECT_EQ(bench.dropped(0, DropReason::runt), 20u);
  EXPECT_EQ(bench.ingress(0).seen[static_cast<size_t>(core::Protocol::udp)], 60u);
}

Bytes numbered(uint32_t number) {
  Bytes frame = udp_frame(64);
  core::store_be32(&frame[42], number);
  return frame;
}

std::vector<uint32_t> numbers_of(const std::vector<Bytes>& frames) {
  std::vector<uint32_t> numbers;
  for (const Bytes& frame : frames) numbers.push_back(core::load_be32(&frame[42]));
  return numbers;
}

std::vector<uint32_t> counting(uint32_t first, uint32_t count) {
  std::vector<uint32_t> numbers(count);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

// A TX ring of 63 and a hold of 100: 63 sent, 100 held, 37 dropped; then room again, and order kept (fault
// B11).
TEST(BackPressure, HeldThenDroppedThenSentInOrder) {
  core::Settings settings = gateway();
  settings.engine.hold_packets = 100;
  RingBench bench(settings, {port_in("access"), port_in("uplink", 64)});
  for (uint32_t i = 0; i < 200; ++i) bench.put(0, 0, numbered(i));
  bench.start();
  bench.wait_until_quiet();
  EXPECT_EQ(bench.ledger().sent, 63u);
  EXPECT_EQ(bench.ledger().held, 100u);
  EXPECT_EQ(bench.dropped(0, DropReason::tx_full), 37u);
  EXPECT_TRUE(bench.ledger().balanced());

  // The peer reads again: what was held comes first, then a new packet.
  std::vector<Bytes> came_out = bench.take(1, 0);
  while (bench.ledger().held > 0) {
    const std::vector<Bytes> more = bench.take(1, 0);
    came_out.insert(came_out.end(), more.begin(), more.end());
  }
  bench.put(0, 0, numbered(1000));
  bench.wait_until_quiet();
  bench.stop();
  for (const Bytes& frame : bench.take(1, 0)) came_out.push_back(frame);
  std::vector<uint32_t> expected = counting(0, 163);
  expected.push_back(1000);
  EXPECT_EQ(numbers_of(came_out), expected);
  EXPECT_EQ(bench.ledger().sent, 164u);
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

TEST(BackPressure, WithoutHoldWhatIsRefusedIsDropped) {
  core::Settings settings = gateway();
  settings.engine.hold_packets = 0;
  RingBench bench(settings, {port_in("access"), port_in("uplink", 32)});
  for (uint32_t i = 0; i < 40; ++i) bench.put(0, 0, numbered(i));
  bench.run();
  EXPECT_EQ(bench.dropped(0, DropReason::tx_full), 9u);
  EXPECT_EQ(numbers_of(bench.take(1, 0)), counting(0, 31));
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// A full exit holds back its own packets only.
TEST(BackPressure, OtherExitsGoOn) {
  core::Settings settings = gateway();
  settings.engine.hold_packets = 1000;
  RingBench bench(settings, {port_in("access"), port_in("uplink", 16), port_in("uplink")});
  const core::FlowPattern pattern{.flows = 400};
  for (uint32_t flow = 0; flow < pattern.flows; ++flow) {
    bench.put(0, 0, core::make_frame(pattern, flow, 0, test_support::kDstMac, test_support::kSrcMac));
  }
  bench.start();
  bench.wait_until_quiet();
  EXPECT_EQ(bench.sent_by(1, 0), 15u);
  EXPECT_EQ(bench.ledger().held, 400u - 15u - bench.sent_by(2, 0));
  EXPECT_GT(bench.sent_by(2, 0), 100u);
  bench.stop();
}

// What cannot be sent within the time that stopping gives is dropped as `stopped`, and no mbuf is lost.
TEST(BackPressure, HeldAtTheEndIsDroppedAsStopped) {
  core::Settings settings = gateway();
  settings.engine.hold_packets = 50;
  RingBench bench(settings, {port_in("access"), port_in("uplink", 16)});
  for (uint32_t i = 0; i < 60; ++i) bench.put(0, 0, numbered(i));
  bench.run();
  EXPECT_EQ(bench.dropped(0, DropReason::stopped), 45u);
  EXPECT_EQ(bench.ledger().held, 0u);
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(numbers_of(bench.take(1, 0)), counting(0, 15));
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// What control posted before it said stop is sent, not forgotten in the ring between them.
TEST(Fates, PostedBeforeStop) {
  RingBench bench(gateway(), {port_in("access"), port_in("uplink")});
  rte_mbuf* question = rte_pktmbuf_alloc(bench.pool());
  ASSERT_NE(question, nullptr);
  std::memset(rte_pktmbuf_append(question, 60), 0, 60);
  question->port = bench.dpdk_port(1);
  ASSERT_TRUE(bench.worker(0).post(question, bench.plan().ports[1].first_exit));
  const std::atomic<bool> stop{true};
  bench.worker(0).run(stop);
  EXPECT_EQ(bench.ingress(1).generated, 1u);
  EXPECT_EQ(bench.take(1, 0).size(), 1u);
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

}  // namespace
