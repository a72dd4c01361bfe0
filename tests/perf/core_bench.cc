// SPDX-License-Identifier: BSD-3-Clause
// What the steps of core cost: every hash for IPv4 (12-byte) and IPv6 (36-byte) keys, one by one and by the
// burst; the remainder against the CPU's division; building a distribution table. Google Benchmark; one
// thread.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "core/distribution_table.h"
#include "core/fast_modulo.h"
#include "core/flow_hash.h"

namespace {

std::vector<core::FlowKey> keys_of(uint8_t size) {
  std::mt19937 random(1);
  std::vector<core::FlowKey> keys(core::kBatch);
  for (core::FlowKey& key : keys) {
    key = {};
    for (unsigned i = 0; i < size; ++i) key.bytes[i] = static_cast<uint8_t>(random());
    key.size = size;
    key.l3 = size == 12 ? core::L3::ipv4 : core::L3::ipv6;
    key.ip_proto = 17;
    key.mac_fold = static_cast<uint16_t>(random());
  }
  return keys;
}

void hash_single(benchmark::State& state, core::HashAlgorithm algorithm, uint8_t size) {
  const core::FlowHash hash(algorithm, 1);
  const auto keys = keys_of(size);
  for (auto _ : state) {
    for (const core::FlowKey& key : keys) benchmark::DoNotOptimize(hash(key));
  }
  state.SetItemsProcessed(state.iterations() * core::kBatch);
}

void hash_batch(benchmark::State& state, core::HashAlgorithm algorithm, uint8_t size) {
  const core::FlowHash hash(algorithm, 1);
  const auto keys = keys_of(size);
  std::vector<uint32_t> hashes(keys.size());
  for (auto _ : state) {
    hash.batch(keys, hashes);
    benchmark::DoNotOptimize(hashes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * core::kBatch);
}

template <typename Modulo>
void reduce(benchmark::State& state, Modulo modulo) {
  std::mt19937 random(2);
  std::vector<uint32_t> values(core::kBatch);
  for (uint32_t& value : values) value = static_cast<uint32_t>(random());
  for (auto _ : state) {
    for (const uint32_t value : values) benchmark::DoNotOptimize(modulo(value));
  }
  state.SetItemsProcessed(state.iterations() * core::kBatch);
}

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

void add_benchmarks() {
  using enum core::HashAlgorithm;
  for (const auto algorithm : {jenkins, crc32c, crc32c_rfc, toeplitz, bond_l2, bond_l23, bond_l34}) {
    for (const uint8_t size : {12, 36}) {
      const std::string what = std::string(core::name_of(algorithm)) + "/" + std::to_string(size);
      benchmark::RegisterBenchmark(("hash_single/" + what).c_str(), hash_single, algorithm, size);
      benchmark::RegisterBenchmark(("hash_batch/" + what).c_str(), hash_batch, algorithm, size);
    }
  }
  const core::FastModulo fast(512);
  benchmark::RegisterBenchmark("modulo/fast", [=](benchmark::State& state) { reduce(state, fast); });
  benchmark::RegisterBenchmark("modulo/division", [](benchmark::State& state) {
    uint32_t divisor = 512;
    benchmark::DoNotOptimize(divisor);  // the compiler must not know it
    reduce(state, [divisor](uint32_t value) { return value % divisor; });
  });
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

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
