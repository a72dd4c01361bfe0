// SPDX-License-Identifier: BSD-3-Clause
// Hashes each flow under each seed; see seeds.h. Keys are made once, then each CPU takes some of the seeds.
#include "hashlab/seeds.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>

#include "hashlab/evenness.h"
#include "hashlab/progress.h"

namespace hashlab {
namespace {

constexpr uint64_t kChunk = 1024;  // flows whose keys lie ready

struct Keyed {
  core::FlowKey key;
  uint64_t load;
};

}  // namespace

std::vector<double> max_over_mean_by_seed(const Traffic& traffic, const core::KeyFields& fields,
                                          const HashChoice& hash, uint32_t seeds, const Spreader& spreader,
                                          std::span<const double> shares, LoadBy by) {
  std::vector<core::FlowHash> functions;
  for (uint32_t seed = 0; seed < seeds; ++seed) functions.emplace_back(hash.algorithm, seed, hash.key);
  std::vector<std::vector<uint64_t>> loads(seeds, std::vector<uint64_t>(spreader.slots()));
  std::vector<Keyed> keyed(kChunk);
  std::vector<Flow> flows(kChunk);
  Progress progress("seeds of " + name_of(hash), "flows", static_cast<double>(traffic.flows()));
  for (uint64_t first = 0; first < traffic.flows(); first += kChunk) {
    if (stopped()) return {};
    const auto count = static_cast<size_t>(std::min(kChunk, traffic.flows() - first));
    traffic.fill(first, std::span(flows).first(count));
    for (size_t i = 0; i < count; ++i) {
      keyed[i] = {key_of(flows[i].material, fields), load_of(flows[i], by)};
    }
    oneapi::tbb::parallel_for(uint32_t{0}, seeds, [&](uint32_t seed) {
      for (size_t i = 0; i < count; ++i)
        loads[seed][spreader(functions[seed](keyed[i].key))] += keyed[i].load;
    });
    progress.advance(static_cast<double>(count));
  }
  std::vector<double> figures;
  for (const std::vector<uint64_t>& of_seed : loads) {
    figures.push_back(evenness_of(of_seed, shares).max_over_mean);
  }
  return figures;
}

}  // namespace hashlab
