// SPDX-License-Identifier: BSD-3-Clause
// Checks every byte of the questions and answers that the gateway sends, and what it makes of frames from
// outside: well-formed ones, those that RFC 826, 4861, 5227 and 6980 tell to ignore, and every truncation.
#include "core/neighbor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/frames.h"
#include "support/parse_expect.h"

namespace {

using namespace core;
using namespace test_support;

using V4 = std::array<uint8_t, 4>;
using V6 = std::array<uint8_t, 16>;

constexpr MacAddress kGatewayMac = {0x02, 0, 0, 0, 0, 0x0a};
constexpr MacAddress kHopMac = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
constexpr MacAddress kCableMac = {0x02, 0, 0,
                                  0,    0, 0xee};  // the Ethernet source where the option says another
constexpr MacAddress kGroupMac = {0x03, 0, 0, 0, 0, 1};
constexpr MacAddress kNoMac = {};

constexpr V4 kGateway4 = {192, 0, 2, 10}, kHop4 = {192, 0, 2, 1}, kOther4 = {192, 0, 2, 77}, kNone4 = {};
constexpr V6 kGateway6 = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a};
constexpr V6 kHop6 = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr V6 kOther6 = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77};
constexpr V6 kAllNodes = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr V6 kGatewayGroup = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 0x0a};
constexpr V6 kOtherGroup = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 0x77};
constexpr V6 kNone6 = {};

IpAddress ip(const V4& bytes) {
  IpAddress address;
  std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
  return address;
}
IpAddress ip(const V6& bytes) {
  return {true, bytes};
}

Bytes bytes_of(const NeighborFrame& frame) {
  return {frame.bytes.begin(), frame.bytes.begin() + static_cast<long>(frame.size)};
}

TEST(Neighbor, WritesTheseBytes) {
  const Station gateway4{kGatewayMac, ip(kGateway4)}, gateway6{kGatewayMac, ip(kGateway6)};
  struct Row {
    const char* name;
    NeighborFrame frame;
    const char* expected;
  };
  const Row rows[] = {
      {"ARP request", make_question(gateway4, ip(kHop4)),
       "ffffffffffff 02000000000a 0806 0001 0800 06 04 0001 02000000000a c000020a 000000000000 c0000201"},
      {"ARP reply", make_answer(gateway4, {kHopMac, ip(kHop4)}),
       "021122334455 02000000000a 0806 0001 0800 06 04 0002 02000000000a c000020a 021122334455 c0000201"},
      {"ARP reply to a probe (RFC 5227 2.1.1)", make_answer(gateway4, {kHopMac, ip(kNone4)}),
       "021122334455 02000000000a 0806 0001 0800 06 04 0002 02000000000a c000020a 021122334455 00000000"},
      {"solicitation of the example of RFC 4291 2.7.1",
       make_question(gateway6, ip(V6{0x40, 0x37, 0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0x20, 0x0e, 0x8c, 0x6c})),
       "3333ff0e8c6c 02000000000a 86dd 60000000 0020 3a ff 20010db800000000000000000000000a"
       "ff0200000000000000000001ff0e8c6c 87 00 c8a4 00000000 40370000000000000001 0800200e8c6c 01 01 "
       "02000000000a"},
      {"solicitation", make_question(gateway6, ip(kHop6)),
       "3333ff000001 02000000000a 86dd 60000000 0020 3a ff 20010db800000000000000000000000a"
       "ff0200000000000000000001ff000001 87 00 1c17 00000000 20010db8000000000000000000000001 01 01 "
       "02000000000a"},
      {"advertisement", make_answer(gateway6, {kHopMac, ip(kHop6)}),
       "021122334455 02000000000a 86dd 60000000 0020 3a ff 20010db800000000000000000000000a"
       "20010db8000000000000000000000001 88 00 8a59 60000000 20010db800000000000000000000000a 02 01 "
       "02000000000a"},
      {"advertisement to who has no address yet (RFC 4861 7.2.4)",
       make_answer(gateway6, {kHopMac, ip(kNone6)}),
       "333300000001 02000000000a 86dd 60000000 0020 3a ff 20010db800000000000000000000000a"
       "ff020000000000000000000000000001 88 00 f90f 20000000 20010db800000000000000000000000a 02 01 "
       "02000000000a"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(bytes_of(row.frame), padded(from_hex(row.expected)));
  }
}

Bytes arp(unsigned operation, const MacAddress& sender_mac, const V4& sender, const V4& target,
          const MacAddress& target_mac = kNoMac) {
  Bytes out = {0, 1, 8, 0, 6, 4};
  put16(out, operation);
  out.insert(out.end(), sender_mac.begin(), sender_mac.end());
  out.insert(out.end(), sender.begin(), sender.end());
  out.insert(out.end(), target_mac.begin(), target_mac.end());
  out.insert(out.end(), target.begin(), target.end());
  return out;
}

Bytes option(uint8_t type, const MacAddress& mac) {
  return join({type, 1}, Bytes(mac.begin(), mac.end()));
}

struct Nd {
  uint8_t type = 135;
  V6 src = kHop6, dst = kGatewayGroup, target = kGateway6;
  Bytes options = option(1, kHopMac);
  uint8_t flags = 0;
  uint8_t code = 0;
  uint8_t hop_limit = 255;
  size_t longest = 1000;  // the message is cut to this
};

// IPv6 packet around a message with its right checksum.
Bytes nd(const Nd& of) {
  Bytes message = {of.type, of.code, 0, 0, of.flags, 0, 0, 0};
  message.insert(message.end(), of.target.begin(), of.target.end());
  message = join(message, of.options);
  message.resize(std::min(message.size(), of.longest));
  Bytes summed(of.src.begin(), of.src.end());
  summed.insert(summed.end(), of.dst.begin(), of.dst.end());
  put32(summed, static_cast<uint32_t>(message.size()));
  put32(summed, 58);
  summed = join(summed, message);
  if (summed.size() % 2 == 1) summed.push_back(0);
  uint32_t sum = 0;
  for (size_t i = 0; i < summed.size(); i += 2) sum += static_cast<uint32_t>(summed[i] << 8 | summed[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  message[2] = static_cast<uint8_t>(~sum >> 8);
  message[3] = static_cast<uint8_t>(~sum);
  Bytes packet = ipv6({.next = kIcmp6, .src = of.src, .dst = of.dst}, message);
  packet[7] = of.hop_limit;
  return packet;
}

// The default solicitation behind an extension header; its checksum does not cover that.
Bytes behind(uint8_t next, const Bytes& extension) {
  Bytes message = nd(Nd{});
  message.erase(message.begin(), message.begin() + 40);
  Bytes packet = ipv6({.next = next, .src = kHop6, .dst = kGatewayGroup}, join(extension, message));
  packet[7] = 255;
  return packet;
}

Nd advertisement(const Bytes& options = option(2, kHopMac)) {
  return {.type = 136, .dst = kGateway6, .target = kHop6, .options = options, .flags = 0x60};
}

Bytes with(Bytes bytes, size_t at, uint8_t value) {
  bytes[at] = value;
  return bytes;
}

Bytes arp_frame(const Bytes& packet) {
  return padded(ethernet(kArp, packet, kGatewayMac, kCableMac));
}
Bytes ip6_frame(const Bytes& packet) {
  return ethernet(kIpv6, packet, kGatewayMac, kCableMac);
}
Bytes nd_frame(const Nd& of) {
  return ip6_frame(nd(of));
}

struct Row {
  const char* name;
  Bytes frame;
  NeighborVerdict verdict = NeighborVerdict::not_for_us;
  MacAddress mac = {};
  IpAddress address = {};
};

void expect_findings(const std::vector<Row>& rows, const std::optional<IpAddress>& address,
                     const std::optional<IpAddress>& next_hop) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const NeighborFinding found =
        judge_neighbor(whole_view(row.frame), parse_whole(row.frame), address, next_hop);
    EXPECT_EQ(static_cast<int>(found.verdict), static_cast<int>(row.verdict));
    EXPECT_EQ(found.asker_or_sender.mac, row.mac);
    EXPECT_EQ(found.asker_or_sender.ip, row.address);
  }
}

constexpr auto kQuestion = NeighborVerdict::question, kAnswer = NeighborVerdict::answer;

TEST(Neighbor, JudgesArp) {
  const Bytes request = arp(1, kHopMac, kOther4, kGateway4);
  const Bytes reply = arp(2, kHopMac, kHop4, kGateway4, kGatewayMac);
  const std::vector<Row> rows = {
      {"request for our address", arp_frame(request), kQuestion, kHopMac, ip(kOther4)},
      {"request of the next hop", arp_frame(arp(1, kHopMac, kHop4, kGateway4)), kQuestion, kHopMac,
       ip(kHop4)},
      {"probe of a new host", arp_frame(arp(1, kHopMac, kNone4, kGateway4)), kQuestion, kHopMac, ip(kNone4)},
      {"request without padding", ethernet(kArp, request), kQuestion, kHopMac, ip(kOther4)},
      {"request for another", arp_frame(arp(1, kHopMac, kHop4, kOther4))},
      {"announcement of the next hop", arp_frame(arp(1, kHopMac, kHop4, kHop4))},
      {"reply of the next hop", arp_frame(reply), kAnswer, kHopMac, ip(kHop4)},
      {"gratuitous reply of the hop", arp_frame(arp(2, kHopMac, kHop4, kHop4)), kAnswer, kHopMac, ip(kHop4)},
      {"reply of the next hop to another", arp_frame(arp(2, kHopMac, kHop4, kOther4))},
      {"reply of another", arp_frame(arp(2, kHopMac, kOther4, kGateway4))},
      {"gratuitous reply of another", arp_frame(arp(2, kHopMac, kOther4, kOther4))},
      {"our own question that came back", bytes_of(make_question({kGatewayMac, ip(kGateway4)}, ip(kHop4)))},
      {"reply from a group address", arp_frame(arp(2, kGroupMac, kHop4, kGateway4))},
      {"reply from the zero address", arp_frame(arp(2, kNoMac, kHop4, kGateway4))},
      {"request from a group address", arp_frame(arp(1, kGroupMac, kHop4, kGateway4))},
      {"reverse ARP", arp_frame(with(reply, 7, 3))},
      {"operation 0x102", arp_frame(with(reply, 6, 1))},
      {"hardware type 6", arp_frame(with(reply, 1, 6))},
      {"protocol type 86dd", arp_frame(with(with(reply, 2, 0x86), 3, 0xdd))},
      {"hardware length 8", arp_frame(with(reply, 4, 8))},
      {"protocol length 16", arp_frame(with(reply, 5, 16))},
      {"ARP body under the IPv4 ethertype", ethernet(kIpv4, reply)},
      {"question in VLAN 5", ethernet(kCTag, vlan(0, 5, kArp, request))},
      {"question with a priority tag", ethernet(kCTag, vlan(3, 0, kArp, request))},
      {"answer in VLAN 5", ethernet(kCTag, vlan(0, 5, kArp, reply))},
      {"answer with a priority tag", ethernet(kCTag, vlan(3, 0, kArp, reply)), kAnswer, kHopMac, ip(kHop4)},
      {"answer with two tags", ethernet(kSTag, vlan(0, 0, kCTag, vlan(0, 0, kArp, reply)))},
  };
  expect_findings(rows, ip(kGateway4), ip(kHop4));

  const Row question = {"question", arp_frame(request)}, answer = {"answer", arp_frame(reply)};
  expect_findings({rows[0], answer}, ip(kGateway4), std::nullopt);
  const Row gratuitous = {"gratuitous", arp_frame(arp(2, kHopMac, kHop4, kHop4)), kAnswer, kHopMac,
                          ip(kHop4)};
  expect_findings({question, answer, gratuitous}, std::nullopt, ip(kHop4));
  expect_findings({question, answer}, ip(kGateway6), ip(kHop6));
}

TEST(Neighbor, JudgesSolicitations) {
  const Bytes target_end(kGateway6.begin() + 8, kGateway6.end());
  const Bytes mac = option(1, kHopMac);
  const Bytes nonce = {14, 1, 1, 2, 3, 4, 5, 6};
  const Nd dad = {.src = kNone6, .options = {}}, dad_nonce = {.src = kNone6, .options = nonce};
  const std::vector<Row> rows = {
      {"to our group", nd_frame(Nd{}), kQuestion, kHopMac, ip(kHop6)},
      {"to our address", nd_frame({.dst = kGateway6}), kQuestion, kHopMac, ip(kHop6)},
      {"of another host", nd_frame({.src = kOther6}), kQuestion, kHopMac, ip(kOther6)},
      {"without option: Ethernet source", nd_frame({.options = {}}), kQuestion, kCableMac, ip(kHop6)},
      {"duplicate address detection", nd_frame(dad), kQuestion, kCableMac, ip(kNone6)},
      {"with a nonce (RFC 7527)", nd_frame(dad_nonce), kQuestion, kCableMac, ip(kNone6)},
      {"option behind another", nd_frame({.options = join(nonce, mac)}), kQuestion, kHopMac, ip(kHop6)},
      {"the first of two counts", nd_frame({.options = join(mac, option(1, kCableMac))}), kQuestion, kHopMac,
       ip(kHop6)},
      {"target option", nd_frame({.options = option(2, kHopMac)}), kQuestion, kCableMac, ip(kHop6)},
      {"padding behind the packet", join(nd_frame(Nd{}), Bytes(9, 0xa5)), kQuestion, kHopMac, ip(kHop6)},
      {"for another", nd_frame({.dst = kOtherGroup, .target = kOther6})},
      {"for us, to another's group", nd_frame({.dst = kOtherGroup})},
      {"for us, to all nodes", nd_frame({.dst = kAllNodes})},
      {"from a group", nd_frame({.src = kAllNodes})},
      {"without address but with a link-layer address", nd_frame({.src = kNone6})},
      {"without address, not to the group", nd_frame({.src = kNone6, .dst = kGateway6, .options = {}})},
      {"hop limit 254", nd_frame({.hop_limit = 254})},
      {"code 1", nd_frame({.code = 1})},
      {"router solicitation", nd_frame({.type = 133})},
      {"echo request", nd_frame({.type = 128})},
      {"option of length 0", nd_frame({.options = with(mac, 1, 0)})},
      {"other option of length 0", nd_frame({.options = join(mac, Bytes{14, 0, 0, 0, 0, 0, 0, 0})})},
      {"option longer than the message", nd_frame({.options = with(nonce, 1, 2)})},
      {"option of one byte", nd_frame({.options = join(mac, {1})})},
      {"option of half a unit", nd_frame({.options = join(mac, {14, 1, 0, 0})})},
      {"link-layer address too long", nd_frame({.options = join(with(mac, 1, 2), Bytes(8, 0))})},
      {"link-layer address of a group", nd_frame({.options = option(1, kGroupMac)})},
      {"link-layer address of zeros", nd_frame({.options = option(1, kNoMac)})},
      {"from a group's MAC address, no option", ethernet(kIpv6, nd({.options = {}}), kGatewayMac, kGroupMac)},
      {"payload length 0", ip6_frame(with(nd(Nd{}), 5, 0))},
      {"payload length less than a message", ip6_frame(with(nd(Nd{}), 5, 23))},
      {"payload length beyond the frame", ip6_frame(with(nd(Nd{}), 5, 33))},
      {"behind destination options", ip6_frame(behind(kDestinationOptions, ipv6_extension(kIcmp6, 0)))},
      {"behind an atomic fragment header", ip6_frame(behind(kFragment, ipv6_fragment(kIcmp6, 0)))},
      {"in a VLAN", ethernet(kCTag, vlan(0, 5, kIpv6, nd(Nd{})))},
      {"with a priority tag", ethernet(kCTag, vlan(3, 0, kIpv6, nd(Nd{})))},
      {"IPv4 header of the same bytes", ethernet(kIpv4, with(with(nd(Nd{}), 0, 0x45), 3, 72))},
      {"message ends inside the target", join(nd_frame({.options = {}, .longest = 16}), target_end)},
  };
  expect_findings(rows, ip(kGateway6), ip(kHop6));
  expect_findings({{"no address of our own", nd_frame(Nd{})}}, std::nullopt, ip(kHop6));
  expect_findings({{"no next hop", nd_frame(Nd{}), kQuestion, kHopMac, ip(kHop6)}}, ip(kGateway6),
                  std::nullopt);
  // Destination options and a mobility header of the bytes of a solicitation, then ICMPv6.
  constexpr V6 odd = {0x3a, 0, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a};
  expect_findings({{"extension headers", ip6_frame(with(nd({.target = odd}), 6, 60))}}, ip(odd), ip(kHop6));
}

TEST(Neighbor, JudgesAdvertisements) {
  const auto changed = [](auto change) {
    Nd of = advertisement();
    change(of);
    return nd_frame(of);
  };
  const Bytes unasked = changed([](Nd& of) { of.dst = kAllNodes, of.flags = 0x20; });
  const std::vector<Row> rows = {
      {"solicited", nd_frame(advertisement()), kAnswer, kHopMac, ip(kHop6)},
      {"of a router", changed([](Nd& of) { of.flags = 0xe0; }), kAnswer, kHopMac, ip(kHop6)},
      {"from another address", changed([](Nd& of) { of.src = kOther6; }), kAnswer, kHopMac, ip(kHop6)},
      {"to all nodes", unasked, kAnswer, kHopMac, ip(kHop6)},
      {"to all nodes and solicited", changed([](Nd& of) { of.dst = kAllNodes; })},
      {"for another", changed([](Nd& of) { of.target = kOther6; })},
      {"to another", changed([](Nd& of) { of.dst = kOther6; })},
      {"to our group", changed([](Nd& of) { of.dst = kGatewayGroup, of.flags = 0x20; })},
      {"from nobody", changed([](Nd& of) { of.src = kNone6; })},
      {"from a group", changed([](Nd& of) { of.src = kAllNodes; })},
      {"hop limit 64", changed([](Nd& of) { of.hop_limit = 64; })},
      {"code 1", changed([](Nd& of) { of.code = 1; })},
      {"without option", nd_frame(advertisement({}))},
      {"with the source option", nd_frame(advertisement(option(1, kHopMac)))},
      {"option of length 0", nd_frame(advertisement(with(option(2, kHopMac), 1, 0)))},
      {"link-layer address of a group", nd_frame(advertisement(option(2, kGroupMac)))},
      {"of our own address", changed([](Nd& of) { of.target = kGateway6; })},
      {"in a VLAN", ethernet(kCTag, vlan(0, 5, kIpv6, nd(advertisement())))},
      {"with a priority tag", ethernet(kCTag, vlan(3, 0, kIpv6, nd(advertisement()))), kAnswer, kHopMac,
       ip(kHop6)},
  };
  expect_findings(rows, ip(kGateway6), ip(kHop6));
  expect_findings({{"no next hop", nd_frame(advertisement())}}, ip(kGateway6), std::nullopt);
  expect_findings({{"no address of our own", nd_frame(advertisement())},
                   {"the same to all nodes", unasked, kAnswer, kHopMac, ip(kHop6)}},
                  std::nullopt, ip(kHop6));
}

struct Sample {
  const char* name;
  Bytes frame;
  size_t needed;  // bytes up to the end of ARP or of the message
  bool v6;
};
std::vector<Sample> samples() {
  return {
      {"ARP request", arp_frame(arp(1, kHopMac, kHop4, kGateway4)), 42, false},
      {"ARP reply", arp_frame(arp(2, kHopMac, kHop4, kGateway4)), 42, false},
      {"tagged ARP reply", ethernet(kCTag, vlan(3, 0, kArp, arp(2, kHopMac, kHop4, kGateway4))), 46, false},
      {"solicitation", nd_frame(Nd{}), 86, true},
      {"solicitation without option", nd_frame({.options = {}}), 78, true},
      {"advertisement", nd_frame(advertisement()), 86, true}};
}
NeighborFinding judge_sample(const Sample& sample, const PacketView& view, const PacketHeaders& headers) {
  if (sample.v6) return judge_neighbor(view, headers, ip(kGateway6), ip(kHop6));
  return judge_neighbor(view, headers, ip(kGateway4), ip(kHop4));
}

// The window lies alone in memory, so that a sanitizer sees one byte read too many; both with the headers of
// the whole frame and with those that the window shows.
TEST(Neighbor, IgnoresEveryTruncation) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const auto frame_bytes = static_cast<uint32_t>(sample.frame.size());
    const PacketHeaders whole = parse_whole(sample.frame);
    const NeighborVerdict verdict = judge_sample(sample, whole_view(sample.frame), whole).verdict;
    ASSERT_NE(verdict, NeighborVerdict::not_for_us);
    for (uint32_t window = 0; window <= frame_bytes; ++window) {
      SCOPED_TRACE(window);
      const std::unique_ptr<uint8_t[]> alone(new uint8_t[window]);
      std::copy_n(sample.frame.begin(), window, alone.get());
      const NeighborVerdict expected = window < sample.needed ? NeighborVerdict::not_for_us : verdict;
      for (const PacketView& view :
           {PacketView{alone.get(), window, frame_bytes}, PacketView{alone.get(), window, window}})
        for (const PacketHeaders& headers : {whole, parse(view)})
          EXPECT_EQ(static_cast<int>(judge_sample(sample, view, headers).verdict),
                    static_cast<int>(expected));
    }
  }
}

// Whatever single bit of the message or its addresses is wrong, the checksum tells.
TEST(Neighbor, ChecksumCoversEveryBit) {
  for (const Sample& sample : samples()) {
    if (!sample.v6) continue;
    SCOPED_TRACE(sample.name);
    for (size_t bit = (14 + 8) * 8; bit < sample.frame.size() * 8; ++bit) {
      Bytes wrong = sample.frame;
      wrong[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      const NeighborFinding found = judge_sample(sample, whole_view(wrong), parse_whole(wrong));
      EXPECT_EQ(static_cast<int>(found.verdict), static_cast<int>(NeighborVerdict::not_for_us)) << bit;
    }
  }
}

// Two gateways understand each other.
TEST(Neighbor, UnderstandsItsOwnFrames) {
  for (const bool v6 : {false, true}) {
    const Station here{kGatewayMac, v6 ? ip(kGateway6) : ip(kGateway4)};
    const Station there{kHopMac, v6 ? ip(kHop6) : ip(kHop4)};
    const Bytes question = bytes_of(make_question(here, there.ip));
    expect_findings({{"question", question, kQuestion, here.mac, here.ip}}, there.ip, std::nullopt);
    const Bytes answer = bytes_of(make_answer(there, here));
    expect_findings({{"answer", answer, kAnswer, there.mac, there.ip}}, here.ip, there.ip);
    const Station nobody{kGatewayMac, v6 ? ip(kNone6) : ip(kNone4)};
    const Bytes to_nobody = bytes_of(make_answer(there, nobody));
    expect_findings({{"answer to nobody", to_nobody, v6 ? kAnswer : NeighborVerdict::not_for_us,
                      v6 ? there.mac : kNoMac, v6 ? there.ip : IpAddress{}}},
                    here.ip, there.ip);
  }
}

}  // namespace
