// SPDX-License-Identifier: BSD-3-Clause
// What a packet keeps with it after it was hashed, in its mbuf's hash field (which drivers fill on reception
// and do not read when they send): enough to choose another exit when the first one fails, and to tell the
// worker that owns the exit which one it is. Written and read by worker lcores; the mbuf has one owner at any
// time.
#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstring>

#include "core/packet_mark.h"
#include "core/types.h"

namespace path {

struct FlowNote {
  uint32_t hash = 0;
  uint16_t exit = 0;      // the one it was last put in line for
  core::PacketMark mark;  // of a packet with group kNoTarget only the exit counts
};
inline constexpr uint8_t kNoTarget = 31;  // it goes by its exit or not at all
static_assert(core::kMaxGroups < kNoTarget);
static_assert(sizeof(FlowNote) == 8 && sizeof(rte_mbuf::hash) >= 8);

inline void write_note(rte_mbuf* mbuf, const FlowNote& note) {
  std::memcpy(&mbuf->hash, &note, sizeof note);
}
// The same in halves: exit in the low 16 bits of the second, mark above.
inline void write_note(rte_mbuf* mbuf, uint32_t hash, uint32_t marked_exit) {
  static_assert(offsetof(FlowNote, exit) == 4 && offsetof(FlowNote, mark) == 6);
  auto* note = reinterpret_cast<uint8_t*>(&mbuf->hash);
  std::memcpy(note, &hash, sizeof hash);
  std::memcpy(note + 4, &marked_exit, sizeof marked_exit);
}
inline void note_exit(rte_mbuf* mbuf, uint16_t exit) {
  std::memcpy(reinterpret_cast<uint8_t*>(&mbuf->hash) + offsetof(FlowNote, exit), &exit, sizeof exit);
}
inline FlowNote read_note(const rte_mbuf* mbuf) {
  FlowNote note;
  std::memcpy(static_cast<void*>(&note), &mbuf->hash, sizeof note);
  return note;
}

inline void set_metered(rte_mbuf* mbuf) {
  FlowNote note = read_note(mbuf);
  note.mark.set_metered();
  write_note(mbuf, note);
}

}  // namespace path
