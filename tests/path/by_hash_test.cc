// SPDX-License-Identifier: BSD-3-Clause
// owner = "by_hash": a TX queue belongs to one worker, whichever received the packet. The queue of every
// frame, the order of every flow, the books of packets that are handed over, full queues, a stop with packets
// on the way, NICs that fail or drain, and the modes that do not look at flows.
#include "support/by_hash.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <set>

namespace {

using namespace test_support::two_workers;
using core::DropReason;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

TEST(ByHash, EveryFrameLeavesByTheQueueOfTheDocumentsRule) {
  struct Row {
    const char* name;
    unsigned nics;
    uint16_t queues;
    unsigned workers;
  };
  for (const Row& row : {Row{"one NIC, one queue", 1, 1, 2}, Row{"two NICs, one queue", 2, 1, 2},
                         Row{"two NICs, two queues", 2, 2, 2}, Row{"three NICs, three queues", 3, 3, 2},
                         Row{"four NICs, two queues", 4, 2, 2}, Row{"one worker needs no ring", 3, 2, 1}}) {
    for (const uint32_t other_way : {0, 1}) {  // which worker receives a flow makes no difference
      SCOPED_TRACE(std::string(row.name) + ", " + std::to_string(other_way));
      RingBench bench(by_hash(row.queues), fan(row.nics), row.workers);
      std::map<unsigned, std::set<Bytes>> expected;  // by rule's queue over all NICs
      uint64_t to_others = 0;
      for (uint32_t packet = 0; packet < 4; ++packet) {
        for (uint32_t flow = 0; flow < kPattern.flows; ++flow) {
          const Bytes frame = frame_of(flow, packet);
          const auto rx_queue = static_cast<uint16_t>((flow + other_way) % 2);
          bench.put(0, rx_queue, frame);
          const unsigned q = rule(frame, row.queues * row.nics);
          expected[q].insert(frame);
          const auto exit = static_cast<uint16_t>(bench.plan().ports[1].first_exit + q);
          to_others += core::owner_of(exit, row.workers) != rx_queue % row.workers;
        }
      }
      bench.run();
      for (unsigned q = 0; q < row.queues * row.nics; ++q) {
        const std::vector<Bytes> out =
            bench.take(static_cast<uint16_t>(q / row.queues + 1), static_cast<uint16_t>(q % row.queues));
        EXPECT_EQ(std::set<Bytes>(out.begin(), out.end()), expected[q]) << "queue " << q;
        EXPECT_EQ(out.size(), expected[q].size());
        Numbers numbers;
        note(out, numbers);
        expect_in_order(numbers);
      }
      expect_balanced(bench);
      EXPECT_EQ(bench.totals().handed_over, to_others);
      EXPECT_EQ(to_others > 0, row.workers > 1);
      for (unsigned w = 0; w < row.workers; ++w) {
        const unsigned other = row.workers - 1 - w;
        EXPECT_EQ(bench.worker(w).ingress(0).handed_over.read(),
                  bench.worker(other).ingress(0).taken_over.read());
      }
      EXPECT_EQ(bench.ledger().sent, 4u * kPattern.flows);
      EXPECT_EQ(bench.mbufs_in_use(), 0u);
    }
  }
}

// More than the ring between two workers takes at a time.
TEST(ByHash, ManyPacketsKeepTheOrderOfTheirFlows) {
  constexpr uint32_t kPackets = 60;
  RingBench bench(by_hash(2, 4096), fan(2), 2);
  for (uint32_t packet = 0; packet < kPackets; ++packet) {
    for (uint32_t flow = 0; flow < kPattern.flows; ++flow) {
      bench.put(0, static_cast<uint16_t>(flow % 2), frame_of(flow, packet));
    }
  }
  bench.start();
  Numbers numbers;
  while (count_of(numbers) < kPackets * kPattern.flows) {
    size_t taken = 0;
    for (uint16_t nic : {1, 2}) {
      for (uint16_t q : {0, 1}) {
        const std::vector<Bytes> out = bench.take(nic, q);
        taken += out.size();
        note(out, numbers);
      }
    }
    if (taken == 0) sched_yield();
  }
  bench.stop();
  EXPECT_EQ(numbers.size(), kPattern.flows);
  for (const auto& [flow, of_flow] : numbers) EXPECT_EQ(of_flow.size(), kPackets);
  expect_in_order(numbers);
  expect_balanced(bench);
  EXPECT_GT(bench.totals().handed_over, 0u);
  EXPECT_EQ(bench.ledger().dropped, 0u);
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

// Workers stop at once while packets are on their way between them, with room on the wires and without.
TEST(ByHash, AStopLosesNothing) {
  for (const unsigned ring_slots : {4096u, 64u}) {
    for (const uint64_t stop_after : {1, 300, 2000}) {
      SCOPED_TRACE(std::to_string(ring_slots) + " slots, stopped after " + std::to_string(stop_after));
      std::vector<BenchPort> ports = fan(2);
      ports[1].ring_slots = ports[2].ring_slots = ring_slots;
      RingBench bench(by_hash(2, 4096), ports, 2);
      for (uint32_t packet = 0; packet < 30; ++packet) {
        for (uint32_t flow = 0; flow < kPattern.flows; ++flow) {
          bench.put(0, static_cast<uint16_t>(flow % 2), frame_of(flow, packet));
        }
      }
      bench.start();
      while (bench.totals().rx_packets < stop_after) sched_yield();
      bench.stop();
      Numbers numbers;
      for (uint16_t nic : {1, 2}) {
        for (uint16_t q : {0, 1}) note(bench.take(nic, q), numbers);
      }
      expect_in_order(numbers);
      expect_balanced(bench);
      const core::Ledger ledger = bench.ledger();
      EXPECT_EQ(ledger.held, 0u);
      EXPECT_EQ(ledger.sent, count_of(numbers));
      EXPECT_EQ(ledger.dropped, bench.dropped(0, DropReason::stopped));
      const unsigned not_received = rte_ring_count(bench.rx_ring(0, 0)) + rte_ring_count(bench.rx_ring(0, 1));
      EXPECT_EQ(ledger.received + not_received, 30u * kPattern.flows);
      EXPECT_EQ(bench.mbufs_in_use(), not_received);
    }
  }
}

// Modes that pair ports send by the queue with the number of the RX queue, from whichever worker owns it.
TEST(ByHash, ModesThatPairPorts) {
  struct Row {
    core::Mode mode;
    core::MacAddress dst, src;  // of what leaves
  };
  const core::MacAddress next_hop = {2, 4, 6, 8, 10, 12};
  for (const Row& row :
       {Row{core::Mode::io, test_support::kDstMac, test_support::kSrcMac}, Row{core::Mode::mac, next_hop, {}},
        Row{core::Mode::macswap, test_support::kSrcMac, test_support::kDstMac}}) {
    SCOPED_TRACE(core::name_of(row.mode));
    core::Settings settings = by_hash(2);
    settings.engine.mode = row.mode;
    std::vector<BenchPort> ports(4);
    ports[0].rx_queues = 2;
    ports[1].settings.next_hop_mac = next_hop;
    // Port 2 has three RX queues, so that a worker receives packets for a queue that is not its own.
    ports[2].rx_queues = 3;
    ports[3].settings.next_hop_mac = next_hop;
    RingBench bench(settings, ports, 2);
    std::map<std::pair<uint16_t, uint16_t>, Numbers> expected;
    size_t put = 0;
    for (uint32_t packet = 0; packet < 40; ++packet) {
      for (uint32_t flow = 0; flow < 60; ++flow) {
        const auto in = static_cast<uint16_t>(flow % 2 * 2),
                   rx_queue = static_cast<uint16_t>(flow % (in == 0 ? 2 : 3));
        const Bytes frame = frame_of(flow, packet);
        bench.put(in, rx_queue, frame);
        note({frame}, expected[{static_cast<uint16_t>(in + 1), static_cast<uint16_t>(rx_queue % 2)}]);
        ++put;
      }
    }
    bench.run();
    for (const uint16_t port : {1, 3}) {
      for (const uint16_t queue : {0, 1}) {
        const std::vector<Bytes> out = bench.take(port, queue);
        Numbers numbers;
        note(out, numbers);
        EXPECT_EQ(numbers, (expected[{port, queue}])) << "port " << port << " queue " << queue;
        for (const Bytes& frame : out) {
          ASSERT_TRUE(std::equal(row.dst.begin(), row.dst.end(), frame.begin()));
          ASSERT_TRUE(std::equal(row.src.begin(), row.src.end(), frame.begin() + 6));
        }
      }
    }
    EXPECT_EQ(bench.ledger().sent, put);
    EXPECT_GT(bench.totals().handed_over, 0u);
    expect_balanced(bench);
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

// Worker 1 makes half of the flows and owns no queue. Generators wait when nobody takes their packets.
TEST(ByHash, FlowgenHandsOverWhatItMakes) {
  core::Settings settings = by_hash(1, 512);
  settings.engine.mode = core::Mode::flowgen;
  settings.flowgen.flows = 10;
  std::vector<BenchPort> ports(1);
  ports[0].ring_slots = 64;
  RingBench bench(settings, ports, 2);
  bench.start();
  std::set<Bytes> out;
  while (out.size() < 10 || bench.worker(0).ingress(0).held.read() == 0) {
    for (const Bytes& frame : bench.take(0, 0)) out.insert(frame);
    sched_yield();
  }
  bench.stop();
  for (const Bytes& frame : bench.take(0, 0)) out.insert(frame);
  EXPECT_EQ(out.size(), 10u);
  EXPECT_GT(bench.worker(1).ingress(0).handed_over.read(), 0u);
  EXPECT_EQ(bench.worker(1).ingress(0).sent.read(), 0u);
  EXPECT_EQ(bench.ledger().held, 0u);
  expect_balanced(bench);
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

}  // namespace
