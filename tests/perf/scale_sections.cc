// SPDX-License-Identifier: BSD-3-Clause
// How mode gateway grows with members, queues, flows, burst and buckets. Every row stands beside one row that
// it is compared with, in the same turns. Part of path_cycles.
#include <algorithm>
#include <cstdio>
#include <string>

#include "perf/cycle_sections.h"

namespace perf {
namespace {

struct Size {
  std::string name;
  unsigned nics = 4;
  uint16_t queues = 2;
  uint16_t burst = 32;
  uint16_t buckets_per_queue = 64;
};

core::Settings settings_of(const Size& size) {
  core::Settings settings = gateway_settings(size.queues, size.burst);
  settings.distribution.buckets_per_queue = size.buckets_per_queue;
  return settings;
}

// Floor and gateway of each row stand at 2 * row and behind it.
void print_head(std::string_view name) {
  std::printf("%-26s %7s %8s %9s\n", std::string(name).c_str(), "floor", "gateway", "to first");
}
void print_row(const std::string& name, const std::vector<Samples>& clocks, size_t row) {
  const Samples &floor = clocks[2 * row], &gateway = clocks[2 * row + 1];
  std::printf("%-26s %7.1f %8.1f %9.3f\n", name.c_str(), median(floor), median(gateway),
              median_ratio(gateway, clocks[1]));
}

void compare(CycleRig& rig, const Effort& effort, const std::vector<Size>& sizes) {
  rig.load({frames_of({.kind = core::FlowKind::roce_v2})});
  std::vector<std::function<double()>> measures;
  for (const Size& size : sizes) {
    measures.push_back([&] { return rig.floor(effort.packets, size.burst); });
    measures.push_back([&] { return rig.worker(effort.packets, settings_of(size), {.nics = size.nics}); });
  }
  const auto clocks = take_turns(effort.turns, measures);
  print_head("rocev2");
  for (size_t row = 0; row < sizes.size(); ++row) print_row(sizes[row].name, clocks, row);
}

void members(CycleRig& rig, const Effort& effort) {
  std::vector<Size> sizes;
  for (const unsigned nics : {2u, 1u, 4u, 8u, 16u})
    sizes.push_back({.name = std::to_string(nics) + " x 2 queues, burst 32", .nics = nics});
  compare(rig, effort, sizes);
}

void members_same_burst(CycleRig& rig, const Effort& effort) {
  std::vector<Size> sizes;
  for (const unsigned nics : {2u, 4u, 8u, 16u}) {
    const auto burst = static_cast<uint16_t>(8 * nics);
    const std::string name = std::to_string(nics) + " x 1 queue, burst " + std::to_string(burst);
    sizes.push_back({.name = name, .nics = nics, .queues = 1, .burst = burst});
  }
  compare(rig, effort, sizes);
}

void queues(CycleRig& rig, const Effort& effort) {
  std::vector<Size> sizes;
  for (const uint16_t queues : {1, 2, 4, 8, 16, 32, 64})
    sizes.push_back({.name = "4 x " + std::to_string(queues) + " queues", .queues = queues});
  compare(rig, effort, sizes);
}

void burst(CycleRig& rig, const Effort& effort) {
  std::vector<Size> sizes;
  for (const uint16_t burst : {32, 1, 2, 4, 8, 16, 64, 128, 256})
    sizes.push_back({.name = "4 x 2, burst " + std::to_string(burst), .burst = burst});
  compare(rig, effort, sizes);
}

void buckets(CycleRig& rig, const Effort& effort) {
  std::vector<Size> sizes;
  for (const uint16_t k : {64, 1, 16, 256, 1024, 4096})
    sizes.push_back({.name = "4 x 2, K = " + std::to_string(k), .buckets_per_queue = k});
  compare(rig, effort, sizes);
}

// The flows are in the mbufs: each measure writes its own.
void flows_of(CycleRig& rig, const Effort& effort, core::FlowKind kind, uint32_t reorder_sample) {
  constexpr uint32_t kFlowCounts[] = {1'000, 1, 10'000, 100'000, 1'000'000};
  const uint64_t packets = std::max<uint64_t>(effort.packets, 4'000'000);  // every flow several times
  core::Settings settings = gateway_settings();
  settings.engine.reorder_sample = reorder_sample;
  const std::vector<Frame> frames = frames_of({.kind = kind}, 1);
  std::vector<std::function<double()>> measures;
  for (const uint32_t count : kFlowCounts) {
    measures.push_back([&, count] {
      rig.load({frames, count});
      return rig.floor(packets, settings.engine.burst);
    });
    measures.push_back([&, count] {
      rig.load({frames, count});
      return rig.worker(packets, settings);
    });
  }
  const auto clocks = take_turns(effort.turns, measures);
  print_head(std::string(core::name_of(kind)) + ", sample " + std::to_string(reorder_sample));
  for (size_t row = 0; row < std::size(kFlowCounts); ++row)
    print_row(std::to_string(kFlowCounts[row]) + " flows", clocks, row);
}

void flows(CycleRig& rig, const Effort& effort) {
  const uint32_t sample = gateway_settings().engine.reorder_sample;
  flows_of(rig, effort, core::FlowKind::roce_v2, sample);
  flows_of(rig, effort, core::FlowKind::roce_v2, 0);  // without meters of order, which know flows
  flows_of(rig, effort, core::FlowKind::udp, sample);
}

constexpr Section kSections[] = {
    {"scale-members", "1 to 16 members, burst 32", members},
    {"scale-members-same-burst", "2 to 16 members, 8 packets a burst for each", members_same_burst},
    {"scale-queues", "1 to 64 queues a member", queues},
    {"scale-flows", "1 to 1,000,000 flows, written by the source, which is in the floor as well", flows},
    {"scale-burst", "bursts of 1 to 256", burst},
    {"scale-buckets", "K, the buckets a queue", buckets},
};

}  // namespace

std::span<const Section> scale_sections() {
  return kSections;
}

}  // namespace perf
