// SPDX-License-Identifier: BSD-3-Clause
// What a worker counts of itself when asked: calls, packets and clocks of its steps, sizes of its bursts;
// that it counts nothing when not asked; and the frames it sends before its first round.
#include <gtest/gtest.h>
#include <sched.h>

#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace {

using core::Mode;
using core::Step;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

core::Settings settings_of(Mode mode, bool cycles, bool bursts) {
  core::Settings settings;
  settings.engine.mode = mode;
  settings.engine.record_core_cycles = cycles;
  settings.engine.record_burst_stats = bursts;
  settings.distribution.queues_per_nic = 1;
  return settings;
}

std::vector<BenchPort> two_ports(unsigned ring_slots = 4096) {
  std::vector<BenchPort> ports(2);
  ports[0].settings.group = "access";
  ports[1].settings.group = "uplink";
  ports[1].ring_slots = ring_slots;
  return ports;
}

Bytes frame_of(uint16_t port) {
  return test_support::padded(
      test_support::ethernet(test_support::kIpv4, test_support::ipv4({}, test_support::udp(port, 53))));
}

const core::StepCounters& step(const RingBench& bench, Step which) {
  return bench.worker(0).steps()[static_cast<size_t>(which)];
}

TEST(Runtime, StepsCountCallsPacketsAndClocks) {
  struct Row {
    const char* name;
    Mode mode;
    std::vector<Step> steps;  // that all 100 packets go through, in three bursts of 32 and one of 4
    std::vector<Step> idle;   // that have nothing to do
  };
  const Row rows[] = {
      {"gateway",
       Mode::gateway,
       {Step::receive, Step::classify, Step::distribute, Step::stage, Step::flush},
       {Step::forward, Step::retry, Step::take_over, Step::follow, Step::generate}},
      {"io",
       Mode::io,
       {Step::receive, Step::forward, Step::flush},
       {Step::classify, Step::distribute, Step::stage, Step::retry, Step::take_over, Step::generate}},
      {"rxonly", Mode::rxonly, {Step::receive, Step::forward}, {Step::classify, Step::retry, Step::generate}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    RingBench bench(settings_of(row.mode, true, false), two_ports());
    for (uint16_t i = 0; i < 100; ++i) bench.put(0, 0, frame_of(i));
    bench.run();
    for (const Step which : row.steps) {
      SCOPED_TRACE(core::name_of(which));
      EXPECT_EQ(step(bench, which).calls.read(), 4u);
      EXPECT_EQ(step(bench, which).packets.read(), 100u);
      EXPECT_GT(step(bench, which).tsc.read(), 0u);
    }
    for (const Step which : row.idle) {
      SCOPED_TRACE(core::name_of(which));
      EXPECT_EQ(step(bench, which).calls.read(), 0u);
      EXPECT_EQ(step(bench, which).tsc.read(), 0u);
    }
    EXPECT_GT(step(bench, Step::poll).calls.read(), 0u);
    EXPECT_EQ(step(bench, Step::poll).packets.read(), 0u);
    uint64_t spent = 0;
    for (const core::StepCounters& counters : bench.worker(0).steps()) spent += counters.tsc.read();
    EXPECT_LE(spent, bench.worker(0).loop().total_tsc.read() + step(bench, Step::books).tsc.read());
    EXPECT_EQ(bench.worker(0).bursts().rx[32].read(), 0u);  // not asked for
  }
}

TEST(Runtime, BurstsAreCountedBySize) {
  RingBench bench(settings_of(Mode::gateway, false, true), two_ports());
  for (uint16_t i = 0; i < 100; ++i) bench.put(0, 0, frame_of(i));
  bench.run();
  const core::BurstCounters& bursts = bench.worker(0).bursts();
  EXPECT_EQ(bursts.rx[32].read(), 3u);
  EXPECT_EQ(bursts.rx[4].read(), 1u);
  EXPECT_GT(bursts.rx[0].read(), 0u);
  EXPECT_EQ(bursts.tx[32].read(), 3u);
  EXPECT_EQ(bursts.tx[4].read(), 1u);
  EXPECT_EQ(bursts.tx[0].read(), 0u);
  EXPECT_EQ(step(bench, Step::receive).calls.read(), 0u);  // not asked for
}

TEST(Runtime, WhatADriverRefusesIsABurstOfWhatItTook) {
  core::Settings settings = settings_of(Mode::io, true, true);
  settings.engine.hold_packets = 64;
  RingBench bench(settings, two_ports(16));  // a ring of 16 takes 15
  for (uint16_t i = 0; i < 20; ++i) bench.put(0, 0, frame_of(i));
  bench.start();
  bench.wait_until_quiet();
  while (bench.totals().held > 0) bench.take(1, 0);  // the worker fills up what is taken
  bench.stop();
  const core::BurstSizes& tx = bench.worker(0).bursts().tx;
  EXPECT_EQ(tx[15].read(), 1u);
  uint64_t packets = 0;
  for (size_t size = 1; size < tx.size(); ++size) packets += size * tx[size].read();
  EXPECT_EQ(packets, 20u);
  EXPECT_EQ(step(bench, Step::flush).packets.read(), 20u);
  EXPECT_EQ(step(bench, Step::retry).packets.read(), 5u);
}

TEST(Runtime, NothingIsCountedUntilAsked) {
  core::Settings settings = settings_of(Mode::gateway, false, false);
  RingBench bench(settings, two_ports());
  settings = bench.settings();
  const auto counted = [&bench] {
    uint64_t counts = 0;
    for (const core::StepCounters& counters : bench.worker(0).steps())
      counts += counters.calls.read() + counters.packets.read() + counters.tsc.read();
    for (const core::Counter& size : bench.worker(0).bursts().rx) counts += size.read();
    for (const core::Counter& size : bench.worker(0).bursts().tx) counts += size.read();
    return counts;
  };
  const auto put = [&bench] {
    for (uint16_t i = 0; i < 10; ++i) bench.put(0, 0, frame_of(i));
    bench.wait_until_quiet();
  };
  bench.start();
  put();
  EXPECT_EQ(counted(), 0u);
  settings.engine.record_core_cycles = settings.engine.record_burst_stats = true;
  bench.change(settings);
  bench.wait_until_settled();
  put();
  EXPECT_EQ(step(bench, Step::classify).packets.read(), 10u);
  settings.engine.record_core_cycles = settings.engine.record_burst_stats = false;
  bench.change(settings);
  bench.wait_until_settled();
  const auto rounds = [&bench] { return bench.worker(0).loop().total_tsc.read(); };
  for (uint64_t before = rounds(); rounds() == before;) sched_yield();  // the round that took it up is over
  const uint64_t before = counted();
  put();
  EXPECT_EQ(counted(), before);
  bench.stop();
}

TEST(TxFirst, EveryTxQueueSendsItsBurstsBeforeTheFirstRound) {
  struct Row {
    Mode mode;
    unsigned workers;
    core::Owner owner;
    uint32_t bursts;
    uint64_t frames;  // in each TX queue
  };
  const Row rows[] = {
      {Mode::io, 1, core::Owner::per_worker, 1, 32},
      {Mode::mac, 1, core::Owner::per_worker, 3, 96},
      {Mode::macswap, 2, core::Owner::per_worker, 2, 64},
      {Mode::io, 2, core::Owner::by_hash, 2, 64},
      {Mode::five_tuple_swap, 1, core::Owner::by_hash, 1, 32},
      {Mode::rxonly, 1, core::Owner::per_worker, 1, 32},
      {Mode::io, 1, core::Owner::per_worker, 0, 0},
      {Mode::gateway, 1, core::Owner::per_worker, 5, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(core::name_of(row.mode)) + " x " + std::to_string(row.bursts));
    core::Settings settings = settings_of(row.mode, false, false);
    settings.distribution.queues_per_nic = 2;
    settings.distribution.owner = row.owner;
    RingBench bench(settings, two_ports(), row.workers, row.bursts);
    const uint16_t queues = row.owner == core::Owner::by_hash ? 2 : static_cast<uint16_t>(2 * row.workers);
    bench.start();
    while (bench.totals().sent < row.frames * queues * 2) sched_yield();
    bench.stop();
    EXPECT_EQ(bench.totals().generated, row.frames * queues * 2);
    EXPECT_TRUE(bench.ledger().balanced());
    for (uint16_t port = 0; port < 2; ++port) {
      EXPECT_EQ(bench.ingress(port).generated, row.frames * queues);
      for (uint16_t queue = 0; queue < queues; ++queue) {
        const std::vector<Bytes> frames = bench.take(port, queue);
        EXPECT_EQ(frames.size(), row.frames);
        const core::MacAddress peer = {2, 0, 0, 0, 0, static_cast<uint8_t>(bench.dpdk_port(port))};
        const Bytes expected = core::make_frame(settings.flowgen, 0, 0, peer, {});
        for (const Bytes& frame : frames) ASSERT_EQ(frame, expected);
      }
    }
  }
}

}  // namespace
