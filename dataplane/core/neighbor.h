// SPDX-License-Identifier: BSD-3-Clause
// ARP (RFC 826) and IPv6 neighbor discovery (RFC 4861) as far as a gateway without an IP stack needs them:
// the question that probes a next hop, recognising its answer, recognising a question for an address of our
// own and answering it. Frames in and out as bytes; pure. Questions are made on the control thread, frames
// are judged and answered on a worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/ip_address.h"
#include "core/packet_view.h"
#include "core/parse.h"
#include "core/types.h"

namespace core {

// One end of a link.
struct Station {
  MacAddress mac{};
  IpAddress ip;
};

// Frame without FCS, padded to 60 bytes (IEEE 802.3 section 3.2.7).
struct NeighborFrame {
  std::array<uint8_t, 96> bytes{};
  size_t size = 0;
};

// "Who has `target`?", from `self`, of the same IP version. ARP request to the broadcast address, or neighbor
// solicitation to the solicited-node multicast group (33:33:ff:xx:xx:xx) with the source link-layer option.
NeighborFrame make_question(const Station& self, const IpAddress& target);
// The answer to one: ARP reply, or neighbor advertisement (solicited, override) with the target link-layer
// option. An asker whose address is 0.0.0.0 or :: checks that nobody has the address: ARP answers it as any
// other (RFC 5227 section 2.1.1), the advertisement goes to all nodes and is not solicited (RFC 4861
// section 7.2.4).
NeighborFrame make_answer(const Station& self, const Station& asker);

// What a frame that came in by a port with these addresses is. `address`: the gateway's own there;
// `next_hop`: who is probed there.
enum class NeighborVerdict : uint8_t {
  not_for_us,
  answer,    // from `next_hop`: its link-layer address is in `asker_or_sender`
  question,  // for `address`: answer `asker_or_sender`
};
struct NeighborFinding {
  NeighborVerdict verdict = NeighborVerdict::not_for_us;
  Station asker_or_sender;
};
// ARP needs Ethernet and IPv4 (hardware type 1, lengths 6 and 4). A neighbor solicitation or advertisement
// needs hop limit 255, a right ICMPv6 checksum and whole options (RFC 4861 sections 7.1.1 and 7.1.2), no
// extension headers (RFC 6980), and must lie in the window as a whole. A link-layer address of a group or of
// zeros is not believed (RFC 1812 section 3.3.2). An answer is a reply for `address`, or one that `next_hop`
// gave unasked: a gratuitous ARP reply (both IP addresses are its own), an advertisement to all nodes. A
// request proves nothing, whoever sends it: it may be a question. Questions go out untagged, so an answer is
// untagged or tagged for priority only (VLAN 0). Answering into a VLAN is out of scope: no tagged frame is a
// question.
NeighborFinding judge_neighbor(const PacketView& view, const PacketHeaders& headers,
                               const std::optional<IpAddress>& address,
                               const std::optional<IpAddress>& next_hop);

}  // namespace core
