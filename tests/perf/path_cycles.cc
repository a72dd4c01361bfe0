// SPDX-License-Identifier: BSD-3-Clause
// Clocks a packet takes in one process, without a driver of a NIC and without memory of its own to wait for:
// reception and one TX queue (floor), the same with the TX queue known beforehand (split floor), and mode
// gateway, which has to find it. Turns alternate; told are medians, and the median of the differences within
// a turn. docs/numbers.md.
//   path_cycles [TURNS [PART_OF_A_ROW'S_NAME]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "perf/cycle_rig.h"

namespace {

constexpr uint64_t kPackets = 2'000'000;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Row {
  std::string name;
  perf::Mix mix;
  unsigned nics = 4;
  uint16_t queues = 2;
  uint16_t burst = 32;
  unsigned mbufs = 4096;
};

void measure(perf::CycleRig& rig, const Row& row, unsigned turns) {
  rig.load({perf::frames_of(row.mix), 0, row.mbufs});
  core::Settings settings;
  settings.engine.burst = row.burst;
  settings.engine.mode = core::Mode::gateway;
  settings.distribution.queues_per_nic = row.queues;
  std::vector<double> floor, split, gateway, above;
  for (unsigned turn = 0; turn < turns; ++turn) {
    floor.push_back(rig.floor(kPackets, row.burst));
    split.push_back(rig.split_floor(kPackets, row.burst, row.nics, row.queues));
    gateway.push_back(rig.worker(kPackets, settings, row.nics));
    above.push_back(gateway.back() - split.back());
  }
  std::printf("%-34s %6.1f %12.1f %8.1f %18.1f\n", row.name.c_str(), median(floor), median(split),
              median(gateway), median(above));
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned turns = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 15;
  perf::CycleRig rig(argv[0]);
  std::printf("%-34s %6s %12s %8s %18s\n", "clocks a packet", "floor", "split floor", "gateway",
              "above split floor");
  const Row rows[] = {
      {"4 NICs x 2 queues, IPv4/UDP", {}},
      {"the same, 96 mbufs", {}, 4, 2, 32, 96},
      {"4 x 2, RoCEv2", {.kind = core::FlowKind::roce_v2}},
      {"4 x 2, half IPv6, half tagged", {.six = 50, .tagged = 50}},
      {"4 x 2, one in ten a fragment", {.fragments = 10}},
      {"4 x 1, IPv4/UDP", {}, 4, 1},
  };
  const std::string only = argc > 2 ? argv[2] : "";
  for (const Row& row : rows) {
    if (row.name.find(only) != std::string::npos) measure(rig, row, turns);
  }
  return 0;
}
