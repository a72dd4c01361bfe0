// SPDX-License-Identifier: BSD-3-Clause
// The traps that docs/hashing.md warns of, held as facts: XOR hashes collapse on flows that count up, linear
// hashes flatter counters, and two boxes of one hash and seed polarise.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/flow_hash.h"
#include "core/packet_view.h"
#include "core/splitmix.h"

namespace {

core::FlowKey ipv4_key(uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport) {
  core::FlowKey key{};
  core::store_be32(key.bytes, src);
  core::store_be32(key.bytes + 4, dst);
  core::store_be16(key.bytes + 8, sport);
  core::store_be16(key.bytes + 10, dport);
  key.size = 12;
  key.l3 = core::L3::ipv4;
  key.ip_proto = 17;
  return key;
}

using Pattern = std::function<core::FlowKey(uint32_t)>;
core::FlowKey addresses_count(uint32_t i) {
  return ipv4_key(0x0a000000 + i, 0x0a800000 + i, 1000, 2000);
}
core::FlowKey ports_count(uint32_t i) {
  return ipv4_key(0x0a000001, 0x0a800001, static_cast<uint16_t>(1024 + i), static_cast<uint16_t>(2048 + i));
}

// Largest of 8 queues over the mean, 1,024 flows.
double max_over_mean(const core::FlowHash& hash, const Pattern& pattern) {
  std::vector<unsigned> load(8);
  for (uint32_t i = 0; i < 1024; ++i) ++load[hash(pattern(i)) % 8];
  return *std::max_element(load.begin(), load.end()) / 128.0;
}

TEST(HashTraps, XorCollapsesAndLinearHashesFlatterOnCounters) {
  using core::HashAlgorithm;
  using core::ToeplitzKey;
  struct Row {
    const char* name;
    core::FlowHash hash;
    double least, most;
  };
  const Row rows[] = {{"jenkins", {HashAlgorithm::jenkins, 0}, 1.02, 1.3},
                      {"toeplitz microsoft", {HashAlgorithm::toeplitz, 0, ToeplitzKey::microsoft}, 1, 1},
                      {"toeplitz mlx5", {HashAlgorithm::toeplitz, 0, ToeplitzKey::mlx5}, 1, 1},
                      {"toeplitz symmetric", {HashAlgorithm::toeplitz, 0, ToeplitzKey::symmetric}, 8, 8},
                      {"bond-l34", {HashAlgorithm::bond_l34, 0}, 8, 8},
                      {"bond-l23", {HashAlgorithm::bond_l23, 0}, 8, 8}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    for (const Pattern& pattern : {Pattern(addresses_count), Pattern(ports_count)}) {
      EXPECT_GE(max_over_mean(row.hash, pattern), row.least);
      EXPECT_LE(max_over_mean(row.hash, pattern), row.most);
    }
  }
}

// Shares of the second box's NICs, of the flows that the first box sends by its NIC 0; 40,000 random flows,
// largest first.
std::vector<double> behind_first_box(core::HashAlgorithm algorithm, uint32_t second_seed, unsigned nics) {
  const core::FlowHash first(algorithm, 0), second(algorithm, second_seed);
  core::SplitMix random(7);
  std::vector<double> share(nics);
  double all = 0;
  for (int i = 0; i < 40'000; ++i) {
    const core::FlowKey key =
        ipv4_key(static_cast<uint32_t>(random.next()), static_cast<uint32_t>(random.next()),
                 static_cast<uint16_t>(random.next()), static_cast<uint16_t>(random.next()));
    if (first(key) % nics != 0) continue;
    ++share[second(key) % nics];
    ++all;
  }
  for (double& part : share) part /= all;
  std::sort(share.rbegin(), share.rend());
  return share;
}

TEST(HashTraps, Polarisation) {
  using core::HashAlgorithm;
  struct Row {
    const char* name;
    HashAlgorithm algorithm;
    uint32_t second_seed;
    unsigned nics;
    double largest_share;
  };
  for (const Row& row : {Row{"jenkins, one seed", HashAlgorithm::jenkins, 0, 4, 1},
                         Row{"jenkins, another seed", HashAlgorithm::jenkins, 99, 4, 0.25},
                         Row{"crc32c, one seed", HashAlgorithm::crc32c, 0, 4, 1},
                         Row{"crc32c, another seed renames queues only", HashAlgorithm::crc32c, 99, 4, 1},
                         Row{"crc32c, another seed, odd modulus", HashAlgorithm::crc32c, 99, 3, 1.0 / 3}}) {
    SCOPED_TRACE(row.name);
    EXPECT_NEAR(behind_first_box(row.algorithm, row.second_seed, row.nics).front(), row.largest_share, 0.02);
  }
}

}  // namespace
