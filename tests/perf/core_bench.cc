// SPDX-License-Identifier: BSD-3-Clause
// What the parts of core cost: every step of a packet (bench_steps.cc), hashes and remainder (bench_hash.cc),
// building tables (bench_table.cc). Google Benchmark; one thread. docs/numbers.md.
//   core_bench [--benchmark_filter=REGEX] ...
#include "perf/bench.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  perf::add_step_benchmarks();
  perf::add_hash_benchmarks();
  perf::add_table_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
