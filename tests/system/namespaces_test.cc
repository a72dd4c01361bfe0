// SPDX-License-Identifier: BSD-3-Clause
// Real clients through the gateway: what two kernels say to each other arrives once and as it was sent, goes
// on when a path is taken down, and what they ask the gateway itself is answered. See kernels.h for who
// stands where.
#include <arpa/inet.h>

#include <map>

#include "core/flow_maker.h"
#include "support/frames.h"
#include "system/kernels.h"

namespace {

using namespace system_test;
using test_support::Bytes;
using test_support::FrameSocket;

constexpr core::MacAddress kClientMac = {2, 0, 0, 0, 0, 1}, kServerMac = {2, 0, 0, 0, 0, 2};
constexpr core::MacAddress kNobodyMac = {2, 0, 0, 0, 0, 3}, kGroupMac = {0x33, 0x33, 0, 0, 0, 0x77};
constexpr core::MacAddress kAllMac = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

class Kernels : public KernelTest {};

// An address is one's own only when nobody else was heard to have it: its own question must not come back.
void expect_unique(const Namespace& space, const std::string& address) {
  ASSERT_EQ(space.ip("addr add " + address + "/64 dev eth0").status, 0);
  std::string state;
  do {
    state = space.ip("-6 addr show dev eth0 to " + address).out;
  } while (state.find("tentative") != std::string::npos && state.find("dadfailed") == std::string::npos);
  EXPECT_EQ(state.find("dadfailed"), std::string::npos) << state;
}

TEST_F(Kernels, PingsWithoutDoubles) {
  give_addresses();
  ASSERT_NO_FATAL_FAILURE(start_gateway());
  const struct {
    const Namespace& from;
    const char* words;
  } rows[] = {
      {*client_, "10.77.0.2"},         {*server_, "10.77.0.1"},
      {*client_, "-s 8000 10.77.0.2"},  // in fragments
      {*server_, "-s 8000 10.77.0.1"}, {*client_, "fd00:77::2"},
      {*server_, "fd00:77::1"},        {*client_, "-s 8000 fd00:77::2"},
  };
  switch_ipv6_on();
  expect_unique(*client_, "fd00:77::1");
  expect_unique(*server_, "fd00:77::2");
  for (const auto& row : rows) {
    EXPECT_EQ(row.from.ip("neigh flush all").status, 0);  // so that it asks all stations
    expect_pings(row.from, row.words);
  }
  const Json report = stop_gateway();
  EXPECT_GT(report["dropped"].value("not_elected", 0), 0) << report["dropped"];
  EXPECT_GT(report["dropped"].value("looped", 0), 0) << report["dropped"];
  EXPECT_EQ(report["dropped"].size(), 2u) << report["dropped"];
}

// Frames as they are sent, both ways. No kernel says anything here, so every count is exact.
TEST_F(Kernels, FramesArriveAsTheyWere) {
  using namespace test_support;
  const Bytes text(333, 0x5a);
  const auto part = [&](uint16_t fragment, size_t size) {
    return ipv4({.fragment = fragment}, Bytes(size, 0xf1));
  };
  const auto part6 = [&](uint16_t offset, size_t size) {
    return ipv6({.next = kFragment}, ipv6_fragment(kUdp, offset, Bytes(size, 0xf6)));
  };
  const Bytes datagram = ipv4({}, udp(1000, 53, text));
  core::FlowPattern roce;
  roce.kind = core::FlowKind::roce_v2;
  roce.sizes = {301};
  const Bytes roce_packet = core::make_frame(roce, 7, 1, {}, {});
  const struct {
    const char* name;
    uint16_t type;
    Bytes payload;
  } rows[] = {
      {"one byte", 0x88b5, {0x77}},
      {"two bytes", 0x88b5, {0x77, 0x78}},
      {"odd length, 61", 0x88b5, Bytes(47, 0x61)},
      {"802.3 length instead of a type", 46, Bytes(46, 0x42)},
      {"ARP, padded", kArp, Bytes(46, 0)},
      {"IPv4 UDP of odd length", kIpv4, datagram},
      {"IPv4 with options", kIpv4, ipv4({.options = {1, 1, 1, 0}}, udp(1, 2, text))},
      {"IPv4 with padding behind", kIpv4, join(ipv4({}, udp(1, 2)), Bytes(18, 0xee))},
      {"IPv4 TCP without a checksum", kIpv4, ipv4({.proto = kTcp}, tcp(1000, 80, text))},
      {"IPv4, first fragment", kIpv4, part(0x2000, 1480)},
      {"IPv4, middle fragment", kIpv4, part(0x2000 | 185, 1480)},
      {"IPv4, last fragment of odd length", kIpv4, part(370, 33)},
      {"IPv4, fragment of 8 bytes", kIpv4, part(0x2000, 8)},
      {"IPv4 that lies about its length", kIpv4, ipv4({.total_length = 9000}, udp(1, 2))},
      {"IPv6 UDP", kIpv6, ipv6({.flow_label = 0x12345}, udp(1000, 53, text))},
      {"IPv6, first fragment", kIpv6, part6(1, 1448)},
      {"IPv6, last fragment", kIpv6, part6(1448 | 0, 77)},
      {"IPv6, atomic fragment", kIpv6, part6(0, 20)},
      {"IPv6 with extensions", kIpv6, ipv6({.next = kHopByHop}, ipv6_extension(kUdp, 1, udp(1, 2, text)))},
      {"VLAN 100, priority 5", kCTag, vlan(5, 100, kIpv4, datagram)},
      {"VLAN with DEI", kCTag, vlan(3, 0x1000 | 7, kIpv4, datagram)},
      {"priority tag", kCTag, vlan(7, 0, kIpv6, ipv6({}, udp(1, 2)))},
      {"VLAN 4095", kCTag, vlan(0, 4095, kArp, Bytes(46, 0))},
      {"VLAN and a fragment", kCTag, vlan(1, 9, kIpv4, part(0x2000, 1400))},
      {"S-tag alone", kSTag, vlan(2, 200, kIpv4, datagram)},
      {"QinQ", kSTag, vlan(6, 300, kCTag, vlan(1, 30, kIpv4, datagram))},
      {"QinQ and an IPv6 fragment", kSTag, vlan(0, 1, kCTag, vlan(0, 2, kIpv6, part6(1, 800)))},
      {"three tags", kSTag, vlan(0, 1, kSTag, vlan(1, 2, kCTag, vlan(2, 3, kIpv4, datagram)))},
      {"two C-tags", kCTag, vlan(0, 1, kCTag, vlan(1, 2, kIpv4, datagram))},
      {"old S-tag", kOldSTag, vlan(3, 400, kCTag, vlan(1, 40, kIpv4, datagram))},
      {"RoCEv2", kIpv4, Bytes(roce_packet.begin() + 14, roce_packet.end())},
      {"longest, untagged", kIpv4, ipv4({}, udp(1, 2, Bytes(1472, 0x99)))},
      {"longest, tagged", kCTag, vlan(0, 5, kIpv4, ipv4({}, udp(1, 2, Bytes(1472, 0x98))))},
  };
  ASSERT_NO_FATAL_FAILURE(start_gateway({}, "[distribution]\nqueues_per_nic = 2\n"));
  const FrameSocket client(*client_, "eth0"), server(*server_, "eth0");
  const struct {
    const char* name;
    const FrameSocket &from, &to;
    core::MacAddress destination, source;
    bool flooded;  // by br-u to all uplinks
  } ways[] = {
      {"client to all", client, server, kAllMac, kClientMac, true},
      {"server to all", server, client, kAllMac, kServerMac, true},
      {"client to server", client, server, kServerMac, kClientMac, false},
      {"server to client", server, client, kClientMac, kServerMac, false},
      {"client to a group", client, server, kGroupMac, kClientMac, true},
      {"server to a group", server, client, kGroupMac, kServerMac, true},
      {"client to nobody", client, server, kNobodyMac, kClientMac, true},
      {"server to nobody", server, client, kNobodyMac, kServerMac, true},
  };
  uint64_t looped = 0, not_elected = 0;
  for (const auto& way : ways) {
    for (const auto& row : rows) {
      SCOPED_TRACE(std::string(way.name) + ": " + row.name);
      const Bytes frame = ethernet(row.type, row.payload, way.destination, way.source);
      ASSERT_TRUE(way.from.send(frame)) << strerror(errno);
      ASSERT_EQ(way.to.receive(), frame);
      if (way.flooded) (&way.from == &client ? looped : not_elected) += kUplinks.size() - 1;
    }
  }
  const Json report = stop_gateway();
  EXPECT_EQ(client.left_over(), std::nullopt);
  EXPECT_EQ(server.left_over(), std::nullopt);
  EXPECT_EQ(report["dropped"], Json({{"looped", looped}, {"not_elected", not_elected}}));
  EXPECT_EQ(report["ledger"]["sent"], std::size(ways) * std::size(rows));
}

// What iperf3 says of each of its streams: bytes in the later half of its intervals.
std::map<int, uint64_t> bytes_of_later_half(const Json& told) {
  std::map<int, uint64_t> bytes;
  const Json& intervals = told.at("intervals");
  for (size_t i = intervals.size() / 2; i < intervals.size(); ++i) {
    for (const Json& stream : intervals[i].at("streams")) {
      bytes[stream.at("socket").get<int>()] += stream.at("bytes").get<uint64_t>();
    }
  }
  return bytes;
}

TEST_F(Kernels, StreamsGoOnWhenAPathIsTakenDown) {
  const struct {
    const char* name;
    Words more;
    bool back_during_the_run;
  } rows[] = {
      {"TCP", {}, false},
      {"UDP", {"--udp", "--bitrate", "6M"}, true},
  };
  give_addresses();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    ASSERT_NO_FATAL_FAILURE(start_gateway());
    expect_pings(*client_, "10.77.0.2");
    Process sink = start_in(*server_, "iperf3", {"--server", "--one-off", "--forceflush"});
    ASSERT_TRUE(sink.wait_for("listening")) << sink.wait().err;
    Words words = {"--client", "10.77.0.2", "--parallel", "8", "--time", "4", "--interval", "1", "--json"};
    words.insert(words.end(), row.more.begin(), row.more.end());
    std::optional<FrameSocket> watch(std::in_place, *server_, "eth0");
    Process source = start_in(*client_, "iperf3", words);
    for (int frames = 0; frames < 500; ++frames) ASSERT_TRUE(watch->receive());
    watch.reset();
    const size_t cut = busiest();
    must(*gateway_, "link set " + interfaces_[cut] + " down");
    ASSERT_TRUE(told(told_of(cut, "down (link): 64 of 192 buckets moved, 64 had to")));
    if (row.back_during_the_run) {
      must(*gateway_, "link set " + interfaces_[cut] + " up");
      ASSERT_TRUE(told(told_of(cut, "up")));
    }
    const Ended ended = source.wait();
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    const Json said = Json::parse(ended.out);
    const std::map<int, uint64_t> bytes = bytes_of_later_half(said);
    EXPECT_EQ(bytes.size(), 8u);
    for (const auto& [stream, later] : bytes) EXPECT_GT(later, 0u) << "stream " << stream;
    if (!row.more.empty()) {
      for (const Json& stream : said.at("end").at("streams")) {
        const Json& udp = stream.at("udp");
        EXPECT_LT(udp.at("lost_packets").get<int64_t>(), udp.at("packets").get<int64_t>());
      }
      RecordProperty("lost_packets", said.at("end").at("sum").at("lost_packets").get<int>());
    }
    EXPECT_EQ(sink.wait().status, 0);
    if (!row.back_during_the_run) {
      must(*gateway_, "link set " + interfaces_[cut] + " up");
      ASSERT_TRUE(told(told_of(cut, "up: 64 of 192 buckets moved, 64 had to")));
    }
    expect_pings(*client_, "10.77.0.2");
    const Json report = stop_gateway();
    for (const Json& member : report["members"]) EXPECT_EQ(member["state"], "up") << member;
  }
}

TEST_F(Kernels, ProbedNextHopsCountOnlyWhileTheyAnswer) {
  switch_ipv6_on();
  give_addresses();
  for (const char* more :
       {"10.77.0.21/32", "10.77.0.23/32", "fd00:77::2/64 nodad", "fd00:77::22/128 nodad"}) {
    must(*server_, std::string("addr add ") + more + " dev eth0");
  }
  const auto probed = [](const std::string& address, const std::string& next_hop) {
    return "liveness = \"probe\"\naddress = \"" + address + "\"\nnext_hop_ip = \"" + next_hop + "\"\n";
  };
  // Ten intervals are a second, in which the interfaces are plugged in.
  ASSERT_NO_FATAL_FAILURE(
      start_gateway({"", probed("10.77.0.11", "10.77.0.21"), probed("fd00:77::12", "fd00:77::22"),
                     probed("10.77.0.13", "10.77.0.23")},
                    "[failover]\nprobes = 10\n"));
  expect_pings(*client_, "10.77.0.2");
  const struct {
    const char *name, *lost, *back;
    size_t port;
    bool rest_goes_on;
  } rows[] = {
      {"IPv4", "addr del 10.77.0.21/32 dev eth0", "addr add 10.77.0.21/32 dev eth0", 1, true},
      {"IPv6", "addr del fd00:77::22/128 dev eth0", "addr add fd00:77::22/128 dev eth0 nodad", 2, true},
      {"its cable", "link set eth0 down", "link set eth0 up", 3, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    must(*server_, row.lost);
    ASSERT_TRUE(told(told_of(row.port, "down (probe)")));
    if (row.rest_goes_on) expect_pings(*client_, "10.77.0.2");
    must(*server_, row.back);
    ASSERT_TRUE(told(told_of(row.port, "up")));
    expect_pings(*client_, "10.77.0.2");
  }
  const Json report = stop_gateway();
  EXPECT_EQ(report["members"][3]["state"], "up") << report["members"];
  EXPECT_GT(report["ledger"]["generated"].get<uint64_t>(), 10u);
  EXPECT_GT(report["dropped"].value("local", 0u), 0u);
}

// Makes a kernel ask who has the address.
void ask_for(const Namespace& space, const std::string& address) {
  const Visit inside = space.visit();
  sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(9)};
  sockaddr_in6 to6{.sin6_family = AF_INET6, .sin6_port = htons(9)};
  const bool is_6 = inet_pton(AF_INET6, address.c_str(), &to6.sin6_addr) == 1;
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  const test_support::Descriptor fd(socket(is_6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* where = is_6 ? reinterpret_cast<const sockaddr*>(&to6) : reinterpret_cast<const sockaddr*>(&to);
  ASSERT_EQ(sendto(fd.get(), "?", 1, 0, where, is_6 ? sizeof(to6) : sizeof(to)), 1) << strerror(errno);
}

TEST_F(Kernels, QuestionsForTheGatewaysAddressesAreAnswered) {
  switch_ipv6_on();
  give_addresses();
  must(*server_, "addr add fd00:77::2/64 nodad dev eth0");
  ASSERT_NO_FATAL_FAILURE(start_gateway(
      {"address = \"10.77.0.254\"\n", "address = \"10.77.0.11\"\n", "address = \"fd00:77::12\"\n", ""}));
  const struct {
    const Namespace& asker;
    const char *address, *mac;
  } rows[] = {
      {*client_, "10.77.0.254", "02:00:00:00:00:a0"},
      {*server_, "10.77.0.11", "02:00:00:00:00:a1"},
      {*server_, "fd00:77::12", "02:00:00:00:00:a2"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.address);
    ask_for(row.asker, row.address);
    std::string known;
    do {
      known = row.asker.ip(std::string("neigh show to ") + row.address).out;
    } while (known.find("INCOMPLETE") != std::string::npos);  // the kernel asks three times
    EXPECT_NE(known.find(std::string("lladdr ") + row.mac), std::string::npos) << known;
  }
  expect_pings(*client_, "10.77.0.2");
  const Json report = stop_gateway();
  EXPECT_GE(report["dropped"].value("local", 0u), std::size(rows));
  EXPECT_EQ(report["dropped"].value("local", 0u), report["ledger"]["generated"]);
}

}  // namespace
