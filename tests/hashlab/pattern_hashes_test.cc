// SPDX-License-Identifier: BSD-3-Clause
// The patterns show the traps that docs/hashing.md warns of: XOR hashes collapse on what counts up, and queue
// pairs do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/flow_hash.h"
#include "hashlab/listed_traffic.h"
#include "hashlab/pattern.h"

namespace {

using hashlab::Flow;
using hashlab::Pattern;
using hashlab::PatternKind;
using test_support::flows_of;

struct Hash {
  const char* name;
  core::FlowHash hash;
};
const Hash kL34 = {"bond-l34", {core::HashAlgorithm::bond_l34, 0}};
const Hash k6d5a = {"toeplitz-symmetric", {core::HashAlgorithm::toeplitz, 0, core::ToeplitzKey::symmetric}};
const Hash kMicrosoft = {"toeplitz-microsoft", {core::HashAlgorithm::toeplitz, 0}};
const Hash kJenkins = {"jenkins", {core::HashAlgorithm::jenkins, 0}};

double max_over_mean(const std::vector<Flow>& flows, const core::FlowHash& hash, uint32_t nics) {
  std::vector<uint64_t> loads(nics);
  for (const Flow& flow : flows) {
    core::FlowKey key;
    core::make_flow_key(flow.material, {}, key);
    ++loads[hash(key) % nics];
  }
  const auto fullest = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
  return fullest * nics / static_cast<double>(flows.size());
}

// Collapsed ones exactly; what is left to chance no fuller than 99 of 100 ideal draws are; Microsoft's key,
// being linear, is even on counters.
TEST(PatternHashes, HashesCollapseWhereTheyMust) {
  struct Row {
    PatternKind kind;
    uint64_t flows;
    const Hash* hash;
    double least[4], most[4];  // of 2, 4, 8, 16 NICs
  };
  const Row rows[] = {
      {PatternKind::counting, 1024, &kL34, {2, 4, 8, 16}, {2, 4, 8, 16}},
      {PatternKind::counting, 1024, &k6d5a, {2, 4, 8, 16}, {2, 4, 8, 16}},
      {PatternKind::counting, 1024, &kMicrosoft, {1, 1, 1, 1}, {1.01, 1.02, 1.03, 1.05}},
      {PatternKind::counting, 1024, &kJenkins, {1, 1.005, 1.02, 1.05}, {1.09, 1.15, 1.26, 1.45}},
      {PatternKind::same_ports, 1024, &kL34, {2, 4, 8, 16}, {2, 4, 8, 16}},
      {PatternKind::same_ports, 1024, &k6d5a, {2, 4, 8, 16}, {2, 4, 8, 16}},
      {PatternKind::same_ports, 1024, &kJenkins, {1, 1.005, 1.02, 1.05}, {1.09, 1.15, 1.26, 1.45}},
      {PatternKind::even_ports, 64, &kL34, {2, 2, 2, 2}, {2, 2, 2, 2}},
      {PatternKind::even_ports, 64, &kJenkins, {1, 1.06, 1.25, 1.5}, {1.35, 1.65, 2.15, 2.95}},
      {PatternKind::random, 1024, &kL34, {1, 1.005, 1.02, 1.05}, {1.09, 1.15, 1.26, 1.45}},
      {PatternKind::random, 1024, &kJenkins, {1, 1.005, 1.02, 1.05}, {1.09, 1.15, 1.26, 1.45}}};
  for (const Row& row : rows) {
    for (const bool ipv6 : {false, true}) {
      const auto flows = flows_of({.kind = row.kind, .flows = row.flows, .ipv6 = ipv6});
      for (unsigned i = 0; i < 4; ++i) {
        SCOPED_TRACE(std::string(hashlab::name_of(row.kind)) + " " + row.hash->name + (ipv6 ? " IPv6" : ""));
        const double found = max_over_mean(flows, row.hash->hash, 2u << i);
        EXPECT_GE(found, row.least[i]) << (2u << i) << " NICs";
        EXPECT_LE(found, row.most[i]) << (2u << i) << " NICs";
      }
    }
  }
}

// Linux's ports are near random: on 64 flows every hash is as even as chance, over many starts of the queue
// pairs.
TEST(PatternHashes, SixtyFourQueuePairsAreLeftToChance) {
  const double ideal[] = {1.10, 1.263, 1.533, 1.967};  // of 2, 4, 8, 16 NICs
  for (const Hash* hash : {&kL34, &kMicrosoft, &kJenkins}) {
    double sum[4] = {};
    constexpr uint64_t kSeeds = 400;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto flows = flows_of({.kind = PatternKind::roce_qps, .seed = seed});
      ASSERT_EQ(flows.size(), 64u);
      for (unsigned i = 0; i < 4; ++i) sum[i] += max_over_mean(flows, hash->hash, 2u << i) / kSeeds;
    }
    for (unsigned i = 0; i < 4; ++i) EXPECT_NEAR(sum[i], ideal[i], 0.05 * ideal[i]) << hash->name;
  }
}

}  // namespace
