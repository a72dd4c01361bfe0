// SPDX-License-Identifier: BSD-3-Clause
// Writes the material that core::key_material_of would find in a frame of a described flow, without the
// frame. Used by the patterns, on any thread. Pure.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/flow_key.h"
#include "core/packet_view.h"

namespace hashlab {

inline constexpr uint8_t kTcp = 6, kUdp = 17;
inline constexpr uint32_t kEthernetBytes = 14;
// Of stations 02:00:00:00:00:00 and 02:00:00:00:00:01, those of core::frame_of.
inline constexpr uint16_t kMacFold = 0x0100;

// What all flows of a pattern have in common.
struct Shape {
  bool ipv6 = false;
  uint8_t proto = kUdp;
  uint32_t frame_bytes = 64;
};

// Without addresses, ports and queue pair.
inline core::KeyMaterial material_of(const Shape& shape) {
  core::KeyMaterial material;
  material.length_bytes = shape.frame_bytes - kEthernetBytes;
  material.mac_fold = kMacFold;
  material.l3 = shape.ipv6 ? core::L3::ipv6 : core::L3::ipv4;
  material.ip_proto = shape.proto;
  material.has_ports = true;
  return material;
}

inline void set_ipv4(core::KeyMaterial& material, uint32_t src, uint32_t dst) {
  core::store_be32(material.front, src);
  core::store_be32(material.front + 4, dst);
}

// The upper and the lower half of each address.
struct Ipv6Halves {
  uint64_t upper = 0, lower = 0;
};
inline void set_ipv6(core::KeyMaterial& material, const Ipv6Halves& src, const Ipv6Halves& dst) {
  uint8_t* at = material.front;
  for (const uint64_t half : {src.upper, src.lower, dst.upper, dst.lower}) {
    core::store_be32(at, static_cast<uint32_t>(half >> 32));
    core::store_be32(at + 4, static_cast<uint32_t>(half));
    at += 8;
  }
}

inline void set_ports(core::KeyMaterial& material, uint16_t src, uint16_t dst) {
  uint8_t* ports = material.front + (material.l3 == core::L3::ipv6 ? 32 : 8);
  core::store_be16(ports, src);
  core::store_be16(ports + 2, dst);
}

// Numbered hosts of two sides, which differ in one bit that no number reaches: 16.0.0.0 or 32.0.0.0 onward,
// and 2001:db8:0:1:: or 2001:db8:0:2:: (RFC 3849). IPv4 has no block for examples that is as large.
inline void set_numbered(core::KeyMaterial& material, uint32_t src, uint32_t dst) {
  constexpr uint64_t kDocumentation = 0x20010db800000000;
  if (material.l3 == core::L3::ipv6) {
    set_ipv6(material, {kDocumentation | 1, src}, {kDocumentation | 2, dst});
  } else {
    set_ipv4(material, 0x10000000 + src, 0x20000000 + dst);
  }
}

}  // namespace hashlab
