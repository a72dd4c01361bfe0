// SPDX-License-Identifier: BSD-3-Clause
// NICs that fail, return, drain and change weight while real workers run: which flows move, that the others
// stay byte for byte in order, what becomes of packets held for a dead NIC, and that a planned move waits for
// what is held.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace {

using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

constexpr uint32_t kFlows = 1024;

core::Settings gateway(uint16_t queues_per_nic) {
  core::Settings settings;
  settings.distribution.queues_per_nic = queues_per_nic;
  settings.failover.settle_us = 50;
  settings.engine.hold_packets = 256;
  return settings;
}

// One access port and `nics` uplinks.
std::vector<BenchPort> fan(unsigned nics, unsigned ring_slots = 4096) {
  std::vector<BenchPort> ports(1 + nics);
  ports[0].settings.group = "access";
  for (unsigned nic = 1; nic <= nics; ++nic) {
    ports[nic].settings.tx_descriptors = 32;  // which net_ring does not look at
    ports[nic].settings.group = "uplink";
    ports[nic].ring_slots = ring_slots;
  }
  return ports;
}

const core::FlowPattern kPattern{.flows = kFlows, .ip = core::IpVersion::mixed, .sizes = {128}};

Bytes frame_of(uint32_t flow, uint32_t packet) {
  return core::make_frame(kPattern, flow, packet, test_support::kDstMac, test_support::kSrcMac);
}

// By uplink NIC (from 1) and queue: the frames that came out.
using Outcome = std::map<std::pair<uint16_t, uint16_t>, std::vector<Bytes>>;

Outcome take_all(RingBench& bench, unsigned nics, unsigned tx_queues) {
  Outcome outcome;
  for (uint16_t nic = 1; nic <= nics; ++nic) {
    for (uint16_t queue = 0; queue < tx_queues; ++queue) outcome[{nic, queue}] = bench.take(nic, queue);
  }
  return outcome;
}

// Sends packet number `packet` of every flow and says what came out.
Outcome round_of(RingBench& bench, uint32_t packet, unsigned nics, unsigned tx_queues) {
  for (uint32_t flow = 0; flow < kFlows; ++flow) bench.put(0, 0, frame_of(flow, packet));
  bench.wait_until_quiet();
  return take_all(bench, nics, tx_queues);
}

// The NIC and queue of every flow, checking that each frame came out once and unchanged, in order within its
// queue.
std::map<uint32_t, std::pair<uint16_t, uint16_t>> places(const Outcome& outcome, uint32_t packet) {
  std::map<Bytes, uint32_t> flow_of;
  for (uint32_t flow = 0; flow < kFlows; ++flow) flow_of[frame_of(flow, packet)] = flow;
  std::map<uint32_t, std::pair<uint16_t, uint16_t>> places;
  for (const auto& [place, frames] : outcome) {
    int64_t last = -1;
    for (const Bytes& frame : frames) {
      const auto found = flow_of.find(frame);
      if (found == flow_of.end()) {
        ADD_FAILURE() << "a frame that was not sent in this round came out";
        continue;
      }
      EXPECT_GT(found->second, last) << "another order than they came in";
      last = found->second;
      EXPECT_TRUE(places.emplace(found->second, place).second) << "doubled";
    }
  }
  EXPECT_EQ(places.size(), kFlows);
  return places;
}

struct Shape {
  unsigned nics;
  uint16_t queues;
};

class NicLost : public testing::TestWithParam<Shape> {};

TEST_P(NicLost, OnlyItsFlowsMoveAndComeHome) {
  const auto [nics, queues] = GetParam();
  core::Settings settings = gateway(queues);
  settings.engine.hold_packets = 16;  // 16 x 16 queues must fit into the memory of a test
  RingBench bench(settings, fan(nics));
  bench.start();
  const auto healthy = places(round_of(bench, 0, nics, queues), 0);
  for (const uint16_t lost :
       std::set<uint16_t>{1, static_cast<uint16_t>((nics + 1) / 2), static_cast<uint16_t>(nics)}) {
    SCOPED_TRACE("NIC " + std::to_string(lost) + " lost");
    std::vector<bool> up(1 + nics, true);
    up[lost] = false;
    bench.change(bench.settings(), up);
    bench.wait_until_settled();
    const auto after = places(round_of(bench, lost, nics, queues), lost);
    std::map<uint16_t, unsigned> received;
    for (uint32_t flow = 0; flow < kFlows; ++flow) {
      EXPECT_NE(after.at(flow).first, lost);
      if (healthy.at(flow).first != lost) {
        EXPECT_EQ(after.at(flow), healthy.at(flow)) << "flow " << flow;
      }
    }
    // Buckets: exactly those of the lost NIC, one in `nics`, and even over the survivors.
    const core::TablePlan& table = bench.plan().groups[1].table(0);
    unsigned moved = 0;
    for (uint32_t bucket = 0; bucket < table.slots.size(); ++bucket) {
      const bool was_there = bucket % (queues * nics) / queues == lost - 1u;
      moved += was_there;
      const uint16_t nic = bench.plan().port_of_exit[table.exit_of_bucket[bucket]];
      if (was_there) ++received[nic];
      if (!was_there) {
        ASSERT_EQ(nic, bucket % (queues * nics) / queues + 1);
      }
    }
    EXPECT_EQ(moved * nics, table.slots.size());
    for (const auto& [nic, buckets] : received) {
      EXPECT_LE(std::abs(static_cast<double>(buckets) - static_cast<double>(moved) / (nics - 1)), 1.0)
          << "NIC " << nic;
    }
    bench.change(bench.settings());
    bench.wait_until_settled();
    const auto back = places(round_of(bench, 100u + lost, nics, queues), 100u + lost);
    EXPECT_EQ(back, healthy);
  }
  bench.stop();
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.ledger().dropped, 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, NicLost,
                         testing::Values(Shape{2, 1}, Shape{2, 16}, Shape{3, 2}, Shape{4, 1}, Shape{4, 2},
                                         Shape{5, 3}, Shape{8, 4}, Shape{16, 1}, Shape{16, 16}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.nics) + "x" + std::to_string(shape.param.queues);
                         });

TEST(Failover, EveryMemberDownDropsAndOneReturns) {
  RingBench bench(gateway(1), fan(2));
  bench.start();
  bench.change(bench.settings(), {true, false, false});
  bench.wait_until_settled();
  for (uint32_t flow = 0; flow < kFlows; ++flow) bench.put(0, 0, frame_of(flow, 0));
  bench.wait_until_quiet();
  EXPECT_EQ(bench.dropped(0, core::DropReason::no_member), kFlows);
  bench.change(bench.settings(), {true, false, true});
  bench.wait_until_settled();
  const Outcome outcome = round_of(bench, 1, 2, 1);
  bench.stop();
  EXPECT_EQ(outcome.at({1, 0}).size(), 0u);
  EXPECT_EQ(outcome.at({2, 0}).size(), kFlows);
  EXPECT_TRUE(bench.ledger().balanced());
}

// The first NIC's ring takes 63 packets; what is more of its share is held.
std::vector<BenchPort> two_nics_one_slow() {
  std::vector<BenchPort> ports = fan(2);
  ports[1].ring_slots = 64;
  return ports;
}

// Packet number `packet` of 256 flows.
void send_256(RingBench& bench, uint32_t packet) {
  for (uint32_t flow = 0; flow < 256; ++flow) bench.put(0, 0, frame_of(flow, packet));
  bench.wait_until_quiet();
}

// A NIC fails while packets are held for it.
TEST(Failover, WhatIsHeldForADeadNicGoesFirst) {
  RingBench bench(gateway(1), two_nics_one_slow());
  bench.start();
  send_256(bench, 0);
  const uint64_t held = bench.ledger().held;
  ASSERT_GT(held, 0u);
  const std::vector<Bytes> before = bench.take(2, 0);
  bench.change(bench.settings(), {true, false, true});
  bench.wait_until_settled();
  send_256(bench, 1);
  bench.stop();
  const std::vector<Bytes> taken_by_dead = bench.take(1, 0), after = bench.take(2, 0);
  EXPECT_EQ(taken_by_dead.size(), 63u);
  EXPECT_EQ(before.size() + taken_by_dead.size() + held, 256u);
  ASSERT_EQ(after.size(), held + 256);
  // What NIC 1 was to have beyond its ring, in order; then all of the second round.
  std::vector<Bytes> expected;
  std::set<Bytes> gone(before.begin(), before.end());
  gone.insert(taken_by_dead.begin(), taken_by_dead.end());
  for (uint32_t flow = 0; flow < 256; ++flow) {
    if (!gone.contains(frame_of(flow, 0))) expected.push_back(frame_of(flow, 0));
  }
  for (uint32_t flow = 0; flow < 256; ++flow) expected.push_back(frame_of(flow, 1));
  EXPECT_EQ(after, expected);
  EXPECT_EQ(bench.ledger().sent, 512u);
  EXPECT_TRUE(bench.ledger().balanced());
}

// A drain is planned: while the old NIC holds packets, everything of its buckets follows it.
TEST(Failover, ADrainWaitsForWhatIsHeld) {
  RingBench bench(gateway(1), two_nics_one_slow());
  bench.start();
  send_256(bench, 0);
  const uint64_t held = bench.ledger().held;
  ASSERT_GT(held, 0u);
  core::Settings settings = bench.settings();
  settings.ports[1].drain = true;
  bench.change(settings);
  send_256(bench, 1);
  const std::vector<Bytes> other = bench.take(2, 0);
  const uint64_t share = 63 + held;  // flows of NIC 1
  EXPECT_EQ(bench.ledger().held, held + share);
  EXPECT_EQ(other.size(), 2 * (256 - share));
  std::vector<Bytes> by_old;
  while (bench.ledger().held > 0) {  // the NIC's ring is emptied at last
    const std::vector<Bytes> some = bench.take(1, 0);
    by_old.insert(by_old.end(), some.begin(), some.end());
  }
  bench.wait_until_settled();
  send_256(bench, 2);
  bench.stop();
  const std::vector<Bytes> some = bench.take(1, 0);
  by_old.insert(by_old.end(), some.begin(), some.end());
  EXPECT_EQ(by_old.size(), 2 * share);
  EXPECT_EQ(bench.take(2, 0).size(), 256u);
  EXPECT_TRUE(bench.ledger().balanced());
}

// More packets than may wait: all go on by the old exit, those behind them in the same batch as well, in
// order.
TEST(Failover, TooManyThatWaitStayInOrder) {
  constexpr uint32_t kPackets = core::kWaitingPackets + 300;
  for (const uint16_t burst : {24, 32, 100}) {  // the last that may wait is the last of a batch, or is not
    SCOPED_TRACE(burst);
    core::Settings settings = gateway(1);
    settings.engine.burst = burst;
    settings.failover.settle_us = 10'000;
    settings.distribution.buckets_per_queue = 1;
    std::vector<BenchPort> ports = fan(2);
    ports[1].shares_wire = ports[2].shares_wire = true;
    RingBench bench(settings, ports);
    std::vector<Bytes> expected;
    for (uint32_t packet = 0; packet < kPackets; ++packet) {
      expected.push_back(frame_of(3, packet));
      bench.put(0, 0, expected.back());
    }
    settings = bench.settings();
    settings.ports[1].weight = 0;
    settings.ports[2].weight = 0;
    const uint16_t first = bench.plan().groups[1].tables[0].exit_of_bucket[0];
    settings.ports[bench.plan().port_of_exit[first] == 1 ? 2 : 1].weight = 1;  // bucket 0 moves
    bench.change(settings);
    bench.start();
    bench.wait_until_quiet();
    bench.wait_until_settled();
    bench.stop();
    EXPECT_EQ(bench.take(1, 0), expected);
    EXPECT_TRUE(bench.ledger().balanced());
  }
}

TEST(Failover, AStoppedPortIsNeitherPolledNorSentBy) {
  RingBench bench(gateway(2), fan(3));
  bench.start();
  core::Settings settings = bench.settings();
  settings.ports[2].enabled = false;
  bench.change(settings);
  bench.wait_until_settled();
  const Outcome outcome = round_of(bench, 0, 3, 2);
  EXPECT_EQ(outcome.at({2, 0}).size() + outcome.at({2, 1}).size(), 0u);
  bench.stop();
  bench.put(2, 0, frame_of(0, 0));
  EXPECT_EQ(bench.ingress(2).rx_packets, 0u);
  EXPECT_EQ(bench.ledger().sent, kFlows);
}

// Priority 3 may not use NIC 1; the others may.
TEST(Failover, APriorityKeepsOffAMember) {
  core::Settings settings = gateway(1);
  std::vector<BenchPort> ports = fan(2);
  ports[1].settings.excluded_priorities = 1 << 3;
  RingBench bench(settings, ports);
  const auto tagged = [](uint8_t pcp, uint32_t flow) {
    Bytes frame = frame_of(flow, 0);
    const Bytes tag = {0x81, 0x00, static_cast<uint8_t>(pcp << 5), 0x05};
    frame.insert(frame.begin() + 12, tag.begin(), tag.end());
    return frame;
  };
  for (const uint8_t pcp : {uint8_t{3}, uint8_t{4}}) {
    for (uint32_t flow = 0; flow < 200; ++flow) bench.put(0, 0, tagged(pcp, flow));
  }
  bench.start();
  bench.wait_until_quiet();
  const auto with_priority = [](const std::vector<Bytes>& frames, uint8_t pcp) {
    return std::count_if(frames.begin(), frames.end(),
                         [pcp](const Bytes& frame) { return frame[14] >> 5 == pcp; });
  };
  const std::vector<Bytes> first = bench.take(1, 0), second = bench.take(2, 0);
  EXPECT_EQ(with_priority(first, 3), 0);
  EXPECT_EQ(with_priority(second, 3), 200);
  EXPECT_GT(with_priority(first, 4), 50);
  // Under way another priority is taken off the other NIC.
  settings = bench.settings();
  settings.ports[2].excluded_priorities = 1 << 4;
  bench.change(settings);
  bench.wait_until_settled();
  for (uint32_t flow = 0; flow < 200; ++flow) bench.put(0, 0, tagged(4, flow));
  bench.wait_until_quiet();
  bench.stop();
  EXPECT_EQ(bench.take(1, 0).size(), 200u);
  EXPECT_EQ(bench.take(2, 0).size(), 0u);
}

}  // namespace
