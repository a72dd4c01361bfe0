// SPDX-License-Identifier: BSD-3-Clause
// owner = "by_hash" when a queue of another worker is full, drains or fails, and when tables change under
// traffic: nothing is lost, and every flow stays in order on its way over two workers.
#include <gtest/gtest.h>
#include <sched.h>

#include "support/by_hash.h"

namespace {

using namespace test_support::two_workers;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

// NIC 1 belongs to worker 1 and takes 63 packets; worker 0 receives everything. The exits are numbered access
// port, NIC 1, NIC 2.
class FullQueueOfTheOwner : public testing::Test {
 protected:
  static constexpr unsigned kTakes = 63;
  static std::vector<BenchPort> ports() {
    std::vector<BenchPort> ports = fan(2);
    ports[1].ring_slots = kTakes + 1;
    return ports;
  }
  void SetUp() override {
    ASSERT_EQ(core::owner_of(bench_.plan().ports[1].first_exit, 2), 1);
    for (uint32_t flow = 0; flow < kPattern.flows; ++flow) share_ += rule(frame_of(flow, 0), 2) == 0;
    bench_.start();
    put_round(0);
    wait_until_lined_up(bench_);
    ASSERT_EQ(bench_.worker(1).ingress(0).held.read(), share_ - kTakes);
    ASSERT_EQ(bench_.worker(0).ingress(0).held.read(), 0u);
    ASSERT_EQ(bench_.sent_by(1, 0), kTakes);
  }
  void put_round(uint32_t packet) {
    for (uint32_t flow = 0; flow < kPattern.flows; ++flow) bench_.put(0, 0, frame_of(flow, packet));
  }
  // Frames of one NIC, in the order in which they were put, from a round.
  static std::vector<Bytes> share_of(unsigned nic, uint32_t packet) {
    std::vector<Bytes> frames;
    for (uint32_t flow = 0; flow < kPattern.flows; ++flow) {
      const Bytes frame = frame_of(flow, packet);
      if (rule(frame, 2) == nic - 1) frames.push_back(frame);
    }
    return frames;
  }

  RingBench bench_{by_hash(1), ports(), 2};
  uint64_t share_ = 0;  // of NIC 1 in a round
};

TEST_F(FullQueueOfTheOwner, IsHeldAndKeepsItsOrder) {
  put_round(1);
  wait_until_lined_up(bench_);
  EXPECT_EQ(bench_.ledger().held, 2 * share_ - kTakes);
  EXPECT_EQ(bench_.sent_by(2, 0), 2 * (kPattern.flows - share_)) << "the other NIC goes on";
  std::vector<Bytes> out;
  while (out.size() < 2 * share_) {
    const std::vector<Bytes> some = bench_.take(1, 0);
    out.insert(out.end(), some.begin(), some.end());
    if (some.empty()) sched_yield();
  }
  bench_.stop();
  std::vector<Bytes> expected = share_of(1, 0);
  const std::vector<Bytes> second = share_of(1, 1);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(out, expected);
  expect_balanced(bench_);
  EXPECT_EQ(bench_.ledger().dropped, 0u);
  EXPECT_EQ(bench_.take(2, 0).size(), 2 * (kPattern.flows - share_));
  EXPECT_EQ(bench_.mbufs_in_use(), 0u);
}

// What the owner holds for a NIC that fails goes to the other one, before anything new.
TEST_F(FullQueueOfTheOwner, IsLeftWhenItsNicFails) {
  const std::vector<Bytes> before = bench_.take(2, 0);
  EXPECT_EQ(before, share_of(2, 0));
  bench_.change(bench_.settings(), {true, false, true});
  bench_.wait_until_settled();
  while (bench_.ledger().sent < kPattern.flows)
    sched_yield();  // what was held is on its way between two workers
  put_round(1);
  wait_until_lined_up(bench_);
  bench_.stop();
  std::vector<Bytes> expected = share_of(1, 0);
  const std::vector<Bytes> taken_by_dead = bench_.take(1, 0);
  EXPECT_EQ(taken_by_dead, std::vector<Bytes>(expected.begin(), expected.begin() + kTakes));
  expected.erase(expected.begin(), expected.begin() + kTakes);
  for (uint32_t flow = 0; flow < kPattern.flows; ++flow) expected.push_back(frame_of(flow, 1));
  EXPECT_EQ(bench_.take(2, 0), expected);
  EXPECT_EQ(bench_.ledger().sent, 2u * kPattern.flows);
  expect_balanced(bench_);
  EXPECT_EQ(bench_.mbufs_in_use(), 0u);
}

// While the owner holds packets for a NIC that is drained, the worker that receives goes on handing over to
// it.
TEST_F(FullQueueOfTheOwner, IsFollowedWhileItDrains) {
  core::Settings settings = bench_.settings();
  settings.ports[1].drain = true;
  bench_.change(settings);
  put_round(1);
  wait_until_lined_up(bench_);
  EXPECT_EQ(bench_.ledger().held, 2 * share_ - kTakes);
  EXPECT_EQ(bench_.take(2, 0).size(), 2 * (kPattern.flows - share_));
  std::vector<Bytes> by_old;
  while (bench_.ledger().held > 0) {
    const std::vector<Bytes> some = bench_.take(1, 0);
    by_old.insert(by_old.end(), some.begin(), some.end());
    if (some.empty()) sched_yield();
  }
  bench_.wait_until_settled();
  put_round(2);
  wait_until_lined_up(bench_);
  bench_.stop();
  const std::vector<Bytes> last = bench_.take(1, 0);
  by_old.insert(by_old.end(), last.begin(), last.end());
  std::vector<Bytes> expected = share_of(1, 0);
  const std::vector<Bytes> second = share_of(1, 1);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(by_old, expected);
  EXPECT_EQ(bench_.take(2, 0).size(), kPattern.flows);
  expect_balanced(bench_);
  EXPECT_EQ(bench_.ledger().dropped, 0u);
  EXPECT_EQ(bench_.mbufs_in_use(), 0u);
}

// Traffic goes on while NICs come and go, or weights change, with and without a time to settle. All NICs send
// onto one wire, so that the order of leaving can be read.
class ByHashUnderTraffic : public testing::TestWithParam<std::tuple<bool, uint32_t>> {};

TEST_P(ByHashUnderTraffic, EveryFlowStaysInOrder) {
  const auto& [fails, settle_us] = GetParam();
  core::Settings settings = by_hash(2);
  settings.failover.settle_us = settle_us;
  std::vector<BenchPort> ports = fan(3);
  for (unsigned nic = 1; nic <= 3; ++nic) {
    ports[nic].ring_slots = 512;
    ports[nic].shares_wire = true;
  }
  RingBench bench(settings, ports, 2);
  settings = bench.settings();
  bench.start();
  Numbers numbers;
  size_t taken = 0;
  const auto take = [&] {
    const std::vector<Bytes> out = bench.take(1, 0);
    taken += out.size();
    note(out, numbers);
    if (out.empty()) sched_yield();
  };
  const auto settled = [&] {
    const uint32_t newest = bench.plan().generation;
    return bench.worker(0).loop().settled_on(newest) && bench.worker(1).loop().settled_on(newest);
  };
  constexpr uint32_t kRounds = 60;
  for (uint32_t packet = 0; packet < kRounds; ++packet) {
    for (uint32_t flow = 0; flow < kPattern.flows; ++flow) {
      bench.put(0, static_cast<uint16_t>(flow % 2), frame_of(flow, packet));
      if (flow % 64 == 63 && packet % 3 != 0) take();
    }
    while (taken + 512 < size_t{packet + 1} * kPattern.flows) take();
    if (packet % 3 != 0) continue;
    const unsigned nic = 1 + packet / 3 % 3;
    std::vector<bool> up(4, true);
    if (fails && packet % 2 == 0) up[nic] = false;
    if (!fails) settings.ports[nic].weight = settings.ports[nic].weight == 1 ? 3 : 1;
    bench.change(settings, up);
    while (!settled()) take();
  }
  while (taken < size_t{kRounds} * kPattern.flows) take();
  bench.stop();
  expect_in_order(numbers);
  for (const auto& [flow, of_flow] : numbers) EXPECT_EQ(of_flow.size(), kRounds);
  expect_balanced(bench);
  EXPECT_EQ(bench.ledger().dropped, 0u);
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Changes, ByHashUnderTraffic,
                         testing::Combine(testing::Bool(), testing::Values(0u, 100u)), [](const auto& row) {
                           return std::string(std::get<0>(row.param) ? "NicsFail" : "WeightsChange") +
                                  "Settle" + std::to_string(std::get<1>(row.param)) + "us";
                         });

}  // namespace
