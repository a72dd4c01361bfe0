// SPDX-License-Identifier: BSD-3-Clause
// What classification leaves with a packet beside its hash, in 16 bits: they travel in the packet's note
// (path/flow_note.h) and are made for many packets at once (core/burst.h). Values only; any thread.
#pragma once

#include <cstdint>

namespace core {

struct PacketMark {
  static constexpr unsigned kMeteredBit = 7, kPriorityBit = 8, kGroupBit = 11;

  uint16_t bits = 0;

  static PacketMark of(uint32_t l3_offset, uint32_t priority, uint32_t group) {
    return {static_cast<uint16_t>((l3_offset & 0x7f) | priority << kPriorityBit | group << kGroupBit)};
  }
  uint32_t l3_offset() const { return bits & 0x7f; }  // bytes of Ethernet and tags
  // The worker that handed it over has seen to its flow's order.
  bool metered() const { return (bits >> kMeteredBit & 1) != 0; }
  void set_metered() { bits |= 1u << kMeteredBit; }
  uint8_t priority() const { return bits >> kPriorityBit & 7; }
  uint8_t group() const { return static_cast<uint8_t>(bits >> kGroupBit); }  // target group
};

}  // namespace core
