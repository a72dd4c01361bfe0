// SPDX-License-Identifier: BSD-3-Clause
// What a packet keeps with it after it was hashed, in its mbuf's hash field (which drivers fill on reception
// and do not read when they send): enough to choose another exit when the first one fails, and to tell the
// worker that owns the exit which one it is. Written and read by worker lcores; the mbuf has one owner at any
// time.
#pragma once

#include <rte_mbuf.h>

#include <cstring>

#include "core/types.h"

namespace path {

struct FlowNote {
  uint32_t hash = 0;
  uint16_t exit = 0;          // set when the packet is handed to another worker
  uint8_t l3_offset : 7 = 0;  // bytes of Ethernet and tags; at most 14 + 8 tags
  uint8_t metered : 1 = 0;    // the worker that handed it over has seen to its flow's order
  uint8_t priority : 3 = 0;
  uint8_t group : 5 = 0;  // its target group; kNoTarget: it goes by its exit or not at all
};
inline constexpr uint8_t kNoTarget = 31;
static_assert(core::kMaxGroups < kNoTarget);
static_assert(sizeof(FlowNote) == 8 && sizeof(rte_mbuf::hash) >= 8);

inline void write_note(rte_mbuf* mbuf, const FlowNote& note) {
  std::memcpy(&mbuf->hash, &note, sizeof note);
}
inline FlowNote read_note(const rte_mbuf* mbuf) {
  FlowNote note;
  std::memcpy(static_cast<void*>(&note), &mbuf->hash, sizeof note);
  return note;
}

}  // namespace path
