// SPDX-License-Identifier: BSD-3-Clause
// What the files of core_bench share: how a benchmark tells its cost a packet, and who registers what.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace perf {

// Made before the loop of a benchmark. told() after it adds two counters: `s`, the seconds that a packet
// took, and on x86 `clocks`, the same in clocks of the TSC, which does not follow the CPU's frequency.
class PacketCost {
 public:
  PacketCost() : begin_(now()) {}
  void told(benchmark::State& state, int64_t packets_a_turn) const {
    const auto packets = static_cast<double>(state.iterations() * packets_a_turn);
    const uint64_t clocks = now() - begin_;
    state.counters["s"] =
        benchmark::Counter(packets, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    if (clocks > 0) state.counters["clocks"] = static_cast<double>(clocks) / packets;
  }

 private:
  static uint64_t now() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return 0;
#endif
  }
  uint64_t begin_;
};

// By one file each.
void add_step_benchmarks();
void add_hash_benchmarks();
void add_table_benchmarks();

}  // namespace perf
