// SPDX-License-Identifier: BSD-3-Clause
// Solutions of linear systems over GF(2), held against trying every input.
#include "hashlab/toeplitz_solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/flow_hash.h"
#include "core/splitmix.h"

namespace hashlab {
namespace {

uint32_t hash_of(const LinearHash& linear, uint64_t x) {
  uint32_t hash = linear.offset;
  for (unsigned i = 0; i < 64; ++i)
    if ((linear.free & x) >> i & 1) hash ^= linear.columns[i];
  return hash;
}

// Every x, ascending, whose free bits are tried one by one.
std::vector<uint64_t> tried(const LinearHash& linear, const BitPattern& pattern) {
  std::set<uint64_t> found;
  for (uint64_t part = 0;; part = (part - linear.free) & linear.free) {  // the next subset of the free bits
    if (pattern.fits(hash_of(linear, linear.fixed | part))) found.insert(linear.fixed | part);
    if (part == linear.free) return {found.begin(), found.end()};
  }
}

std::vector<uint64_t> solved(const LinearSolutions& solutions) {
  std::vector<uint64_t> found;
  for (auto x = solutions.at_least(0); x; x = solutions.at_least(*x + 1)) found.push_back(*x);
  return found;
}

TEST(LinearSolutions, AreThoseThatTryingFinds) {
  core::SplitMix random(1);
  size_t without = 0, with = 0;
  for (int turn = 0; turn < 300; ++turn) {
    LinearHash linear;
    for (int bit = 0; bit < 9; ++bit) linear.free |= uint64_t{1} << random.below(62);
    linear.fixed = (random.next() & ~linear.free) >> 2 & ~linear.free;
    linear.offset = static_cast<uint32_t>(random.next());
    // Columns of few bits, so that some depend on each other.
    for (uint32_t& column : linear.columns) column = static_cast<uint32_t>(random.next() & random.next());
    const uint32_t mask = 0xffffffffu >> random.below(32);
    const BitPattern pattern{mask, static_cast<uint32_t>(random.next()) & mask};
    const std::vector<uint64_t> expected = tried(linear, pattern);
    const LinearSolutions solutions(linear, pattern);
    EXPECT_EQ(solved(solutions), expected) << "turn " << turn;
    EXPECT_EQ(solutions.none(), expected.empty());
    (expected.empty() ? without : with) += 1;
  }
  EXPECT_GT(without, 20u);  // both kinds were met
  EXPECT_GT(with, 20u);
}

TEST(LinearSolutions, FindTheNextOneFromAnywhere) {
  LinearHash linear{.free = 0xff00ff};
  for (unsigned i = 0; i < 24; ++i) linear.columns[i] = 0x9e3779b9u * (i + 1);
  const BitPattern pattern{0xf, 0x3};
  const std::vector<uint64_t> expected = tried(linear, pattern);
  const LinearSolutions solutions(linear, pattern);
  ASSERT_GT(expected.size(), 1000u);
  for (uint64_t from = 0; from < 0x1000000; from += 4093) {
    const auto next = std::lower_bound(expected.begin(), expected.end(), from);
    const auto found = solutions.at_least(from);
    ASSERT_EQ(found.has_value(), next != expected.end()) << from;
    if (found) {
      EXPECT_EQ(*found, *next) << from;
    }
  }
}

TEST(LinearSolutions, CountBitsThatDecide) {
  LinearHash linear{.free = 0xff};
  for (unsigned i = 0; i < 8; ++i)
    linear.columns[i] = 1u << (i % 4) | 1u << (i % 4 + 16);  // both halves alike
  EXPECT_EQ(LinearSolutions(linear, {UINT32_MAX, 0x00050005}).rank(), 4u);
  EXPECT_FALSE(LinearSolutions(linear, {UINT32_MAX, 0x00050005}).none());
  EXPECT_TRUE(LinearSolutions(linear, {UINT32_MAX, 0x00050004}).none());
  EXPECT_EQ(LinearSolutions(linear, {0, 0}).rank(), 0u);
}

TEST(LinearSolutions, AllBitsFreeAndNothingWanted) {
  const LinearHash linear{.free = UINT64_MAX};
  const LinearSolutions solutions(linear, {0, 0});
  EXPECT_EQ(solutions.at_least(0), 0u);
  EXPECT_EQ(solutions.at_least(UINT64_MAX), UINT64_MAX);
}

}  // namespace
}  // namespace hashlab
