// SPDX-License-Identifier: BSD-3-Clause
// Writes the bytes that a flow is hashed on. Called by path/classify on a worker for every packet, so the
// usual choice (four fields, nothing more) is two copies and no branch on what the packet holds.
#include "core/flow_key.h"

#include <algorithm>
#include <cstring>

namespace core {
namespace {

constexpr unsigned kMacBytes = 6;
constexpr uint8_t kZeros[2 * kMacBytes] = {};

// All chosen and no more. Bitwise, so that it costs one branch.
bool is_default(const KeyFields& f) {
  return f.src_ip & f.dst_ip & f.src_port & f.dst_port &
         !(f.proto | f.vlan | f.dest_qp | f.packet_length | f.port_range | f.symmetric);
}

uint16_t fold_macs(const uint8_t* macs) {
  uint32_t words[3];
  std::memcpy(words, macs, sizeof words);
  const uint32_t folded = words[0] ^ words[1] ^ words[2];
  return static_cast<uint16_t>(folded ^ folded >> 16);
}

// Puts the smaller (address, port) pair first. Before fields are left out, so that both directions of a
// connection keep one key whichever fields are chosen.
void sort_ends(uint8_t* key, unsigned address_bytes, unsigned port_bytes) {
  uint8_t* ports = key + 2 * address_bytes;
  int order = std::memcmp(key, key + address_bytes, address_bytes);
  if (order == 0) order = std::memcmp(ports, ports + port_bytes, port_bytes);
  if (order <= 0) return;
  std::swap_ranges(key, key + address_bytes, key + address_bytes);
  std::swap_ranges(ports, ports + port_bytes, ports + port_bytes);
}

void leave_out(uint8_t* key, unsigned address_bytes, const KeyFields& fields) {
  uint8_t* ports = key + 2 * address_bytes;
  if (!fields.src_ip) std::memset(key, 0, address_bytes);
  if (!fields.dst_ip) std::memset(key + address_bytes, 0, address_bytes);
  if (!fields.src_port) std::memset(ports, 0, 2);
  if (!fields.dst_port) std::memset(ports + 2, 0, 2);
}

// 1 + index of the first range that holds the destination port; in a symmetric key, either port.
uint32_t range_number(const uint8_t* ports, const KeyFields& fields) {
  const uint16_t source = load_be16(ports), destination = load_be16(ports + 2);
  const auto holds = [](const PortRange& range, uint16_t port) {
    return range.first <= port && port <= range.last;
  };
  for (uint32_t i = 0; i < fields.port_ranges.size(); ++i) {
    const PortRange& range = fields.port_ranges[i];
    if (holds(range, destination) || (fields.symmetric && holds(range, source))) return i + 1;
  }
  return 0;
}

// What the fields behind the front say.
struct Further {
  bool has_ports;
  uint8_t ip_proto;
  uint16_t vlan_id;
  uint32_t dest_qp, length_bytes;
};

Further further_of(const PacketView& view, const PacketHeaders& headers) {
  const uint32_t length_bytes = headers.l3 == L3::none ? view.frame_bytes : headers.l3_bytes;
  return {headers.has_ports, headers.ip_proto, headers.vlan_id, headers.dest_qp, length_bytes};
}

// Everything but the default choice; `size` bytes of addresses and ports are in place. Returns the new size.
unsigned apply_choice(L3 l3, const Further& further, const KeyFields& fields, uint8_t* key, unsigned size) {
  const bool ip = l3 != L3::none;
  const unsigned address_bytes = ip ? (size - 4) / 2 : kMacBytes;
  const bool ranged = fields.port_range && further.has_ports;
  const uint32_t range = ranged ? range_number(key + size - 4, fields) : 0;
  if (fields.symmetric) sort_ends(key, address_bytes, ip ? 2 : 0);
  if (ip) leave_out(key, address_bytes, fields);

  const auto add = [&](uint32_t word) {
    store_be32(key + size, word);
    size += 4;
  };
  if (fields.proto) add(uint32_t{further.ip_proto} << 24);
  if (fields.vlan) add(further.vlan_id);
  if (fields.dest_qp) add(further.dest_qp);
  if (fields.packet_length) add(further.length_bytes);
  if (fields.port_range) add(range);
  return size;
}

void finish(FlowKey& key, unsigned size, L3 l3, uint8_t ip_proto, uint16_t mac_fold) {
  std::memset(key.bytes + size, 0, 4);  // sizes are multiples of 4: up to the next multiple of 8
  key.size = static_cast<uint8_t>(size);
  key.l3 = l3;
  key.ip_proto = ip_proto;
  key.mac_fold = mac_fold;
}

constexpr unsigned front_bytes(L3 l3) {
  return l3 == L3::ipv6 ? kMaxFrontBytes : 12;
}

// A view too short for two MAC addresses (only a runt has one) is hashed as if they were zero.
const uint8_t* macs_of(const PacketView& view) {
  return view.window_bytes >= 2 * kMacBytes ? view.data : kZeros;
}

void copy_front(const PacketView& view, const PacketHeaders& headers, uint8_t* front) {
  const uint8_t* ports = headers.has_ports ? view.data + headers.l4_offset : kZeros;
  const uint8_t* network = view.data + headers.l3_offset;
  switch (headers.l3) {
    case L3::ipv4:
      std::memcpy(front, network + 12, 8);
      std::memcpy(front + 8, ports, 4);
      break;
    case L3::ipv6:
      std::memcpy(front, network + 8, 32);
      std::memcpy(front + 32, ports, 4);
      break;
    case L3::none:
      std::memcpy(front, macs_of(view), 2 * kMacBytes);
      break;
  }
}

}  // namespace

void make_flow_key(const PacketView& view, const PacketHeaders& headers, const KeyFields& fields,
                   FlowKey& key) {
  copy_front(view, headers, key.bytes);
  unsigned size = front_bytes(headers.l3);
  if (!is_default(fields)) {
    size = apply_choice(headers.l3, further_of(view, headers), fields, key.bytes, size);
  }
  finish(key, size, headers.l3, headers.ip_proto, fold_macs(macs_of(view)));
}

KeyMaterial key_material_of(const PacketView& view, const PacketHeaders& headers) {
  const Further further = further_of(view, headers);
  KeyMaterial material{.dest_qp = further.dest_qp,
                       .length_bytes = further.length_bytes,
                       .vlan_id = further.vlan_id,
                       .mac_fold = fold_macs(macs_of(view)),
                       .l3 = headers.l3,
                       .ip_proto = further.ip_proto,
                       .has_ports = further.has_ports};
  copy_front(view, headers, material.front);
  return material;
}

void make_flow_key(const KeyMaterial& material, const KeyFields& fields, FlowKey& key) {
  unsigned size = front_bytes(material.l3);
  std::memcpy(key.bytes, material.front, kMaxFrontBytes);
  if (!is_default(fields)) {
    const Further further = {material.has_ports, material.ip_proto, material.vlan_id, material.dest_qp,
                             material.length_bytes};
    size = apply_choice(material.l3, further, fields, key.bytes, size);
  }
  finish(key, size, material.l3, material.ip_proto, material.mac_fold);
}

}  // namespace core
