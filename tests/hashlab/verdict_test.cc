// SPDX-License-Identifier: BSD-3-Clause
// Verdicts: which cause is named for which figures, and that the sentences name what is to blame.
#include "hashlab/verdict.h"

#include <gtest/gtest.h>

namespace {

using namespace hashlab;

Draws draws(double low, double high) {
  Draws made;
  for (int i = 0; i <= 1000; ++i) made.sorted.push_back(low + (high - low) * i / 1000);
  made.mean = (low + high) / 2;
  made.p5 = made.sorted[50], made.p50 = made.sorted[500], made.p95 = made.sorted[950];
  return made;
}

Ideal ideal(double low, double high) {
  Ideal made;
  made.max_over_mean = draws(low, high);
  made.chi_squared = draws(1, 20);
  return made;
}

Evenness found(double max_over_mean, uint32_t used = 8, double chi_squared = 7) {
  return {.max_over_mean = max_over_mean, .chi_squared = chi_squared, .used = used, .of = 8};
}

JudgedLoad load(uint64_t all, uint64_t largest, double max_over_mean, const Ideal& chance) {
  return {all, largest, found(max_over_mean), chance};
}

// Flows that all have a key, a packet and as many bytes: what differs is set by the row.
Judged judged(uint64_t flows, const Evenness& evenness, const Ideal& chance) {
  return {.flows = flows,
          .keys = flows,
          .found = evenness,
          .of_flows = chance,
          .of_keys = chance,
          .of_table = chance,
          .table = "maglev with 11 buckets",
          .packets = {flows, 1, evenness, chance},
          .bytes = {flows, 1, evenness, chance}};
}

struct Row {
  const char* name;
  Judged judged;
  Cause cause;
  const char* says;  // in the first sentence
};

std::vector<Row> rows() {
  const Ideal many = ideal(1.02, 1.08), thousand = ideal(1.05, 1.25), few = ideal(1.5, 3.0);
  std::vector<Row> rows = {
      {"as even as chance", judged(10'000, found(1.04), many), Cause::none,
       "as even as an ideal random hash (1.02 to 1.08)"},
      {"evener than chance", judged(1024, found(1.00, 8, 0), thousand), Cause::none, "evener than chance"},
      {"all on one queue", judged(1024, found(8.0, 1, 7168), thousand), Cause::hash,
       "bond-l34 puts 1,024 flows on 1 of 8 queues, max/mean 8.00"},
      {"half of the queues, though max/mean may be chance", judged(64, found(2.0, 4, 64), few), Cause::hash,
       "bond-l34 puts 64 flows on 4 of 8 queues, chi-squared 64 where an ideal random hash gives 2 to 19"},
      {"sure, and not worth a word", judged(100'000'000, found(1.01, 8, 900), ideal(1.0, 1.001)), Cause::none,
       "Even"},
      {"the table", judged(100'000, found(1.8, 8, 9000), many), Cause::table,
       "maglev with 11 buckets cannot give the queues their shares"},
      {"few flows", judged(16, found(2.0), few), Cause::few_flows,
       "16 keys on 8 queues are this uneven by chance"},
      {"one flow", judged(1, found(8.0, 1), ideal(8.0, 8.0)), Cause::few_flows, "1 key on 8 queues is this"},
      {"64 queue pairs with one key", judged(64, found(8.0, 1, 448), ideal(1.3, 1.9)), Cause::fields,
       "tell 1 of 64 flows apart"},
      {"shared keys, as even as keys of their own", judged(64, found(1.5), ideal(1.3, 1.9)), Cause::few_flows,
       "this uneven by chance"},
      {"a few flows carry all packets", judged(10'000, found(1.04), many), Cause::large_flows,
       "the largest flow has 25.0 % of the packets"},
      {"not many flows, and a few carry most", judged(1040, found(1.13), thousand), Cause::large_flows,
       "max/mean is 1.13 by flows, as chance has it, and 1.75 by packets"},
      {"one flow of long frames", judged(4001, found(1.05), many), Cause::large_flows,
       "the largest flow has 51.0 % of the bytes"}};
  for (const size_t collapsed : {2, 3}) rows[collapsed].judged.hash.algorithm = core::HashAlgorithm::bond_l34;
  rows[5].judged.of_table = ideal(1.7, 1.9);
  rows[5].judged.of_table.chi_squared = draws(8000, 10'000);
  Judged& one_key = rows[8].judged;
  one_key.keys = 1;
  one_key.of_keys = one_key.of_table = ideal(8.0, 8.0);
  one_key.of_keys.chi_squared = one_key.of_table.chi_squared = draws(448, 448);
  rows[9].judged.of_keys = rows[9].judged.of_table = ideal(1.5, 2.5);
  rows[10].judged.packets = load(10'000, 2500, 2.5, ideal(2.0, 4.0));
  rows[11].judged.packets = load(38'255, 1913, 1.75, ideal(1.5, 2.5));
  rows[12].judged.packets = load(4030, 30, 1.05, many);
  rows[12].judged.bytes = load(526'000, 268'260, 4.6, ideal(4.0, 5.0));
  return rows;
}

TEST(Verdict, NamesTheCause) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const Cause cause = cause_of(row.judged);
    EXPECT_EQ(name_of(cause), name_of(row.cause));
    const std::string first = sentences_of(row.judged, cause).front();
    EXPECT_NE(first.find(row.says), std::string::npos) << first;
  }
}

TEST(Verdict, AdviceFitsTheHash) {
  Judged collapsed = judged(1024, found(8.0, 1), ideal(1.05, 1.25));
  const auto advice = [&](core::HashAlgorithm algorithm, core::ToeplitzKey key) {
    collapsed.hash = {.algorithm = algorithm, .key = key};
    return sentences_of(collapsed, Cause::hash).at(1);
  };
  using core::HashAlgorithm, core::ToeplitzKey;
  EXPECT_NE(
      advice(HashAlgorithm::bond_l2, ToeplitzKey::microsoft).find("MAC addresses and sees nothing else"),
      std::string::npos);
  EXPECT_NE(advice(HashAlgorithm::bond_l23, ToeplitzKey::microsoft).find("XOR"), std::string::npos);
  EXPECT_NE(advice(HashAlgorithm::toeplitz, ToeplitzKey::symmetric).find("XOR"), std::string::npos);
  EXPECT_EQ(advice(HashAlgorithm::toeplitz, ToeplitzKey::microsoft).find("XOR"), std::string::npos);
  EXPECT_NE(advice(HashAlgorithm::jenkins, ToeplitzKey::microsoft).find("another seed"), std::string::npos);
}

// facts of balls in bins: with so many flows the simulated mean is at the wanted figure, within a tenth of
// it.
TEST(Verdict, FlowsNeededAreEnough) {
  for (const uint32_t slots : {4u, 8u, 16u, 64u}) {
    const std::array<WeightClass, 1> flows = {{{1, flows_needed(slots, 1.10)}}};
    const std::vector<double> shares(slots, 1.0 / slots);
    const double mean = ideal_spread(flows, shares, 400).max_over_mean.mean;
    EXPECT_LT(mean, 1.10) << slots;
    EXPECT_GT(mean, 1.04) << slots;
  }
}

}  // namespace
