// SPDX-License-Identifier: BSD-3-Clause
// What it takes to build a distribution table, healthy, after losses and with weights. Part of core_bench.
#include <string>

#include "core/distribution_table.h"
#include "perf/bench.h"

namespace perf {
namespace {

void build(benchmark::State& state, unsigned members, uint16_t queues, unsigned lost, bool weighted) {
  core::GroupState group;
  group.queues_per_nic = queues;
  group.members.resize(members);
  for (unsigned member = 0; member < members; ++member) {
    group.members[member].up = member >= lost;
    if (weighted) group.members[member].weight = member + 1;
  }
  for (auto _ : state) benchmark::DoNotOptimize(core::build_table(group));
}

}  // namespace

void add_table_benchmarks() {
  struct Row {
    const char* name;
    unsigned members;
    uint16_t queues;
    unsigned lost;
    bool weighted;
  };
  static constexpr Row kRows[] = {
      {"4x2", 4, 2, 0, false},
      {"4x2/1_lost", 4, 2, 1, false},
      {"4x2/weighted", 4, 2, 0, true},
      {"16x16", 16, 16, 0, false},
      {"16x16/1_lost", 16, 16, 1, false},
      {"16x16/3_lost", 16, 16, 3, false},
      {"16x16/15_lost", 16, 16, 15, false},
      {"16x16/weighted", 16, 16, 0, true},
      {"8x16/7_lost", 8, 16, 7, false},
      {"64x16/8_lost", 64, 16, 8, false},
  };
  for (const Row& row : kRows) {
    benchmark::RegisterBenchmark(
        (std::string("build_table/") + row.name).c_str(),
        [&row](benchmark::State& state) { build(state, row.members, row.queues, row.lost, row.weighted); })
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace perf
