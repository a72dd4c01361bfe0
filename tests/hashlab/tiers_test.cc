// SPDX-License-Identifier: BSD-3-Clause
// What is left of the paths behind a box of the same hash, and what another seed, reduction, offset or number
// of paths gives back. The figures of equal boxes are the residue classes that the greatest common divisor
// leaves.
#include "hashlab/tiers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <numeric>
#include <string>

#include "hashlab/cures.h"
#include "hashlab/listed_traffic.h"
#include "hashlab/progress.h"
#include "hashlab/run_command.h"

namespace hashlab {
namespace {

using test_support::ListedTraffic;
using test_support::random_traffic;

Tier tier_of(const char* hash, uint32_t paths, uint32_t seed = 0, Reduction reduction = Reduction::modulo,
             uint32_t rotate_bits = 0) {
  HashChoice choice = hash_choice_of(hash);
  choice.seed = seed;
  return {choice, {}, reduction, paths, rotate_bits};
}

TEST(Tiers, ReachOfTheLast) {
  struct Row {
    const char* name;
    std::vector<Tier> tiers;
    double reachable;  // of the last tier's paths
    bool polarised;
  };
  const auto jenkins = [](uint32_t paths) { return tier_of("jenkins", paths); };
  const Row rows[] = {
      {"2x2", {jenkins(2), jenkins(2)}, 1.0 / 2, true},
      {"4x4", {jenkins(4), jenkins(4)}, 1.0 / 4, true},
      {"4x8", {jenkins(4), jenkins(8)}, 2.0 / 8, true},
      {"4x16", {jenkins(4), jenkins(16)}, 4.0 / 16, true},
      {"8x8", {jenkins(8), jenkins(8)}, 1.0 / 8, true},
      {"3x4, coprime", {jenkins(3), jenkins(4)}, 1, false},
      {"8x4", {jenkins(8), jenkins(4)}, 1.0 / 4, true},
      {"one tier", {jenkins(8)}, 1, false},
      {"the gateway's table", {tier_of("jenkins", 4, 0, Reduction::resilient), jenkins(4)}, 1.0 / 4, true},
      {"another seed", {jenkins(4), tier_of("jenkins", 4, 1)}, 1, false},
      {"multiply-shift", {jenkins(4), tier_of("jenkins", 4, 0, Reduction::multiply_shift)}, 1, false},
      {"both multiply-shift",
       {tier_of("jenkins", 4, 0, Reduction::multiply_shift),
        tier_of("jenkins", 4, 0, Reduction::multiply_shift)},
       1.0 / 4,
       true},
      {"hash offset", {jenkins(4), tier_of("jenkins", 4, 0, Reduction::modulo, 8)}, 1, false},
      {"an offset by all bits but one",
       {jenkins(4), tier_of("jenkins", 4, 0, Reduction::modulo, 31)},
       0.5,
       true},
      {"crc32c", {tier_of("crc32c", 4), tier_of("crc32c", 4)}, 1.0 / 4, true},
      {"crc32c, another seed", {tier_of("crc32c", 4), tier_of("crc32c", 4, 1)}, 1.0 / 4, true},
      {"crc32c, 3 paths, another seed", {tier_of("crc32c", 3), tier_of("crc32c", 3, 1)}, 1, false},
      {"crc32c, then jenkins", {tier_of("crc32c", 4), jenkins(4)}, 1, false},
      {"three alike", {jenkins(2), jenkins(2), jenkins(2)}, 1.0 / 2, true},
      {"the third as the first", {jenkins(4), tier_of("jenkins", 4, 1), jenkins(4)}, 1.0 / 4, true},
      {"behind a polarised one", {jenkins(4), jenkins(8), tier_of("jenkins", 4, 5)}, 1, false},
      {"three seeds", {jenkins(4), tier_of("jenkins", 4, 1), tier_of("jenkins", 4, 2)}, 1, false},
  };
  const ListedTraffic traffic = random_traffic(40'000);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto spreads = tiers_of(traffic, row.tiers).tiers;
    ASSERT_EQ(spreads.size(), row.tiers.size());
    EXPECT_NEAR(spreads.back().reachable, row.reachable, 1e-12);
    EXPECT_NEAR(spreads.back().chance, 1, 1e-12);
    EXPECT_EQ(spreads.back().polarised, row.polarised);
    EXPECT_EQ(spreads.back().uneven, row.polarised);
    EXPECT_EQ(spreads.back().paths, row.tiers.back().paths);
    EXPECT_FALSE(spreads.front().polarised);
    EXPECT_GT(spreads.back().chance_max, 1);
    EXPECT_LT(spreads.back().chance_max, 1.2);
  }
}

// 40,000 flows behind equal boxes of 4 paths: those of path 0 all take path 0 again, a fourth of all.
TEST(Tiers, TheFirstBox) {
  const ListedTraffic traffic = random_traffic(40'000);
  const auto spreads = tiers_of(traffic, {tier_of("jenkins", 4), tier_of("jenkins", 4)}).tiers;
  const auto& first = spreads[0].first_box;
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(std::accumulate(first.begin(), first.end(), uint64_t{0}), 40'000u);
  EXPECT_NEAR(static_cast<double>(first[0]), 10'000, 400);
  EXPECT_EQ(spreads[1].first_box, (std::vector<uint64_t>{first[0], 0, 0, 0}));
  EXPECT_NEAR(spreads[1].max_over_mean, 4 * spreads[0].max_over_mean, 1e-9);
}

// Too few flows for all paths are no fault of the hash, but two tiers that choose alike are one whatever the
// flows are. Flows that hash to 0, 1, 2 ... come to the 4 boxes of tier 2 in equal parts, and n of them use
// 1 - (3/4)^n of its paths by chance.
TEST(Tiers, FewFlows) {
  struct Row {
    uint32_t flows;
    double chance;
    bool few_flows;
  };
  const Row rows[] = {{4, 0.25, true}, {8, 0.4375, true}, {64, 0.98998, false}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.flows);
    std::vector<Flow> flows;
    for (uint32_t x = 0; x < row.flows; ++x) flows.push_back(test_support::ipv4_flow(0, x << 24, 0, 0));
    const ListedTraffic traffic(flows);
    const auto alike = tiers_of(traffic, {tier_of("bond-l34", 4), tier_of("bond-l34", 4)}).tiers;
    EXPECT_EQ(alike[1].reachable, 0.25);
    EXPECT_NEAR(alike[1].chance, row.chance, 1e-5);
    EXPECT_TRUE(alike[1].polarised);
    EXPECT_EQ(alike[1].few_flows, row.few_flows);
    const auto unlike = tiers_of(traffic, {tier_of("bond-l34", 4), tier_of("jenkins", 4)}).tiers;
    EXPECT_FALSE(unlike[1].polarised);
    EXPECT_FALSE(unlike[1].few_flows);
  }
  const auto none = tiers_of(ListedTraffic({}), {tier_of("jenkins", 4), tier_of("jenkins", 4)}).tiers;
  EXPECT_EQ(none[1].reachable, 0);
  EXPECT_FALSE(none[1].polarised);
}

TEST(TiersCommand, JudgesFewFlowsByHowTiersChoose) {
  struct Row {
    std::vector<std::string> arguments;
    const char *judgement, *verdict;
    size_t cures;
  };
  const Row rows[] = {
      {{"--paths", "8,8"},
       "polarised",
       "Tier 2 reaches 1 of 8 paths, as so few flows might under ideal hashes, but more would not reach all: "
       "it takes the same remainder of the same hash as tier 1.",
       4},
      {{"--paths", "8,8", "--hash", "crc32c", "--seed", "0,1"},
       "polarised",
       "Tier 2 reaches 1 of 8 paths, as so few flows might under ideal hashes, but more would not reach all: "
       "crc32c with another seed is the same hash XOR a constant.",
       5},
      {{"--paths", "8,9"}, "as chance", "Tier 2 reaches 1.6 of 9 paths, as ideal hashes would.", 0}};
  for (Row row : rows) {
    SCOPED_TRACE(row.arguments[1]);
    row.arguments.insert(row.arguments.end(), {"--pattern", "roce-qps", "--hosts", "1", "--qps", "8"});
    const Report report = test_support::run_command(kTiers, row.arguments);
    EXPECT_EQ(test_support::cell(test_support::table_of(report, "tiers"), 1, "judgement"),
              Value(row.judgement));
    EXPECT_EQ(report.verdicts.front(), row.verdict);
    EXPECT_EQ(report.tables.size(), row.cures > 0 ? 2u : 1u);
    if (row.cures == 0) continue;
    EXPECT_EQ(test_support::table_of(report, "cures").rows.size(), row.cures);
  }
}

// Asks for an end once it has made some flows.
class StoppingTraffic : public hashlab::Traffic {
 public:
  explicit StoppingTraffic(uint64_t after) : after_(after) {}
  std::string name() const override { return "stopping"; }
  uint64_t flows() const override { return 1'000'000; }
  void fill(uint64_t, std::span<Flow> into) const override {
    for (Flow& flow : into) flow = test_support::ipv4_flow(1, 2, 3, 4);
    const uint64_t before = made_.fetch_add(into.size());
    if (before < after_ && before + into.size() >= after_) raise(SIGINT);  // once: a second one ends it all
  }

 private:
  const uint64_t after_;
  mutable std::atomic<uint64_t> made_{0};
};

TEST(Tiers, TellHowManyFlowsWereLookedAt) {
  catch_signals();
  const TierSpreads spreads =
      tiers_of(StoppingTraffic(10'000), {tier_of("jenkins", 4), tier_of("jenkins", 4)});
  go_on();
  EXPECT_GE(spreads.flows, 10'000u);
  EXPECT_LT(spreads.flows, 1'000'000u);
  EXPECT_EQ(
      std::accumulate(spreads.tiers[0].first_box.begin(), spreads.tiers[0].first_box.end(), uint64_t{0}),
      spreads.flows);
}

TEST(TiersCommand, StoppedBeforeAFlowWasLookedAtSaysNothingOfFlows) {
  test_support::expect_nothing_told_when_stopped(kTiers);
}

TEST(TiersCommand, RefusesWhatDoesNotApply) {
  struct Row {
    std::vector<std::string> arguments;
    const char* expected;
  };
  const Row rows[] = {
      {{"--hash", "bond-l34", "--seed", "3"}, "--seed 3: bond-l34 takes none"},
      {{"--hash", "bond-l34,jenkins", "--seed", "3"}, "taken"},
      {{"--hash", "all"}, "--hash all: allowed: the name of one for all tiers, or of one for each"}};
  for (Row row : rows) {
    row.arguments.insert(row.arguments.end(), {"--pattern", "random", "--flows", "10"});
    EXPECT_EQ(test_support::refusal_of([&] { test_support::run_command(kTiers, row.arguments); }),
              row.expected);
  }
}

TEST(Cures, AreWhatCanBeHad) {
  struct Row {
    const char* name;
    std::vector<Tier> tiers;
    std::vector<std::string> expected;
  };
  const Tier jenkins = tier_of("jenkins", 4);
  const Row rows[] = {
      {"jenkins",
       {jenkins, jenkins},
       {"another seed: seed 1 in tier 2", "another reduction: multiply-shift in tier 2",
        "hash offset: turned by 8 bits in tier 2", "coprime paths: 5 paths in tier 2"}},
      {"no seed",
       {tier_of("bond-l34", 3), tier_of("bond-l34", 4)},
       {"jenkins, another seed: jenkins, seed 1 in tier 2", "another reduction: multiply-shift in tier 2",
        "hash offset: turned by 8 bits in tier 2"}},
      {"three tiers, high bits, as many paths as there may be",
       {tier_of("crc32c", 2, 7), tier_of("crc32c", 64, 9, Reduction::multiply_shift, 30),
        tier_of("crc32c", 64)},
       {"another seed: seed 10 in tier 2, seed 11 in tier 3",
        "jenkins, another seed: jenkins, seed 10 in tier 2, jenkins, seed 11 in tier 3",
        "another reduction: modulo in tier 2",
        "hash offset: turned by 6 bits in tier 2, turned by 16 bits in tier 3"}},
      {"coprime for the third",
       {tier_of("jenkins", 3), jenkins, tier_of("jenkins", 8)},
       {"another seed: seed 1 in tier 2, seed 2 in tier 3", "another reduction: multiply-shift in tier 2",
        "hash offset: turned by 8 bits in tier 2, turned by 16 bits in tier 3",
        "coprime paths: 11 paths in tier 3"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::vector<std::string> found;
    for (const Cure& cure : cures_of(row.tiers)) {
      found.push_back(cure.name + ": " + cure.change);
      EXPECT_EQ(cure.tiers.size(), row.tiers.size());
    }
    EXPECT_EQ(found, row.expected);
  }
}

// What they say is what they do: all but another seed of crc32c.
TEST(Cures, Help) {
  const ListedTraffic traffic = random_traffic(40'000);
  for (const char* hash : {"jenkins", "crc32c"}) {
    for (const Cure& cure : cures_of({tier_of(hash, 4), tier_of(hash, 4)})) {
      SCOPED_TRACE(std::string(hash) + ", " + cure.name);
      const bool helps = cure.name != "another seed" || std::string(hash) == "jenkins";
      EXPECT_EQ(tiers_of(traffic, cure.tiers).tiers[1].reachable, helps ? 1 : 0.25);
    }
  }
}

TEST(Likeness, OfTwoTiers) {
  struct Row {
    const char* name;
    Tier earlier, later;
    Likeness expected;
  };
  using enum Likeness;
  constexpr Reduction kShift = Reduction::multiply_shift, kMaglev = Reduction::maglev;
  const Tier jenkins = tier_of("jenkins", 4), shift = tier_of("jenkins", 4, 0, kShift),
             maglev = tier_of("jenkins", 4, 0, kMaglev), crc32c = tier_of("crc32c", 4);
  Tier ports = jenkins;
  ports.fields = key_fields_of("src_port,dst_port");
  const Row rows[] = {
      {"the same", jenkins, jenkins, same_hash},
      {"other paths", jenkins, tier_of("jenkins", 6), same_hash},
      {"no divisor in common", jenkins, tier_of("jenkins", 9), none},
      {"the gateway's table", jenkins, tier_of("jenkins", 4, 0, Reduction::resilient), same_hash},
      {"high bits", shift, shift, same_hash},
      {"high bits, no divisor in common", shift, tier_of("jenkins", 9, 0, kShift), same_hash},
      {"one by high bits", jenkins, shift, none},
      {"the same table", maglev, maglev, same_hash},
      {"another table", maglev, tier_of("jenkins", 8, 0, kMaglev), none},
      {"another seed", jenkins, tier_of("jenkins", 4, 1), none},
      {"another seed of a CRC", crc32c, tier_of("crc32c", 6, 1), same_but_xor},
      {"the same, an odd divisor", tier_of("crc32c", 3), tier_of("crc32c", 9, 1), none},
      {"the same, high bits", tier_of("crc32c", 4, 0, kShift), tier_of("crc32c", 4, 1, kShift), same_but_xor},
      {"the same, tables", tier_of("crc32c", 4, 0, kMaglev), tier_of("crc32c", 4, 1, kMaglev), none},
      {"another hash", jenkins, crc32c, none},
      {"another key", tier_of("toeplitz", 4), tier_of("toeplitz-mlx5", 4), none},
      {"turned", jenkins, tier_of("jenkins", 4, 0, Reduction::modulo, 1), none},
      {"other fields", jenkins, ports, none}};
  for (const Row& row : rows) EXPECT_EQ(likeness_of(row.earlier, row.later), row.expected) << row.name;
}

}  // namespace
}  // namespace hashlab
