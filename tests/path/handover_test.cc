// SPDX-License-Identifier: BSD-3-Clause
// Packets from one worker to another: none is lost, doubled or overtaken, what is on the way is known; and
// workers that run without traffic while plans come and go. ThreadSanitizer watches these too.
#include "path/handover.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "support/ring_bench.h"

namespace {

core::Plan by_hash(unsigned workers) {
  core::Plan plan;
  plan.owner = core::Owner::by_hash;
  plan.workers = workers;
  return plan;
}

TEST(Handover, IsNeededByHashAndWithSeveralWorkersOnly) {
  EXPECT_FALSE(path::Handover(by_hash(1)).needed());
  EXPECT_TRUE(path::Handover(by_hash(2)).needed());
  core::Plan plan = by_hash(2);
  plan.owner = core::Owner::per_worker;
  EXPECT_FALSE(path::Handover(plan).needed());
}

TEST(Handover, KeepsOrderAndBooksBetweenTwoThreads) {
  constexpr size_t kPackets = 200'000;
  path::Handover handover(by_hash(3));
  std::vector<rte_mbuf> packets(64);  // only their addresses travel
  size_t received = 0;
  bool in_order = true;
  std::thread owner([&] {
    rte_mbuf* mbufs[core::kBatch];
    while (received < kPackets) {
      const uint16_t taken = handover.take(0, 2, mbufs);
      for (uint16_t i = 0; i < taken; ++i) in_order &= mbufs[i] == &packets[received++ % packets.size()];
      if (taken > 0) handover.finished(0, 2, taken);
      if (taken == 0) sched_yield();
    }
  });
  size_t handed = 0;
  handover.line_up(0, 2, kPackets);
  while (handed < kPackets) {
    rte_mbuf* mbufs[core::kBatch];
    const size_t count = std::min<size_t>(core::kBatch, kPackets - handed);
    for (size_t i = 0; i < count; ++i) mbufs[i] = &packets[(handed + i) % packets.size()];
    const uint16_t accepted = handover.put(0, 2, {mbufs, count});
    handed += accepted;
    if (accepted == 0) sched_yield();
  }
  EXPECT_EQ(handover.lined_up(0, 2), kPackets);
  owner.join();
  EXPECT_TRUE(handover.has_passed(0, 2, kPackets));
  EXPECT_FALSE(handover.has_passed(0, 2, kPackets + 1));
  EXPECT_FALSE(handover.has_passed(0, 1, 1));
  EXPECT_EQ(received, kPackets);
  EXPECT_TRUE(in_order);
}

TEST(Handover, WorkersFollowPlansWhileControlReadsTheirCounters) {
  for (const core::Owner owner : {core::Owner::per_worker, core::Owner::by_hash}) {
    core::Settings settings;
    settings.distribution.queues_per_nic = 2;
    settings.distribution.owner = owner;
    settings.failover.settle_us = 0;
    std::vector<test_support::BenchPort> ports(4);
    for (size_t i = 0; i < ports.size(); ++i) ports[i].settings.group = i == 0 ? "access" : "uplink";
    test_support::RingBench bench(settings, ports, 2);
    bench.start();
    for (unsigned change = 0; change < 100; ++change) {
      settings = bench.settings();
      settings.ports[1].drain = change % 2 == 0;
      settings.ports[2].weight = 1 + change % 3;
      bench.change(settings, {true, true, true, change % 5 != 0});
      if (change % 3 == 0) bench.wait_until_settled();
      EXPECT_TRUE(bench.ledger().balanced());
    }
    bench.wait_until_settled();
    EXPECT_EQ(bench.plan().generation, 101u);
    bench.stop();
  }
}

}  // namespace
