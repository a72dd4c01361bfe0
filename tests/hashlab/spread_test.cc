// SPDX-License-Identifier: BSD-3-Clause
// Commands spread and compare as main runs them: what they find, and that their verdicts name what is to
// blame.
#include <gtest/gtest.h>

#include "hashlab/run_command.h"

namespace {

using namespace hashlab;
using test_support::cell;
using test_support::refusal_of;
using test_support::run_command;
using test_support::table_of;

std::string all_verdicts(const Report& report) {
  std::string text;
  for (const std::string& verdict : report.verdicts) text += verdict + "\n";
  return text;
}

struct Case {
  std::vector<std::string> arguments;
  double max_over_mean;  // of the first hash, by flows, over queues
  uint64_t used;
  const char* verdict;
};

// max/mean of the collapse cases: facts of XOR and of the symmetric Toeplitz key.
TEST(Spread, CollapsesAreFoundAndNamed) {
  const Case rows[] = {
      {{"--pattern", "counting", "--hash", "bond-l34", "--nics", "4", "--queues", "1"},
       4,
       1,
       "bond-l34 puts 1,024 flows on 1 of 4 queues"},
      {{"--pattern", "counting", "--hash", "toeplitz-symmetric", "--nics", "16", "--queues", "1"},
       16,
       1,
       "toeplitz-symmetric puts 1,024 flows on 1 of 16 queues"},
      {{"--pattern", "same-ports", "--hash", "bond-l34", "--nics", "8", "--queues", "1"},
       8,
       1,
       "The hash is to blame"},
      {{"--pattern", "same-ports", "--hash", "toeplitz-symmetric", "--nics", "2", "--queues", "1"},
       2,
       1,
       "The hash is to blame"},
      {{"--pattern", "even-ports", "--flows", "64", "--hash", "bond-l34", "--nics", "4", "--queues", "1"},
       2,
       2,
       "bond-l34 puts 64 flows on 2 of 4 queues"},
      {{"--pattern", "all-reduce", "--hosts", "2", "--qps", "16", "--fields", "src_ip,dst_ip", "--nics", "8",
        "--queues", "1"},
       4,
       2,
       "The fields are to blame: src_ip,dst_ip tell 2 of 32 flows apart"},
      {{"--pattern", "even-ports", "--flows", "64", "--hash", "bond-l34", "--nics", "8", "--queues", "1"},
       2,
       4,
       "bond-l34 puts 64 flows on 4 of 8 queues, chi-squared 64"},
      {{"--pattern", "counting", "--hash", "toeplitz-microsoft", "--nics", "4", "--queues", "1"},
       1,
       4,
       "evener than chance"},
  };
  for (const Case& row : rows) {
    const Report report = run_command(kSpread, row.arguments);
    SCOPED_TRACE(report.title + ": " + all_verdicts(report));
    const Table& evenness = table_of(report, "evenness");
    EXPECT_NEAR(std::get<double>(cell(evenness, 0, "max_over_mean")), row.max_over_mean, 1e-9);
    EXPECT_EQ(cell(evenness, 0, "used"), Value(row.used));
    EXPECT_NE(all_verdicts(report).find(row.verdict), std::string::npos);
  }
}

TEST(Spread, WhatIsNotTheHashsFaultIsNotBlamedOnIt) {
  struct Row {
    std::vector<std::string> arguments;
    const char* verdict;
  };
  const Row rows[] = {
      {{"--pattern", "random", "--flows", "100k", "--reduction", "maglev", "--maglev-slots", "11"},
       "The table is to blame: maglev with 11 buckets"},
      {{"--pattern", "random", "--flows", "10k", "--weights", "3,1", "--nics", "2", "--buckets-per-queue",
        "1"},
       "The table is to blame: resilient with 4 buckets"},
      {{"--pattern", "elephants", "--flows", "20k", "--mice", "1,2,4"}, "A few large flows are to blame"},
      {{"--pattern", "all-to-all", "--hosts", "24", "--qps", "2", "--symmetric"}, "Even: "},
      {{"--pattern", "random", "--hash", "bond-l2"}, "XOR of the two MAC addresses and sees nothing else"},
  };
  for (const Row& row : rows) {
    const std::string verdicts = all_verdicts(run_command(kSpread, row.arguments));
    EXPECT_NE(verdicts.find(row.verdict), std::string::npos) << verdicts;
  }
}

TEST(Spread, WeightsAndLossesShareAsTheTableDoes) {
  const Report report = run_command(kSpread, {"--pattern", "random", "--flows", "200k", "--nics", "4",
                                              "--weights", "3,1,0,2", "--down", "3"});
  const Table& nics = table_of(report, "nics");
  const auto flows = [&](size_t nic) { return std::get<uint64_t>(cell(nics, nic, "flows")); };
  EXPECT_NEAR(static_cast<double>(flows(0)) / static_cast<double>(flows(1)), 3, 0.1);
  EXPECT_EQ(flows(2), 0u);
  EXPECT_EQ(flows(3), 0u);
  const Table& evenness = table_of(report, "evenness");
  EXPECT_EQ(cell(evenness, 0, "used"), Value(uint64_t{4}));
  EXPECT_LT(std::get<double>(cell(evenness, 0, "max_over_mean")), 1.05);
}

// Lines for packets and bytes appear where they differ from those of flows.
TEST(Spread, AlikeFlowsHaveOneLine) {
  EXPECT_EQ(table_of(run_command(kSpread, {"--pattern", "random"}), "evenness").rows.size(), 2u);
  EXPECT_EQ(table_of(run_command(kSpread, {"--pattern", "clos"}), "evenness").rows.size(), 6u);
}

TEST(Compare, RanksAndBlames) {
  const Report report =
      run_command(kCompare, {"--pattern", "counting", "--seeds", "50", "--nics", "4", "--queues", "2"});
  const Table& ranking = table_of(report, "ranking");
  ASSERT_EQ(ranking.rows.size(), 9u * 6);
  for (size_t row = 1; row < ranking.rows.size(); ++row) {
    EXPECT_LE(std::get<double>(cell(ranking, row - 1, "max_over_mean")),
              std::get<double>(cell(ranking, row, "max_over_mean")));
  }
  const std::string text = all_verdicts(report);
  for (const char* name : {"bond-l2", "bond-l23", "bond-l34", "toeplitz-symmetric"}) {
    EXPECT_NE(text.find(std::string(name) + " (max/mean up to 8.00, over 5 of 6 choices of fields)"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(text.find("the fields are to blame: src_port,dst_port (keys: 1)."), std::string::npos) << text;
}

// A CRC under another seed is the same hash with the queues renamed; Jenkins is another.
TEST(Compare, SeedsOfALinearHashDoNotHelp) {
  const Report report = run_command(kCompare, {"--pattern", "random", "--hash", "jenkins,crc32c", "--fields",
                                               "src_ip,dst_ip,src_port,dst_port", "--seeds", "200"});
  const Table& ranking = table_of(report, "ranking");
  for (size_t row = 0; row < 2; ++row) {
    const bool alike = cell(ranking, row, "seeds_p5") == cell(ranking, row, "seeds_p95");
    EXPECT_EQ(alike, cell(ranking, row, "hash") == Value(std::string("crc32c")));
  }
}

TEST(Spread, RefusesBeforeItReads) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    return refusal_of([&] { run_command(kSpread, arguments); });
  };
  EXPECT_EQ(refused({}), "no input: give a capture, or --pattern KIND; --help tells more");
  EXPECT_EQ(refused({"a.pcap", "--pattern", "random"}), "a.pcap: a capture or --pattern, not both");
  EXPECT_EQ(refused({"a.pcap", "b.pcap"}), "b.pcap: one capture only");
  EXPECT_EQ(refused({"a.pcap", "--nics", "65"}), "--nics 65: out of range; allowed: 1 to 64");
  EXPECT_EQ(refused({"a.pcap", "--weights", "1,2"}),
            "--weights 1,2: 2 of them; allowed: one for each of the 4 NICs");
  EXPECT_EQ(refused({"a.pcap", "--nics", "1", "--down", "0"}),
            "--down, --weights: no NIC is left that may be used");
  EXPECT_EQ(refused({"a.pcap", "--nics", "64", "--queues", "64", "--buckets-per-queue", "17"}),
            "--buckets-per-queue 17: out of range; allowed: 1 to 16");
  EXPECT_EQ(refused({"a.pcap", "--zipf", "1"}), "--zipf 1: belongs to --pattern, not to a capture");
  EXPECT_EQ(refused({"--pattern", "random", "--hosts", "4"}),
            "--hosts 4: means nothing to --pattern random, only to roce-qps, clos, all-reduce or all-to-all");
  EXPECT_EQ(refused({"--pattern", "random", "--mtu", "100"}),
            "--mtu 100: belongs to a capture, not to --pattern");
  EXPECT_EQ(refused({"--pattern", "elephants", "--zipf", "1", "--mice", "1,2"}),
            "--mice --zipf: one of them only");
  EXPECT_EQ(refused({"a.pcap", "--maglev-slots", "7"}), "--maglev-slots 7: belongs to --reduction maglev");
  EXPECT_EQ(refused({"a.pcap", "--reduction", "modulo", "--buckets-per-queue", "3"}),
            "--buckets-per-queue 3: belongs to --reduction resilient");
  EXPECT_EQ(refused({"a.pcap", "--hash", "bond-l34", "--seed", "7"}), "--seed 7: bond-l34 takes none");
  EXPECT_EQ(refused({"a.pcap", "--port-ranges", "1-2"}),
            "--port-ranges 1-2: means nothing without port_range among the --fields");
  EXPECT_EQ(refused({"a.pcap", "--trials", "1"}), "--trials 1: out of range; allowed: 100 to 1000000");
  EXPECT_EQ(refused({"a.pcap", "--reduction", "maglev", "--maglev-slots", "1000"}),
            "--maglev-slots 1000: not a prime; try 251, 1021, 4093 or 65537");
}

}  // namespace
