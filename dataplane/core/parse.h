// SPDX-License-Identifier: BSD-3-Clause
// Decides what a packet is: where its network and transport headers start, which class bits it carries,
// whether its ports may be used, and whether it may be forwarded at all. Called by path/classify on a worker
// for every packet, by the tools and by the fuzz target. Pure: reads the window, keeps nothing from one
// packet to the next.
//
// Follows IEEE 802.1Q (stacked tags 8100, 88a8, 9100), RFC 791, RFC 8200 (extension headers), RFC 6946
// (atomic fragments), InfiniBand annexes A16 and A17 (RoCEv1, RoCEv2). Never reads at or past
// view.window_bytes.
#pragma once

#include "core/packet_view.h"
#include "core/types.h"

namespace core {

// Bounds of the two walks. A frame with more is not followed further: tags -> "other", extension headers ->
// its addresses without ports.
inline constexpr unsigned kMaxVlanTags = 8;
inline constexpr unsigned kMaxExtensionHeaders = 16;

inline constexpr uint16_t kRoceV2Port = 4791;
inline constexpr uint16_t kMacControlType = 0x8808;

enum class L3 : uint8_t { none, ipv4, ipv6 };

// What parse says of forwarding. Everything but `forward` names the drop reason that the caller counts,
// unless a setting lets that kind pass.
enum class Verdict : uint8_t { forward, runt, mac_control, link_local, malformed };

enum class VlanTag : uint8_t { outer, inner };

struct PacketHeaders {
  Verdict verdict = Verdict::forward;
  Protocol protocol = Protocol::other;
  L3 l3 = L3::none;       // none: hash on MAC addresses. RoCEv1's GRH has the layout of IPv6 and is ipv6 here
  bool fragment = false;  // MF set or offset not 0: no ports, first fragment included
  bool has_ports = false;     // l4_offset points at four readable port bytes inside the IP payload
  bool has_dest_qp = false;   // dest_qp was read from a BTH
  uint8_t ip_proto = 0;       // upper-layer protocol; of fragments too
  uint8_t traffic_class = 0;  // DSCP and ECN as in the IP header; ECN is the low two bits
  uint8_t pcp = 0;            // priority of the chosen VLAN tag, 0 when untagged
  uint16_t vlan_id = 0;       // 12 bits of the chosen VLAN tag, 0 when untagged or priority-tagged
  uint16_t l3_offset = 0;     // bytes before the network header: Ethernet and its tags
  uint16_t l4_offset = 0;     // bytes before the transport header; 0 when there is none
  uint32_t l3_bytes = 0;  // length that the IP header states (padding left out), else frame minus l3_offset
  uint32_t dest_qp = 0;   // 24 bits
};

// The packet's priority, 0 to 7: of its VLAN tag when it has one (IEEE 802.1Q PCP), else the class selector
// bits of its DSCP (RFC 2474 section 4.2.2), else 0.
inline uint8_t priority_of(const PacketHeaders& headers) {
  constexpr uint16_t kUntagged = 14;
  if (headers.l3_offset > kUntagged) return headers.pcp;
  return headers.l3 == L3::none ? uint8_t{0} : static_cast<uint8_t>(headers.traffic_class >> 5);
}

// `tag` chooses whose VID and PCP are reported when tags are stacked.
PacketHeaders parse(const PacketView& view, VlanTag tag = VlanTag::outer);

}  // namespace core
