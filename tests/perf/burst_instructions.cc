// SPDX-License-Identifier: BSD-3-Clause
// Takes PACKETS frames of a mix through the steps of core, parse to table, at one width, and ends: what it
// executes for N more packets is what the steps cost, counted by callgrind in tests/perf/instructions.py.
// Needs no DPDK. Exits with 77 when this CPU (or valgrind's) has no such width.
//   burst_instructions MIX portable|avx2|avx512 PACKETS
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/simd.h"
#include "perf/burst_steps.h"
#include "perf/frames.h"

namespace {

constexpr int kSkipped = 77;

int misused(const char* what) {
  std::fprintf(stderr, "burst_instructions: %s\nusage: burst_instructions MIX WIDTH PACKETS\n", what);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return misused("three arguments are needed");
  const perf::NamedMix* mix = perf::find_mix(argv[1]);
  if (mix == nullptr) return misused("there is no such mix");
  std::optional<core::Simd> simd;
  for (const core::Simd known : {core::Simd::portable, core::Simd::avx2, core::Simd::avx512}) {
    if (core::name_of(known) == argv[2]) simd = known;
  }
  if (!simd) return misused("there is no such width");
  if (!core::has(*simd)) return kSkipped;
  const unsigned long bursts = std::strtoul(argv[3], nullptr, 10) / core::kBatch;

  const perf::FrameBursts frames(mix->mix);
  perf::BurstSteps steps(simd, 4, 2);
  perf::StepBatch batch;
  unsigned exits = 0;
  for (unsigned long burst = 0; burst < bursts; ++burst) {
    batch.frames = frames[burst % frames.size()];
    steps.all(batch);
    exits ^= batch.exits[burst % core::kBatch];
  }
  std::printf("%u\n", exits);
  return 0;
}
