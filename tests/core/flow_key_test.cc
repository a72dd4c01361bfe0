// SPDX-License-Identifier: BSD-3-Clause
// make_flow_key: the bytes of every layout and every choice of fields, as docs/hashing.md promises them.
#include "core/flow_key.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "support/frames.h"
#include "support/parse_expect.h"

namespace {

using namespace core;
using namespace test_support;

// Fields by number, so that a row names its choice in a word. Port ranges are the same for all rows.
enum Field : unsigned {
  kSrcIp = 1,
  kDstIp = 2,
  kSrcPort = 4,
  kDstPort = 8,
  kFour = 15,
  kProto = 0x10,
  kVlan = 0x20,
  kDestQp = 0x40,
  kLength = 0x80,
  kRange = 0x100,
  kExtras = 0x1f0,
  kSymmetric = 0x200
};

KeyFields choose(unsigned chosen) {
  KeyFields fields;
  fields.src_ip = chosen & kSrcIp;
  fields.dst_ip = chosen & kDstIp;
  fields.src_port = chosen & kSrcPort;
  fields.dst_port = chosen & kDstPort;
  fields.proto = chosen & kProto;
  fields.vlan = chosen & kVlan;
  fields.dest_qp = chosen & kDestQp;
  fields.packet_length = chosen & kLength;
  fields.port_range = chosen & kRange;
  fields.symmetric = chosen & kSymmetric;
  fields.port_ranges = {{100, 200}, {150, 300}, {4000, 4791}, {65535, 65535}, {0, 0}, {9, 443}};
  return fields;
}

// Bytes of memory that no one has set, so that a byte left unwritten shows.
FlowKey unwritten() {
  FlowKey key;
  std::memset(key.bytes, 0xee, sizeof key.bytes);
  return key;
}

// What a packet's material alone gives must be the same, for every frame and choice of this file.
FlowKey make(const Bytes& frame, unsigned chosen = kFour) {
  const PacketView view = whole_view(frame);
  const PacketHeaders headers = parse(view);
  FlowKey key = unwritten(), of_material = unwritten();
  make_flow_key(view, headers, choose(chosen), key);
  make_flow_key(key_material_of(view, headers), choose(chosen), of_material);
  EXPECT_EQ(key.size, of_material.size);
  EXPECT_EQ(std::memcmp(key.bytes, of_material.bytes, key.size + 4u), 0);
  EXPECT_EQ(key.l3, of_material.l3);
  EXPECT_EQ(key.ip_proto, of_material.ip_proto);
  EXPECT_EQ(key.mac_fold, of_material.mac_fold);
  return key;
}

std::string hex(const FlowKey& key) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < key.size; ++i) {
    if (i != 0 && i % 4 == 0) text += ' ';
    text += kDigits[key.bytes[i] >> 4];
    text += kDigits[key.bytes[i] & 15];
  }
  return text;
}

Bytes v4(const Bytes& payload, uint8_t proto = kUdp) {
  return ethernet(kIpv4, ipv4({.proto = proto}, payload));
}
Bytes v4_back(const Bytes& payload, uint8_t proto = kUdp) {
  return ethernet(kIpv4, ipv4({.proto = proto, .src = {198, 51, 100, 2}, .dst = {192, 0, 2, 1}}, payload),
                  kSrcMac, kDstMac);
}
Bytes v6_back(const Bytes& payload) {
  Ipv6 header;
  std::swap(header.src, header.dst);
  return ethernet(kIpv6, ipv6(header, payload));
}

const std::string kV4 = "c0000201 c6336402 ";
const std::string kV6 = "20010db8 00000000 00000000 00000001 20010db8 00000000 00000000 00000002 ";
const std::string kMacs = "02000000 00d10200 00000051";

struct Row {
  const char* name;
  Bytes frame;
  unsigned chosen;
  std::string expected;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const FlowKey key = make(row.frame, row.chosen);
    EXPECT_EQ(hex(key), row.expected);
    for (unsigned i = key.size; i % 8 != 0; ++i) EXPECT_EQ(int{key.bytes[i]}, 0) << "byte behind the key";
  }
}

TEST(FlowKey, FourFields) {
  const Bytes first = ipv4({.fragment = 0x2000}, udp(10000, 4791));
  check({
      {"IPv4 UDP", v4(udp(10000, 4791)), kFour, kV4 + "271012b7"},
      {"IPv4 TCP, no data", v4(tcp(1, 2), kTcp), kFour, kV4 + "00010002"},
      {"IPv4 behind options", ethernet(kIpv4, ipv4({.options = Bytes(8, 1)}, udp(1, 2))), kFour,
       kV4 + "00010002"},
      {"IPv4 behind a tag", ethernet(kCTag, vlan(3, 9, kIpv4, ipv4({}, udp(1, 2)))), kFour, kV4 + "00010002"},
      {"IPv4 ICMP: no ports", v4({8, 0, 1, 2, 3, 4, 5, 6}, kIcmp), kFour, kV4 + "00000000"},
      {"IPv4 first fragment: no ports", ethernet(kIpv4, first), kFour, kV4 + "00000000"},
      {"IPv4 last fragment", ethernet(kIpv4, ipv4({.fragment = 0x0001}, Bytes(9, 7))), kFour,
       kV4 + "00000000"},
      {"VXLAN: the outer header", v4(udp(9, 4789, ethernet(kIpv4, ipv4({}, udp(3, 4))))), kFour,
       kV4 + "000912b5"},
      {"padding is not hashed", padded(v4({}), 60, 0xff), kFour, kV4 + "00000000"},
      {"IPv6 UDP", ethernet(kIpv6, ipv6({}, udp(10000, 4791))), kFour, kV6 + "271012b7"},
      {"IPv6 behind hop-by-hop",
       ethernet(kIpv6, ipv6({.next = kHopByHop}, ipv6_extension(kTcp, 1, tcp(1, 2)))), kFour,
       kV6 + "00010002"},
      {"IPv6 fragment", ethernet(kIpv6, ipv6({.next = kFragment}, ipv6_fragment(kUdp, 1, udp(1, 2)))), kFour,
       kV6 + "00000000"},
      {"IPv6, flow label is not hashed", ethernet(kIpv6, ipv6({.flow_label = 0x12345}, udp(1, 2))), kFour,
       kV6 + "00010002"},
      {"RoCEv1: the GRH's addresses", ethernet(kRoceV1, ipv6({.next = kBthNext}, bth(9))), kFour,
       kV6 + "00000000"},
      {"ARP: MAC addresses", ethernet(kArp, Bytes(28, 3)), kFour, kMacs},
      {"MPLS: MAC addresses", ethernet(0x8847, ipv4({}, udp(1, 2))), kFour, kMacs},
      {"malformed: MAC addresses", ethernet(kIpv4, ipv6({}, udp(1, 2))), kFour, kMacs},
      {"14 bytes", ethernet(0x1234), kFour, kMacs},
      {"too short for MAC addresses", cut(ethernet(0x1234), 11), kFour, "00000000 00000000 00000000"},
  });
}

TEST(FlowKey, FieldsThatAreNotChosenAreZero) {
  const Bytes frame = v4(udp(0x1111, 0x2222));
  const Bytes frame6 = ethernet(kIpv6, ipv6({}, udp(0x1111, 0x2222)));
  check({
      {"without source address", frame, kFour & ~kSrcIp, "00000000 c6336402 11112222"},
      {"without destination address", frame, kFour & ~kDstIp, "c0000201 00000000 11112222"},
      {"without source port", frame, kFour & ~kSrcPort, kV4 + "00002222"},
      {"without destination port", frame, kFour & ~kDstPort, kV4 + "11110000"},
      {"nothing", frame, 0, "00000000 00000000 00000000"},
      {"IPv6 without source address", frame6, kFour & ~kSrcIp,
       std::string("00000000 00000000 00000000 00000000 ") + kV6.substr(36) + "11112222"},
      {"IPv6 without ports", frame6, kSrcIp | kDstIp, kV6 + "00000000"},
      {"MAC addresses stay", ethernet(kArp, Bytes(28)), 0, kMacs},
  });
}

TEST(FlowKey, FurtherFieldsFollowInOrder) {
  const Bytes roce = ethernet(kCTag, vlan(5, 0x0abc, kIpv4, ipv4({}, udp(1, 4791, bth(0x123456)))));
  const Bytes roce6 = ethernet(kIpv6, ipv6({}, udp(1, 4791, bth(0x123456))));
  const std::string extras = "11000000 00000abc 00123456 00000028 00000003";
  check({
      {"protocol", v4(tcp(1, 2), kTcp), kFour | kProto, kV4 + "00010002 06000000"},
      {"protocol of a fragment", ethernet(kIpv4, ipv4({.fragment = 0x0001}, Bytes(9))), kFour | kProto,
       kV4 + "00000000 11000000"},
      {"protocol of an IPv6 fragment",
       ethernet(kIpv6, ipv6({.next = kFragment}, ipv6_fragment(kUdp, 8, Bytes(9)))), kFour | kProto,
       kV6 + "00000000 11000000"},
      {"protocol without IP", ethernet(kArp, Bytes(28)), kFour | kProto, kMacs + " 00000000"},
      {"VLAN", roce, kFour | kVlan, kV4 + "000112b7 00000abc"},
      {"VLAN, untagged", v4(udp(1, 2)), kFour | kVlan, kV4 + "00010002 00000000"},
      {"VLAN without IP", ethernet(kCTag, vlan(0, 7, kArp, Bytes(28))), kFour | kVlan, kMacs + " 00000007"},
      {"queue pair", roce, kFour | kDestQp, kV4 + "000112b7 00123456"},
      {"queue pair of a packet without", v4(udp(1, 2)), kFour | kDestQp, kV4 + "00010002 00000000"},
      {"queue pair of RoCEv1", ethernet(kRoceV1, ipv6({.next = kBthNext}, bth(9))), kFour | kDestQp,
       kV6 + "00000000 00000009"},
      {"length, without padding", padded(v4(udp(1, 2))), kFour | kLength, kV4 + "00010002 0000001c"},
      {"length of IPv6", roce6, kFour | kLength, kV6 + "000112b7 0000003c"},
      {"length without IP: the frame", padded(ethernet(kArp, Bytes(28))), kFour | kLength,
       kMacs + " 0000003c"},
      {"range: first that holds it", v4(udp(1, 150)), kFour | kRange, kV4 + "00010096 00000001"},
      {"range: last port of a range", v4(udp(1, 300)), kFour | kRange, kV4 + "0001012c 00000002"},
      {"range: one port", v4(udp(1, 65535)), kFour | kRange, kV4 + "0001ffff 00000004"},
      {"range: none", v4(udp(1, 8)), kFour | kRange, kV4 + "00010008 00000000"},
      {"range: the source port is not looked at", v4(udp(150, 8)), kFour | kRange, kV4 + "00960008 00000000"},
      {"range: no ports", v4(Bytes(8), kIcmp), kFour | kRange, kV4 + "00000000 00000000"},
      {"range of a port that is not in the key", v4(udp(1, 150)), (kFour & ~kDstPort) | kRange,
       kV4 + "00010000 00000001"},
      {"all, IPv4", roce, kFour | kExtras, kV4 + "000112b7 " + extras},
      {"all, IPv6: the longest key", roce6, kFour | kExtras,
       kV6 + "000112b7 11000000 00000000 00123456 0000003c 00000003"},
      {"all, no IP", padded(ethernet(kArp, Bytes(28))), kFour | kExtras,
       kMacs + " 00000000 00000000 00000000 0000003c 00000000"},
  });
}

TEST(FlowKey, SymmetricSortsTheEnds) {
  const Bytes same_address = ethernet(kIpv4, ipv4({.dst = {192, 0, 2, 1}}, udp(0x0200, 0x01ff)));
  const Bytes mac_back = ethernet(kArp, Bytes(28), kSrcMac, kDstMac);
  check({
      {"smaller address first already", v4(udp(9, 1)), kFour | kSymmetric, kV4 + "00090001"},
      {"larger address first: ports go along", v4_back(udp(1, 9)), kFour | kSymmetric, kV4 + "00090001"},
      {"equal addresses: ports decide, as bytes", same_address, kFour | kSymmetric,
       "c0000201 c0000201 01ff0200"},
      {"IPv6", v6_back(udp(1, 9)), kFour | kSymmetric, kV6 + "00090001"},
      {"MAC addresses", ethernet(kArp, Bytes(28)), kFour | kSymmetric, "02000000 00510200 000000d1"},
      {"MAC addresses, back", mac_back, kFour | kSymmetric, "02000000 00510200 000000d1"},
      {"range: either port", v4_back(udp(9, 1)), kFour | kRange | kSymmetric, kV4 + "00010009 00000006"},
  });
}

// Whichever of addresses, ports, protocol and range are chosen, both directions have one key.
TEST(FlowKey, SymmetricKeysAgreeForEveryChoice) {
  const std::pair<Bytes, Bytes> directions[] = {
      {v4(tcp(40000, 443), kTcp), v4_back(tcp(443, 40000), kTcp)},
      {v4(udp(443, 40000)), v4_back(udp(40000, 443))},
      {ethernet(kIpv6, ipv6({}, udp(40000, 443))), v6_back(udp(443, 40000))},
      {ethernet(kArp, Bytes(28)), ethernet(kArp, Bytes(28), kSrcMac, kDstMac)},
  };
  for (unsigned bits = 0; bits < 64; ++bits) {
    SCOPED_TRACE(bits);
    const unsigned chosen = bits % 32 | (bits & 32) * (kRange / 32) | kSymmetric;
    for (const auto& [there, back] : directions) EXPECT_EQ(hex(make(there, chosen)), hex(make(back, chosen)));
  }
  EXPECT_NE(hex(make(directions[0].first)), hex(make(directions[0].second)));
}

TEST(FlowKey, FactsBesideTheKey) {
  struct FactRow {
    const char* name;
    Bytes frame;
    L3 l3;
    uint8_t ip_proto;
  };
  const FactRow rows[] = {
      {"IPv4", v4(tcp(1, 2), kTcp), L3::ipv4, kTcp},
      {"IPv6", ethernet(kIpv6, ipv6({.next = kIcmp6}, Bytes(8))), L3::ipv6, kIcmp6},
      {"ARP", ethernet(kArp, Bytes(28)), L3::none, 0},
  };
  for (const FactRow& row : rows) {
    SCOPED_TRACE(row.name);
    const FlowKey key = make(row.frame);
    EXPECT_EQ(static_cast<int>(key.l3), static_cast<int>(row.l3));
    EXPECT_EQ(int{key.ip_proto}, int{row.ip_proto});
  }
  const Bytes frame = ethernet(kArp, Bytes(28), {1, 2, 3, 4, 5, 6}, {0x11, 0x12, 0x23, 0x24, 0x35, 0x37});
  const uint8_t wire[2] = {0x01 ^ 0x03 ^ 0x05 ^ 0x11 ^ 0x23 ^ 0x35, 0x02 ^ 0x04 ^ 0x06 ^ 0x12 ^ 0x24 ^ 0x37};
  uint16_t expected = 0;
  std::memcpy(&expected, wire, sizeof expected);
  EXPECT_EQ(make(frame).mac_fold, expected);
  EXPECT_NE(expected, 0);
}

// 64 queue pairs between two hosts that all use one source port: one key, unless the queue pair is chosen.
TEST(FlowKey, QueuePairsSpreadOnlyWhenAsked) {
  std::set<std::string> without, with;
  for (uint32_t qp = 0; qp < 64; ++qp) {
    const Bytes frame = v4(udp(49152, kRoceV2Port, bth(0x100 + qp)));
    without.insert(hex(make(frame)));
    with.insert(hex(make(frame, kFour | kDestQp)));
  }
  EXPECT_EQ(without.size(), 1u);
  EXPECT_EQ(with.size(), 64u);
}

TEST(FlowKey, AlignmentChangesNothing) {
  const Bytes frames[] = {v4(udp(1, 2)), ethernet(kIpv6, ipv6({}, udp(1, 2))), ethernet(kArp, Bytes(28))};
  for (const Bytes& frame : frames) {
    const FlowKey aligned = make(frame);
    for (size_t shift = 1; shift < 8; ++shift) {
      const Bytes room = join(Bytes(shift), frame);
      const PacketView view{room.data() + shift, static_cast<uint32_t>(frame.size()),
                            static_cast<uint32_t>(frame.size())};
      FlowKey key;
      make_flow_key(view, parse(view), {}, key);
      EXPECT_EQ(hex(key), hex(aligned));
      EXPECT_EQ(key.mac_fold, aligned.mac_fold);
    }
  }
}

}  // namespace
