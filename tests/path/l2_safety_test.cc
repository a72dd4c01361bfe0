// SPDX-License-Identifier: BSD-3-Clause
// Several NICs on one Ethernet segment: frames that come back, frames that a switch floods to every member,
// and the gateway's own ARP and neighbor discovery. Bytes in, bytes out, and the reason of every drop.
#include <gtest/gtest.h>
#include <sched.h>

#include "core/neighbor.h"
#include "support/ring_bench.h"

namespace {

using core::DropReason;
using core::MacAddress;
using test_support::BenchPort;
using test_support::Bytes;
using test_support::RingBench;

constexpr MacAddress kHost = {0x02, 0, 0, 0, 1, 1};    // on the access side
constexpr MacAddress kServer = {0x02, 0, 0, 0, 2, 1};  // on the uplink side
constexpr MacAddress kNobody = {0x02, 0, 0, 0, 9, 9};
constexpr MacAddress kBroadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr MacAddress kMulticast = {0x01, 0x00, 0x5e, 0, 0, 1};
constexpr MacAddress kMacOfPort[] = {
    {0x02, 0, 0, 0, 0, 0xa0}, {0x02, 0, 0, 0, 0, 0xa1}, {0x02, 0, 0, 0, 0, 0xa2}};

// The number tells frames apart.
Bytes frame(const MacAddress& to, const MacAddress& from, uint8_t number = 0) {
  return test_support::padded(test_support::ethernet(
      test_support::kIpv4, test_support::ipv4({}, test_support::udp(1, 2, {number})), to, from));
}

core::Settings gateway() {
  core::Settings settings;
  settings.distribution.queues_per_nic = 1;
  return settings;
}

std::vector<BenchPort> ports_in(const std::vector<const char*>& groups) {
  std::vector<BenchPort> ports(groups.size());
  for (size_t i = 0; i < ports.size(); ++i) {
    ports[i].settings.group = groups[i];
    ports[i].mac = kMacOfPort[i];
  }
  return ports;
}

// Frames on every queue by which a port sends, whichever worker's.
std::vector<Bytes> out_of(RingBench& bench, uint16_t port, unsigned workers) {
  std::vector<Bytes> frames;
  for (uint16_t queue = 0; queue < workers; ++queue) {
    const std::vector<Bytes> some = bench.take(port, queue);
    frames.insert(frames.end(), some.begin(), some.end());
  }
  return frames;
}

// Puts one frame and waits until it is sent or dropped.
void pass(RingBench& bench, uint16_t port, const Bytes& frame) {
  bench.put(port, 0, frame);
  bench.wait_until_quiet();
}

// With two workers, access is polled by the first and uplink by the second.
class Looped : public testing::TestWithParam<unsigned> {};

TEST_P(Looped, AFrameComesBackByTheOtherGroup) {
  RingBench bench(gateway(), ports_in({"access", "uplink"}), GetParam());
  bench.start();
  // Once more when more than the second in which a source counts as just seen went by between the two.
  for (int attempt = 0; attempt < 20 && bench.dropped(1, DropReason::looped) == 0; ++attempt) {
    out_of(bench, 1, GetParam());
    out_of(bench, 0, GetParam());
    pass(bench, 0, frame(kServer, kHost, 1));
    pass(bench, 1, frame(kServer, kHost, 1));
  }
  EXPECT_EQ(bench.dropped(1, DropReason::looped), 1u);
  EXPECT_EQ(out_of(bench, 1, GetParam()), std::vector<Bytes>{frame(kServer, kHost, 1)});
  EXPECT_TRUE(out_of(bench, 0, GetParam()).empty());
  // The host is still where it was, and others may speak on that side.
  pass(bench, 0, frame(kServer, kHost, 2));
  pass(bench, 1, frame(kHost, kServer, 3));
  bench.stop();
  EXPECT_EQ(out_of(bench, 1, GetParam()), std::vector<Bytes>{frame(kServer, kHost, 2)});
  EXPECT_EQ(out_of(bench, 0, GetParam()), std::vector<Bytes>{frame(kHost, kServer, 3)});
  EXPECT_EQ(bench.ledger().dropped, 1u);
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

TEST_P(Looped, OrNotWhenTheGroupIsNotGuarded) {
  core::Settings settings = gateway();
  settings.groups = {{.name = "uplink", .loop_guard = false}};
  RingBench bench(settings, ports_in({"access", "uplink"}), GetParam());
  bench.start();
  pass(bench, 0, frame(kServer, kHost));
  pass(bench, 1, frame(kServer, kHost));
  bench.stop();
  EXPECT_EQ(out_of(bench, 1, GetParam()).size(), 1u);
  EXPECT_EQ(out_of(bench, 0, GetParam()), std::vector<Bytes>{frame(kServer, kHost)});
  EXPECT_EQ(bench.ledger().dropped, 0u);
}

TEST_P(Looped, AFrameFromOneOfTheGatewaysOwnPorts) {
  RingBench bench(gateway(), ports_in({"access", "uplink", "uplink"}), GetParam());
  bench.start();
  for (const uint16_t port : {0, 1, 2}) {
    for (const MacAddress& own : kMacOfPort) pass(bench, port, frame(kNobody, own));
  }
  pass(bench, 0, frame(kServer, {}));  // no station's address, and no port's
  bench.stop();
  for (const uint16_t port : {0, 1, 2}) EXPECT_EQ(bench.dropped(port, DropReason::looped), 3u);
  EXPECT_EQ(bench.ledger().dropped, 9u);
  EXPECT_EQ(bench.ledger().sent, 1u);
  EXPECT_TRUE(bench.ledger().balanced());
}

INSTANTIATE_TEST_SUITE_P(Workers, Looped, testing::Values(1u, 2u));

// Ports 0 and 1 are access, 2 is uplink; a switch floods to 0 and 1. With two workers, 1 is polled by another
// one than 0 and 2.
class Flooded : public testing::TestWithParam<unsigned> {
 protected:
  // Which of the two took the frame in, by what came out.
  void expect_taken(RingBench& bench, const Bytes& flooded, std::vector<uint16_t> by) {
    for (const uint16_t port : {0, 1}) {
      SCOPED_TRACE("port " + std::to_string(port));
      const bool taken = std::find(by.begin(), by.end(), port) != by.end();
      const uint64_t before = bench.dropped(port, DropReason::not_elected);
      pass(bench, port, flooded);
      EXPECT_EQ(bench.dropped(port, DropReason::not_elected), before + !taken);
      EXPECT_EQ(out_of(bench, 2, GetParam()), std::vector<Bytes>(taken ? 1 : 0, flooded));
    }
  }
};

TEST_P(Flooded, IsTakenInByTheElectedMemberAlone) {
  RingBench bench(gateway(), ports_in({"access", "access", "uplink"}), GetParam());
  bench.start();
  for (const MacAddress& to : {kBroadcast, kMulticast}) expect_taken(bench, frame(to, kHost), {0});
  // The election follows health and drains.
  bench.change(bench.settings(), {false, true, true});
  bench.wait_until_settled();
  expect_taken(bench, frame(kBroadcast, kHost, 1), {1});
  bench.change(bench.settings());
  bench.wait_until_settled();
  expect_taken(bench, frame(kBroadcast, kHost, 2), {0});
  core::Settings settings = bench.settings();
  settings.ports[0].drain = true;
  bench.change(settings);
  bench.wait_until_settled();
  expect_taken(bench, frame(kBroadcast, kHost, 3), {1});
  bench.stop();
  EXPECT_EQ(bench.ledger().dropped, 5u);
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

TEST_P(Flooded, IsTakenInByAllWhenTheGroupSaysSo) {
  core::Settings settings = gateway();
  settings.groups = {{.name = "access", .broadcast = core::Broadcast::any}};
  RingBench bench(settings, ports_in({"access", "access", "uplink"}), GetParam());
  bench.start();
  for (const MacAddress& to : {kBroadcast, kMulticast, kNobody})
    expect_taken(bench, frame(to, kHost), {0, 1});
  bench.stop();
  EXPECT_EQ(bench.ledger().dropped, 0u);
}

// Unicast counts as flooded when others of the target group have spoken and this station has not.
TEST_P(Flooded, UnknownUnicast) {
  RingBench bench(gateway(), ports_in({"access", "access", "uplink"}), GetParam());
  bench.start();
  expect_taken(bench, frame(kServer, kHost, 1), {0, 1});  // uplink is a sink so far
  pass(bench, 2, frame(kHost, kServer, 2));
  EXPECT_EQ(out_of(bench, 0, GetParam()).size() + out_of(bench, 1, GetParam()).size(), 1u);
  expect_taken(bench, frame(kServer, kHost, 3), {0, 1});
  expect_taken(bench, frame(kNobody, kHost, 4), {0});
  expect_taken(bench, frame(kMacOfPort[0], kHost, 5), {0});  // to the port itself, and unknown to the other
  pass(bench, 1, frame(kMacOfPort[1], kHost, 6));
  EXPECT_EQ(out_of(bench, 2, GetParam()), std::vector<Bytes>{frame(kMacOfPort[1], kHost, 6)});
  pass(bench, 2, frame(kHost, kNobody, 7));  // who now is known
  expect_taken(bench, frame(kNobody, kHost, 8), {0, 1});
  bench.stop();
  EXPECT_TRUE(bench.ledger().balanced());
}

// What gets another destination anyway is not asked for the one it has.
TEST_P(Flooded, UnknownUnicastToNextHops) {
  std::vector<BenchPort> ports = ports_in({"access", "access", "uplink"});
  ports[2].settings.next_hop_mac = kServer;
  RingBench bench(gateway(), ports, GetParam());
  bench.start();
  pass(bench, 2, frame(kHost, kServer));
  for (const uint16_t port : {0, 1}) pass(bench, port, frame(kNobody, kHost));
  bench.stop();
  EXPECT_EQ(out_of(bench, 2, GetParam()), std::vector<Bytes>(2, frame(kServer, kMacOfPort[2])));
  EXPECT_EQ(bench.ledger().dropped, 0u);
}

INSTANTIATE_TEST_SUITE_P(Workers, Flooded, testing::Values(1u, 2u));

constexpr core::IpAddress kOwnV4{.v6 = false, .bytes = {10, 0, 0, 1}};
constexpr core::IpAddress kPeerV4{.v6 = false, .bytes = {10, 0, 0, 9}};
constexpr core::IpAddress kOwnV6{.v6 = true, .bytes = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
constexpr core::IpAddress kPeerV6{.v6 = true,
                                  .bytes = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}};

Bytes arp(uint8_t operation, const MacAddress& to, const core::Station& sender, const core::Station& target) {
  Bytes packet = {0, 1, 8, 0, 6, 4, 0, operation};
  for (const core::Station* station : {&sender, &target}) {
    packet.insert(packet.end(), station->mac.begin(), station->mac.end());
    packet.insert(packet.end(), station->ip.bytes.begin(), station->ip.bytes.begin() + 4);
  }
  return test_support::padded(test_support::ethernet(test_support::kArp, packet, to, sender.mac));
}

Bytes bytes_of(const core::NeighborFrame& frame) {
  return {frame.bytes.begin(), frame.bytes.begin() + static_cast<ptrdiff_t>(frame.size)};
}

// Questions for the address of a port: who asks, by which port, what is answered there, if anything.
TEST(Neighbors, QuestionsAreAnswered) {
  const core::Station self4{kMacOfPort[1], kOwnV4}, self6{kMacOfPort[1], kOwnV6};
  const core::Station peer4{kServer, kPeerV4}, peer6{kServer, kPeerV6};
  const core::IpAddress other{.v6 = false, .bytes = {10, 0, 0, 2}};
  struct Row {
    const char* name;
    core::IpAddress address;
    Bytes question, answer;  // no answer: it is somebody else's business
  };
  const Row rows[] = {{"ARP", kOwnV4, arp(1, kBroadcast, peer4, {{}, kOwnV4}), arp(2, kServer, self4, peer4)},
                      {"ARP to the port alone", kOwnV4, arp(1, kMacOfPort[1], peer4, {{}, kOwnV4}),
                       arp(2, kServer, self4, peer4)},
                      {"ARP for another address", kOwnV4, arp(1, kBroadcast, peer4, {{}, other}), {}},
                      {"neighbor solicitation", kOwnV6, bytes_of(core::make_question(peer6, kOwnV6)),
                       bytes_of(core::make_answer(self6, peer6))},
                      {"neighbor solicitation for another address",
                       kOwnV6,
                       bytes_of(core::make_question(peer6, kPeerV6)),
                       {}}};
  for (const core::Owner owner : {core::Owner::per_worker, core::Owner::by_hash}) {
    for (const unsigned workers : {1u, 2u}) {
      for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.name) + ", " + std::to_string(workers) + " workers, owner " +
                     std::to_string(static_cast<int>(owner)));
        core::Settings settings = gateway();
        settings.distribution.owner = owner;
        std::vector<BenchPort> ports = ports_in({"access", "uplink"});
        ports[1].settings.address = row.address;
        RingBench bench(settings, ports, workers);
        bench.start();
        bench.put(1, 0, row.question);
        const bool is_ours = !row.answer.empty();
        while (bench.ledger().sent != 1) sched_yield();
        bench.stop();
        const unsigned tx_queues = owner == core::Owner::by_hash ? 1 : workers;
        EXPECT_EQ(out_of(bench, 1, tx_queues), std::vector<Bytes>(is_ours ? 1 : 0, row.answer));
        EXPECT_EQ(out_of(bench, 0, tx_queues), std::vector<Bytes>(is_ours ? 0 : 1, row.question));
        EXPECT_EQ(bench.dropped(1, DropReason::local), is_ours ? 1u : 0u);
        EXPECT_EQ(bench.ingress(1).generated, is_ours ? 1u : 0u);
        EXPECT_EQ(bench.ingress(1).answers, 0u);
        EXPECT_TRUE(bench.ledger().balanced());
        EXPECT_EQ(bench.mbufs_in_use(), 0u);
      }
    }
  }
}

// Who does not probe does not wait for answers: they pass, as do those of others.
TEST(Neighbors, AnswersOfTheNextHopAreCounted) {
  struct Row {
    const char* name;
    core::Liveness liveness;
    core::IpAddress address, next_hop;
    Bytes frame;
    bool counted;
  };
  const core::Station self4{kMacOfPort[1], kOwnV4}, peer4{kServer, kPeerV4};
  const core::Station self6{kMacOfPort[1], kOwnV6}, peer6{kServer, kPeerV6};
  const core::Station stranger{kNobody, {.v6 = false, .bytes = {10, 0, 0, 7}}};
  const Bytes reply = arp(2, kMacOfPort[1], peer4, self4);
  for (const Row& row : {Row{"ARP reply", core::Liveness::probe, kOwnV4, kPeerV4, reply, true},
                         Row{"advertisement", core::Liveness::probe, kOwnV6, kPeerV6,
                             bytes_of(core::make_answer(peer6, self6)), true},
                         Row{"ARP reply of a stranger", core::Liveness::probe, kOwnV4, kPeerV4,
                             arp(2, kMacOfPort[1], stranger, self4), false},
                         Row{"nobody is probed", core::Liveness::link, kOwnV4, kPeerV4, reply, false}}) {
    SCOPED_TRACE(row.name);
    std::vector<BenchPort> ports = ports_in({"access", "uplink"});
    ports[1].settings.liveness = row.liveness;
    ports[1].settings.address = row.address;
    ports[1].settings.next_hop_ip = row.next_hop;
    RingBench bench(gateway(), ports);
    bench.put(1, 0, row.frame);
    bench.run();
    EXPECT_EQ(bench.ingress(1).answers, row.counted ? 1u : 0u);
    EXPECT_EQ(bench.dropped(1, DropReason::local), row.counted ? 1u : 0u);
    EXPECT_EQ(bench.take(0, 0), std::vector<Bytes>(row.counted ? 0 : 1, row.frame));
    EXPECT_TRUE(bench.take(1, 0).empty());
    EXPECT_EQ(bench.ledger().generated, 0u);
    EXPECT_TRUE(bench.ledger().balanced());
  }
}

// A port that cannot send owes its answer: it is counted and dropped.
TEST(Neighbors, APortThatCannotSendDropsItsAnswer) {
  std::vector<BenchPort> ports = ports_in({"access", "uplink"});
  ports[1].settings.address = kOwnV4;
  ports[1].sends = false;
  RingBench bench(gateway(), ports);
  bench.put(1, 0, arp(1, kBroadcast, {kServer, kPeerV4}, {{}, kOwnV4}));
  bench.start();
  while (bench.ledger().dropped != 2) sched_yield();
  bench.stop();
  EXPECT_EQ(bench.dropped(1, DropReason::local), 1u);
  EXPECT_EQ(bench.dropped(1, DropReason::no_tx), 1u);
  EXPECT_TRUE(bench.ledger().balanced());
  EXPECT_EQ(bench.mbufs_in_use(), 0u);
}

}  // namespace
