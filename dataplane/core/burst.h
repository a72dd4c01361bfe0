// SPDX-License-Identifier: BSD-3-Clause
// The steps parse, hash and reduce for a whole batch at once, 4, 8 or 16 packets side by side in a
// register.
// They know the common shapes only: Ethernet, at most one VLAN tag (8100), IPv4 without options and not a
// fragment or IPv6 without extension headers, then UDP or TCP with whole ports. What they say of such a
// packet is what core/parse, core/flow_key, core/flow_hash and core/fast_modulo say of it, bit for bit, at
// any width; everything else is left to those. Called by path/classify and path/distribute on workers. Pure.
#pragma once

#include <cstdint>

#include "core/fast_modulo.h"
#include "core/flow_key.h"
#include "core/flow_meter.h"
#include "core/packet_mark.h"
#include "core/simd.h"
#include "core/types.h"

namespace core {

// A batch of frames. recognise writes over what lies behind the last one, up to kBatch, and over pointers to
// frames that are too short for a common shape.
struct BurstFrames {
  alignas(64) const uint8_t* data[kBatch];
  alignas(64) uint32_t window_bytes[kBatch];  // readable at data
};

// Destination and source MAC address, as loaded from a frame: 12 bytes.
struct MacPair {
  uint32_t words[3] = {};
};

// One bit a packet, that of packet i being bit i.
using PacketBits = uint32_t;
static_assert(kBatch <= 32);

struct BurstShapes {
  PacketBits common = 0;     // have a common shape, and are not link-local; all that follows holds for these
  PacketBits like_last = 0;  // have the pair of MAC addresses that was asked about
  PacketBits six = 0;        // are IPv6
  PacketBits tcp = 0, udp = 0, roce_v2 = 0, vxlan = 0, geneve = 0;  // one of these
  alignas(
      64) uint32_t words[9][kBatch];   // of the key as core/flow_key lays it out: 3 words of IPv4, 9 of IPv6
  alignas(64) uint32_t marks[kBatch];  // PacketMark; the group left open
};

// Which words of a key count: all bits or none. Made from KeyFields that choose among addresses and ports
// only.
struct KeyMask {
  explicit KeyMask(const KeyFields& fields = {});
  // Whether kernels can make the keys of these fields.
  static bool covers(const KeyFields& fields);
  uint32_t src_ip, dst_ip, ports;
};

// What is done with a hash.
struct SpreadRules {
  FastModulo buckets;
  uint64_t watch_below = 0;  // flows whose spread_hash is below it are watched, 0 to 2^32
};
struct BurstSpread {
  PacketBits watched = 0;
  PacketBits news = 0;  // would change the flow meter
  alignas(64) uint32_t buckets[kBatch];
};
// Tells flows apart that shall be looked at from others, whatever the modulo keeps of the hash:
// multiplication by the golden ratio.
inline constexpr uint32_t spread_hash(uint32_t hash) {
  return hash * 0x9e3779b1u;
}

struct BurstKernels {
  Simd simd;
  // Fills `shapes` for the first `count` frames, 1 to kBatch. Reads nothing at or past a window.
  void (*recognise)(BurstFrames& frames, uint16_t count, const MacPair& last, BurstShapes& shapes);
  // hashes[i], i below count rounded up to 16: Jenkins' hash of the key of packet i, when its shape is
  // common.
  void (*hash)(const BurstShapes& shapes, uint16_t count, const KeyMask& mask, uint32_t seed,
               uint32_t* hashes);
  // Buckets and bits of `count` hashes.
  void (*spread)(const uint32_t* hashes, uint16_t count, const SpreadRules& rules, const FlowMeter& meter,
                 BurstSpread& spread);
};

// `simd` must be one that this CPU has.
const BurstKernels& burst_kernels(Simd simd);

}  // namespace core
