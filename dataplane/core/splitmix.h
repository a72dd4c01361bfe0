// SPDX-License-Identifier: BSD-3-Clause
// A small random sequence that is the same on every machine: splitmix64 (Steele, Lea, Flood 2014). Used by
// flow_maker for what varies between flows and by fairness for its draws. A value; each user has its own.
#pragma once

#include <cstdint>

namespace core {

class SplitMix {
 public:
  explicit constexpr SplitMix(uint64_t seed) : state_(seed) {}

  constexpr uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // 0 to bound - 1, each as likely as the other to within bound / 2^32.
  constexpr uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

 private:
  uint64_t state_;
};

}  // namespace core
