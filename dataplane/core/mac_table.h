// SPDX-License-Identifier: BSD-3-Clause
// Which group a source MAC address was seen on, and when: what a worker learns from the frames it receives.
// Each worker writes its own table and reads those of all workers, so that a frame that comes back by another
// worker's queue is recognised within a round. Fixed size; sets of four, the oldest entry of a set gives way.
// Entries are relaxed atomics of 64 bits with one writer: never torn, never locked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "core/types.h"

namespace core {

// Time in table entries: ticks of 100 ms modulo 4096 (409.6 s). The caller makes ticks from its clock.
inline constexpr uint64_t kMacTickMs = 100;
// "Just seen": within so many ticks. Longer than a round trip by far, short enough for a station that moves.
inline constexpr unsigned kJustSeenTicks = 10;

struct MacSighting {
  uint16_t group = 0;  // 0 to kMaxGroups - 1
  uint16_t tick = 0;   // modulo 4096
};

class MacTable {
 public:
  static constexpr size_t kSets = 2048;
  static constexpr size_t kWays = 4;
  // Sets that one call of expire() looks at: all of them in 256 calls.
  static constexpr size_t kSetsPerExpiry = 8;
  // An entry as old as this is forgotten by expire(): half of the time that ticks can tell apart.
  static constexpr unsigned kForgottenTicks = 2048;

  MacTable();

  // Whether this table says: `mac` (6 bytes) was seen on `group` in this very tick. The common case, one set
  // read.
  bool is_fresh(const uint8_t* mac, uint16_t group, uint16_t tick) const;
  // Notes that; replaces the entry of the same address, else a free one, else the oldest of the set. Owner
  // only.
  void learn(const uint8_t* mac, uint16_t group, uint16_t tick);
  // Forgets old entries of the next few sets. The owner calls it once a tick, with traffic or without:
  // otherwise, every 409.6 s, an old sighting would look as if it had just been made.
  void expire(uint16_t tick);
  // Where and when it was last seen; false when it is not known.
  bool find(const uint8_t* mac, MacSighting& sighting) const;
  // Whether any address of this group was ever learned here.
  bool knows_group(uint16_t group) const;

 private:
  // mac 48 bits | group 4 bits | tick 12 bits; 0 is free (an all-zero MAC is never learned). Aligned, so that
  // a set lies in one cache line.
  struct alignas(kWays * sizeof(uint64_t)) Set {
    std::array<std::atomic<uint64_t>, kWays> entries{};
  };

  std::unique_ptr<Set[]> sets_;
  std::atomic<uint32_t> groups_{0};  // bit g: an address of group g was learned
  size_t next_expiry_ = 0;           // the set that expire() looks at next; the owner's
};

// Ticks from `then` to `now`, both modulo 4096.
inline unsigned ticks_between(uint16_t then, uint16_t now) {
  return static_cast<unsigned>(now - then) & 0xfff;
}
// Whether a sighting is so fresh that the station cannot have moved. Workers' ticks may differ by one.
inline bool is_just_seen(uint16_t then, uint16_t now) {
  return ticks_between(then, static_cast<uint16_t>(now + 1)) <= kJustSeenTicks + 1;
}

}  // namespace core
