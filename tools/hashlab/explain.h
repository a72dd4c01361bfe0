// SPDX-License-Identifier: BSD-3-Clause
// What the gateway's parser, key and hashes make of one packet, step by step. Called by command explain.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/explain.h"
#include "hashlab/hashing.h"
#include "hashlab/spreader.h"

namespace hashlab {

// A field of a key: where it lies, its bytes, and what they mean.
struct KeyPart {
  std::string field;
  unsigned offset = 0;
  std::vector<uint8_t> bytes;
  std::string meaning;
};

struct ParsedPacket {
  core::PacketHeaders headers;
  core::FlowKey key{};         // of a packet that is not dropped
  std::vector<KeyPart> parts;  // of the key, in order and without gaps
  bool dropped() const;        // by a gateway with default settings: runt, mac_control, link_local
};

// `frame` may be cut off; `frame_bytes` is the length it had.
ParsedPacket parse_packet(std::span<const uint8_t> frame, uint32_t frame_bytes, core::VlanTag tag,
                          const core::KeyFields& fields);

// Where a key goes under one hash.
struct WayOfKey {
  uint32_t hash = 0;
  uint32_t bucket = 0;
  core::Slot slot = core::kNoSlot;
  uint64_t nic = 0, queue = 0;  // of that slot
};
WayOfKey way_of(const core::FlowKey& key, const core::FlowHash& hash, const Spreader& spreader,
                uint16_t queues_per_nic);

}  // namespace hashlab
