// SPDX-License-Identifier: BSD-3-Clause
// Estimates how many different flows passed, in 4 KB and without a table of flows: HyperLogLog (Flajolet et
// al., 2007) with 4,096 registers over well-mixed 32-bit hashes, error about 1.6 %; linear counting while
// few. One worker writes one meter, a byte at a time; control reads it at any moment and merges the meters of
// all workers.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace core {

class FlowMeter {
 public:
  static constexpr unsigned kRegisters = 4096;

  // One hash of one packet. Only the owning worker calls it.
  void see(uint32_t hash) {
    if (would_change(hash)) registers_[hash >> 20].store(rank_of(hash), std::memory_order_relaxed);
  }
  // Whether the meter learns anything from it; of most packets it does not.
  bool would_change(uint32_t hash) const {
    return rank_of(hash) > registers_[hash >> 20].load(std::memory_order_relaxed);
  }

  // Its registers, four a word. Only the owning worker may look.
  const void* registers() const { return registers_.data(); }

  // Takes the larger of each register: this meter then has seen what both have.
  void merge(const FlowMeter& other);
  // Flows seen, to the nearest whole number.
  uint64_t estimate() const;

 private:
  static uint8_t rank_of(uint32_t hash) {
    return static_cast<uint8_t>(std::countl_zero(hash << 12 | 1u << 11) + 1);
  }
  static_assert(sizeof(std::atomic<uint8_t>) == 1);
  alignas(64) std::array<std::atomic<uint8_t>, kRegisters> registers_{};
};

}  // namespace core
