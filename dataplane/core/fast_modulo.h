// SPDX-License-Identifier: BSD-3-Clause
// hash % divisor without a division, exact for every 32-bit hash: multiply by a rounded-up reciprocal of 64
// bits and keep the fraction (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019, theorem
// 1). Called by path/distribute for every packet.
#pragma once

#include <cstdint>

namespace core {

__extension__ using Uint128 = unsigned __int128;

class FastModulo {
 public:
  // divisor: 1 to 2^32 - 1.
  explicit constexpr FastModulo(uint32_t divisor = 1)
      : divisor_(divisor), reciprocal_(UINT64_MAX / divisor + 1) {}

  constexpr uint32_t operator()(uint32_t value) const {
    const uint64_t fraction = reciprocal_ * value;  // wraps: the integer part is not wanted
    return static_cast<uint32_t>((static_cast<Uint128>(fraction) * divisor_) >> 64);
  }
  constexpr uint32_t divisor() const { return divisor_; }

 private:
  uint32_t divisor_;
  uint64_t reciprocal_;  // 0 for divisor 1, which makes every remainder 0, as it should be
};

}  // namespace core
