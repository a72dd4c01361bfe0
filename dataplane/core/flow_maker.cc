// SPDX-License-Identifier: BSD-3-Clause
// Makes frames of numbered flows. What varies is drawn from the seed and the flow's number; the source host
// is a permutation of the number, so no two flows of a pattern share addresses and ports. Called while a mode
// starts, by tools and by tests; any thread.
#include "core/flow_maker.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/icrc.h"
#include "core/names.h"
#include "core/packet_view.h"
#include "core/parse.h"
#include "core/splitmix.h"

namespace core {
namespace {

constexpr uint16_t kEthernetBytes = 14;
constexpr uint16_t kFcsBytes = 4;
constexpr uint16_t kIpv4Bytes = 20;
constexpr uint16_t kIpv6Bytes = 40;
constexpr uint16_t kUdpBytes = 8;
constexpr uint16_t kTcpBytes = 20;
constexpr uint16_t kBthBytes = 12;

constexpr uint8_t kProtoTcp = 6;
constexpr uint8_t kProtoUdp = 17;
constexpr uint8_t kTtl = 64;
// DSCP 26 and ECT(0), the usual marks of RoCE traffic; UDP and TCP go unmarked.
constexpr uint8_t kRoceTrafficClass = 26 << 2 | 2;

// Hosts are 24 bits: sources have the top bit clear, destinations set.
constexpr uint32_t kHostMask = 0x7fffff;
constexpr uint32_t kDestinationSide = 0x800000;

constexpr std::array<std::string_view, 4> kKindNames = {"rocev2", "udp", "tcp", "mixed"};
constexpr std::array<std::string_view, 3> kIpNames = {"4", "6", "mixed"};

// Web, iSCSI, NFS, iperf and memcached, as a storage or compute cluster would show them.
constexpr std::array<uint16_t, 4> kUdpServices = {2049, 5001, 5201, 11211};
constexpr std::array<uint16_t, 6> kTcpServices = {80, 443, 2049, 3260, 5201, 8080};

struct Flow {
  FlowKind kind;  // never mixed
  bool v6;
  uint32_t src_host, dst_host;             // 24 bits
  std::array<uint32_t, 3> src_v6, dst_v6;  // bytes 4 to 15; the last three of them hold the host
  uint16_t src_port, dst_port;
  uint32_t dest_qp;
  uint32_t tcp_ack;
};

bool last_octet_is_a_host(uint32_t host) {
  return (host & 0xff) != 0 && (host & 0xff) != 0xff;
}

// A permutation of 23 bits: adding, multiplying by an odd number and folding the high half down all are.
uint32_t permute_host(uint32_t host, uint32_t seed) {
  SplitMix keys(seed);
  for (int round = 0; round < 3; ++round) {
    host = (host + static_cast<uint32_t>(keys.next())) & kHostMask;
    host = (host * 0x2c1b3c6d) & kHostMask;
    host ^= host >> 12;
  }
  return host;
}

// A permutation of the hosts that do not end in .0 or .255: walk the cycle of permute_host until it is among
// them.
uint32_t source_host(uint32_t index, uint32_t seed) {
  uint32_t host = index / 254 << 8 | (1 + index % 254);
  do {
    host = permute_host(host, seed);
  } while (!last_octet_is_a_host(host));
  return host;
}

uint32_t destination_host(SplitMix& random) {
  const uint32_t network = random.below(0x8000);  // drawn first: compilers differ in the order of operands
  return kDestinationSide | network << 8 | (1 + random.below(254));
}

// 2001:db8::/32 is written by the caller; `host` fills the last three bytes.
std::array<uint32_t, 3> v6_words(uint32_t host, SplitMix& random) {
  const uint64_t subnet_and_host = random.next();
  return {static_cast<uint32_t>(subnet_and_host >> 32), static_cast<uint32_t>(subnet_and_host),
          random.below(256) << 24 | host};
}

// Without QPs 0 and 1, which are for management, and those a driver keeps beside them.
uint32_t queue_pair(SplitMix& random) {
  return 0x10 + random.below(0xffffef);
}

FlowKind kind_of(const FlowPattern& pattern, uint32_t index) {
  return pattern.kind == FlowKind::mixed ? static_cast<FlowKind>(index % 3) : pattern.kind;
}

Flow flow_of(const FlowPattern& pattern, uint32_t index) {
  SplitMix random(uint64_t{pattern.seed} << 32 | index);
  Flow flow{};
  flow.kind = kind_of(pattern, index);
  flow.v6 = pattern.ip == IpVersion::mixed ? index % 2 == 1 : pattern.ip == IpVersion::v6;
  flow.src_host = source_host(index, pattern.seed);
  flow.dst_host = destination_host(random);
  flow.src_v6 = v6_words(flow.src_host, random);
  flow.dst_v6 = v6_words(flow.dst_host, random);
  const uint32_t local_qp = queue_pair(random);
  flow.dest_qp = queue_pair(random);
  flow.tcp_ack = static_cast<uint32_t>(random.next());
  if (flow.kind == FlowKind::roce_v2) {
    flow.src_port = roce_source_port(local_qp, flow.dest_qp);
    flow.dst_port = kRoceV2Port;
    return flow;
  }
  flow.src_port = static_cast<uint16_t>(32768 + random.below(28232));  // Linux' default local port range
  flow.dst_port = flow.kind == FlowKind::udp ? kUdpServices[random.below(kUdpServices.size())]
                                             : kTcpServices[random.below(kTcpServices.size())];
  return flow;
}

// Sizes take turns by flow number. In a mixed pattern every turn starts one size later than the one before,
// so that no kind or IP version keeps to one size.
uint16_t frame_size(const FlowPattern& pattern, uint32_t index) {
  const auto sizes = static_cast<uint32_t>(pattern.sizes.size());
  const bool mixed = pattern.kind == FlowKind::mixed || pattern.ip == IpVersion::mixed;
  return pattern.sizes[(index + (mixed ? index / sizes : 0)) % sizes];
}

uint32_t add_words(std::span<const uint8_t> bytes, uint32_t sum) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) sum += load_be16(&bytes[i]);
  if (bytes.size() % 2 == 1) sum += uint32_t{bytes.back()} << 8;
  return sum;
}

// RFC 1071. 32 bits hold the sum of far more words than a frame has.
uint16_t checksum(uint32_t sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

// Checksum of a UDP or TCP segment whose own checksum field is 0; `addresses` are the two of the IP header.
uint16_t segment_checksum(std::span<const uint8_t> addresses, uint8_t proto,
                          std::span<const uint8_t> segment) {
  const auto pseudo_header = static_cast<uint32_t>(proto + segment.size());
  return checksum(add_words(segment, add_words(addresses, pseudo_header)));
}

void write_ipv4(uint8_t* ip, const Flow& flow, uint8_t proto, uint16_t l4_bytes) {
  ip[0] = 0x45;
  ip[1] = flow.kind == FlowKind::roce_v2 ? kRoceTrafficClass : 0;
  store_be16(ip + 2, static_cast<uint16_t>(kIpv4Bytes + l4_bytes));
  store_be16(ip + 6, 0x4000);  // do not fragment, so ID may stay 0 (RFC 6864)
  ip[8] = kTtl;
  ip[9] = proto;
  store_be32(ip + 12, 10u << 24 | flow.src_host);
  store_be32(ip + 16, 10u << 24 | flow.dst_host);
  store_be16(ip + 10, checksum(add_words({ip, kIpv4Bytes}, 0)));
}

void write_ipv6(uint8_t* ip, const Flow& flow, uint8_t proto, uint16_t l4_bytes) {
  const uint32_t traffic_class = flow.kind == FlowKind::roce_v2 ? kRoceTrafficClass : 0;
  store_be32(ip, 6u << 28 | traffic_class << 20);
  store_be16(ip + 4, l4_bytes);
  ip[6] = proto;
  ip[7] = kTtl;
  for (const auto& [address, words] : {std::pair{ip + 8, flow.src_v6}, std::pair{ip + 24, flow.dst_v6}}) {
    store_be32(address, 0x20010db8);
    for (size_t i = 0; i < words.size(); ++i) store_be32(address + 4 + 4 * i, words[i]);
  }
}

void write_ports(std::span<uint8_t> l4, const Flow& flow) {
  store_be16(&l4[0], flow.src_port);
  store_be16(&l4[2], flow.dst_port);
}

// Counts up, as ping does: checksums then notice bytes that change places.
void write_payload(std::span<uint8_t> payload) {
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<uint8_t>(i);
}

// RC SEND ONLY that asks for an ACK. UDP checksum 0 is what RoCE NICs send over both IP versions: the
// ICRC covers more.
void write_roce(std::span<uint8_t> packet, std::span<uint8_t> l4, const Flow& flow, uint32_t psn) {
  write_ports(l4, flow);
  store_be16(&l4[4], static_cast<uint16_t>(l4.size()));
  uint8_t* bth = &l4[kUdpBytes];
  bth[0] = 0x04;                // opcode; byte 1, with the pad count, stays 0: the payload is whole words
  store_be16(bth + 2, 0xffff);  // default partition
  store_be32(bth + 4, flow.dest_qp);
  store_be32(bth + 8, 0x80000000 | (psn & 0xffffff));  // AckReq
  write_payload(l4.subspan(kUdpBytes + kBthBytes, l4.size() - kUdpBytes - kBthBytes - kIcrcBytes));
  const uint32_t icrc = roce_icrc(packet.first(packet.size() - kIcrcBytes), flow.v6 ? L3::ipv6 : L3::ipv4);
  uint8_t* last = &packet[packet.size() - kIcrcBytes];
  for (unsigned i = 0; i < kIcrcBytes; ++i) last[i] = static_cast<uint8_t>(icrc >> 8 * i);
}

void write_udp(std::span<uint8_t> l4, std::span<const uint8_t> addresses, const Flow& flow, uint32_t packet) {
  write_ports(l4, flow);
  store_be16(&l4[4], static_cast<uint16_t>(l4.size()));
  write_payload(l4.subspan(kUdpBytes));
  if (l4.size() >= kUdpBytes + 4u) store_be32(&l4[kUdpBytes], packet);
  const uint16_t sum = segment_checksum(addresses, kProtoUdp, l4);
  store_be16(&l4[6], sum == 0 ? 0xffff : sum);  // 0 would mean "no checksum", RFC 768
}

void write_tcp(std::span<uint8_t> l4, std::span<const uint8_t> addresses, const Flow& flow, uint32_t packet) {
  write_ports(l4, flow);
  store_be32(&l4[4], packet);
  store_be32(&l4[8], flow.tcp_ack);
  store_be16(&l4[12], 5u << 12 | 0x10);  // five words of header; ACK
  store_be16(&l4[14], 0xffff);           // window
  write_payload(l4.subspan(kTcpBytes));
  store_be16(&l4[16], segment_checksum(addresses, kProtoTcp, l4));
}

}  // namespace

std::string_view name_of(FlowKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}
std::string_view name_of(IpVersion version) {
  return kIpNames[static_cast<size_t>(version)];
}
std::optional<FlowKind> flow_kind_of(std::string_view name) {
  return value_of<FlowKind>(kKindNames, name);
}
std::optional<IpVersion> ip_version_of(std::string_view name) {
  return value_of<IpVersion>(kIpNames, name);
}

uint16_t shortest_frame(FlowKind kind, IpVersion ip) {
  const uint16_t l3 = ip == IpVersion::v4 ? kIpv4Bytes : kIpv6Bytes;
  uint16_t l4 = kUdpBytes + kBthBytes + kIcrcBytes;  // the longest of the three, so that of mixed
  if (kind == FlowKind::udp) l4 = kUdpBytes;
  if (kind == FlowKind::tcp) l4 = kTcpBytes;
  return static_cast<uint16_t>(kEthernetBytes + l3 + l4 + kFcsBytes);
}

std::vector<uint8_t> make_frame(const FlowPattern& pattern, uint32_t index, uint32_t packet,
                                const MacAddress& dst, const MacAddress& src) {
  const Flow flow = flow_of(pattern, index);
  std::vector<uint8_t> frame(frame_size(pattern, index) - kFcsBytes);
  std::copy(dst.begin(), dst.end(), frame.begin());
  std::copy(src.begin(), src.end(), frame.begin() + 6);
  store_be16(&frame[12], flow.v6 ? 0x86dd : 0x0800);

  const uint16_t l3_bytes = flow.v6 ? kIpv6Bytes : kIpv4Bytes;
  auto l4_bytes = static_cast<uint16_t>(frame.size() - kEthernetBytes - l3_bytes);
  // RoCE is made of words of four bytes; what is over stays behind the IP packet as Ethernet padding.
  if (flow.kind == FlowKind::roce_v2) l4_bytes &= 0xfffc;

  const std::span<uint8_t> ip = std::span(frame).subspan(kEthernetBytes, l3_bytes + l4_bytes);
  const std::span<uint8_t> l4 = ip.subspan(l3_bytes);
  const std::span<const uint8_t> addresses = flow.v6 ? ip.subspan(8, 32) : ip.subspan(12, 8);
  const uint8_t proto = flow.kind == FlowKind::tcp ? kProtoTcp : kProtoUdp;
  flow.v6 ? write_ipv6(ip.data(), flow, proto, l4_bytes) : write_ipv4(ip.data(), flow, proto, l4_bytes);
  switch (flow.kind) {
    case FlowKind::roce_v2:
      write_roce(ip, l4, flow, packet);
      break;
    case FlowKind::tcp:
      write_tcp(l4, addresses, flow, packet);
      break;
    default:
      write_udp(l4, addresses, flow, packet);
  }
  return frame;
}

uint16_t roce_source_port(uint32_t local_qp, uint32_t remote_qp) {
  uint64_t v = uint64_t{local_qp} * remote_qp;
  v ^= v >> 20;
  v ^= v >> 40;
  const auto flow_label = static_cast<uint32_t>(v & 0xfffff);
  return static_cast<uint16_t>(((flow_label & 0x3fff) ^ flow_label >> 14) | 0xc000);
}

}  // namespace core
