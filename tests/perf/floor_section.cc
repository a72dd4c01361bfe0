// SPDX-License-Identifier: BSD-3-Clause
// Mode gateway beside what it cannot be faster than: reception and one TX queue (floor), and the same with
// the TX queue known beforehand (split floor). Part of path_cycles.
#include <cstdio>
#include <string>

#include "perf/cycle_sections.h"

namespace perf {
namespace {

struct Row {
  std::string_view name;
  Mix mix;
  uint16_t queues = 2;
  unsigned mbufs = CycleRig::kMbufs;
};

constexpr Row kRows[] = {
    {"4 NICs x 2 queues, IPv4/UDP", {}},
    {"the same, 96 mbufs", {}, 2, 96},
    {"4 x 2, RoCEv2", {.kind = core::FlowKind::roce_v2}},
    {"4 x 2, half IPv6, half tagged", {.six = 50, .tagged = 50}},
    {"4 x 2, one in ten a fragment", {.fragments = 10}},
    {"4 x 1, IPv4/UDP", {}, 1},
};

void run(CycleRig& rig, const Effort& effort) {
  std::printf("%-32s %7s %12s %8s %18s\n", "", "floor", "split floor", "gateway", "above split floor");
  for (const Row& row : kRows) {
    rig.load({frames_of(row.mix), 0, row.mbufs});
    const core::Settings settings = gateway_settings(row.queues);
    const uint16_t burst = settings.engine.burst;
    const auto clocks =
        take_turns(effort.turns, {
                                     [&] { return rig.floor(effort.packets, burst); },
                                     [&] { return rig.split_floor(effort.packets, burst, 4, row.queues); },
                                     [&] { return rig.worker(effort.packets, settings); },
                                 });
    std::printf("%-32s %7.1f %12.1f %8.1f %18.1f\n", std::string(row.name).c_str(), median(clocks[0]),
                median(clocks[1]), median(clocks[2]), median_difference(clocks[2], clocks[1]));
  }
}

constexpr Section kSections[] = {
    {"floor", "gateway beside bare forwarding to one queue and to queues known beforehand", run},
};

}  // namespace

std::span<const Section> floor_sections() {
  return kSections;
}

}  // namespace perf
