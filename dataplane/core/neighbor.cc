// SPDX-License-Identifier: BSD-3-Clause
// Writes ARP and neighbor discovery frames, and decides what such a frame from outside is to the gateway:
// nothing, an answer of the next hop, or a question for its own address. Questions are made on the control
// thread, frames are judged and answered on a worker.
#include "core/neighbor.h"

#include <algorithm>
#include <span>

namespace core {
namespace {

constexpr size_t kEthernetBytes = 14;
constexpr size_t kTagBytes = 4;
constexpr size_t kShortestFrame = 60;
constexpr uint16_t kTypeArp = 0x0806, kTypeIpv6 = 0x86dd;
constexpr MacAddress kBroadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr MacAddress kUnknownMac = {};

// RFC 826, for Ethernet and IPv4: both types and both lengths, operation, then the sender's and the target's
// MAC and IP address.
constexpr size_t kArpBytes = 28;
constexpr std::array<uint8_t, 6> kEthernetIpv4 = {0, 1, 8, 0, 6, 4};
constexpr size_t kArpOperation = 6, kArpSenderMac = 8, kArpSenderIp = 14, kArpTargetMac = 18,
                 kArpTargetIp = 24;
constexpr uint16_t kRequest = 1, kReply = 2;

constexpr size_t kIpv6Bytes = 40;
constexpr size_t kIpv6Length = 4, kIpv6Next = 6, kIpv6HopLimit = 7, kIpv6Source = 8, kIpv6Destination = 24;
constexpr uint8_t kIcmp6 = 58;
constexpr uint8_t kOnLink = 255;  // the hop limit that no router lets through

// RFC 4861 sections 4.3 and 4.4: type, code, checksum, flags or reserved, target address; then options.
constexpr size_t kMessageBytes = 24;
constexpr size_t kChecksum = 2, kFlags = 4, kTarget = 8;
constexpr uint8_t kSolicitation = 135, kAdvertisement = 136;
constexpr uint8_t kSolicited = 0x40, kOverride = 0x20;
constexpr uint8_t kSourceLinkLayer = 1, kTargetLinkLayer = 2;
constexpr size_t kOptionUnit = 8;  // an option's length counts these; a MAC address takes one

constexpr IpAddress kUnspecifiedV6 = {.v6 = true, .bytes = {}};
constexpr IpAddress kAllNodes = {.v6 = true, .bytes = {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

// RFC 4291 section 2.7.1.
IpAddress solicited_node(const IpAddress& address) {
  IpAddress group = {.v6 = true, .bytes = {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}};
  std::copy(address.bytes.begin() + 13, address.bytes.end(), group.bytes.begin() + 13);
  return group;
}

// RFC 2464 section 7.
MacAddress group_mac(const IpAddress& group) {
  return {0x33, 0x33, group.bytes[12], group.bytes[13], group.bytes[14], group.bytes[15]};
}

MacAddress load_mac(const uint8_t* p) {
  MacAddress mac;
  std::copy_n(p, mac.size(), mac.begin());
  return mac;
}

IpAddress load_ip(const uint8_t* p, bool v6) {
  IpAddress ip{.v6 = v6};
  std::copy_n(p, v6 ? 16 : 4, ip.bytes.begin());
  return ip;
}

bool is_one_station(const MacAddress& mac) {
  return (mac[0] & 1) == 0 && mac != kUnknownMac;
}

// RFC 1071 sum of an ICMPv6 message of whole words and its pseudo header (RFC 8200 section 8.1), which takes
// the addresses from `ip`. It is 0xffff when the message holds its right checksum.
uint16_t sum_of(const uint8_t* ip, std::span<const uint8_t> message) {
  uint32_t sum = static_cast<uint32_t>(message.size()) + kIcmp6;
  for (size_t at = kIpv6Source; at < kIpv6Bytes; at += 2) sum += load_be16(ip + at);
  for (size_t at = 0; at < message.size(); at += 2) sum += load_be16(&message[at]);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>((sum & 0xffff) + (sum >> 16));
}

uint8_t* write_ethernet(NeighborFrame& frame, const MacAddress& to, const MacAddress& from, uint16_t type) {
  std::copy(to.begin(), to.end(), frame.bytes.begin());
  std::copy(from.begin(), from.end(), frame.bytes.begin() + to.size());
  store_be16(&frame.bytes[kEthernetBytes - 2], type);
  return &frame.bytes[kEthernetBytes];
}

NeighborFrame arp_frame(uint16_t operation, const MacAddress& to, const Station& sender,
                        const Station& target) {
  NeighborFrame frame;
  uint8_t* arp = write_ethernet(frame, to, sender.mac, kTypeArp);
  std::copy(kEthernetIpv4.begin(), kEthernetIpv4.end(), arp);
  store_be16(arp + kArpOperation, operation);
  std::copy(sender.mac.begin(), sender.mac.end(), arp + kArpSenderMac);
  std::copy_n(sender.ip.bytes.begin(), 4, arp + kArpSenderIp);
  std::copy(target.mac.begin(), target.mac.end(), arp + kArpTargetMac);
  std::copy_n(target.ip.bytes.begin(), 4, arp + kArpTargetIp);
  frame.size = kShortestFrame;
  return frame;
}

// A neighbor discovery message with one option, which tells the sender's MAC address.
struct Message {
  uint8_t type, flags, option;
  IpAddress about;
};
NeighborFrame message_frame(const Message& message, const Station& to, const Station& from) {
  constexpr size_t kBytes = kMessageBytes + kOptionUnit;
  NeighborFrame frame;
  uint8_t* ip = write_ethernet(frame, to.mac, from.mac, kTypeIpv6);
  ip[0] = 0x60;
  store_be16(ip + kIpv6Length, kBytes);
  ip[kIpv6Next] = kIcmp6;
  ip[kIpv6HopLimit] = kOnLink;
  std::copy(from.ip.bytes.begin(), from.ip.bytes.end(), ip + kIpv6Source);
  std::copy(to.ip.bytes.begin(), to.ip.bytes.end(), ip + kIpv6Destination);

  uint8_t* icmp = ip + kIpv6Bytes;
  icmp[0] = message.type;
  icmp[kFlags] = message.flags;
  std::copy(message.about.bytes.begin(), message.about.bytes.end(), icmp + kTarget);
  icmp[kMessageBytes] = message.option;
  icmp[kMessageBytes + 1] = 1;  // of its units
  std::copy(from.mac.begin(), from.mac.end(), icmp + kMessageBytes + 2);
  store_be16(icmp + kChecksum, static_cast<uint16_t>(~sum_of(ip, {icmp, kBytes})));
  frame.size = kEthernetBytes + kIpv6Bytes + kBytes;
  return frame;
}

// What the gateway knows of the port a frame came in by.
struct Port {
  const std::optional<IpAddress>& address;
  const std::optional<IpAddress>& next_hop;
  bool tagged;
};

NeighborFinding judge_arp(std::span<const uint8_t> arp, const Port& port) {
  if (arp.size() < kArpBytes || !std::equal(kEthernetIpv4.begin(), kEthernetIpv4.end(), arp.begin()))
    return {};
  const Station sender{load_mac(&arp[kArpSenderMac]), load_ip(&arp[kArpSenderIp], false)};
  const IpAddress target = load_ip(&arp[kArpTargetIp], false);
  if (!is_one_station(sender.mac)) return {};
  switch (load_be16(&arp[kArpOperation])) {
    case kRequest:
      if (port.tagged || target != port.address) return {};
      return {NeighborVerdict::question, sender};
    case kReply:
      if (sender.ip != port.next_hop || (target != port.address && target != sender.ip)) return {};
      return {NeighborVerdict::answer, sender};
    default:
      return {};
  }
}

// Walks the options of a message, whole units. False when one is malformed, which spoils the message; else
// `mac` is that of the first option of type `wanted`, or stays as it is.
bool read_options(std::span<const uint8_t> options, uint8_t wanted, std::optional<MacAddress>& mac) {
  while (!options.empty()) {
    const size_t bytes = options[1] * kOptionUnit;
    if (bytes == 0 || bytes > options.size()) return false;
    if (options[0] == wanted && !mac) {
      if (bytes != kOptionUnit) return false;
      mac = load_mac(&options[2]);
      if (!is_one_station(*mac)) return false;
    }
    options = options.subspan(bytes);
  }
  return true;
}

// An asker without an address (duplicate address detection) must not tell a MAC address and gets its answer
// by multicast; one that has an address and tells none is answered where its frame came from.
NeighborFinding judge_solicitation(const uint8_t* frame, const uint8_t* ip, std::span<const uint8_t> message,
                                   const Port& port) {
  const IpAddress source = load_ip(ip + kIpv6Source, true);
  const IpAddress destination = load_ip(ip + kIpv6Destination, true);
  const IpAddress target = load_ip(&message[kTarget], true);
  if (port.tagged || target != port.address) return {};
  const bool to_group = destination == solicited_node(target);
  if (!to_group && destination != target) return {};

  std::optional<MacAddress> mac;
  if (!read_options(message.subspan(kMessageBytes), kSourceLinkLayer, mac)) return {};
  if (source == kUnspecifiedV6 && (mac || !to_group)) return {};
  const Station asker{mac.value_or(load_mac(frame + 6)), source};
  if (!is_one_station(asker.mac)) return {};
  return {NeighborVerdict::question, asker};
}

// Without the option there is no address to learn: solicitations that go to a group are answered with it.
NeighborFinding judge_advertisement(const uint8_t* ip, std::span<const uint8_t> message, const Port& port) {
  const IpAddress destination = load_ip(ip + kIpv6Destination, true);
  const IpAddress target = load_ip(&message[kTarget], true);
  if (target != port.next_hop || load_ip(ip + kIpv6Source, true) == kUnspecifiedV6) return {};
  const bool to_all = destination == kAllNodes && (message[kFlags] & kSolicited) == 0;
  if (!to_all && destination != port.address) return {};
  std::optional<MacAddress> mac;
  if (!read_options(message.subspan(kMessageBytes), kTargetLinkLayer, mac) || !mac) return {};
  return {NeighborVerdict::answer, {*mac, target}};
}

// `packet` begins with the IPv6 header and ends where the window does.
NeighborFinding judge_icmp6(const uint8_t* frame, std::span<const uint8_t> packet, const Port& port) {
  if (packet.size() < kIpv6Bytes) return {};
  const uint8_t* ip = packet.data();
  const size_t bytes = load_be16(ip + kIpv6Length);
  if (ip[kIpv6Next] != kIcmp6 || ip[kIpv6HopLimit] != kOnLink || ip[kIpv6Source] == 0xff) return {};
  if (bytes < kMessageBytes || bytes % kOptionUnit != 0 || bytes > packet.size() - kIpv6Bytes) return {};
  const std::span<const uint8_t> message = packet.subspan(kIpv6Bytes, bytes);
  if (message[1] != 0 || sum_of(ip, message) != 0xffff) return {};
  if (message[0] == kSolicitation) return judge_solicitation(frame, ip, message, port);
  if (message[0] == kAdvertisement) return judge_advertisement(ip, message, port);
  return {};
}

}  // namespace

NeighborFrame make_question(const Station& self, const IpAddress& target) {
  if (!target.v6) return arp_frame(kRequest, kBroadcast, self, {kUnknownMac, target});
  const IpAddress group = solicited_node(target);
  return message_frame({kSolicitation, 0, kSourceLinkLayer, target}, {group_mac(group), group}, self);
}

NeighborFrame make_answer(const Station& self, const Station& asker) {
  if (!self.ip.v6) return arp_frame(kReply, asker.mac, self, asker);
  const bool has_address = asker.ip != kUnspecifiedV6;
  const Station to = has_address ? asker : Station{group_mac(kAllNodes), kAllNodes};
  const uint8_t flags = has_address ? kSolicited | kOverride : kOverride;
  return message_frame({kAdvertisement, flags, kTargetLinkLayer, self.ip}, to, self);
}

NeighborFinding judge_neighbor(const PacketView& view, const PacketHeaders& headers,
                               const std::optional<IpAddress>& address,
                               const std::optional<IpAddress>& next_hop) {
  const bool arp = headers.protocol == Protocol::arp;
  if (!arp && (headers.protocol != Protocol::icmp || headers.l3 != L3::ipv6)) return {};
  const size_t readable = std::min(view.window_bytes, view.frame_bytes);
  if (headers.l3_offset < kEthernetBytes || headers.l3_offset > readable) return {};
  const bool tagged = headers.l3_offset > kEthernetBytes;
  if (headers.l3_offset > kEthernetBytes + kTagBytes || headers.vlan_id != 0) return {};

  const std::span<const uint8_t> packet{view.data + headers.l3_offset, readable - headers.l3_offset};
  const Port port{address, next_hop, tagged};
  return arp ? judge_arp(packet, port) : judge_icmp6(view.data, packet, port);
}

}  // namespace core
