// SPDX-License-Identifier: BSD-3-Clause
// Counts of times, fine enough for percentiles: below 2 * kSteps each value has a count of its own, above
// that each power of two has kSteps of them, so that what is read is at most 0.2 % off. Adding allocates
// nothing and touches few cache lines. Called by latency_source between two polls. Plain values; no DPDK.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf {

class LatencyHistogram {
 public:
  LatencyHistogram() : counts_((64 - kStepBits + 1) * kSteps) {}

  void add(uint64_t value) {
    ++counts_[place(value)];
    ++count_;
    highest_ = std::max(highest_, value);
  }

  uint64_t count() const { return count_; }
  uint64_t highest() const { return highest_; }

  // The smallest value that at least this share (above 0, at most 1) of all values does not exceed: the
  // nearest rank. 0 when there are none.
  uint64_t percentile(double share) const {
    const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
    uint64_t seen = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= std::max<uint64_t>(wanted, 1)) return std::min(middle(i), highest_);
    }
    return 0;
  }

 private:
  static constexpr unsigned kStepBits = 8;
  static constexpr uint64_t kSteps = 1 << kStepBits;

  static size_t place(uint64_t value) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(value));
    const unsigned shift = bits > kStepBits + 1 ? bits - kStepBits - 1 : 0;
    return shift * kSteps + (value >> shift);
  }

  // Of the values that are counted there.
  static uint64_t middle(size_t place) {
    if (place < 2 * kSteps) return place;
    const unsigned shift = static_cast<unsigned>(place / kSteps - 1);
    const uint64_t lowest = (kSteps + place % kSteps) << shift;
    return lowest + (uint64_t{1} << shift) / 2;
  }

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t highest_ = 0;
};

}  // namespace perf
