// SPDX-License-Identifier: BSD-3-Clause
// A burst that is dealt with at once, against the same packets one by one: every frame out of the same queue
// in the same order, and the same counters, whatever the width of the kernels.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/flow_hash.h"
#include "core/flow_maker.h"
#include "support/ring_bench.h"

namespace {

using namespace test_support;  // frames of every kind

BenchPort port_in(const char* group) {
  BenchPort port;
  port.settings.group = group;
  return port;
}

// Of every kind that classification tells apart, in an order that has nothing to do with kinds.
std::vector<Bytes> mixed_frames() {
  std::mt19937 random(5);
  std::vector<Bytes> frames;
  const auto flow = [&](core::FlowKind kind, core::IpVersion ip) {
    const core::FlowPattern pattern{.flows = 500, .kind = kind, .ip = ip, .sizes = {128}};
    return core::make_frame(pattern, static_cast<uint32_t>(random() % 500), 0, kDstMac, kSrcMac);
  };
  for (int i = 0; i < 3000; ++i) {
    const auto kind = static_cast<core::FlowKind>(random() % 3);
    Bytes frame = flow(kind, random() % 2 == 0 ? core::IpVersion::v4 : core::IpVersion::v6);
    switch (random() % 12) {
      case 0:
        frame.insert(frame.begin() + 12, {0x81, 0, 0x60, 7});
        break;
      case 1:
        if (frame[12] == 0x08) frame[20] |= 0x20;  // a fragment
        break;
      case 2:
        frame = padded(ethernet(kArp, Bytes(28)));
        break;
      case 3:
        frame = padded(ethernet(kMacControl, pfc(1, {})));
        break;
      case 4:
        frame.resize(10);
        break;
      case 5:
        frame[0] = 0x01, frame[1] = 0x80, frame[2] = 0xc2, frame[3] = frame[4] = 0, frame[5] = 0x0e;
        break;
      case 6:
        frame[11] = static_cast<uint8_t>(random() % 3);  // another host
        break;
      case 7:
        frame.resize(1600);  // more than the MTU
        break;
      default:
        break;
    }
    frames.push_back(frame);
  }
  return frames;
}

struct Outcome {
  std::map<std::pair<uint16_t, uint16_t>, std::vector<Bytes>> out;  // by port and TX queue
  core::IngressTotals ingress;
  uint64_t flows = 0;
};

Outcome outcome(core::Settings settings, const std::vector<Bytes>& frames) {
  settings.distribution.queues_per_nic = 2;
  settings.engine.burst = 48;  // more than a batch, and not a multiple
  RingBench bench(settings, {port_in("access"), port_in("uplink"), port_in("uplink"), port_in("uplink")});
  for (size_t i = 0; i < frames.size(); ++i) bench.put(0, 0, frames[i], i % 9 == 0 ? 40 : 0);
  bench.run();
  Outcome outcome;
  for (uint16_t port = 1; port < 4; ++port) {
    for (uint16_t queue = 0; queue < 2; ++queue) outcome.out[{port, queue}] = bench.take(port, queue);
  }
  outcome.ingress = bench.ingress(0);
  outcome.flows = bench.worker(0).flows(1).estimate();
  EXPECT_TRUE(bench.ledger().balanced());
  return outcome;
}

void expect_same(const Outcome& one, const Outcome& other) {
  EXPECT_EQ(one.out, other.out);
  EXPECT_EQ(one.ingress.dropped, other.ingress.dropped);
  EXPECT_EQ(one.ingress.seen, other.ingress.seen);
  EXPECT_EQ(one.ingress.rx_bytes, other.ingress.rx_bytes);
  EXPECT_EQ(one.ingress.sent, other.ingress.sent);
  EXPECT_EQ(one.flows, other.flows);
}

TEST(BurstPath, EveryWidthDoesWhatOneByOneDoes) {
  const std::vector<Bytes> frames = mixed_frames();
  core::Settings settings;
  // Packets whose route must be asked for are dealt with one by one; these routes lead where all go anyway.
  core::Settings one_by_one = settings;
  for (const uint8_t priority : {uint8_t{1}, uint8_t{5}})
    one_by_one.routes.push_back({.from = "access", .to = "uplink", .priority = priority});
  one_by_one.routes.push_back({.from = "access", .to = "uplink"});
  const Outcome expected = outcome(one_by_one, frames);
  EXPECT_GT(expected.ingress.sent, 1500u);
  for (const auto simd : {core::SimdChoice::portable, core::SimdChoice::avx2, core::SimdChoice::avx512}) {
    if (!core::resolve(simd, 512)) continue;
    SCOPED_TRACE(core::name_of(simd));
    settings.engine.simd = simd;
    expect_same(outcome(settings, frames), expected);
  }
}

// What a device has hashed is not hashed again: a wrong hash leads where that hash leads. What it has not
// hashed, and what it may hash otherwise, is.
TEST(BurstPath, HashesOfDevicesAreTaken) {
  core::Settings settings;
  settings.distribution.queues_per_nic = 4;
  settings.distribution.hash = core::HashAlgorithm::toeplitz;
  settings.distribution.reuse_rss_hash = true;
  BenchPort access = port_in("access");
  access.gives_rss_hash = true;
  RingBench bench(settings, {access, port_in("uplink")});
  const Bytes udp_frame = padded(ethernet(kIpv4, ipv4({}, udp(1000, 2000))));
  Bytes fragment = udp_frame;
  fragment[20] |= 0x20;
  core::FlowKey key;
  const core::PacketView view{udp_frame.data(), static_cast<uint32_t>(udp_frame.size()),
                              static_cast<uint32_t>(udp_frame.size())};
  core::make_flow_key(view, core::parse(view), {}, key);
  const uint32_t own = core::FlowHash(core::HashAlgorithm::toeplitz, 0)(key);
  const auto& exits = bench.plan().groups[1].tables[0].exit_of_bucket;
  const auto queue_of = [&](uint32_t hash) {
    return exits[bench.plan().groups[1].buckets(hash)] - bench.plan().ports[1].first_exit;
  };
  uint32_t wrong = own;
  while (queue_of(wrong) == queue_of(own)) ++wrong;
  std::map<uint16_t, size_t> expected;
  bench.put(0, 0, udp_frame, 0, wrong);
  ++expected[static_cast<uint16_t>(queue_of(wrong))];
  bench.put(0, 0, udp_frame);
  ++expected[static_cast<uint16_t>(queue_of(own))];
  bench.put(0, 0, fragment, 0, wrong);
  core::make_flow_key({fragment.data(), view.window_bytes, view.frame_bytes},
                      core::parse({fragment.data(), view.window_bytes, view.frame_bytes}), {}, key);
  ++expected[static_cast<uint16_t>(queue_of(core::FlowHash(core::HashAlgorithm::toeplitz, 0)(key)))];
  bench.run();
  for (uint16_t queue = 0; queue < 4; ++queue)
    EXPECT_EQ(bench.take(1, queue).size(), expected[queue]) << queue;
  EXPECT_EQ(bench.ingress(0).seen[static_cast<size_t>(core::Protocol::udp)], 3u);
}

}  // namespace
