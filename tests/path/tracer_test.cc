// SPDX-License-Identifier: BSD-3-Clause
// Control arms a tracer and reads while its worker follows packets: nothing is torn, lost or freed too early.
// The mbufs are plain memory, so that a build under ThreadSanitizer sees every access.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <thread>

#include "path/trace.h"
#include "support/frames.h"

namespace {

using path::Trace;
using path::TraceStep;
using test_support::Bytes;

// An mbuf outside of any pool, with a frame in one segment.
struct Packet {
  explicit Packet(uint16_t port)
      : frame(test_support::padded(test_support::ethernet(
            test_support::kIpv4, test_support::ipv4({}, test_support::udp(port, 53))))) {
    mbuf->buf_addr = frame.data();
    mbuf->data_len = static_cast<uint16_t>(frame.size());
    mbuf->pkt_len = static_cast<uint32_t>(frame.size());
    mbuf->nb_segs = 1;
  }
  Bytes frame;
  std::unique_ptr<rte_mbuf> mbuf = std::make_unique<rte_mbuf>();
};

// What a worker does with a burst of one.
void pass(path::Tracer& tracer, rte_mbuf* mbuf, uint16_t number) {
  if (tracer.is_ordered()) tracer.take_order();
  rte_mbuf* line[] = {mbuf};
  tracer.choose(line, number, 3);
  tracer.parsed(mbuf, {{}, number, 0, 0});
  tracer.hashed(mbuf, {number, number, number});
  tracer.look_at(line);
  tracer.left(line, 1, TraceStep::sent, number);
}

TEST(Tracer, FollowsAsManyAsAreWantedAndForgetsTheOrderBefore) {
  path::Tracer tracer(0, 0);
  Packet packet(1);
  pass(tracer, packet.mbuf.get(), 1);
  EXPECT_FALSE(tracer.busy());
  EXPECT_TRUE(tracer.traces().empty());
  tracer.arm(2, nullptr);
  EXPECT_TRUE(tracer.traces().empty());
  for (const uint16_t number : {5, 6, 7}) pass(tracer, packet.mbuf.get(), number);
  EXPECT_FALSE(tracer.busy());
  ASSERT_EQ(tracer.traces().size(), 2u);
  EXPECT_EQ(tracer.traces()[1].arrival.port_index, 6);
  EXPECT_EQ(tracer.traces()[1].arrival.rx_queue, 3);
  tracer.arm(5000, nullptr);
  for (uint32_t i = 0; i < 2 * path::kMostTraces; ++i) pass(tracer, packet.mbuf.get(), 8);
  EXPECT_EQ(tracer.traces().size(), path::kMostTraces);
  tracer.arm(0, nullptr);
  pass(tracer, packet.mbuf.get(), 9);
  EXPECT_TRUE(tracer.traces().empty());
  EXPECT_EQ(packet.mbuf->ol_flags, 0u);
}

TEST(Tracer, AnOrderTakenBackInTimeIsNotWorkedOn) {
  path::Tracer tracer(0, 0);
  Packet packet(1);
  for (int i = 0; i < 3; ++i) tracer.arm(1, nullptr);  // the worker sees the last one only
  pass(tracer, packet.mbuf.get(), 4);
  EXPECT_EQ(tracer.traces().size(), 1u);
  rte_mbuf* line[] = {packet.mbuf.get()};
  tracer.arm(1, nullptr);
  tracer.take_order();
  tracer.choose(line, 4, 0);
  tracer.arm(1, nullptr);  // while a packet of the order before is on its way
  tracer.take_order();
  EXPECT_FALSE(tracer.follows());
  tracer.note(packet.mbuf.get(), TraceStep::staged, 1);
  tracer.look_at(line);
  tracer.left(line, 0, TraceStep::sent, 1);
  EXPECT_TRUE(tracer.traces().empty());
  EXPECT_EQ(packet.mbuf->ol_flags, 0u);
}

TEST(Tracer, TooManyEventsKeepTheLastOne) {
  path::Tracer tracer(0, 0);
  Packet packet(1);
  rte_mbuf* line[] = {packet.mbuf.get()};
  tracer.arm(1, nullptr);
  tracer.take_order();
  tracer.choose(line, 0, 0);
  for (int i = 0; i < 100; ++i) tracer.note(packet.mbuf.get(), TraceStep::held, 1);
  tracer.dropped(packet.mbuf.get(), core::DropReason::stopped);
  const Trace trace = tracer.traces().front();
  EXPECT_EQ(trace.events.size(), 20u);
  EXPECT_EQ(trace.events.back().step, TraceStep::dropped);
  EXPECT_EQ(trace.events.back().reason, core::DropReason::stopped);
  EXPECT_FALSE(tracer.busy());
}

TEST(Tracer, ControlReadsAndArmsWhileTheWorkerWrites) {
  path::Tracer tracer(0, 0);
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    Packet packet(1);
    for (uint16_t number = 1; !stop.load(std::memory_order_relaxed); number = number % 1000 + 1)
      pass(tracer, packet.mbuf.get(), number);
  });
  std::string error;
  const auto filter = glue::PacketFilter::compile("udp", error);
  for (int order = 0; order < 300; ++order) {
    tracer.arm(20, order % 2 == 0 ? filter : nullptr);
    if (order % 3 == 0) continue;  // taken back at once
    std::vector<Trace> traces;
    while (traces.size() < 20 || traces.back().events.size() < 3) {
      traces = tracer.traces();
      for (const Trace& trace : traces) {
        if (trace.has(TraceStep::parsed)) {
          ASSERT_EQ(trace.headers.target, trace.arrival.port_index);
        }
        if (trace.has(TraceStep::hashed)) {
          ASSERT_EQ(trace.hash.bucket, trace.arrival.port_index);
        }
      }
      sched_yield();
    }
  }
  stop = true;
  worker.join();
}

}  // namespace
