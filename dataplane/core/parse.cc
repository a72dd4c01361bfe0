// SPDX-License-Identifier: BSD-3-Clause
// Walks Ethernet, its tags and one network header, and stops at the transport header. Called by path/classify
// on a worker for every packet. Every read is checked against `window`; lengths that the packet states only
// ever make the readable part shorter.
#include "core/parse.h"

#include <algorithm>
#include <array>

namespace core {
namespace {

constexpr uint32_t kEthernetBytes = 14;
constexpr uint32_t kTagBytes = 4;
constexpr uint32_t kIpv4Bytes = 20;
constexpr uint32_t kIpv6Bytes = 40;
constexpr uint32_t kPortBytes = 4;
constexpr uint32_t kUdpBytes = 8;
constexpr uint32_t kBthQpEnd = 8;  // the destination QP is bytes 5 to 7 of the BTH

constexpr uint16_t kTypeIpv4 = 0x0800, kTypeArp = 0x0806, kTypeIpv6 = 0x86dd, kTypeMplsUnicast = 0x8847,
                   kTypeMplsMulticast = 0x8848, kTypeRoceV1 = 0x8915;
constexpr uint16_t kVxlanPort = 4789, kGenevePort = 6081;

constexpr uint8_t kHopByHop = 0, kIcmp = 1, kIpv4InIp = 4, kTcp = 6, kUdp = 17, kBth = 27, kDccp = 33,
                  kIpv6InIp = 41, kRouting = 43, kFragment = 44, kGre = 47, kAuthentication = 51, kIcmp6 = 58,
                  kNoNextHeader = 59, kDestinationOptions = 60, kSctp = 132, kMobility = 135, kUdpLite = 136,
                  kHip = 139, kShim6 = 140;

constexpr std::array<Protocol, 256> kProtocolOf = [] {
  std::array<Protocol, 256> table{};
  table.fill(Protocol::ip_other);
  table[kIcmp] = table[kIcmp6] = Protocol::icmp;
  table[kTcp] = Protocol::tcp;
  table[kUdp] = Protocol::udp;
  table[kSctp] = Protocol::sctp;
  table[kGre] = Protocol::gre;
  table[kIpv4InIp] = table[kIpv6InIp] = Protocol::ip_in_ip;
  return table;
}();

// The part of the frame that may be looked at, whatever the view claims.
struct Readable {
  const uint8_t* data;
  uint32_t window;  // bytes at data
  uint32_t frame;   // length of the frame
};

bool is_tag(uint16_t type) {
  return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

bool carries_ports(uint8_t proto) {
  return proto == kTcp || proto == kUdp || proto == kSctp || proto == kUdpLite || proto == kDccp;
}

// 01:80:c2:00:00:00 to 0f: no bridge forwards these (IEEE 802.1Q table 8-1).
bool is_link_local(const uint8_t* dst) {
  return load_be32(dst) == 0x0180c200 && load_be16(dst + 4) <= 0x000f;
}

// Leaves l3_offset behind the last whole tag and returns the ethertype there. When tags do not end in time
// that is still a tag's type, which no caller takes for a network header.
uint16_t walk_tags(const Readable& in, VlanTag chosen, PacketHeaders& headers) {
  uint32_t offset = kEthernetBytes;
  uint16_t type = load_be16(in.data + offset - 2);
  for (unsigned tags = 0; is_tag(type) && tags < kMaxVlanTags && offset + kTagBytes <= in.window; ++tags) {
    if (tags == 0 || chosen == VlanTag::inner) {
      const uint16_t tci = load_be16(in.data + offset);
      headers.pcp = static_cast<uint8_t>(tci >> 13);
      headers.vlan_id = tci & 0x0fff;
    }
    type = load_be16(in.data + offset + 2);
    offset += kTagBytes;
  }
  headers.l3_offset = static_cast<uint16_t>(offset);
  return type;
}

void read_dest_qp(const Readable& in, uint32_t bth, uint32_t end, PacketHeaders& headers) {
  if (bth + kBthQpEnd > end) return;
  headers.has_dest_qp = true;
  headers.dest_qp = load_be32(in.data + bth + 4) & 0x00ffffff;
}

// `offset` is the transport header of headers.ip_proto, `end` the end of the readable IP payload.
void read_transport(const Readable& in, uint32_t offset, uint32_t end, PacketHeaders& headers) {
  headers.protocol = kProtocolOf[headers.ip_proto];
  if (headers.fragment || offset >= end || headers.ip_proto == kNoNextHeader) return;
  headers.l4_offset = static_cast<uint16_t>(offset);
  if (!carries_ports(headers.ip_proto) || offset + kPortBytes > end) return;
  headers.has_ports = true;
  if (headers.ip_proto != kUdp) return;
  const uint16_t destination = load_be16(in.data + offset + 2);
  if (destination == kRoceV2Port) {
    headers.protocol = Protocol::roce_v2;
    read_dest_qp(in, offset + kUdpBytes, end, headers);
  } else if (destination == kVxlanPort) {
    headers.protocol = Protocol::vxlan;
  } else if (destination == kGenevePort) {
    headers.protocol = Protocol::geneve;
  }
}

// False when the header contradicts itself or does not fit; `headers` is then untouched.
bool parse_ipv4(const Readable& in, PacketHeaders& headers) {
  const uint32_t l3 = headers.l3_offset;
  if (l3 + kIpv4Bytes > in.window) return false;
  const uint8_t* ip = in.data + l3;
  const uint32_t header_bytes = (ip[0] & 0x0fu) * 4;
  const uint32_t total_bytes = load_be16(ip + 2);
  if (ip[0] >> 4 != 4 || header_bytes < kIpv4Bytes || l3 + header_bytes > in.window ||
      total_bytes < header_bytes)
    return false;
  headers.l3 = L3::ipv4;
  headers.l3_bytes = total_bytes;
  headers.traffic_class = ip[1];
  headers.ip_proto = ip[9];
  headers.fragment = (load_be16(ip + 6) & 0x3fff) != 0;  // MF and the offset
  read_transport(in, l3 + header_bytes, std::min(in.window, l3 + total_bytes), headers);
  return true;
}

// The fields that IPv6 and the GRH of RoCEv1 share (InfiniBand Architecture 8.3: same layout). Returns the
// end of the readable payload, or 0 when the header contradicts itself or does not fit; `headers` is then
// untouched.
uint32_t parse_ipv6_fields(const Readable& in, PacketHeaders& headers) {
  const uint32_t l3 = headers.l3_offset;
  if (l3 + kIpv6Bytes > in.window) return 0;
  const uint8_t* ip = in.data + l3;
  if (ip[0] >> 4 != 6) return 0;
  const uint32_t payload_bytes = load_be16(ip + 4);
  headers.l3 = L3::ipv6;
  // 0 in front of bytes is a jumbogram or a frame that segmentation offload has yet to cut: the frame limits
  // it.
  headers.l3_bytes = payload_bytes != 0 ? kIpv6Bytes + payload_bytes : in.frame - l3;
  headers.traffic_class = static_cast<uint8_t>(load_be16(ip) >> 4);
  headers.ip_proto = ip[6];
  return std::min(in.window, l3 + headers.l3_bytes);
}

// Bytes of one extension header other than the fragment header; 0 when `next` names none.
uint32_t extension_bytes(uint8_t next, uint8_t length) {
  switch (next) {
    case kHopByHop:
    case kRouting:
    case kDestinationOptions:
    case kMobility:
    case kHip:
    case kShim6:
      return (length + 1u) * 8;
    case kAuthentication:
      return (length + 2u) * 4;
    default:
      return 0;
  }
}

// Follows extension headers from `offset` to the transport header. headers.ip_proto is the last next header
// that could be trusted: that of a whole extension header, or of a fragment header, where the walk ends
// because later fragments show nothing behind it (so all fragments of a datagram give the same answer).
// Returns the offset of that upper layer, or 0 when the chain is too long or cut off.
uint32_t walk_extensions(const Readable& in, uint32_t offset, uint32_t end, PacketHeaders& headers) {
  for (unsigned walked = 0;; ++walked) {
    const uint8_t next = headers.ip_proto;
    const bool fragment_header = next == kFragment;
    if (!fragment_header && extension_bytes(next, 0) == 0) return offset;
    if (walked == kMaxExtensionHeaders || offset + 8 > end)
      return 0;  // no extension header is shorter than 8
    const uint8_t* header = in.data + offset;
    const uint32_t bytes = fragment_header ? 8 : extension_bytes(next, header[1]);
    if (offset + bytes > end) return 0;
    headers.ip_proto = header[0];
    offset += bytes;
    if (fragment_header && (load_be16(header + 2) & 0xfff9) != 0) {  // offset or M; else atomic, RFC 6946
      headers.fragment = true;
      return offset;
    }
  }
}

bool parse_ipv6(const Readable& in, PacketHeaders& headers) {
  const uint32_t end = parse_ipv6_fields(in, headers);
  if (end == 0) return false;
  const uint32_t offset = walk_extensions(in, headers.l3_offset + kIpv6Bytes, end, headers);
  headers.protocol = Protocol::ip_other;
  if (offset != 0) read_transport(in, offset, end, headers);
  return true;
}

bool parse_roce_v1(const Readable& in, PacketHeaders& headers) {
  const uint32_t end = parse_ipv6_fields(in, headers);
  if (end == 0) return false;
  headers.protocol = Protocol::roce_v1;
  const uint32_t bth = headers.l3_offset + kIpv6Bytes;
  if (headers.ip_proto != kBth || bth >= end) return true;
  headers.l4_offset = static_cast<uint16_t>(bth);
  read_dest_qp(in, bth, end, headers);
  return true;
}

// True when the bytes behind the ethertype agree with it.
bool parse_network(const Readable& in, uint16_t type, PacketHeaders& headers) {
  switch (type) {
    case kTypeIpv4:
      return parse_ipv4(in, headers);
    case kTypeIpv6:
      return parse_ipv6(in, headers);
    case kTypeRoceV1:
      return parse_roce_v1(in, headers);
    case kTypeArp:
      headers.protocol = Protocol::arp;
      return true;
    case kTypeMplsUnicast:
    case kTypeMplsMulticast:
      headers.protocol = Protocol::mpls;  // what lies under the labels is not guessed at
      return true;
    default:
      return true;
  }
}

}  // namespace

PacketHeaders parse(const PacketView& view, VlanTag tag) {
  PacketHeaders headers;
  headers.l3_bytes = view.frame_bytes;
  if (view.frame_bytes < kEthernetBytes) {
    headers.verdict = Verdict::runt;
    return headers;
  }
  const Readable in{view.data, std::min({view.window_bytes, view.frame_bytes, kParseWindowBytes}),
                    view.frame_bytes};
  if (in.window < kEthernetBytes) return headers;

  const uint16_t type = walk_tags(in, tag, headers);
  headers.l3_bytes = in.frame - headers.l3_offset;
  const bool mac_control = type == kMacControlType;
  if (mac_control || is_link_local(in.data)) {
    headers.verdict = mac_control ? Verdict::mac_control : Verdict::link_local;
    headers.protocol = Protocol::control;
  } else if (!parse_network(in, type, headers)) {
    headers.verdict = Verdict::malformed;
    headers.protocol = Protocol::malformed;
  }
  return headers;
}

}  // namespace core
