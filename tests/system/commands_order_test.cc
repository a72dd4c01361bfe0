// SPDX-License-Identifier: BSD-3-Clause
// A thousand changes through the control socket while numbered packets move: no flow is reordered but by the
// commands of which docs/commands.md says so ("Where flows may be reordered"), and the books balance. The
// NICs are net_ring: the worker takes a burst a round out of each, and when more comes the ring fills and
// refuses, so packets are held as for a real NIC.
#include <array>
#include <map>
#include <random>
#include <set>

#include "core/layout.h"
#include "core/settings.h"
#include "system/numbered_traffic.h"

namespace system_test {
namespace {

// Changes by lot, the same in every run. NIC 4 takes packets at any time: while nobody does, packets are
// dropped, and a flow that misses half a circle seems to go back.
class Changes {
 public:
  // Each changes something. By the documents flows stay in order.
  std::string in_order() { return new_one(&Changes::any_in_order); }
  // By the documents flows may be reordered once.
  std::string hashed_anew() { return new_one(&Changes::any_hashed_anew); }

 private:
  std::string new_one(std::string (Changes::*any)()) {
    while (true) {
      const std::string line = (this->*any)();
      const size_t value = line.rfind(' ');
      std::string& known = known_[line.substr(0, value)];
      if (known == line.substr(value)) continue;
      known = line.substr(value);
      return line;
    }
  }
  std::string any_in_order() {
    const unsigned kind = pick(100);
    const std::string nic = "set member net_ring" + std::to_string(1 + pick(3));
    if (kind < 25) return nic + (pick(3) > 0 ? " up" : pick(2) == 0 ? " drain" : " down");
    if (kind < 45) return nic + " weight " + std::to_string(pick(5));
    if (kind < 50) return "set member net_ring4 weight " + std::to_string(1 + pick(4));
    if (kind < 65) return "set burst " + std::to_string(1 + pick(512));
    if (kind < 75) return std::string("set domain A ") + (pick(3) == 0 ? "down" : "up");
    if (kind < 80) return "set failover settle_us " + std::to_string(pick(400));
    if (kind < 85 && !pinned_.empty()) {
      const unsigned bucket = *pinned_.begin();
      pinned_.erase(pinned_.begin());
      known_.erase("set distribution bucket " + std::to_string(bucket) + " queue");
      known_.erase("clear distribution bucket");  // whose last word is no value
      return "clear distribution bucket " + std::to_string(bucket);
    }
    const unsigned bucket = *pinned_.insert(pick(kBuckets)).first;
    return "set distribution bucket " + std::to_string(bucket) + " queue " + std::to_string(pick(4));
  }
  std::string any_hashed_anew() {
    static const std::array<std::string, 3> kFields = {R"(["src_ip","dst_ip"])", R"(["src_port","src_ip"])",
                                                       R"(["src_ip","dst_ip","src_port","dst_port"])"};
    switch (pick(4)) {
      case 0:
        return "set distribution fields " + kFields[pick(kFields.size())];
      case 1:
        return std::string("set distribution hash ") + (pick(2) == 0 ? "crc32c" : "jenkins");
      default:
        return "set distribution seed " + std::to_string(pick(1000));
    }
  }
  unsigned pick(size_t below) { return static_cast<unsigned>(random_() % below); }

  static constexpr unsigned kBuckets = 64;

  // By the words before it, the value that each command gave last, or the one at start.
  std::map<std::string, std::string> known_ = {
      {"set member net_ring1", " up"},
      {"set member net_ring1 weight", " 1"},
      {"set member net_ring2", " up"},
      {"set member net_ring2 weight", " 1"},
      {"set member net_ring3", " up"},
      {"set member net_ring3 weight", " 1"},
      {"set member net_ring4 weight", " 1"},
      {"set domain A", " up"},
      {"set burst", " 32"},
      {"set failover settle_us", " 200"},
      {"set distribution hash", " jenkins"},
      {"set distribution seed", " 0"},
      {"set distribution fields", R"( ["src_ip","dst_ip","src_port","dst_port"])"}};
  std::set<unsigned> pinned_;
  std::mt19937 random_{4};
};

class OrderTest : public CommandsTest {
 protected:
  std::string numbered_gateway() const {
    test_support::write_capture(file("in.pcap"), numbered_frames());
    test_support::write_capture(file("more.pcap"), unnumbered_frames());
    const auto endless = [this](const std::string& device, const std::string& capture) {
      return device + ",rx_pcap=" + file(capture) + ",infinite_rx=1";
    };
    std::string text = eal_table({endless("net_pcap0", "in.pcap"), "net_ring1", "net_ring2", "net_ring3",
                                  "net_ring4", endless("net_pcap5", "more.pcap")}) +
                       "[engine]\nreorder_sample = 1\n[failover]\nhold_down_ms = 1\n" +
                       "[distribution]\nqueues_per_nic = 1\nbuckets_per_queue = 16\n" +
                       port_table("net_pcap0", "access");
    for (const char* nic : {"1", "2", "3", "4"})
      text += port_table(std::string("net_ring") + nic, "uplink",
                         "domain = \"" + std::string(*nic < '3' ? "A" : "B") + "\"\n");
    return text + port_table("net_pcap5", "access");
  }
  static uint64_t plans_of(Telemetry& counters) {
    return counters.ask("/roceway/distribution").at("/roceway/distribution").at("publications");
  }
  // Its plan goes out, else changes within 10 ms would be one; then packets move on.
  void make(Ctl& ctl, Telemetry& counters, const std::string& line) {
    const uint64_t plans = plans_of(counters);
    const Ctl::Heard heard = ctl.ask(line);
    ASSERT_EQ(heard.status, "ok") << line << ": " << heard.text;
    if (!line.starts_with("set fwd"))
      until("the plan of " + line, [&] { return plans_of(counters) > plans; });
    const bool holds = counters.ask("/roceway/ledger").at("/roceway/ledger").at("held").get<uint64_t>() > 0;
    ++(holds ? held_at_changes_ : all_went_at_changes_);
    expect_moves(counters, 2'000);
  }
  // Until so many numbered packets more have come.
  static void expect_moves(Telemetry& counters, uint64_t packets) {
    const uint64_t before = counters.received(0);
    until(std::to_string(packets) + " packets have come",
          [&] { return counters.received(0) >= before + packets; });
  }
  static Order order_of(Ctl& ctl) { return Order(Json::parse(ctl.ask("show report --json").text)); }

  int held_at_changes_ = 0, all_went_at_changes_ = 0;
};

// The measure itself: the capture twice, once in each with two neighbors of a flow in the wrong order.
TEST_F(OrderTest, WhatWasOvertakenIsSeen) {
  std::vector<std::vector<uint8_t>> frames = numbered_frames();
  std::swap(frames[100 * kRow], frames[101 * kRow]);
  const size_t circle = frames.size();
  frames.resize(2 * circle);
  std::copy_n(frames.begin(), circle, frames.begin() + static_cast<ptrdiff_t>(circle));
  test_support::write_capture(file("in.pcap"), frames);
  const Order order(run_to_silence(eal_table({"net_pcap0,rx_pcap=" + file("in.pcap"), "net_null1,no-rx=1"}) +
                                   "[engine]\nreorder_sample = 1\n" + port_table("net_pcap0", "access") +
                                   port_table("net_null1", "uplink")));
  EXPECT_EQ(order.packets, 2 * kCircle * kNumberedFlows);
  EXPECT_EQ(order.overtaken, 2u);
}

TEST_F(OrderTest, AThousandChangesUnderTraffic) {
  Running program = start(write_config(numbered_gateway()), {"--ctl", socket_path()});
  Ctl ctl(socket_path());
  Telemetry counters(prefix());
  Changes changes;
  for (int i = 0; i < 700; ++i) make(ctl, counters, changes.in_order());
  const Order kept = order_of(ctl);
  EXPECT_EQ(kept.overtaken, 0u) << "of " << kept.packets;
  EXPECT_GT(kept.packets, 700'000u);
  EXPECT_GT(plans_of(counters), 700u);
  EXPECT_GT(held_at_changes_, 70) << "of 700: NICs refused hardly anything";
  EXPECT_GT(all_went_at_changes_, 70) << "of 700: buckets hardly ever left a NIC in order";

  constexpr int kTurns = 60;
  for (int i = 0; i < kTurns; ++i) {
    make(ctl, counters, changes.hashed_anew());
    make(ctl, counters, changes.in_order());
    make(ctl, counters, changes.hashed_anew());
    make(ctl, counters, "set fwd macswap");
    make(ctl, counters, "set fwd gateway");
  }
  expect_moves(counters, 500'000);
  const Order settled = order_of(ctl);
  // Once: what was held or waited when flows were hashed anew may be overtaken, and nothing else.
  EXPECT_LE(settled.overtaken,
            2 * kTurns * (4 * core::EngineSettings{}.hold_packets + core::kWaitingPackets));
  expect_moves(counters, 500'000);
  const Order quiet = order_of(ctl);
  EXPECT_GT(quiet.packets, settled.packets);
  EXPECT_EQ(quiet.overtaken, settled.overtaken);
  EXPECT_EQ(quiet.evicted, 0u);
  RecordProperty("packets_in_order", std::to_string(kept.packets));
  RecordProperty("overtaken_when_hashed_anew", std::to_string(settled.overtaken));
  RecordProperty("changes_while_held", std::to_string(held_at_changes_));
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
