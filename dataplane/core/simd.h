// SPDX-License-Identifier: BSD-3-Clause
// How many packets the burst kernels (core/burst.h) work on at once. Chosen when a plan is made; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

// Of engine.simd: how wide registers may be. `automatic`: as wide as the CPU has them, within
// --force-max-simd-bitwidth.
enum class SimdChoice : uint8_t { automatic, portable, avx2, avx512 };
enum class Simd : uint8_t { portable, avx2, avx512 };

// "auto", "portable", "avx2", "avx512".
std::string_view name_of(SimdChoice choice);
std::string_view name_of(Simd simd);

inline constexpr unsigned bits_of(Simd simd) {
  return simd == Simd::avx512 ? 512 : simd == Simd::avx2 ? 256 : 128;
}
// What a choice comes to on this CPU; nothing when the CPU does not have it. `most_bits`: of
// --force-max-simd-bitwidth; it bounds `automatic` only.
std::optional<Simd> resolve(SimdChoice choice, unsigned most_bits);
// Whether this CPU, and this build, can.
bool has(Simd simd);
// The widest that this CPU has and that is no wider than `most_bits`.
Simd widest(unsigned most_bits = 512);

}  // namespace core
