// SPDX-License-Identifier: BSD-3-Clause
// What this CPU has; see simd.h.
#include "core/simd.h"

#include <array>

namespace core {
namespace {

constexpr std::array<std::string_view, 4> kChoiceNames = {"auto", "portable", "avx2", "avx512"};

}  // namespace

std::string_view name_of(SimdChoice choice) {
  return kChoiceNames[static_cast<size_t>(choice)];
}
std::string_view name_of(Simd simd) {
  return kChoiceNames[1 + static_cast<size_t>(simd)];
}

bool has([[maybe_unused]] Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::avx2) return __builtin_cpu_supports("avx2");
  if (simd == Simd::avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return simd == Simd::portable;
}

std::optional<Simd> resolve(SimdChoice choice, unsigned most_bits) {
  if (choice == SimdChoice::automatic) return widest(most_bits);
  const auto simd = static_cast<Simd>(static_cast<unsigned>(choice) - 1);
  return has(simd) ? std::optional(simd) : std::nullopt;
}

Simd widest(unsigned most_bits) {
  for (const Simd simd : {Simd::avx512, Simd::avx2}) {
    if (bits_of(simd) <= most_bits && has(simd)) return simd;
  }
  return Simd::portable;
}

}  // namespace core
