// SPDX-License-Identifier: BSD-3-Clause
// A traced packet's way, told by the steps that it went through: real frames in, and what each step noted
// beside what came out.
#include <gtest/gtest.h>
#include <sched.h>

#include "core/explain.h"
#include "core/neighbor.h"
#include "path/trace_text.h"
#include "support/by_hash.h"
#include "support/ring_bench.h"

namespace {

using core::DropReason;
using core::Mode;
using path::Trace;
using path::TraceStep;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;
using Steps = std::vector<TraceStep>;

core::Settings settings_of(Mode mode) {
  core::Settings settings;
  settings.engine.mode = mode;
  settings.distribution.queues_per_nic = 2;
  return settings;
}

// One access port, three uplinks.
std::vector<BenchPort> fan(unsigned ring_slots = 4096) {
  std::vector<BenchPort> ports(4);
  for (size_t i = 0; i < ports.size(); ++i) {
    ports[i].settings.group = i == 0 ? "access" : "uplink";
    ports[i].mac = core::MacAddress{0x02, 0, 0, 0, 1, static_cast<uint8_t>(i)};
    if (i > 0) ports[i].ring_slots = ring_slots;
  }
  return ports;
}

Bytes udp_frame(uint16_t sport, const core::MacAddress& dst = test_support::kDstMac,
                const core::MacAddress& src = test_support::kSrcMac) {
  return test_support::padded(test_support::ethernet(
      test_support::kIpv4, test_support::ipv4({}, test_support::udp(sport, 4791)), dst, src));
}

Steps steps_of(const Trace& trace) {
  Steps steps;
  for (const path::TraceEvent& event : trace.events) steps.push_back(event.step);
  return steps;
}

constexpr core::IpAddress kOwnAddress = {.v6 = false, .bytes = {192, 0, 2, 254}};
Bytes arp_question() {
  const core::NeighborFrame question =
      core::make_question({test_support::kSrcMac, {.v6 = false, .bytes = {192, 0, 2, 1}}}, kOwnAddress);
  return {question.bytes.begin(), question.bytes.begin() + question.size};
}

// Every step that a packet of mode gateway goes through when nothing is in its way.
const Steps kStraight = {TraceStep::parsed,   TraceStep::guarded, TraceStep::keyed, TraceStep::hashed,
                         TraceStep::admitted, TraceStep::staged,  TraceStep::sent};

TEST(Trace, TellsWhatTheStepsDecided) {
  RingBench bench(settings_of(Mode::gateway), fan());
  bench.worker(0).arm_trace(5, nullptr);
  const Bytes frame = udp_frame(10000);
  bench.put(0, 0, frame);
  bench.run();
  const std::vector<Trace> traces = bench.worker(0).traces();
  ASSERT_EQ(traces.size(), 1u);
  const Trace& trace = traces[0];
  EXPECT_EQ(steps_of(trace), kStraight);
  EXPECT_EQ(trace.arrival.lcore, 1u);
  EXPECT_EQ(trace.arrival.port_index, 0);
  EXPECT_EQ(trace.arrival.rx_queue, 0);
  EXPECT_EQ(trace.arrival.frame_bytes, frame.size());
  EXPECT_EQ(Bytes(trace.arrival.front.data(), &trace.arrival.front[trace.arrival.front_bytes]), frame);
  EXPECT_EQ(trace.headers.headers.protocol, core::Protocol::roce_v2);
  EXPECT_EQ(bench.plan().groups[trace.headers.target].name, "uplink");
  EXPECT_EQ(Bytes(trace.key.bytes, trace.key.bytes + trace.key.size),
            test_support::from_hex("c0000201 c6336402 2710 12b7"));
  EXPECT_EQ(trace.hash.hash, 0xdaa7b5a5u);
  EXPECT_EQ(trace.hash.bucket, 0xdaa7b5a5u % 384);
  const unsigned q = 0xdaa7b5a5u % 6;
  EXPECT_EQ(trace.events.back().where, bench.plan().ports[1 + q / 2].first_exit + q % 2);
  EXPECT_EQ(bench.take(static_cast<uint16_t>(1 + q / 2), static_cast<uint16_t>(q % 2)),
            std::vector<Bytes>{frame});
  for (size_t i = 1; i < trace.events.size(); ++i) EXPECT_LE(trace.events[i - 1].tsc, trace.events[i].tsc);
}

TEST(Trace, ExplainSaysTheSameAndLinesTellIt) {
  RingBench bench(settings_of(Mode::gateway), fan());
  bench.worker(0).arm_trace(100, nullptr);
  for (uint16_t port = 0; port < 100; ++port) bench.put(0, 0, udp_frame(port));
  bench.run();
  const std::vector<Trace> traces = bench.worker(0).traces();
  ASSERT_EQ(traces.size(), 100u);
  for (uint16_t port = 0; port < 100; ++port) {
    const core::Explanation told = core::explain(bench.plan(), udp_frame(port), 0);
    EXPECT_EQ(traces[port].hash.hash, told.hash);
    EXPECT_EQ(traces[port].hash.bucket, told.bucket);
    EXPECT_EQ(traces[port].events.back().step, TraceStep::sent);
    EXPECT_EQ(traces[port].events.back().where, told.exit);
  }
  EXPECT_EQ(traces[1].events[1].step, TraceStep::like_before);
  const std::vector<std::string> lines = path::lines_of(traces[0], bench.plan(), 1'000'000'000);
  ASSERT_EQ(lines.size(), 1 + 2 + kStraight.size());
  const auto ends = [](const std::string& line, const std::string& end) { return line.ends_with(end); };
  EXPECT_TRUE(ends(lines[0], " queue 0, 60 bytes")) << lines[0];
  EXPECT_EQ(lines[1].substr(0, 36), "  0000  0200000000d10200000000510800");
  EXPECT_TRUE(ends(lines[3], "roce_v2, well-formed, IPv4 at 14, L4 at 34, priority 0; route 1 to uplink"))
      << lines[3];
  EXPECT_TRUE(ends(lines[5], "keyed        12 bytes c0000201c6336402000012b7")) << lines[5];
}

TEST(Trace, OnlyWhatMatches) {
  RingBench bench(settings_of(Mode::gateway), fan());
  std::string error;
  const auto filter = glue::PacketFilter::compile("udp src port 7 or udp src port 9", error);
  ASSERT_NE(filter, nullptr) << error;
  bench.worker(0).arm_trace(2, filter);
  for (const uint16_t port : {6, 7, 8, 9, 9, 7}) bench.put(0, 0, udp_frame(port), 20);  // in segments
  bench.run();
  const std::vector<Trace> traces = bench.worker(0).traces();
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].arrival.front[35], 7);
  EXPECT_EQ(traces[1].arrival.front[35], 9);
}

TEST(Trace, EveryDropHasItsReason) {
  struct Row {
    const char* name;
    DropReason reason;
    Bytes frame;
    Steps steps;
    void (*change)(core::Settings&, std::vector<BenchPort>&) = [](auto&, auto&) {};
    uint16_t in = 0;  // the port of `frame`
  };
  const Bytes plain = udp_frame(1);
  const Steps hashed = {TraceStep::parsed, TraceStep::guarded, TraceStep::keyed, TraceStep::hashed,
                        TraceStep::dropped};
  const Steps early = {TraceStep::parsed, TraceStep::dropped};
  const Bytes broadcast = udp_frame(1, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  const Row rows[] = {
      {"runt", DropReason::runt, Bytes(13), early},
      {"PFC", DropReason::mac_control, test_support::pfc(1, {}), early},
      {"LLDP", DropReason::link_local,
       test_support::padded(test_support::ethernet(0x88cc, {}, {0x01, 0x80, 0xc2, 0, 0, 0x0e})), early},
      {"longer than the MTU", DropReason::too_big, plain, hashed,
       [](auto&, auto& ports) {
         for (BenchPort& port : ports) port.settings.mtu = 40;
       }},
      {"no member", DropReason::no_member, plain, hashed,
       [](auto&, auto& ports) {
         for (size_t i = 1; i < ports.size(); ++i) ports[i].settings.weight = 0;
       }},
      {"no TX", DropReason::no_tx, plain, hashed,
       [](auto&, auto& ports) {
         for (size_t i = 1; i < ports.size(); ++i) ports[i].sends = false;
       }},
      {"no route", DropReason::no_route, plain, early,
       [](auto& settings, auto&) {
         settings.groups = {{.name = "access", .loop_guard = false}, {.name = "uplink", .loop_guard = false}};
         settings.routes = {{.from = "access", .to = "uplink", .priority = uint8_t{7}},
                            {.from = "uplink", .to = "access"}};
       }},
      {"our own MAC address comes back", DropReason::looped,
       udp_frame(1, test_support::kDstMac, {0x02, 0, 0, 0, 1, 2}), early},
      {"flooded to a member that is not elected", DropReason::not_elected, broadcast, early,
       [](auto&, auto&) {}, 2},
      {"a question for the gateway",
       DropReason::local,
       arp_question(),
       {TraceStep::parsed, TraceStep::answered, TraceStep::dropped},
       [](auto&, auto& ports) { ports[0].settings.address = kOwnAddress; }},
      {"rxonly",
       DropReason::rx_only,
       plain,
       {TraceStep::dropped},
       [](auto& settings, auto&) { settings.engine.mode = Mode::rxonly; }},
      {"io, too short",
       DropReason::runt,
       Bytes(13),
       {TraceStep::dropped},
       [](auto& settings, auto&) { settings.engine.mode = Mode::io; }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    core::Settings settings = settings_of(Mode::gateway);
    std::vector<BenchPort> ports = fan();
    row.change(settings, ports);
    RingBench bench(settings, ports);
    bench.worker(0).arm_trace(1, nullptr);
    bench.put(row.in, 0, row.frame);
    bench.start();
    while (bench.totals().rx_packets == 0) sched_yield();
    bench.stop();  // at the end of that round: an answer is sent in it, too
    const std::vector<Trace> traces = bench.worker(0).traces();
    ASSERT_EQ(traces.size(), 1u);
    EXPECT_EQ(steps_of(traces[0]), row.steps);
    EXPECT_EQ(traces[0].events.back().reason, row.reason);
    EXPECT_EQ(bench.dropped(row.in, row.reason), 1u);
    EXPECT_EQ(bench.take(0, 0).size(), row.reason == DropReason::local ? 1u : 0u);  // the answer
    EXPECT_EQ(bench.mbufs_in_use(), 0u);
  }
}

TEST(Trace, HeldPacketsAreToldAsHeldUntilTheyGo) {
  core::Settings settings = settings_of(Mode::gateway);
  settings.engine.hold_packets = 3;
  settings.distribution.queues_per_nic = 1;
  std::vector<BenchPort> ports = fan(4);  // a ring of 4 takes 3
  ports.resize(2);
  RingBench bench(settings, ports);
  bench.worker(0).arm_trace(100, nullptr);
  for (int i = 0; i < 8; ++i) bench.put(0, 0, udp_frame(1));
  bench.start();
  bench.wait_until_quiet();
  const auto last_steps = [&bench] {
    Steps last;
    for (const Trace& trace : bench.worker(0).traces()) last.push_back(trace.events.back().step);
    return last;
  };
  using enum TraceStep;
  EXPECT_EQ(last_steps(), (Steps{sent, sent, sent, held, held, held, dropped, dropped}));
  EXPECT_EQ(bench.worker(0).traces().back().events.back().reason, DropReason::tx_full);
  while (bench.totals().held > 0) bench.take(1, 0);
  EXPECT_EQ(last_steps(), (Steps{sent, sent, sent, sent, sent, sent, dropped, dropped}));
  bench.stop();
  const Trace trace = bench.worker(0).traces()[4];
  EXPECT_EQ(trace.events[trace.events.size() - 2].step, held);
}

TEST(Trace, WhatIsHeldAtTheEndIsStopped) {
  std::vector<BenchPort> ports = fan(4);
  ports.resize(2);
  core::Settings settings = settings_of(Mode::gateway);
  settings.distribution.queues_per_nic = 1;
  RingBench bench(settings, ports);
  bench.worker(0).arm_trace(100, nullptr);
  for (int i = 0; i < 4; ++i) bench.put(0, 0, udp_frame(1));
  bench.run();
  const path::TraceEvent last = bench.worker(0).traces().back().events.back();
  EXPECT_EQ(last.step, TraceStep::dropped);
  EXPECT_EQ(last.reason, DropReason::stopped);
}

TEST(Trace, NextHopIsARewriting) {
  std::vector<BenchPort> ports = fan();
  for (size_t i = 1; i < ports.size(); ++i)
    ports[i].settings.next_hop_mac = core::MacAddress{2, 0, 0, 0, 9, 9};
  RingBench bench(settings_of(Mode::gateway), ports);
  bench.worker(0).arm_trace(1, nullptr);
  bench.put(0, 0, udp_frame(1));
  bench.run();
  EXPECT_TRUE(bench.worker(0).traces()[0].has(TraceStep::rewritten));
}

TEST(Trace, APacketOfAMovingBucketWaits) {
  core::Settings settings = settings_of(Mode::gateway);
  settings.engine.burst = core::kMaxBurst;
  settings.failover.settle_us = 10'000;
  RingBench bench(settings, fan());
  bench.worker(0).arm_trace(path::kMostTraces, nullptr);
  settings = bench.settings();
  settings.ports[1].drain = true;
  bench.change(settings);
  // All in the first burst, in the round that lets the first buckets wait.
  for (uint16_t port = 0; port < core::kMaxBurst; ++port) bench.put(0, 0, udp_frame(port));
  bench.start();
  bench.wait_until_quiet();
  bench.wait_until_settled();
  bench.stop();
  size_t waited = 0;
  for (const Trace& trace : bench.worker(0).traces()) {
    EXPECT_EQ(trace.events.back().step, TraceStep::sent);
    if (!trace.has(TraceStep::waits)) continue;
    ++waited;
    EXPECT_EQ(trace.hash.exit, core::kWaitExit);
    const core::Explanation told =
        core::explain(bench.plan(), udp_frame(core::load_be16(&trace.arrival.front[34])), 0);
    EXPECT_EQ(trace.events.back().where, told.exit);  // it waited for the new one
  }
  EXPECT_GT(waited, 0u);
  EXPECT_LT(waited, size_t{core::kMaxBurst});
}

TEST(Trace, APacketForAnotherWorkerIsFollowedToItsRing) {
  RingBench bench(test_support::two_workers::by_hash(2), test_support::two_workers::fan(2), 2);
  for (unsigned worker = 0; worker < 2; ++worker) bench.worker(worker).arm_trace(1000, nullptr);
  for (uint32_t flow = 0; flow < 256; ++flow)
    bench.put(0, flow % 2, test_support::two_workers::frame_of(flow, 0));
  bench.run();
  uint64_t handed_over = 0;
  for (unsigned worker = 0; worker < 2; ++worker) {
    const std::vector<Trace> traces = bench.worker(worker).traces();
    EXPECT_EQ(traces.size(), 128u);
    for (const Trace& trace : traces) {
      EXPECT_EQ(trace.worker, worker);
      const uint16_t owner = core::owner_of(trace.hash.exit, 2);
      const path::TraceEvent last = trace.events.back();
      if (owner == worker) {
        EXPECT_EQ(last.step, TraceStep::sent);
        continue;
      }
      ++handed_over;
      EXPECT_EQ(last.step, TraceStep::handed_over);
      EXPECT_EQ(last.where, owner);
      EXPECT_EQ(trace.events[trace.events.size() - 2].step, TraceStep::lined_up);
    }
  }
  EXPECT_EQ(bench.totals().handed_over, handed_over);
  EXPECT_GT(handed_over, 0u);
}

TEST(Trace, ModesThatDoNotLookAtFlowsTellInAndOut) {
  for (const Mode mode : {Mode::io, Mode::mac, Mode::macswap, Mode::five_tuple_swap}) {
    SCOPED_TRACE(core::name_of(mode));
    RingBench bench(settings_of(mode), fan());
    bench.worker(0).arm_trace(2, nullptr);
    bench.put(2, 0, udp_frame(1));
    bench.run();
    const std::vector<Trace> traces = bench.worker(0).traces();
    ASSERT_EQ(traces.size(), 1u);
    EXPECT_EQ(traces[0].arrival.port_index, 2);
    EXPECT_EQ(steps_of(traces[0]), (Steps{TraceStep::staged, TraceStep::sent}));
    EXPECT_EQ(traces[0].events.back().where, bench.plan().ports[3].first_exit);
    EXPECT_EQ(bench.take(3, 0).size(), 1u);
  }
}

}  // namespace
