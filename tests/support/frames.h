// SPDX-License-Identifier: BSD-3-Clause
// Builds frames for tests, one header a function, from the inside out: ethernet(kIpv4, ipv4({}, udp(1000,
// 53))). Each returns a vector of bytes as on the wire without FCS, with right lengths and a right IPv4
// header checksum. TCP, UDP and SCTP checksums are zero: nothing that uses these frames checks them. Called
// by tests only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace test_support {

using Bytes = std::vector<uint8_t>;

inline constexpr uint16_t kIpv4 = 0x0800, kArp = 0x0806, kIpv6 = 0x86dd, kMacControl = 0x8808,
                          kRoceV1 = 0x8915;
inline constexpr uint16_t kCTag = 0x8100, kSTag = 0x88a8, kOldSTag = 0x9100;
inline constexpr uint8_t kHopByHop = 0, kIcmp = 1, kTcp = 6, kUdp = 17, kBthNext = 27, kRouting = 43,
                         kFragment = 44, kAh = 51, kIcmp6 = 58, kDestinationOptions = 60, kSctp = 132;

inline constexpr core::MacAddress kDstMac = {0x02, 0, 0, 0, 0, 0xd1};
inline constexpr core::MacAddress kSrcMac = {0x02, 0, 0, 0, 0, 0x51};

inline void put16(Bytes& out, unsigned value) {
  out.push_back(static_cast<uint8_t>(value >> 8));
  out.push_back(static_cast<uint8_t>(value));
}

inline void put32(Bytes& out, uint32_t value) {
  put16(out, value >> 16);
  put16(out, value & 0xffff);
}

inline Bytes join(Bytes front, const Bytes& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

// Hexadecimal digits, two a byte; anything else between them is passed over.
inline Bytes from_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  Bytes out;
  unsigned value = 0, digits = 0;
  for (char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    value = value << 4 | static_cast<unsigned>(digit);
    if (++digits % 2 == 0) out.push_back(static_cast<uint8_t>(value));
  }
  return out;
}

// Lengthens a frame to `bytes` (60 is the shortest Ethernet frame without FCS); never shortens.
inline Bytes padded(Bytes frame, size_t bytes = 60, uint8_t fill = 0) {
  if (frame.size() < bytes) frame.resize(bytes, fill);
  return frame;
}

inline Bytes cut(Bytes frame, size_t bytes) {
  frame.resize(bytes);
  return frame;
}

inline Bytes ethernet(uint16_t type, const Bytes& payload = {}, const core::MacAddress& dst = kDstMac,
                      const core::MacAddress& src = kSrcMac) {
  Bytes out(dst.begin(), dst.end());
  out.insert(out.end(), src.begin(), src.end());
  put16(out, type);
  return join(out, payload);
}

// Payload of ethertype 8100, 88a8 or 9100: PCP, DEI 0, VID, then the next ethertype and what it carries.
inline Bytes vlan(unsigned pcp, unsigned vid, uint16_t type, const Bytes& payload = {}) {
  Bytes out;
  put16(out, pcp << 13 | vid);
  put16(out, type);
  return join(out, payload);
}

struct Ipv4 {
  uint8_t proto = kUdp;
  std::array<uint8_t, 4> src = {192, 0, 2, 1};
  std::array<uint8_t, 4> dst = {198, 51, 100, 2};
  uint8_t tos = 0;
  uint16_t fragment = 0;  // flags and offset as in the header: 0x2000 is MF, the offset counts 8-byte units
  Bytes options = {};     // whole 32-bit words
  std::optional<uint16_t> total_length = {};  // a header that lies
  std::optional<uint8_t> version_ihl = {};
};

inline Bytes ipv4(const Ipv4& header, const Bytes& payload = {}) {
  const size_t header_bytes = 20 + header.options.size();
  Bytes out;
  out.push_back(header.version_ihl.value_or(static_cast<uint8_t>(0x40 | header_bytes / 4)));
  out.push_back(header.tos);
  put16(out, header.total_length.value_or(static_cast<uint16_t>(header_bytes + payload.size())));
  put16(out, 0x1234);
  put16(out, header.fragment);
  out.push_back(64);
  out.push_back(header.proto);
  put16(out, 0);
  out.insert(out.end(), header.src.begin(), header.src.end());
  out.insert(out.end(), header.dst.begin(), header.dst.end());
  out = join(out, header.options);
  uint32_t sum = 0;
  for (size_t i = 0; i < out.size(); i += 2) sum += static_cast<uint32_t>(out[i] << 8 | out[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  out[10] = static_cast<uint8_t>(~sum >> 8);
  out[11] = static_cast<uint8_t>(~sum);
  return join(out, payload);
}

struct Ipv6 {
  uint8_t next = kUdp;
  std::array<uint8_t, 16> src = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  std::array<uint8_t, 16> dst = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  std::optional<uint16_t> payload_length = {};  // a header that lies, or 0 for a jumbogram
  uint8_t version = 6;
};

// Also RoCEv1's GRH, which has the same layout (next = kBthNext in front of a BTH).
inline Bytes ipv6(const Ipv6& header, const Bytes& payload = {}) {
  Bytes out;
  put32(out, uint32_t{header.version} << 28 | uint32_t{header.traffic_class} << 20 | header.flow_label);
  put16(out, header.payload_length.value_or(static_cast<uint16_t>(payload.size())));
  out.push_back(header.next);
  out.push_back(64);
  out.insert(out.end(), header.src.begin(), header.src.end());
  out.insert(out.end(), header.dst.begin(), header.dst.end());
  return join(out, payload);
}

// Hop-by-hop, routing, destination options, mobility ...: 8 + 8 * units bytes. An authentication header of
// 12 bytes has the length byte 1, in units of 4 bytes less 2.
inline Bytes ipv6_extension(uint8_t next, uint8_t units, const Bytes& payload = {}) {
  Bytes out = {next, units, 1, 4};
  out.resize(8 + 8u * units);
  return join(out, payload);
}

inline Bytes authentication_header(uint8_t next, const Bytes& payload = {}) {
  Bytes out = {next, 1};
  out.resize(12);
  return join(out, payload);
}

// offset_flags as on the wire: offset in 8-byte units << 3, M in bit 0.
inline Bytes ipv6_fragment(uint8_t next, uint16_t offset_flags, const Bytes& payload = {}) {
  Bytes out = {next, 0};
  put16(out, offset_flags);
  put32(out, 0x89abcdef);
  return join(out, payload);
}

inline Bytes udp(uint16_t sport, uint16_t dport, const Bytes& payload = {}) {
  Bytes out;
  put16(out, sport);
  put16(out, dport);
  put16(out, static_cast<uint16_t>(8 + payload.size()));
  put16(out, 0);
  return join(out, payload);
}

inline Bytes tcp(uint16_t sport, uint16_t dport, const Bytes& payload = {}) {
  Bytes out;
  put16(out, sport);
  put16(out, dport);
  put32(out, 0x01020304);
  put32(out, 0x05060708);
  out.insert(out.end(), {0x50, 0x10, 0xff, 0xff, 0, 0, 0, 0});  // five words, ACK, no urgent pointer
  return join(out, payload);
}

inline Bytes sctp(uint16_t sport, uint16_t dport, const Bytes& payload = {}) {
  Bytes out;
  put16(out, sport);
  put16(out, dport);
  put32(out, 0xcafecafe);
  put32(out, 0);
  return join(out, payload);
}

// InfiniBand base transport header; the default opcode is RC SEND ONLY, 0x81 is a CNP.
inline Bytes bth(uint32_t dest_qp, const Bytes& payload = {}, uint8_t opcode = 0x04) {
  Bytes out = {opcode, 0, 0xff, 0xff};
  put32(out, dest_qp & 0xffffff);
  put32(out, 7);
  return join(out, payload);
}

// PFC frame (opcode 0101) of 34 bytes as short senders emit it: class-enable vector and eight times in
// quanta.
inline Bytes pfc(uint8_t classes, const std::array<uint16_t, 8>& quanta) {
  Bytes out;
  put16(out, 0x0101);
  put16(out, classes);
  for (uint16_t time : quanta) put16(out, time);
  return ethernet(kMacControl, out, {0x01, 0x80, 0xc2, 0, 0, 0x01});
}

}  // namespace test_support
