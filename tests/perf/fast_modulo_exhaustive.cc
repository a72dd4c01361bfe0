// SPDX-License-Identifier: BSD-3-Clause
// Checks FastModulo against % for all 2^32 values at eight moduli: the smallest, primes, table sizes and
// their neighbours, the largest. Prints a line for each and exits with 1 on a difference. Takes some seconds
// a modulus, so it is run on its own, not with the unit tests.
#include <cinttypes>
#include <cstdio>
#include <initializer_list>

#include "core/fast_modulo.h"

namespace {

// The first value whose remainder differs, or 2^32.
uint64_t first_difference(uint32_t divisor) {
  const core::FastModulo fast(divisor);
  uint32_t expected = 0;  // value % divisor, counted up: no division takes part
  for (uint64_t value = 0; value <= UINT32_MAX; ++value) {
    if (fast(static_cast<uint32_t>(value)) != expected) return value;
    if (++expected == divisor) expected = 0;
  }
  return uint64_t{UINT32_MAX} + 1;
}

}  // namespace

int main() {
  bool all_equal = true;
  for (const uint32_t divisor : {1u, 3u, 7u, 512u, 513u, 65535u, 65536u, 4294967295u}) {
    const uint64_t difference = first_difference(divisor);
    const bool equal = difference > UINT32_MAX;
    all_equal = all_equal && equal;
    if (equal) {
      std::printf("modulo %" PRIu32 ": all 4294967296 values equal\n", divisor);
    } else {
      std::printf("modulo %" PRIu32 ": differs at %" PRIu64 "\n", divisor, difference);
    }
  }
  return all_equal ? 0 : 1;
}
