// SPDX-License-Identifier: BSD-3-Clause
// What each step of core costs a packet, one by one and at every width of the kernels, for each mix of
// shapes: parse or recognise, hash, spread (reduce and meter), table, and all of them in a row. Part of
// core_bench.
#include <string>

#include "perf/bench.h"
#include "perf/burst_steps.h"
#include "perf/frames.h"

namespace perf {
namespace {

constexpr unsigned kNics = 4;
constexpr uint16_t kQueues = 2;
constexpr size_t kHotBatches = 8;  // the path has one, which stays in L1; these do, too

// Steps that read frames: burst after burst, into one batch, as the path does.
template <class Step>
void over_frames(benchmark::State& state, const Mix& mix, Width width, Step step) {
  const FrameBursts bursts(mix);
  BurstSteps steps(width, kNics, kQueues);
  StepBatch batch;
  size_t next = 0;
  const PacketCost cost;
  for (auto _ : state) {
    batch.frames = bursts[next];
    step(steps, batch);
    benchmark::DoNotOptimize(&batch);
    benchmark::ClobberMemory();
    if (++next == bursts.size()) next = 0;
  }
  cost.told(state, core::kBatch);
}

// Steps that read what an earlier one has left in the batch.
template <class Step>
void over_batches(benchmark::State& state, const Mix& mix, Width width, Step step) {
  const FrameBursts bursts(mix);
  BurstSteps steps(width, kNics, kQueues);
  std::vector<StepBatch> batches(kHotBatches);
  for (size_t i = 0; i < kHotBatches; ++i) {
    batches[i].frames = bursts[i];
    steps.all(batches[i]);
  }
  size_t next = 0;
  const PacketCost cost;
  for (auto _ : state) {
    step(steps, batches[next]);
    benchmark::ClobberMemory();
    next = (next + 1) % kHotBatches;
  }
  cost.told(state, core::kBatch);
}

template <class Run>
void add(const std::string& step, Width width, const NamedMix& mix, Run run) {
  const std::string name = step + "/" + name_of(width) + "/" + std::string(mix.name);
  benchmark::RegisterBenchmark(name.c_str(), run);
}

}  // namespace

void add_step_benchmarks() {
  for (const NamedMix& mix : kMixes) {
    for (const Width width : widths()) {
      add(width ? "recognise" : "parse", width, mix, [&mix, width](benchmark::State& state) {
        over_frames(state, mix.mix, width, [](auto& steps, auto& batch) { steps.recognise(batch); });
      });
      add("hash", width, mix, [&mix, width](benchmark::State& state) {
        over_batches(state, mix.mix, width, [](auto& steps, auto& batch) { steps.hash(batch); });
      });
      add("spread", width, mix, [&mix, width](benchmark::State& state) {
        over_batches(state, mix.mix, width, [](auto& steps, auto& batch) { steps.spread(batch); });
      });
      add("all", width, mix, [&mix, width](benchmark::State& state) {
        over_frames(state, mix.mix, width, [](auto& steps, auto& batch) { steps.all(batch); });
      });
    }
  }
  add("table", std::nullopt, kMixes[0], [](benchmark::State& state) {
    over_batches(state, kMixes[0].mix, std::nullopt, [](auto& steps, auto& batch) { steps.look_up(batch); });
  });
}

}  // namespace perf
