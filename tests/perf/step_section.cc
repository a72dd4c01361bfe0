// SPDX-License-Identifier: BSD-3-Clause
// What the steps of mode gateway cost at each width: classify (parse or recognise, count, guard, prefetch),
// distribute (hash, reduce, meter, table), and what is left of the worker's round (note, stage, flush,
// books). Each is a difference to a loop without it. Part of path_cycles.
#include <cstdio>
#include <string>

#include "perf/cycle_sections.h"
#include "perf/path_steps.h"

namespace perf {
namespace {

void measure(CycleRig& rig, const Effort& effort, const NamedMix& mix, core::Simd simd) {
  const core::Settings settings = gateway_settings();
  const PlaneShape shape = {.simd = simd};
  const auto clocks =
      take_turns(effort.turns,
                 {
                     [&] { return rig.floor(effort.packets, settings.engine.burst); },
                     [&] { return path_steps(rig, effort.packets, settings, shape, LastStep::classify); },
                     [&] { return path_steps(rig, effort.packets, settings, shape, LastStep::distribute); },
                     [&] { return rig.worker(effort.packets, settings, shape); },
                 });
  std::printf("%-22s %-9s %6.1f %9.1f %11.1f %9.1f %6.1f %8.1f\n", std::string(mix.name).c_str(),
              std::string(core::name_of(simd)).c_str(), median(clocks[0]),
              median_difference(clocks[1], clocks[0]), median_difference(clocks[2], clocks[1]),
              median_difference(clocks[2], clocks[0]), median_difference(clocks[3], clocks[2]),
              median(clocks[3]));
}

void run_with(CycleRig& rig, const Effort& effort, unsigned mbufs) {
  std::printf("%-22s %-9s %6s %9s %11s %9s %6s %8s\n", "", "width", "floor", "classify", "distribute",
              "together", "stage", "gateway");
  for (const NamedMix& mix : kMixes) {
    rig.load({frames_of(mix.mix), 0, mbufs});
    for (const core::Simd simd : {core::Simd::portable, core::Simd::avx2, core::Simd::avx512}) {
      if (core::has(simd)) measure(rig, effort, mix, simd);
    }
  }
}

void run(CycleRig& rig, const Effort& effort) {
  run_with(rig, effort, CycleRig::kMbufs);
}
void run_near(CycleRig& rig, const Effort& effort) {
  run_with(rig, effort, 96);
}

constexpr Section kSections[] = {
    {"steps", "what each step adds, at every width this CPU has", run},
    {"steps-near", "the same with 96 mbufs, whose frames stay in L1", run_near},
};

}  // namespace

std::span<const Section> step_sections() {
  return kSections;
}

}  // namespace perf
