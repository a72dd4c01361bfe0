// SPDX-License-Identifier: BSD-3-Clause
// What tests of owner = "by_hash" share: a bench with two RX queues, frames of numbered packets, the
// documents' rule, and the order of packets that came out. Called by tests only.
#pragma once

#include <gtest/gtest.h>
#include <rte_jhash.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace test_support::two_workers {

inline core::Settings by_hash(uint16_t queues_per_nic, uint32_t hold_packets = 2048) {
  core::Settings settings;
  settings.distribution.owner = core::Owner::by_hash;
  settings.distribution.queues_per_nic = queues_per_nic;
  settings.engine.hold_packets = hold_packets;
  settings.failover.settle_us = 50;
  return settings;
}

// One access port with two RX queues and `nics` uplinks.
inline std::vector<BenchPort> fan(unsigned nics) {
  std::vector<BenchPort> ports(1 + nics);
  ports[0].settings.group = "access";
  ports[0].rx_queues = 2;
  for (unsigned nic = 1; nic <= nics; ++nic) {
    ports[nic].settings.group = "uplink";
    ports[nic].settings.tx_descriptors = 32;  // which net_ring does not look at
  }
  return ports;
}

inline const core::FlowPattern kPattern{.flows = 256, .kind = core::FlowKind::udp, .sizes = {100}};

// The packet's number is in the frame behind the UDP header.
inline Bytes frame_of(uint32_t flow, uint32_t packet) {
  return core::make_frame(kPattern, flow, packet, kDstMac, kSrcMac);
}

// rte_jhash over addresses and ports of an IPv4 frame.
inline uint32_t rule(const Bytes& frame, unsigned slots) {
  uint8_t key[12];
  std::memcpy(key, &frame[26], sizeof key);
  return rte_jhash(key, sizeof key, 0) % slots;
}

// Packet numbers of each flow in the order in which they came out of one queue, appended.
using Numbers = std::map<Bytes, std::vector<uint32_t>>;
inline void note(const std::vector<Bytes>& frames, Numbers& numbers) {
  for (const Bytes& frame : frames)
    numbers[Bytes(&frame[26], &frame[38])].push_back(core::load_be32(&frame[42]));
}

inline void expect_in_order(const Numbers& numbers) {
  for (const auto& [flow, of_flow] : numbers) {
    ASSERT_TRUE(std::is_sorted(of_flow.begin(), of_flow.end()));
    ASSERT_EQ(std::adjacent_find(of_flow.begin(), of_flow.end()), of_flow.end()) << "doubled";
  }
}

inline size_t count_of(const Numbers& numbers) {
  size_t count = 0;
  for (const auto& [flow, of_flow] : numbers) count += of_flow.size();
  return count;
}

inline void expect_balanced(const RingBench& bench) {
  EXPECT_TRUE(bench.ledger().balanced());
  const core::IngressTotals all = bench.totals();
  EXPECT_EQ(all.handed_over, all.taken_over);
}

// Until everything that was received is sent, held or dropped by the worker whose queue it is.
inline void wait_until_lined_up(const RingBench& bench) {
  bench.wait_until_quiet();
  while (true) {
    const core::IngressTotals all = bench.totals();
    if (all.sent + all.held + all.dropped_in_all() == all.rx_packets) return;
    sched_yield();
  }
}

}  // namespace test_support::two_workers
