// SPDX-License-Identifier: BSD-3-Clause
// parse on IPv6 and RoCEv1: header checks, the bounded walk over extension headers, fragments, jumbograms.
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

void check(std::vector<Row> rows, uint16_t type = kIpv6) {
  for (Row& row : rows) {
    SCOPED_TRACE(row.name);
    row.expected.l3_offset = 14;
    expect_headers(parse_whole(ethernet(type, row.packet)), row.expected);
  }
}

PacketHeaders ip(uint8_t proto, Protocol protocol, uint32_t l3_bytes, uint16_t l4_offset, bool has_ports) {
  return {.protocol = protocol,
          .l3 = L3::ipv6,
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

// `count` destination options headers of 8 bytes, then UDP.
Bytes options_chain(unsigned count) {
  Bytes payload = udp(1, 2);
  uint8_t next = kUdp;
  for (unsigned i = 0; i < count; ++i) {
    payload = ipv6_extension(next, 0, payload);
    next = kDestinationOptions;
  }
  return ipv6({.next = next}, payload);
}

TEST(ParseIpv6, FindsTransportHeaders) {
  PacketHeaders marked = ip(kTcp, Protocol::tcp, 60, 54, true);
  marked.traffic_class = 0xb9;  // lies in both of the first two bytes
  check({
      {"UDP", ipv6({}, udp(1000, 53, Bytes(4))), ip(kUdp, Protocol::udp, 52, 54, true)},
      {"TCP, traffic class and flow label",
       ipv6({.next = kTcp, .traffic_class = 0xb9, .flow_label = 0xfffff}, tcp(1, 2)), marked},
      {"SCTP", ipv6({.next = kSctp}, sctp(1, 2)), ip(kSctp, Protocol::sctp, 52, 54, true)},
      {"ICMPv6", ipv6({.next = kIcmp6}, Bytes(8)), ip(kIcmp6, Protocol::icmp, 48, 54, false)},
      {"VXLAN", ipv6({}, udp(1, 4789, Bytes(8))), ip(kUdp, Protocol::vxlan, 56, 54, true)},
      {"RoCEv2", ipv6({}, udp(0xc000, kRoceV2Port, bth(0x654321))),
       with_qp(ip(kUdp, Protocol::roce_v2, 60, 54, true), 0x654321)},
      {"IPv4 in IPv6", ipv6({.next = 4}, ipv4({})), ip(4, Protocol::ip_in_ip, 60, 54, false)},
      {"ESP", ipv6({.next = 50}, Bytes(16)), ip(50, Protocol::ip_other, 56, 54, false)},
      {"no next header: what follows is not looked at", ipv6({.next = 59}, udp(1, 2)),
       ip(59, Protocol::ip_other, 48, 0, false)},
      {"unknown next header", ipv6({.next = 0xfd}, Bytes(16)), ip(0xfd, Protocol::ip_other, 56, 54, false)},
  });
}

TEST(ParseIpv6, WalksExtensionHeaders) {
  const Bytes in = udp(1, 2);
  check({
      {"hop-by-hop", ipv6({.next = kHopByHop}, ipv6_extension(kUdp, 0, in)),
       ip(kUdp, Protocol::udp, 56, 62, true)},
      {"routing of 24 bytes", ipv6({.next = kRouting}, ipv6_extension(kUdp, 2, in)),
       ip(kUdp, Protocol::udp, 72, 78, true)},
      {"destination options", ipv6({.next = kDestinationOptions}, ipv6_extension(kUdp, 1, in)),
       ip(kUdp, Protocol::udp, 64, 70, true)},
      {"mobility", ipv6({.next = 135}, ipv6_extension(kUdp, 0, in)), ip(kUdp, Protocol::udp, 56, 62, true)},
      {"HIP", ipv6({.next = 139}, ipv6_extension(kUdp, 0, in)), ip(kUdp, Protocol::udp, 56, 62, true)},
      {"shim6", ipv6({.next = 140}, ipv6_extension(kUdp, 0, in)), ip(kUdp, Protocol::udp, 56, 62, true)},
      {"AH counts words of four bytes", ipv6({.next = kAh}, authentication_header(kTcp, tcp(1, 2))),
       ip(kTcp, Protocol::tcp, 72, 66, true)},
      {"routing, then IPv6 in IPv6", ipv6({.next = kRouting}, ipv6_extension(41, 2, ipv6({}, in))),
       ip(41, Protocol::ip_in_ip, 112, 78, false)},
      {"hop-by-hop, routing, AH, options",
       ipv6({.next = kHopByHop},
            ipv6_extension(
                kRouting, 0,
                ipv6_extension(
                    kAh, 0, authentication_header(kDestinationOptions, ipv6_extension(kTcp, 0, tcp(1, 2)))))),
       ip(kTcp, Protocol::tcp, 96, 90, true)},
      {"as many as are followed", options_chain(16), ip(kUdp, Protocol::udp, 176, 182, true)},
      {"one more: addresses only", options_chain(17),
       ip(kDestinationOptions, Protocol::ip_other, 184, 0, false)},
      {"nothing behind the last", ipv6({.next = kHopByHop}, ipv6_extension(kTcp, 0)),
       ip(kTcp, Protocol::tcp, 48, 0, false)},
      {"header behind the stated end",
       ipv6({.next = kHopByHop, .payload_length = 7}, ipv6_extension(kUdp, 0, in)),
       ip(kHopByHop, Protocol::ip_other, 47, 0, false)},
      {"length that leaves the packet", ipv6({.next = kHopByHop}, join({kUdp, 200, 1, 4, 0, 0, 0, 0}, in)),
       ip(kHopByHop, Protocol::ip_other, 56, 0, false)},
      {"second header cut off", ipv6({.next = kHopByHop}, ipv6_extension(kRouting, 0, {kUdp, 0})),
       ip(kRouting, Protocol::ip_other, 50, 0, false)},
  });
}

TEST(ParseIpv6, NeverReadsPortsOfFragments) {
  const Bytes in = udp(1, kRoceV2Port, bth(7));
  const Bytes options = ipv6_extension(kUdp, 0, in);
  check({
      {"first fragment", ipv6({.next = kFragment}, ipv6_fragment(kUdp, 0x0001, in)),
       fragment_of(kUdp, Protocol::udp, 68)},
      {"middle fragment", ipv6({.next = kFragment}, ipv6_fragment(kUdp, 0x05a9, in)),
       fragment_of(kUdp, Protocol::udp, 68)},
      {"last fragment", ipv6({.next = kFragment}, ipv6_fragment(kUdp, 0x05a8, Bytes(3))),
       fragment_of(kUdp, Protocol::udp, 51)},
      {"last fragment of a TCP segment", ipv6({.next = kFragment}, ipv6_fragment(kTcp, 0x0008, Bytes(3))),
       fragment_of(kTcp, Protocol::tcp, 51)},
      {"atomic fragment is no fragment", ipv6({.next = kFragment}, ipv6_fragment(kUdp, 0, in)),
       with_qp(ip(kUdp, Protocol::roce_v2, 68, 62, true), 7)},
      {"reserved bits alone are no fragment",
       ipv6({.next = kFragment}, ipv6_fragment(kUdp, 0x0006, udp(1, 2))),
       ip(kUdp, Protocol::udp, 56, 62, true)},
      {"hop-by-hop, then fragment",
       ipv6({.next = kHopByHop}, ipv6_extension(kFragment, 0, ipv6_fragment(kUdp, 0x0001, in))),
       fragment_of(kUdp, Protocol::udp, 76)},
      {"the walk stops at the fragment header: first",
       ipv6({.next = kFragment}, ipv6_fragment(kDestinationOptions, 0x0001, options)),
       fragment_of(kDestinationOptions, Protocol::ip_other, 76)},
      {"the walk stops at the fragment header: last",
       ipv6({.next = kFragment}, ipv6_fragment(kDestinationOptions, 0x0100, Bytes(28))),
       fragment_of(kDestinationOptions, Protocol::ip_other, 76)},
      {"atomic, then options", ipv6({.next = kFragment}, ipv6_fragment(kDestinationOptions, 0, options)),
       with_qp(ip(kUdp, Protocol::roce_v2, 76, 70, true), 7)},
      {"fragment header cut off", ipv6({.next = kFragment}, cut(ipv6_fragment(kUdp, 1), 7)),
       ip(kFragment, Protocol::ip_other, 47, 0, false)},
  });
}

TEST(ParseIpv6, TakesTheLengthFromTheHeader) {
  check({
      {"padding is not payload", join(ipv6({}, udp(1, 2)), Bytes(6, 0xff)),
       ip(kUdp, Protocol::udp, 48, 54, true)},
      {"ports in the padding are not ports", ipv6({.payload_length = 3}, udp(1, 2)),
       ip(kUdp, Protocol::udp, 43, 54, false)},
      {"payload length 0: the frame limits", ipv6({.payload_length = 0}, udp(1, 2, Bytes(92))),
       ip(kUdp, Protocol::udp, 140, 54, true)},
      {"payload length 0, nothing behind", ipv6({}), ip(kUdp, Protocol::udp, 40, 0, false)},
      {"payload length above the frame", ipv6({.payload_length = 9000}, udp(1, 2)),
       ip(kUdp, Protocol::udp, 9040, 54, true)},
      {"the same with a cut port", ipv6({.payload_length = 9000}, {0, 1, 0}),
       ip(kUdp, Protocol::udp, 9040, 54, false)},
  });
}

TEST(ParseIpv6, TakesNoHeaderThatContradictsItself) {
  check({
      {"no bytes at all", {}, malformed(0)},
      {"39 bytes", cut(ipv6({}), 39), malformed(39)},
      {"IPv4 header under 86dd", ipv4({}, udp(1, 2, Bytes(12))), malformed(40)},
      {"version 7", ipv6({.version = 7}, udp(1, 2)), malformed(48)},
      {"version 0", ipv6({.version = 0}, udp(1, 2)), malformed(48)},
  });
}

TEST(ParseRoceV1, ReadsTheQueuePairBehindTheGrh) {
  const PacketHeaders roce = ip(kBthNext, Protocol::roce_v1, 52, 54, false);
  PacketHeaders marked = with_qp(roce, 0x0000d2);
  marked.traffic_class = 0x6a;
  PacketHeaders seven = roce;
  seven.l3_bytes = 47;
  check(
      {
          {"queue pair and traffic class", ipv6({.next = kBthNext, .traffic_class = 0x6a}, bth(0x0000d2)),
           marked},
          {"BTH cut before the end of the queue pair", ipv6({.next = kBthNext}, cut(bth(9), 7)), seven},
          {"stated length ends before the BTH", ipv6({.next = kBthNext, .payload_length = 4}, bth(9)),
           ip(kBthNext, Protocol::roce_v1, 44, 54, false)},
          {"GRH alone", ipv6({.next = kBthNext}), ip(kBthNext, Protocol::roce_v1, 40, 0, false)},
          {"payload length 0: the frame limits", ipv6({.next = kBthNext, .payload_length = 0}, bth(9)),
           with_qp(roce, 9)},
          {"no BTH next", ipv6({.next = kUdp}, udp(1, kRoceV2Port, bth(9))),
           ip(kUdp, Protocol::roce_v1, 60, 0, false)},
          {"39 bytes", cut(ipv6({.next = kBthNext}), 39), malformed(39)},
          {"IP version 4", ipv6({.next = kBthNext, .version = 4}, bth(9)), malformed(52)},
      },
      kRoceV1);
}

}  // namespace
