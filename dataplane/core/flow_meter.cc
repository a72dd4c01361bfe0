// SPDX-License-Identifier: BSD-3-Clause
// Reads flow meters: merges those of several workers and turns registers into a number of flows. Called by
// control once a report, while workers go on writing theirs.
#include "core/flow_meter.h"

#include <algorithm>
#include <cmath>

namespace core {

void FlowMeter::merge(const FlowMeter& other) {
  for (unsigned i = 0; i < kRegisters; ++i) {
    const uint8_t rank = std::max(registers_[i].load(std::memory_order_relaxed),
                                  other.registers_[i].load(std::memory_order_relaxed));
    registers_[i].store(rank, std::memory_order_relaxed);
  }
}

// Flajolet, Fusy, Gandouet, Meunier (2007), figure 3, with its corrections for small and large numbers.
uint64_t FlowMeter::estimate() const {
  constexpr double m = kRegisters;
  constexpr double kHashes = 4294967296.0;  // 2^32
  constexpr double kAlpha = 0.7213 / (1 + 1.079 / m);

  double sum = 0;
  unsigned empty = 0;
  for (const std::atomic<uint8_t>& cell : registers_) {
    const uint8_t rank = cell.load(std::memory_order_relaxed);
    sum += std::ldexp(1.0, -rank);
    if (rank == 0) ++empty;
  }
  double flows = kAlpha * m * m / sum;
  if (flows <= 2.5 * m && empty > 0) {
    flows = m * std::log(m / empty);
  } else if (flows > kHashes / 30) {
    // Different flows begin to share hashes. With every register full the raw estimate passes 2^32.
    flows = -kHashes * std::log1p(-std::min(flows, kHashes - 1) / kHashes);
  }
  return static_cast<uint64_t>(std::llround(flows));
}

}  // namespace core
