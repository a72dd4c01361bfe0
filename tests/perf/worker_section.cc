// SPDX-License-Identifier: BSD-3-Clause
// Two workers on two CPUs, each with a source of its own, beside one worker with one: with TX queues for each
// worker, and with queues that belong to the worker that the hash chooses. Sources write the flows, in the
// floor as well. Part of path_cycles.
#include <cstdio>

#include "perf/cycle_sections.h"

namespace perf {
namespace {

core::Settings owned(core::Owner owner) {
  core::Settings settings = gateway_settings();
  settings.distribution.owner = owner;
  return settings;
}

void run(CycleRig& rig, const Effort& effort) {
  rig.load({frames_of({.kind = core::FlowKind::roce_v2}, 1), kFlows});
  const core::Settings per_worker = owned(core::Owner::per_worker), by_hash = owned(core::Owner::by_hash);
  const auto clocks =
      take_turns(effort.turns, {
                                   [&] { return rig.floor(effort.packets, per_worker.engine.burst); },
                                   [&] { return rig.floor(effort.packets, per_worker.engine.burst, 2); },
                                   [&] { return rig.worker(effort.packets, per_worker); },
                                   [&] { return rig.worker(effort.packets, per_worker, {.workers = 2}); },
                                   [&] { return rig.worker(effort.packets, by_hash, {.workers = 2}); },
                               });
  // Two workers take half of the time when neither hinders the other.
  std::printf("%-26s %8s %22s\n", "rocev2, 4 x 2", "clocks", "faster than one worker");
  const auto row = [&](const char* name, const Samples& samples, const Samples& one) {
    std::printf("%-26s %8.1f %21.2fx\n", name, median(samples), median_ratio(one, samples));
  };
  row("floor, 1 worker", clocks[0], clocks[0]);
  row("floor, 2 workers", clocks[1], clocks[0]);
  row("gateway, 1 worker", clocks[2], clocks[2]);
  row("gateway, 2, per_worker", clocks[3], clocks[2]);
  row("gateway, 2, by_hash", clocks[4], clocks[2]);
}

constexpr Section kSections[] = {
    {"workers", "two workers beside one, both settings of owner", run},
};

}  // namespace

std::span<const Section> worker_sections() {
  return kSections;
}

}  // namespace perf
