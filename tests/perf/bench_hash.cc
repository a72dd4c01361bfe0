// SPDX-License-Identifier: BSD-3-Clause
// Every hash for IPv4 (12-byte) and IPv6 (36-byte) keys, one by one, and the remainder
// against the CPU's division. Part of core_bench.
#include <random>
#include <string>
#include <vector>

#include "core/fast_modulo.h"
#include "core/flow_hash.h"
#include "core/types.h"
#include "perf/bench.h"

namespace perf {
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
  const PacketCost cost;
  for (auto _ : state) {
    for (const core::FlowKey& key : keys) benchmark::DoNotOptimize(hash(key));
  }
  cost.told(state, core::kBatch);
}

template <typename Modulo>
void reduce(benchmark::State& state, Modulo modulo) {
  std::mt19937 random(2);
  std::vector<uint32_t> values(core::kBatch);
  for (uint32_t& value : values) value = static_cast<uint32_t>(random());
  const PacketCost cost;
  for (auto _ : state) {
    for (const uint32_t value : values) benchmark::DoNotOptimize(modulo(value));
  }
  cost.told(state, core::kBatch);
}

}  // namespace

void add_hash_benchmarks() {
  using enum core::HashAlgorithm;
  for (const auto algorithm : {jenkins, crc32c, crc32c_rfc, toeplitz, bond_l2, bond_l23, bond_l34}) {
    for (const uint8_t size : {12, 36}) {
      const std::string what = std::string(core::name_of(algorithm)) + "/" + std::to_string(size);
      benchmark::RegisterBenchmark(("hash_single/" + what).c_str(), hash_single, algorithm, size);
    }
  }
  const core::FastModulo fast(512);
  benchmark::RegisterBenchmark("modulo/fast", [=](benchmark::State& state) { reduce(state, fast); });
  benchmark::RegisterBenchmark("modulo/division", [](benchmark::State& state) {
    uint32_t divisor = 512;
    benchmark::DoNotOptimize(divisor);  // the compiler must not know it
    reduce(state, [divisor](uint32_t value) { return value % divisor; });
  });
}

}  // namespace perf
