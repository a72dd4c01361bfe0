// SPDX-License-Identifier: BSD-3-Clause
// A packet as core sees it: a window of bytes that can be read, and the true length of the frame. The path
// makes one for every packet (copying the front of a frame whose header is split over several segments),
// tests make them from byte arrays. Big-endian loads live here because every header field needs them.
#pragma once

#include <cstdint>
#include <cstring>

namespace core {

// No parser looks further into a frame than this; a deeper header is "other" (documented in docs/hashing.md).
inline constexpr uint32_t kParseWindowBytes = 512;

struct PacketView {
  const uint8_t* data = nullptr;
  uint32_t window_bytes = 0;  // readable at data; never more than frame_bytes
  uint32_t frame_bytes = 0;   // length of the frame without FCS
};

inline uint16_t load_be16(const uint8_t* p) {
  return static_cast<uint16_t>(p[0] << 8 | p[1]);
}
inline uint32_t load_be32(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}
inline void store_be16(uint8_t* p, uint16_t v) {
  p[0] = static_cast<uint8_t>(v >> 8);
  p[1] = static_cast<uint8_t>(v);
}
inline void store_be32(uint8_t* p, uint32_t v) {
  store_be16(p, static_cast<uint16_t>(v >> 16));
  store_be16(p + 2, static_cast<uint16_t>(v));
}

}  // namespace core
