// SPDX-License-Identifier: BSD-3-Clause
// parse on IPv4: header checks, options, fragments, padding, transport protocols and tunnels.
#include <gtest/gtest.h>

#include "core/parse.h"
#include "support/frames.h"
#include "support/parse_expect.h"

namespace {

using namespace core;
using namespace test_support;

struct Row {
  const char* name;
  Bytes packet;  // behind an untagged Ethernet header
  PacketHeaders expected;
};

void check(std::vector<Row> rows) {
  for (Row& row : rows) {
    SCOPED_TRACE(row.name);
    row.expected.l3_offset = 14;
    expect_headers(parse_whole(ethernet(kIpv4, row.packet)), row.expected);
  }
}

PacketHeaders ip(uint8_t proto, Protocol protocol, uint32_t l3_bytes, uint16_t l4_offset, bool has_ports) {
  return {.protocol = protocol,
          .l3 = L3::ipv4,
          .has_ports = has_ports,
          .ip_proto = proto,
          .l4_offset = l4_offset,
          .l3_bytes = l3_bytes};
}

PacketHeaders fragment_of(uint8_t proto, Protocol protocol, uint32_t l3_bytes) {
  PacketHeaders headers = ip(proto, protocol, l3_bytes, 0, false);
  headers.fragment = true;
  return headers;
}

PacketHeaders malformed(uint32_t bytes) {
  return {.verdict = Verdict::malformed, .protocol = Protocol::malformed, .l3_bytes = bytes};
}

PacketHeaders with_qp(PacketHeaders headers, uint32_t dest_qp) {
  headers.has_dest_qp = true;
  headers.dest_qp = dest_qp;
  return headers;
}

TEST(ParseIpv4, FindsTransportHeaders) {
  PacketHeaders marked = ip(kTcp, Protocol::tcp, 40, 34, true);
  marked.traffic_class = 0xb9;
  const Bytes inner = ipv4({.proto = kTcp}, cut(tcp(1, 2), 8));
  check({
      {"UDP", ipv4({}, udp(1000, 53, Bytes(4))), ip(kUdp, Protocol::udp, 32, 34, true)},
      {"TCP ACK without data, DSCP 46 and ECT(1)", ipv4({.proto = kTcp, .tos = 0xb9}, tcp(1000, 80)), marked},
      {"SCTP", ipv4({.proto = kSctp}, sctp(1000, 36412)), ip(kSctp, Protocol::sctp, 32, 34, true)},
      {"UDP-Lite has ports", ipv4({.proto = 136}, udp(1, 2)), ip(136, Protocol::ip_other, 28, 34, true)},
      {"DCCP has ports", ipv4({.proto = 33}, udp(1, 2)), ip(33, Protocol::ip_other, 28, 34, true)},
      {"ICMP", ipv4({.proto = kIcmp}, Bytes(8)), ip(kIcmp, Protocol::icmp, 28, 34, false)},
      {"ICMP unreachable with 8 bytes of TCP: only the outer header counts",
       ipv4({.proto = kIcmp}, join({3, 4, 0, 0, 0, 0, 5, 0xdc}, inner)),
       ip(kIcmp, Protocol::icmp, 56, 34, false)},
      {"VXLAN", ipv4({}, udp(50000, 4789, Bytes(8))), ip(kUdp, Protocol::vxlan, 36, 34, true)},
      {"VXLAN's port as source", ipv4({}, udp(4789, 50000, Bytes(8))), ip(kUdp, Protocol::udp, 36, 34, true)},
      {"VXLAN on a port of its own", ipv4({}, udp(4789, 8472, Bytes(8))),
       ip(kUdp, Protocol::udp, 36, 34, true)},
      {"Geneve with options", ipv4({}, udp(50000, 6081, join({2, 0, 0x65, 0x58}, Bytes(12)))),
       ip(kUdp, Protocol::geneve, 44, 34, true)},
      {"VXLAN's port over TCP", ipv4({.proto = kTcp}, tcp(1, 4789)), ip(kTcp, Protocol::tcp, 40, 34, true)},
      {"GRE", ipv4({.proto = 47}, Bytes(24)), ip(47, Protocol::gre, 44, 34, false)},
      {"IPv4 in IPv4", ipv4({.proto = 4}, inner), ip(4, Protocol::ip_in_ip, 48, 34, false)},
      {"IPv6 in IPv4", ipv4({.proto = 41}, ipv6({})), ip(41, Protocol::ip_in_ip, 60, 34, false)},
      {"ESP", ipv4({.proto = 50}, Bytes(24)), ip(50, Protocol::ip_other, 44, 34, false)},
      {"AH is not walked in IPv4", ipv4({.proto = kAh}, authentication_header(kTcp, tcp(1, 2))),
       ip(kAh, Protocol::ip_other, 52, 34, false)},
      {"OSPF", ipv4({.proto = 89}, Bytes(24)), ip(89, Protocol::ip_other, 44, 34, false)},
      {"header alone", ipv4({.proto = kTcp}), ip(kTcp, Protocol::tcp, 20, 0, false)},
  });
}

TEST(ParseIpv4, ReadsPortsBehindOptions) {
  check({
      {"one word of options", ipv4({.options = {1, 1, 1, 0}}, udp(1, 2)),
       ip(kUdp, Protocol::udp, 32, 38, true)},
      {"40 bytes of options", ipv4({.options = Bytes(40)}, udp(1, 2)), ip(kUdp, Protocol::udp, 68, 74, true)},
      {"TCP behind options", ipv4({.proto = kTcp, .options = Bytes(12)}, tcp(1, 2)),
       ip(kTcp, Protocol::tcp, 52, 46, true)},
      {"RoCEv2 behind options", ipv4({.options = Bytes(8)}, udp(49152, kRoceV2Port, bth(0x000102))),
       with_qp(ip(kUdp, Protocol::roce_v2, 48, 42, true), 0x000102)},
  });
}

TEST(ParseIpv4, ReadsTheQueuePairOfRoceV2) {
  const PacketHeaders roce = ip(kUdp, Protocol::roce_v2, 40, 34, true);
  PacketHeaders cnp = with_qp(ip(kUdp, Protocol::roce_v2, 60, 34, true), 0xabcdef);
  cnp.traffic_class = 0xc2;
  PacketHeaders seven = roce;
  seven.l3_bytes = 35;
  PacketHeaders eight = with_qp(roce, 0x00d2);
  eight.l3_bytes = 36;
  check({
      {"queue pair", ipv4({}, udp(0xc000, kRoceV2Port, bth(0x00d2))), with_qp(roce, 0x00d2)},
      {"largest queue pair", ipv4({}, udp(0xc000, kRoceV2Port, bth(0xffffff))), with_qp(roce, 0xffffff)},
      {"CNP: source port 0", ipv4({.tos = 0xc2}, udp(0, kRoceV2Port, bth(0xabcdef, Bytes(20), 0x81))), cnp},
      {"BTH cut before the end of the queue pair", ipv4({}, udp(1, kRoceV2Port, cut(bth(0x00d2), 7))), seven},
      {"BTH cut behind the queue pair", ipv4({}, udp(1, kRoceV2Port, cut(bth(0x00d2), 8))), eight},
      {"stated length ends before the BTH: padding is not read",
       ipv4({.total_length = 28}, udp(1, kRoceV2Port, bth(0x00d2))),
       ip(kUdp, Protocol::roce_v2, 28, 34, true)},
      {"RoCE's port as source", ipv4({}, udp(kRoceV2Port, 1, bth(7))), ip(kUdp, Protocol::udp, 40, 34, true)},
      {"RoCE's port over TCP", ipv4({.proto = kTcp}, tcp(1, kRoceV2Port)),
       ip(kTcp, Protocol::tcp, 40, 34, true)},
  });
}

TEST(ParseIpv4, NeverReadsPortsOfFragments) {
  check({
      {"first fragment", ipv4({.fragment = 0x2000}, udp(1, 2, Bytes(8))),
       fragment_of(kUdp, Protocol::udp, 36)},
      {"middle fragment", ipv4({.fragment = 0x2003}, Bytes(24)), fragment_of(kUdp, Protocol::udp, 44)},
      {"last fragment", ipv4({.fragment = 0x0003}, Bytes(10)), fragment_of(kUdp, Protocol::udp, 30)},
      {"last fragment of one byte", ipv4({.fragment = 0x1fff}, Bytes(1)),
       fragment_of(kUdp, Protocol::udp, 21)},
      {"DF alone is no fragment", ipv4({.fragment = 0x4000}, udp(1, 2)),
       ip(kUdp, Protocol::udp, 28, 34, true)},
      {"reserved bit alone is no fragment", ipv4({.fragment = 0x8000}, udp(1, 2)),
       ip(kUdp, Protocol::udp, 28, 34, true)},
      {"first fragment of a RoCEv2 packet", ipv4({.fragment = 0x2000}, udp(1, kRoceV2Port, bth(7))),
       fragment_of(kUdp, Protocol::udp, 40)},
      {"fragment whose bytes look like VXLAN's port", ipv4({.fragment = 0x0010}, udp(1, 4789)),
       fragment_of(kUdp, Protocol::udp, 28)},
      {"TCP fragment", ipv4({.proto = kTcp, .fragment = 0x2000}, tcp(1, 2)),
       fragment_of(kTcp, Protocol::tcp, 40)},
      {"ICMP fragment", ipv4({.proto = kIcmp, .fragment = 0x0001}, Bytes(8)),
       fragment_of(kIcmp, Protocol::icmp, 28)},
      {"OSPF fragment", ipv4({.proto = 89, .fragment = 0x2000}, Bytes(16)),
       fragment_of(89, Protocol::ip_other, 36)},
  });
}

TEST(ParseIpv4, TakesTheLengthFromTheHeader) {
  check({
      {"padding is not payload", padded(ipv4({}, udp(1, 2, Bytes(4))), 46, 0xff),
       ip(kUdp, Protocol::udp, 32, 34, true)},
      {"ports in the padding are not ports", padded(ipv4({}), 46, 0x11),
       ip(kUdp, Protocol::udp, 20, 0, false)},
      {"three bytes of UDP, then padding", padded(ipv4({}, {0, 1, 0}), 46, 0x11),
       ip(kUdp, Protocol::udp, 23, 34, false)},
      {"four bytes are enough for ports", padded(ipv4({}, {0, 1, 0, 2}), 46),
       ip(kUdp, Protocol::udp, 24, 34, true)},
      {"stated length above the frame: the frame limits", ipv4({.total_length = 1500}, udp(1, 2)),
       ip(kUdp, Protocol::udp, 1500, 34, true)},
      {"the same with a cut port", ipv4({.total_length = 1500}, {0, 1, 0}),
       ip(kUdp, Protocol::udp, 1500, 34, false)},
      {"longest length", ipv4({.total_length = 0xffff}, udp(1, 2)), ip(kUdp, Protocol::udp, 65535, 34, true)},
  });
}

TEST(ParseIpv4, TakesNoHeaderThatContradictsItself) {
  const Bytes good = ipv4({}, udp(1, 2));
  check({
      {"no bytes at all", {}, malformed(0)},
      {"19 bytes", cut(good, 19), malformed(19)},
      {"IHL 4", ipv4({.version_ihl = 0x44}, udp(1, 2)), malformed(28)},
      {"IHL 0", ipv4({.version_ihl = 0x40}, udp(1, 2)), malformed(28)},
      {"IHL behind the frame", ipv4({.version_ihl = 0x4f}, udp(1, 2)), malformed(28)},
      {"IHL one word behind the frame", cut(ipv4({.options = Bytes(4), .total_length = 24}), 23),
       malformed(23)},
      {"IPv6 header under 0800", ipv6({}, udp(1, 2)), malformed(48)},
      {"version 0", ipv4({.version_ihl = 0x05}, udp(1, 2)), malformed(28)},
      {"total length below the header", ipv4({.total_length = 19}, udp(1, 2)), malformed(28)},
      {"total length 0", ipv4({.total_length = 0}, udp(1, 2)), malformed(28)},
      {"total length below the options", ipv4({.options = Bytes(4), .total_length = 20}), malformed(24)},
  });
}

}  // namespace
