// SPDX-License-Identifier: BSD-3-Clause
// parse on Ethernet: runts, frames that end at the port, VLAN tags, ethertypes, and windows of every length.
#include "core/parse.h"

#include <gtest/gtest.h>

#include <string>

#include "support/frames.h"
#include "support/parse_checks.h"
#include "support/parse_expect.h"

namespace {

using namespace core;
using namespace test_support;

const Bytes kDatagram = ipv4({}, udp(1000, 53, Bytes(18)));
constexpr MacAddress kPauseMac = {0x01, 0x80, 0xc2, 0, 0, 0x01};
constexpr MacAddress kLldpMac = {0x01, 0x80, 0xc2, 0, 0, 0x0e};
constexpr MacAddress kLastLinkLocal = {0x01, 0x80, 0xc2, 0, 0, 0x0f};
constexpr MacAddress kGarpMac = {0x01, 0x80, 0xc2, 0, 0, 0x20};

// The answer for kDatagram behind tags that end at `l3`.
PacketHeaders datagram_at(uint16_t l3, uint8_t pcp = 0, uint16_t vlan_id = 0) {
  return {.protocol = Protocol::udp,
          .l3 = L3::ipv4,
          .has_ports = true,
          .ip_proto = kUdp,
          .pcp = pcp,
          .vlan_id = vlan_id,
          .l3_offset = l3,
          .l4_offset = static_cast<uint16_t>(l3 + 20),
          .l3_bytes = 46};
}

Bytes tags(unsigned count, const Bytes& inside) {
  Bytes payload = inside;
  uint16_t type = kIpv4;
  for (unsigned i = 0; i < count; ++i) {
    payload = vlan(i % 8, 100 + i, type, payload);
    type = kCTag;
  }
  return ethernet(type, payload);
}

struct Row {
  const char* name;
  Bytes frame;
  PacketHeaders expected;
  VlanTag tag = VlanTag::outer;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    expect_headers(parse_whole(row.frame, row.tag), row.expected);
  }
}

TEST(Parse, EndsShortAndControlFramesAtThePort) {
  const auto stops = [](Verdict verdict, uint16_t l3, uint32_t bytes, uint8_t pcp = 0, uint16_t vlan_id = 0) {
    return PacketHeaders{.verdict = verdict,
                         .protocol = verdict == Verdict::runt ? Protocol::other : Protocol::control,
                         .pcp = pcp,
                         .vlan_id = vlan_id,
                         .l3_offset = l3,
                         .l3_bytes = bytes};
  };
  const auto passes = [](uint32_t bytes) { return PacketHeaders{.l3_offset = 14, .l3_bytes = bytes}; };
  const Bytes pause = {0x00, 0x01, 0xff, 0xff};
  check({
      {"empty", {}, stops(Verdict::runt, 0, 0)},
      {"13 bytes", cut(ethernet(kIpv4, kDatagram), 13), stops(Verdict::runt, 0, 13)},
      {"13 bytes to the PAUSE address", cut(pfc(8, {}), 13), stops(Verdict::runt, 0, 13)},
      {"14 bytes, no payload", ethernet(0x1234), passes(0)},
      {"PAUSE, 60 bytes", padded(ethernet(kMacControl, pause, kPauseMac)),
       stops(Verdict::mac_control, 14, 46)},
      {"PAUSE without pad, 18 bytes", ethernet(kMacControl, pause, kPauseMac),
       stops(Verdict::mac_control, 14, 4)},
      {"PFC without pad, 34 bytes", pfc(8, {0, 0, 0, 0xffff}), stops(Verdict::mac_control, 14, 20)},
      {"PFC padded", padded(pfc(0xff, {1, 2, 3})), stops(Verdict::mac_control, 14, 46)},
      {"PAUSE to a unicast address", padded(ethernet(kMacControl, pause)),
       stops(Verdict::mac_control, 14, 46)},
      {"unknown MAC control opcode", padded(ethernet(kMacControl, {0x77, 0x77}, kPauseMac)),
       stops(Verdict::mac_control, 14, 46)},
      {"PFC behind a tag", ethernet(kCTag, vlan(6, 9, kMacControl, Bytes(42))),
       stops(Verdict::mac_control, 18, 42, 6, 9)},
      {"LLDP", ethernet(0x88cc, Bytes(46), kLldpMac), stops(Verdict::link_local, 14, 46)},
      {"LACP", ethernet(0x8809, Bytes(110), {0x01, 0x80, 0xc2, 0, 0, 0x02}),
       stops(Verdict::link_local, 14, 110)},
      {"STP, a length in place of an ethertype", ethernet(38, Bytes(46), {0x01, 0x80, 0xc2, 0, 0, 0}),
       stops(Verdict::link_local, 14, 46)},
      {"IPv4 to the last link-local address", ethernet(kIpv4, kDatagram, kLastLinkLocal),
       stops(Verdict::link_local, 14, 46)},
      {"tagged, link-local", ethernet(kCTag, vlan(7, 3, 0x88cc, Bytes(42)), kLldpMac),
       stops(Verdict::link_local, 18, 42, 7, 3)},
      {"tag cut off, link-local", ethernet(kCTag, {0}, kLldpMac), stops(Verdict::link_local, 14, 1)},
      {"01:80:c2:00:00:20 is forwarded", ethernet(0x88f5, Bytes(46), kGarpMac), passes(46)},
      {"01:80:c2:00:00:10 is forwarded", ethernet(38, Bytes(46), {0x01, 0x80, 0xc2, 0, 0, 0x10}), passes(46)},
      {"01:80:c2:00:01:00 is forwarded", ethernet(38, Bytes(46), {0x01, 0x80, 0xc2, 0, 1, 0}), passes(46)},
  });
}

TEST(Parse, WalksVlanTags) {
  const Bytes two = ethernet(kSTag, vlan(3, 208, kCTag, vlan(0, 4, kIpv4, kDatagram)));
  const Bytes three = ethernet(kSTag, vlan(1, 11, kSTag, vlan(2, 22, kCTag, vlan(5, 33, kIpv4, kDatagram))));
  const Bytes priority = ethernet(kCTag, vlan(5, 0, kIpv4, kDatagram));
  Bytes drop_eligible = ethernet(kCTag, vlan(7, 0x0fff, kIpv4, kDatagram));
  drop_eligible[14] |= 0x10;
  check({
      {"untagged", ethernet(kIpv4, kDatagram), datagram_at(14)},
      {"one tag", ethernet(kCTag, vlan(4, 2, kIpv4, kDatagram)), datagram_at(18, 4, 2)},
      {"one tag, inner asked", ethernet(kCTag, vlan(4, 2, kIpv4, kDatagram)), datagram_at(18, 4, 2),
       VlanTag::inner},
      {"priority tag: VID 0, PCP kept", priority, datagram_at(18, 5, 0)},
      {"DEI is not part of the VID", drop_eligible, datagram_at(18, 7, 0x0fff)},
      {"tag 9100", ethernet(kOldSTag, vlan(2, 7, kIpv4, kDatagram)), datagram_at(18, 2, 7)},
      {"88a8 + 8100, outer", two, datagram_at(22, 3, 208)},
      {"88a8 + 8100, inner", two, datagram_at(22, 0, 4), VlanTag::inner},
      {"88a8 + 88a8 + 8100, outer", three, datagram_at(26, 1, 11)},
      {"88a8 + 88a8 + 8100, inner", three, datagram_at(26, 5, 33), VlanTag::inner},
      {"8100 + 8100", tags(2, kDatagram), datagram_at(22, 1, 101)},
      {"five tags", tags(5, kDatagram), datagram_at(34, 4, 104)},
      {"as many tags as are followed", tags(8, kDatagram), datagram_at(46, 7, 107)},
      {"one tag more", tags(9, kDatagram), {.pcp = 0, .vlan_id = 108, .l3_offset = 46, .l3_bytes = 4 + 46}},
      {"one tag more, inner asked",
       tags(9, kDatagram),
       {.pcp = 1, .vlan_id = 101, .l3_offset = 46, .l3_bytes = 4 + 46},
       VlanTag::inner},
      {"first tag cut off", cut(two, 17), {.l3_offset = 14, .l3_bytes = 3}},
      {"second tag cut off", cut(two, 21), {.pcp = 3, .vlan_id = 208, .l3_offset = 18, .l3_bytes = 3}},
      {"second tag missing", cut(two, 18), {.pcp = 3, .vlan_id = 208, .l3_offset = 18, .l3_bytes = 0}},
  });
}

TEST(Parse, KnowsEthertypes) {
  const auto bare = [](Protocol protocol, uint32_t bytes) {
    return PacketHeaders{.protocol = protocol, .l3_offset = 14, .l3_bytes = bytes};
  };
  const Bytes labels = join({0x00, 0x01, 0x01, 0x40}, kDatagram);  // one MPLS label, bottom of stack
  check({
      {"ARP", ethernet(kArp, Bytes(28)), bare(Protocol::arp, 28)},
      {"ARP cut to nothing", ethernet(kArp), bare(Protocol::arp, 0)},
      {"MPLS is not read as IP", ethernet(0x8847, labels), bare(Protocol::mpls, 50)},
      {"MPLS whose label looks like IPv4", ethernet(0x8847, kDatagram), bare(Protocol::mpls, 46)},
      {"MPLS multicast", ethernet(0x8848, labels), bare(Protocol::mpls, 50)},
      {"802.3 length", ethernet(46, Bytes(46)), bare(Protocol::other, 46)},
      {"E-TAG", ethernet(0x893f, Bytes(46)), bare(Protocol::other, 46)},
      {"PPPoE", ethernet(0x8864, Bytes(46)), bare(Protocol::other, 46)},
      {"loopback", ethernet(0x9000, Bytes(46)), bare(Protocol::other, 46)},
  });
}

TEST(Parse, CarriesNothingFromOnePacketToTheNext) {
  const Bytes frames[] = {
      ethernet(kIpv4, kDatagram),
      ethernet(kIpv6, ipv6({.next = kTcp, .traffic_class = 0xff}, tcp(1, 2))),
      ethernet(kArp, Bytes(46)),
      ethernet(0x88cc, Bytes(46), kLldpMac),
      pfc(8, {}),
      Bytes(9),
      ethernet(kIpv4, ipv4({}, udp(7, 4789, ethernet(kIpv4, kDatagram)))),
      tags(3, ipv4({}, udp(9, kRoceV2Port, bth(77)))),
  };
  for (const Bytes& before : frames)
    for (const Bytes& frame : frames) {
      const PacketHeaders alone = parse_whole(frame);
      parse_whole(before);
      expect_headers(parse_whole(frame), alone);
    }
}

// The window ends where a segment ends or where the program stops looking; the frame goes on.
TEST(Parse, StaysInsideEveryWindow) {
  const Bytes roce = udp(49152, kRoceV2Port, bth(0x123456));
  const Bytes frames[] = {
      ethernet(kIpv4, ipv4({.options = Bytes(8)}, roce)),
      ethernet(kSTag, vlan(3, 208, kCTag, vlan(0, 4, kIpv4, ipv4({}, roce)))),
      ethernet(kIpv6, ipv6({.next = kHopByHop}, ipv6_extension(kRouting, 2, ipv6_extension(kUdp, 0, roce)))),
      ethernet(kIpv6, ipv6({.next = kFragment}, ipv6_fragment(kUdp, 0, roce))),
      ethernet(kRoceV1, ipv6({.next = kBthNext}, bth(5))),
  };
  for (const Bytes& frame : frames) {
    const PacketHeaders whole = parse_whole(frame);
    for (uint32_t window = 0; window <= frame.size(); ++window) {
      SCOPED_TRACE(window);
      const Bytes front(frame.begin(),
                        frame.begin() + window);  // its own heap block: a sanitizer sees its end
      const PacketView view{front.data(), window, static_cast<uint32_t>(frame.size())};
      const PacketHeaders headers = parse(view);
      const char* broken = broken_headers(view, headers);
      EXPECT_EQ(broken, nullptr) << broken;
      if (headers.has_ports) {
        EXPECT_EQ(headers.l4_offset, whole.l4_offset);
      }
      if (headers.has_dest_qp) {
        EXPECT_EQ(headers.dest_qp, whole.dest_qp);
      }
    }
  }
}

TEST(Parse, DoesNotLookBehindTheParseWindow) {
  // Two hop-by-hop headers of 224 bytes put UDP at 14 + 40 + 448 = 502; with 16 bytes more its ports lie at
  // 518.
  const auto frame = [](uint8_t third) {
    return ethernet(kIpv6,
                    ipv6({.next = kDestinationOptions},
                         ipv6_extension(kDestinationOptions, 27,
                                        ipv6_extension(kDestinationOptions, 26,
                                                       ipv6_extension(kUdp, third, udp(1, 2, Bytes(64)))))));
  };
  const PacketHeaders near = parse_whole(frame(0));
  EXPECT_TRUE(near.has_ports);
  EXPECT_EQ(near.l4_offset, 502);
  const PacketHeaders far = parse_whole(frame(2));
  EXPECT_FALSE(far.has_ports);
  EXPECT_EQ(far.l3, L3::ipv6);
  EXPECT_EQ(far.verdict, Verdict::forward);
}

}  // namespace
