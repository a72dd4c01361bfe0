// SPDX-License-Identifier: BSD-3-Clause
// The bytes a flow is hashed on. Layout version 1 (docs/hashing.md), bytes as on the wire:
//   IPv4  src 4 | dst 4 | sport 2 | dport 2                      12 bytes
//   IPv6  src 16 | dst 16 | sport 2 | dport 2                    36 bytes
//   no IP dst MAC 6 | src MAC 6                                  12 bytes
// then, each only when the field is chosen and in this order: proto 1 + three zero bytes, VLAN id, RoCEv2
// destination QP, packet length, port range; each of the last four is one big-endian 32-bit word. A field
// that was not chosen, the ports of a fragment and the ports of a protocol without ports are zero bytes.
// Called by path/classify for every packet and by the tools. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/parse.h"

namespace core {

inline constexpr unsigned kKeyLayoutVersion = 1;
inline constexpr unsigned kMaxKeyBytes = 56;
inline constexpr unsigned kMaxFrontBytes = 36;  // of these, addresses and ports

struct PortRange {
  uint16_t first = 0;
  uint16_t last = 0;
  friend bool operator==(const PortRange&, const PortRange&) = default;
};

// Which fields make a key. `symmetric` sorts the two (address, port) pairs, or the two MAC addresses, smaller
// first and before fields are left out, so that both directions of a connection have one key whichever of
// these fields are chosen. The destination QP differs between the directions by nature.
struct KeyFields {
  bool src_ip = true;
  bool dst_ip = true;
  bool src_port = true;
  bool dst_port = true;
  bool proto = false;
  bool vlan = false;
  bool dest_qp = false;
  bool packet_length = false;  // packets of unlike length leave by different queues: reorders a flow
  bool port_range = false;     // 1 + index of the first range with the destination port (symmetric: either)
  bool symmetric = false;
  std::vector<PortRange> port_ranges = {};
  friend bool operator==(const KeyFields&, const KeyFields&) = default;
};

// The words for the fields, in the order of the key.
struct KeyFieldName {
  std::string_view name;
  bool KeyFields::*chosen;
};
inline constexpr std::array<KeyFieldName, 9> kKeyFieldNames = {{{"src_ip", &KeyFields::src_ip},
                                                                {"dst_ip", &KeyFields::dst_ip},
                                                                {"src_port", &KeyFields::src_port},
                                                                {"dst_port", &KeyFields::dst_port},
                                                                {"proto", &KeyFields::proto},
                                                                {"vlan", &KeyFields::vlan},
                                                                {"dest_qp", &KeyFields::dest_qp},
                                                                {"packet_length", &KeyFields::packet_length},
                                                                {"port_range", &KeyFields::port_range}}};

// A key and the few facts beside it that DPDK bonding's XOR policies look at.
struct FlowKey {
  alignas(8) uint8_t bytes[kMaxKeyBytes + 8];  // eight spare bytes so that word-wise readers stay inside
  uint8_t size = 0;
  L3 l3 = L3::none;
  uint8_t ip_proto = 0;
  uint16_t mac_fold = 0;  // XOR of the six 16-bit words of both MAC addresses, as loaded from the wire
};

// Writes the key of one forwarded packet. `view` must be the one `headers` was parsed from.
void make_flow_key(const PacketView& view, const PacketHeaders& headers, const KeyFields& fields,
                   FlowKey& key);

// All of a packet that any choice of fields can look at. For those who ask for many keys of one packet, or
// keep what made a flow: packets of equal material have equal keys under every choice.
struct KeyMaterial {
  uint8_t front[kMaxFrontBytes] = {};  // addresses and ports as a key begins with them, zeros behind
  uint32_t dest_qp = 0;
  uint32_t length_bytes = 0;  // what packet_length adds
  uint16_t vlan_id = 0;
  uint16_t mac_fold = 0;  // as in FlowKey
  L3 l3 = L3::none;
  uint8_t ip_proto = 0;
  bool has_ports = false;
  friend bool operator==(const KeyMaterial&, const KeyMaterial&) = default;
};
KeyMaterial key_material_of(const PacketView& view, const PacketHeaders& headers);
// The key that the packet itself would have.
void make_flow_key(const KeyMaterial& material, const KeyFields& fields, FlowKey& key);

}  // namespace core
