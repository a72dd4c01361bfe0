// SPDX-License-Identifier: BSD-3-Clause
// Checks which packets have a sequence number for the reorder meter, what it is, at every window, and that
// flows are told apart.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/reorder_meter.h"
#include "support/frames.h"
#include "support/parse_expect.h"

namespace {

using namespace core;
using namespace test_support;

Bytes with(Bytes bytes, size_t at, uint8_t value) {
  bytes[at] = value;
  return bytes;
}

// PSN 7, as bth() has it.
Bytes roce(uint8_t opcode = 0x04, uint32_t dest_qp = 0x11, uint16_t source_port = 0xc001) {
  return udp(source_port, kRoceV2Port, bth(dest_qp, Bytes(8), opcode));
}

// Sequence number 0x01020304, as tcp() has it.
Bytes segment(uint8_t flags, size_t payload, uint8_t header_words = 5, uint16_t sport = 1000,
              uint16_t dport = 80) {
  const Bytes bytes = tcp(sport, dport, Bytes(payload));
  return with(with(bytes, 12, static_cast<uint8_t>(header_words << 4)), 13, flags);
}

Bytes over4(uint8_t proto, const Bytes& l4) {
  return padded(ethernet(kIpv4, ipv4({.proto = proto}, l4)));
}
Bytes over6(uint8_t next, const Bytes& l4) {
  return ethernet(kIpv6, ipv6({.next = next}, l4));
}

TEST(ReadSequence, OfEveryKindOfPacket) {
  struct Row {
    const char* name;
    Bytes frame;
    uint32_t number, length;  // length 0: none is read
    bool tcp, opens;
  };
  const uint32_t seq = 0x01020304;
  const Row rows[] = {
      {"RoCEv2 over IPv4", over4(kUdp, roce()), 7, 1, false, false},
      {"RoCEv2 over IPv6", over6(kUdp, roce()), 7, 1, false, false},
      {"PSN of 24 bits, AckReq set", over4(kUdp, with(with(roce(), 16, 0x80), 17, 0xfe)), 0xfe0007, 1, false,
       false},
      {"in a VLAN", ethernet(kCTag, vlan(3, 5, kIpv4, ipv4({}, roce()))), 7, 1, false, false},
      {"BTH cut off", over6(kUdp, cut(roce(), 19)), 0, 0, false, false},
      {"BTH cut off, padded", over4(kUdp, cut(roce(), 19)), 0, 0, false, false},
      {"BTH and nothing more", over6(kUdp, cut(roce(), 20)), 7, 1, false, false},
      {"BTH behind all that is parsed", over6(kDestinationOptions, ipv6_extension(kUdp, 55, roce())), 0, 0,
       false, false},
      {"RoCEv1", ethernet(kRoceV1, ipv6({.next = kBthNext}, bth(0x11, Bytes(8)))), 0, 0, false, false},
      {"fragment of RoCEv2", ethernet(kIpv4, ipv4({.fragment = 0x2000}, roce())), 0, 0, false, false},
      {"other UDP", over4(kUdp, udp(4791, 4792, Bytes(20))), 0, 0, false, false},
      {"data", over4(kTcp, segment(0x10, 33)), seq, 33, true, false},
      {"data over IPv6", over6(kTcp, segment(0x18, 33)), seq, 33, true, false},
      {"data behind extension headers", over6(kDestinationOptions, ipv6_extension(kTcp, 1, segment(0x10, 9))),
       seq, 9, true, false},
      {"data behind IPv4 options",
       ethernet(kIpv4, ipv4({.proto = kTcp, .options = Bytes(8)}, segment(0x10, 9))), seq, 9, true, false},
      {"data behind TCP options", over4(kTcp, segment(0x10, 33, 8)), seq, 21, true, false},
      {"pure ACK, padded", over4(kTcp, segment(0x10, 0)), 0, 0, false, false},
      {"pure ACK with options", over4(kTcp, segment(0x10, 12, 8)), 0, 0, false, false},
      {"reset", over4(kTcp, segment(0x04, 0)), 0, 0, false, false},
      {"SYN", over4(kTcp, segment(0x02, 0)), seq, 1, true, true},
      {"SYN and ACK with options", over4(kTcp, segment(0x12, 20, 10)), seq, 1, true, true},
      {"FIN", over4(kTcp, segment(0x11, 0)), seq, 1, true, false},
      {"FIN with data", over4(kTcp, segment(0x11, 7)), seq, 8, true, false},
      {"SYN, FIN and data", over4(kTcp, segment(0x03, 7)), seq, 9, true, true},
      {"header of four words", over4(kTcp, segment(0x10, 33, 4)), 0, 0, false, false},
      {"header longer than the packet", over4(kTcp, segment(0x10, 3, 6)), 0, 0, false, false},
      {"header cut off", over6(kTcp, cut(segment(0x02, 0), 19)), 0, 0, false, false},
      {"fragment of TCP", ethernet(kIpv4, ipv4({.proto = kTcp, .fragment = 1}, segment(0x10, 9))), 0, 0,
       false, false},
      {"SCTP", over4(kSctp, sctp(1, 2, Bytes(16))), 0, 0, false, false},
      {"ARP", ethernet(kArp, Bytes(46)), 0, 0, false, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    SequenceSample sample;
    ASSERT_EQ(read_sequence(whole_view(row.frame), parse_whole(row.frame), sample), row.length != 0);
    if (row.length == 0) continue;
    EXPECT_NE(sample.flow, 0u);
    EXPECT_EQ(sample.number, row.number);
    EXPECT_EQ(sample.length, row.length);
    EXPECT_EQ(sample.tcp, row.tcp);
    EXPECT_EQ(sample.opens, row.opens);
  }
}

// RC and UC requests; not RD, UD, CNP, XRC, and not what answers in RC.
TEST(ReadSequence, OfTheseOpcodes) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const Bytes frame = over4(kUdp, roce(static_cast<uint8_t>(opcode)));
    SequenceSample sample;
    const bool expected = opcode < 0x0d || (opcode > 0x12 && opcode < 0x40);
    EXPECT_EQ(read_sequence(whole_view(frame), parse_whole(frame), sample), expected) << opcode;
  }
}

// The window may end behind the header: lengths come from the IP header. A shorter one yields nothing.
TEST(ReadSequence, WithinTheWindow) {
  struct Row {
    const char* name;
    Bytes frame;
    uint32_t needed, length;
  };
  for (const Row& row : {Row{"RoCEv2", over4(kUdp, roce()), 14 + 20 + 8 + 12, 1},
                         Row{"TCP", over6(kTcp, segment(0x10, 500)), 14 + 40 + 20, 500}})
    for (uint32_t window = 0; window < row.frame.size(); ++window) {
      SCOPED_TRACE(std::string(row.name) + " window " + std::to_string(window));
      const Bytes alone(row.frame.begin(), row.frame.begin() + window);
      const PacketView view{alone.data(), window, static_cast<uint32_t>(row.frame.size())};
      for (const PacketHeaders& headers : {parse(view), parse_whole(row.frame)}) {
        SequenceSample sample;
        ASSERT_EQ(read_sequence(view, headers, sample), window >= row.needed);
        EXPECT_EQ(sample.length, window >= row.needed ? row.length : 0);
      }
    }
}

TEST(ReadSequence, FlowsAreToldApart) {
  const auto identity = [](const Bytes& frame) {
    SequenceSample sample;
    EXPECT_TRUE(read_sequence(whole_view(frame), parse_whole(frame), sample));
    return sample.flow;
  };
  std::set<uint64_t> flows;
  size_t different = 0;
  const auto differs = [&](const Bytes& frame) {
    flows.insert(identity(frame));
    EXPECT_EQ(flows.size(), ++different);
  };
  const Ipv4 there4{}, back4{.src = there4.dst, .dst = there4.src};
  const Ipv6 there6{}, back6{.src = there6.dst, .dst = there6.src};
  const auto tcp4 = [](Ipv4 ip, const Bytes& l4) { return ip.proto = kTcp, ethernet(kIpv4, ipv4(ip, l4)); };
  const auto tcp6 = [](Ipv6 ip, const Bytes& l4) { return ip.next = kTcp, ethernet(kIpv6, ipv6(ip, l4)); };
  for (uint32_t n = 0; n < 2000; ++n) {
    const auto byte = static_cast<uint8_t>(n % 250), other = static_cast<uint8_t>(1 + n / 250);
    differs(ethernet(kIpv4, ipv4({.src = {10, 0, other, byte}}, roce())));
    differs(ethernet(kIpv4, ipv4({.dst = {10, 0, other, byte}}, roce())));
    differs(ethernet(kIpv4, ipv4(there4, roce(4, n))));
    differs(ethernet(kIpv6, ipv6(there6, roce(4, n))));
    differs(tcp4(there4, segment(0x10, 9, 5, static_cast<uint16_t>(n), 80)));
    differs(tcp4(there4, segment(0x10, 9, 5, 80, static_cast<uint16_t>(3000 + n))));
    differs(tcp6(there6, segment(0x10, 9, 5, static_cast<uint16_t>(n), 80)));
  }
  for (size_t at = 0; at < 16; ++at) {  // every byte of an address
    Ipv6 source = there6, destination = there6;
    source.src[at] ^= 0x80;
    destination.dst[at] ^= 0x80;
    for (const Ipv6& ip : {source, destination}) {
      differs(ethernet(kIpv6, ipv6(ip, roce(4, 0x11))));
      differs(tcp6(ip, segment(0x10, 9)));
    }
  }
  differs(ethernet(kIpv4, ipv4(back4, roce())));
  differs(ethernet(kIpv6, ipv6(back6, roce())));
  differs(tcp4(back4, segment(0x10, 9)));
  differs(tcp6(back6, segment(0x10, 9)));

  // What may change inside a flow.
  EXPECT_EQ(identity(over4(kUdp, roce(0x04, 0x11, 0xc001))), identity(over4(kUdp, roce(0x0a, 0x11, 0xc002))));
  EXPECT_EQ(identity(over4(kUdp, with(roce(), 19, 9))), identity(over4(kUdp, roce())));
  EXPECT_EQ(identity(over4(kTcp, segment(0x02, 0))), identity(over4(kTcp, with(segment(0x18, 99), 4, 0))));
  EXPECT_EQ(identity(ethernet(kIpv4, ipv4({.tos = 3}, roce()))), identity(over4(kUdp, roce())));
}

}  // namespace
