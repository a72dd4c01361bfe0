// SPDX-License-Identifier: BSD-3-Clause
// Millions of numbered packets while NICs fail, return, drain and change weight: every packet leaves once or
// is counted as dropped, by a NIC that its flow may use, and no flow is out of order but where this test made
// it so. All NICs send onto one ring, so that the order of leaving is exact; a frame's destination MAC tells
// the NIC. A NIC that is down is dead: what the wire shows for it is lost.
#include <gtest/gtest.h>
#include <rte_mbuf.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "core/parse.h"
#include "support/ring_bench.h"
#include "support/soak_traffic.h"

namespace {

using core::SplitMix;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;
using namespace test_support::soak;

constexpr uint16_t kQueues = 2;       // of each NIC
constexpr uint32_t kInFlight = 2048;  // packets between the two ends at most: no hold can overflow
constexpr unsigned kTurn = 256;       // packets put or taken at a time
constexpr uint32_t kChanges = 200;
constexpr uint16_t kUplink = 1;  // index of the group in the plan

struct Packet {
  uint16_t epoch : 15 = 0;
  bool left : 1 = false;
};

// What is wrong; all must stay 0.
struct Faults {
  uint64_t changed = 0;  // not the bytes that were put
  uint64_t doubled = 0;
  uint64_t by_other = 0;      // left by a NIC that its bucket had neither before nor after a change under way
  uint64_t by_dead = 0;       // handed to a NIC after every worker had taken up the plan without it
  uint64_t without_need = 0;  // dropped as no_member while a NIC was usable
};

class Soak {
 public:
  Soak(core::Owner owner, unsigned workers)
      : workers_(workers), bench_(settings(owner), ports(workers), workers) {
    for (uint32_t flow = 0; flow < kFlows; ++flow) bucket_of_[flow] = bucket_of(frames_[flow]);
    allow(true);
  }

  void run(uint32_t packets);
  void expect_right();

 private:
  static core::Settings settings(core::Owner owner) {
    core::Settings settings;
    settings.distribution.owner = owner;
    settings.distribution.queues_per_nic = kQueues;
    settings.engine.hold_packets = kInFlight;
    settings.engine.reorder_sample = 1;
    return settings;
  }
  static std::vector<BenchPort> ports(unsigned workers) {
    std::vector<BenchPort> ports(1 + kNics);
    ports[0].settings.group = "access";
    ports[0].rx_queues = static_cast<uint16_t>(workers);
    for (unsigned nic = 0; nic < kNics; ++nic) {
      BenchPort& port = ports[1 + nic];
      port.settings.group = "uplink";
      port.settings.tx_descriptors = 32;  // which net_ring does not look at
      port.settings.domain = nic < 2 ? "A" : "B";
      port.settings.next_hop_mac = mac_of_nic(nic);
      port.ring_slots = 1024;
      port.shares_wire = true;
    }
    return ports;
  }

  uint32_t bucket_of(const Bytes& frame) const {
    const core::PacketView view{frame.data(), static_cast<uint32_t>(frame.size()),
                                static_cast<uint32_t>(frame.size())};
    core::FlowKey key;
    core::make_flow_key(view, core::parse(view), bench_.plan().fields, key);
    return bench_.plan().groups[kUplink].buckets(bench_.plan().hash(key));
  }

  uint64_t outstanding() const { return put_ - taken_ - bench_.totals().dropped_in_all(); }
  bool all_workers(auto condition) const {
    for (unsigned w = 0; w < workers_; ++w) {
      if (!condition(bench_.worker(w).loop())) return false;
    }
    return true;
  }
  void change();
  bool last_change_has_passed();
  void check_drops();
  void allow(bool new_epoch);
  void look_at_workers();
  void put(uint32_t count);
  void put_one(uint32_t flow, uint32_t number, rte_mbuf* mbuf);
  unsigned take();
  void take_one(const rte_mbuf* mbuf);
  void expect_meters_agree(uint64_t missing);

  const unsigned workers_;
  const Frames frames_;
  RingBench bench_;
  SplitMix random_{2026};
  Weather weather_;
  std::array<uint32_t, kFlows> bucket_of_{};

  uint64_t put_ = 0, taken_ = 0, most_held_ = 0;
  std::vector<std::vector<Packet>> packets_{kFlows};  // by flow and number
  std::vector<std::pair<uint32_t, uint32_t>> swaps_;  // flow, and the number that was put behind the next one
  std::array<std::vector<rte_mbuf*>, 2> line_;        // by RX queue

  // By epoch and bucket, a bit for each NIC that a packet put in this epoch may leave by. An epoch begins
  // when every bucket has come to follow the newest plan.
  std::vector<std::vector<uint8_t>> allowed_;
  uint32_t epoch_generation_ = 0;      // of the plan that every bucket followed then
  uint32_t usable_since_ = 1;          // the generation since which some NIC is usable; 0: none is
  std::optional<uint64_t> no_member_;  // so many were dropped when every worker had taken that plan up

  struct Nic {
    bool dead = false;
    uint32_t generation = 0;     // of the plan without it
    uint64_t last = UINT64_MAX;  // so many packets are taken when the last that it may have sent is
    uint64_t lost = 0;
  };
  std::array<Nic, kNics> nics_;

  std::array<uint32_t, kFlows> expected_{};  // by RFC 4737: one more than the highest number that has left
  std::array<bool, kFlows> seen_{};
  uint64_t reordered_ = 0;
  Faults faults_;
};

void Soak::change() {
  check_drops();
  weather_.change(bench_.plan().generation, random_);
  core::Settings settings = bench_.settings();
  std::vector<bool> up;
  weather_.apply(settings, up);
  bench_.change(settings, up);
  for (unsigned nic = 0; nic < kNics; ++nic) {
    if (nics_[nic].dead == weather_.dead(nic)) continue;
    nics_[nic].dead = weather_.dead(nic);
    nics_[nic].generation = bench_.plan().generation;
    nics_[nic].last = UINT64_MAX;
  }
  if (!bench_.plan().groups[kUplink].usable()) {
    usable_since_ = 0;
    no_member_.reset();
  } else if (usable_since_ == 0) {
    usable_since_ = bench_.plan().generation;
  }
  allow(false);
}

// Whether every bucket follows the newest plan. Two workers keep a flow in order as long as the next plan
// does not overtake packets between them; one worker does whenever plans come.
bool Soak::last_change_has_passed() {
  const uint32_t newest = bench_.plan().generation;
  return workers_ == 1 || all_workers([newest](const auto& loop) { return loop.settled_on(newest); });
}

// Nothing may be dropped from when all workers know of a usable NIC until one may know of none.
void Soak::check_drops() {
  if (no_member_) faults_.without_need += bench_.dropped(0, core::DropReason::no_member) - *no_member_;
  no_member_.reset();
}

// What the newest plan allows is allowed beside what was, also to what is still on its way; in a new epoch it
// is all.
void Soak::allow(bool new_epoch) {
  const core::Plan& plan = bench_.plan();
  const auto& exits = plan.groups[kUplink].tables.front().exit_of_bucket;
  if (new_epoch) {
    allowed_.emplace_back(exits.size());
    epoch_generation_ = plan.generation;
  }
  for (size_t bucket = 0; bucket < exits.size(); ++bucket) {
    if (exits[bucket] == core::kNoExit) continue;
    const auto bit = static_cast<uint8_t>(1u << (plan.port_of_exit[exits[bucket]] - 1));
    if (new_epoch) allowed_.back()[bucket] = bit;
    for (auto& of_epoch : allowed_) of_epoch[bucket] |= new_epoch ? uint8_t{0} : bit;
  }
}

void Soak::look_at_workers() {
  const uint32_t newest = bench_.plan().generation;
  if (epoch_generation_ != newest && all_workers([&](const auto& loop) { return loop.settled_on(newest); }))
    allow(true);
  for (Nic& nic : nics_) {
    if (!nic.dead || nic.last != UINT64_MAX) continue;
    const auto knows = [&](const auto& loop) {
      return loop.generation.load(std::memory_order_acquire) >= nic.generation;
    };
    if (all_workers(knows)) nic.last = taken_ + rte_ring_count(bench_.tx_ring(1, 0));
  }
  const auto knows = [this](const auto& loop) {
    return loop.generation.load(std::memory_order_acquire) >= usable_since_;
  };
  if (usable_since_ != 0 && !no_member_ && all_workers(knows)) {
    no_member_ = bench_.dropped(0, core::DropReason::no_member);
  }
  most_held_ = std::max(most_held_, bench_.totals().held);
}

void Soak::put_one(uint32_t flow, uint32_t number, rte_mbuf* mbuf) {
  frames_.write(flow, number, mbuf);
  packets_[flow][number].epoch = (allowed_.size() - 1) & 0x7fff;
  ++put_;
  line_[flow % workers_].push_back(mbuf);
}

// Flows by lot, some packets of each in a row. One packet in a thousand overtakes the one before it.
void Soak::put(uint32_t count) {
  rte_mbuf* mbufs[kTurn];
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(bench_.pool(), mbufs, count), 0);
  for (uint32_t i = 0; i < count;) {
    const uint32_t flow = random_.below(kFlows);
    const uint32_t number = static_cast<uint32_t>(packets_[flow].size());
    const uint32_t row = std::min(1 + random_.below(4), count - i);
    packets_[flow].resize(number + row);
    const bool swap =
        row == 2 && number >= 16 && random_.below(250) == 0;  // a flow's first number leaves no gap
    if (swap) swaps_.emplace_back(flow, number);
    for (uint32_t n = 0; n < row; ++n) put_one(flow, number + (swap ? 1 - n : n), mbufs[i++]);
  }
  for (uint16_t queue = 0; queue < workers_; ++queue) {
    const auto size = static_cast<unsigned>(line_[queue].size());
    ASSERT_EQ(rte_ring_enqueue_bulk(bench_.rx_ring(0, queue), reinterpret_cast<void**>(line_[queue].data()),
                                    size, nullptr),
              size);
    line_[queue].clear();
  }
}

void Soak::take_one(const rte_mbuf* mbuf) {
  uint32_t flow = 0, number = 0;
  if (!frames_.read(mbuf, flow, number) || number >= packets_[flow].size()) {
    ++faults_.changed;
    return;
  }
  const unsigned nic = rte_pktmbuf_mtod(mbuf, const uint8_t*)[5];
  const core::MacAddress mac = mac_of_nic(nic);
  if (nic >= kNics || std::memcmp(rte_pktmbuf_mtod(mbuf, const void*), mac.data(), mac.size()) != 0) {
    ++faults_.changed;
    return;
  }
  Packet& packet = packets_[flow][number];
  faults_.doubled += packet.left;
  packet.left = true;
  faults_.by_other += (allowed_[packet.epoch][bucket_of_[flow]] >> nic & 1) == 0;
  if (nics_[nic].dead) {
    ++nics_[nic].lost;
    faults_.by_dead += taken_ >= nics_[nic].last;
  }
  if (!seen_[flow] || number >= expected_[flow]) {
    seen_[flow] = true;
    expected_[flow] = number + 1;
  } else {
    ++reordered_;
  }
}

unsigned Soak::take() {
  rte_mbuf* mbufs[kTurn];
  const unsigned count =
      rte_ring_dequeue_burst(bench_.tx_ring(1, 0), reinterpret_cast<void**>(mbufs), kTurn, nullptr);
  for (unsigned i = 0; i < count; ++i) {
    take_one(mbufs[i]);
    ++taken_;
  }
  rte_pktmbuf_free_bulk(mbufs, count);
  return count;
}

void Soak::run(uint32_t packets) {
  const uint32_t between = packets / kChanges;
  uint64_t next_change = between;
  bool listens = true;  // else the wire fills, and NICs refuse packets
  bench_.start();
  while (put_ < packets || outstanding() > 0) {
    const auto room = static_cast<uint32_t>(kInFlight - outstanding());
    const auto count =
        static_cast<uint32_t>(std::min<uint64_t>({room, kTurn, next_change - put_, packets - put_}));
    if (count > 0) put(count);
    if (put_ == next_change && last_change_has_passed()) {
      next_change += between;
      change();
      if (workers_ == 1 && random_.below(8) == 0) change();  // right behind the first
    }
    look_at_workers();
    if (listens ? random_.below(64) == 0 : count == 0 && random_.below(64) == 0) listens = !listens;
    const unsigned taken = listens || put_ == packets ? take() : 0;
    if (count == 0 && taken == 0) sched_yield();  // workers may share this CPU
  }
  bench_.stop();
  check_drops();
}

// With several workers a packet is metered when it is handed to the worker that sends it, and that one may
// have to drop it because no NIC is usable any more.
void Soak::expect_meters_agree(uint64_t missing) {
  uint64_t packets = 0, reordered = 0, repeated = 0, evicted = 0, swapped = 0, touched = 0;
  for (unsigned w = 0; w < workers_; ++w) {
    const core::ReorderCounters& meter = *bench_.worker(w).reordering(kUplink);
    packets += meter.packets.read();
    reordered += meter.reordered.read();
    repeated += meter.repeated.read();
    evicted += meter.evicted.read();
    EXPECT_EQ(meter.farthest.read(), 1u);
  }
  for (const auto& [flow, number] : swaps_) {
    const bool whole = packets_[flow][number].left && packets_[flow][number + 1].left;
    (whole ? swapped : touched) += 1;
  }
  EXPECT_GT(swapped, 0u);
  EXPECT_EQ(reordered_, swapped) << "others than those that were put so";
  EXPECT_GE(reordered, reordered_);
  EXPECT_LE(reordered, reordered_ + (workers_ > 1 ? touched : 0));
  EXPECT_EQ(repeated, 0u);
  EXPECT_EQ(evicted, 0u);
  EXPECT_GE(packets, taken_);
  EXPECT_LE(packets, taken_ + (workers_ > 1 ? missing : 0));
}

void Soak::expect_right() {
  uint64_t left = 0;
  for (const auto& of_flow : packets_) {
    for (const Packet& packet : of_flow) left += packet.left;
  }
  const uint64_t missing = put_ - left;
  const core::IngressTotals all = bench_.totals();
  EXPECT_EQ(faults_.changed, 0u);
  EXPECT_EQ(faults_.doubled, 0u);
  EXPECT_EQ(faults_.by_other, 0u);
  EXPECT_EQ(faults_.by_dead, 0u);
  EXPECT_EQ(faults_.without_need, 0u);
  EXPECT_EQ(left, taken_);
  EXPECT_EQ(all.dropped[static_cast<size_t>(core::DropReason::no_member)], missing);
  EXPECT_EQ(all.dropped_in_all(), missing) << "dropped for another reason";
  EXPECT_EQ(all.rx_packets, put_);
  EXPECT_EQ(all.sent, taken_);
  EXPECT_EQ(all.held, 0u);
  EXPECT_EQ(all.handed_over, all.taken_over);
  EXPECT_TRUE(bench_.ledger().balanced());
  EXPECT_EQ(bench_.mbufs_in_use(), 0u);
  expect_meters_agree(missing);
  // What the test is for has happened.
  uint64_t lost = 0;
  for (const Nic& nic : nics_) lost += nic.lost;
  EXPECT_GT(lost, 0u);
  EXPECT_GT(missing, 0u);
  EXPECT_GT(most_held_, 0u);
  EXPECT_GE(bench_.plan().generation, kChanges);
  testing::Test::RecordProperty("left_by_dead_nics", std::to_string(lost));
  testing::Test::RecordProperty("dropped_without_a_nic", std::to_string(missing));
}

TEST(Soak, TenMillionPacketsPerWorker) {
  Soak soak(core::Owner::per_worker, 1);
  soak.run(10'000'000);
  soak.expect_right();
}

TEST(Soak, AMillionPacketsByHash) {
  Soak soak(core::Owner::by_hash, 2);
  soak.run(1'000'000);
  soak.expect_right();
}

}  // namespace
