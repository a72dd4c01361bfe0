// SPDX-License-Identifier: BSD-3-Clause
// The small words every room shares: drop reasons, protocols, MAC addresses and the pair that names a queue
// of a device. Values only; any thread may use them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace core {

// Longest burst a worker may ask a device for (testpmd has the same limit).
inline constexpr uint16_t kMaxBurst = 512;
// Packets that one batch carries through the steps of a round.
inline constexpr uint16_t kBatch = 32;
// Members of one target group, and TX queues per member, at most.
inline constexpr unsigned kMaxMembers = 64;
inline constexpr unsigned kMaxQueuesPerNic = 64;
// Priorities of packets, IEEE 802.1Q.
inline constexpr unsigned kPriorities = 8;
// Groups of one configuration, at most.
inline constexpr unsigned kMaxGroups = 16;

using MacAddress = std::array<uint8_t, 6>;

// One hardware queue of one device, by DPDK's numbers.
struct PortQueue {
  uint16_t port = 0;
  uint16_t queue = 0;
  friend bool operator==(const PortQueue&, const PortQueue&) = default;
};

// Why a packet that was received (or generated) was not sent. Every packet that is freed has exactly one.
enum class DropReason : uint8_t {
  runt,         // shorter than an Ethernet header (14 bytes)
  mac_control,  // ethertype 8808: PAUSE, PFC and the like end at the port, IEEE 802.3 annex 31B
  link_local,   // 01:80:c2:00:00:0x: LLDP, LACP, STP end at the bridge, IEEE 802.1Q table 8-1
  malformed,    // an IP header that contradicts itself or the frame, when the setting says "drop"
  too_big,      // longer than the MTU of the port it had to leave by
  no_member,    // no member of the target group can take it
  no_tx,        // the port it had to leave by cannot send: it plays a capture and writes none
  tx_full,      // the TX ring refused it and the hold limit was reached
  no_route,     // no [[route]] takes what comes in by its group
  looped,       // its source MAC was just seen on another group: our own frame came back
  not_elected,  // flooded to every member; only the group's elected member takes it in
  local,        // ARP or ND for the gateway itself: an answer to a probe, a question for its address
  rx_only,      // mode rxonly, and what flowgen receives: counted and freed
  stopped,      // still held when the program stopped
  kCount
};
inline constexpr size_t kDropReasons = static_cast<size_t>(DropReason::kCount);

// What a packet was recognised as; counted, shown, and never a reason to drop by itself.
enum class Protocol : uint8_t {
  other,
  arp,
  icmp,
  tcp,
  udp,
  sctp,
  roce_v2,
  roce_v1,
  vxlan,
  geneve,
  gre,
  ip_in_ip,
  mpls,
  ip_other,
  control,    // MAC control and link-local frames
  malformed,  // an IP header that contradicts itself or the frame
  kCount
};
inline constexpr size_t kProtocols = static_cast<size_t>(Protocol::kCount);

// The words of reports and documents for the above; "roce_v2", "tx_full".
std::string_view name_of(DropReason reason);
std::string_view name_of(Protocol protocol);

}  // namespace core
