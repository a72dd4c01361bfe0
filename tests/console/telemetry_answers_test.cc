// SPDX-License-Identifier: BSD-3-Clause
// What the telemetry socket is told of a report: numbers, rates, pages, and what is wrong with a parameter.
#include "console/telemetry_answers.h"

#include <gtest/gtest.h>

#include "console/sample_report.h"

namespace {

using console_test::sample_report;
using Json = nlohmann::ordered_json;

Json answer(const std::string& command, const control::Report& before, const control::Report& now,
            const std::string& parameter = "") {
  for (const console::TelemetryCommand& row : console::telemetry_commands()) {
    if (row.command == command) return row.answer(before, now, parameter);
  }
  throw std::runtime_error(command + " is no command");
}
Json answer(const std::string& command, const std::string& parameter = "") {
  return answer(command, sample_report(8), sample_report(10), parameter);
}

// A gateway of the largest size, every name and number as long as they get.
control::Report largest() {
  control::Report report = sample_report(1e6);
  const std::string longest(63, 'x');
  report.groups.resize(1, {longest, UINT64_MAX, UINT64_MAX, 4096, true, {64, 1}, {}, true, {}});
  report.groups.resize(core::kMaxGroups, report.groups[0]);
  control::PortReport port = console_test::sample_port(longest, longest, true);
  port.rx_packets = port.rx_bytes = port.tx_packets = port.tx_bytes = port.driver.rx_missed = UINT64_MAX;
  port.from_here.held = UINT64_MAX;
  port.from_here.dropped.fill(UINT64_MAX / core::kDropReasons);
  report.ports.assign(1024, port);
  report.members.assign(
      64, {longest, longest, true, "down (domain)", UINT32_MAX, UINT64_MAX, UINT64_MAX,
           std::vector<control::QueueReport>(core::kMaxQueuesPerNic, {UINT64_MAX, UINT64_MAX})});
  report.lcores.assign(128, {1023, 1, 1e12, 1e6, 1e6});
  return report;
}

TEST(TelemetryAnswers, Numbers) {
  const Json ports = answer("/roceway/ports");
  EXPECT_EQ(ports["rates_over_ms"], 2000);
  EXPECT_EQ(ports["pages"], 1);
  const Json& in = ports["ports"]["0"];
  EXPECT_EQ(in["device"], "0000:01:00.0");
  EXPECT_EQ(in["rx_pps"], 6'000'000);
  EXPECT_EQ(in["rx_bps"], 24'576'000'000);
  EXPECT_EQ(in["use_percent"], 26);  // 6e6 * (512 + 24) * 8 of 1e11
  EXPECT_EQ(in["rx_packets"], 60'000'000);
  EXPECT_EQ(in["dropped"], 15'000);
  EXPECT_EQ(ports["ports"]["1"]["tx_pps"], 1'995'500);

  const Json members = answer("/roceway/members");
  EXPECT_EQ(members["members"].size(), 5u);
  EXPECT_EQ(members["members"]["1"]["share_per_mille"], 333);
  EXPECT_EQ(members["members"]["4"]["state"], "down (link)");

  const Json queues = answer("/roceway/queues");
  EXPECT_EQ(queues["queues"].size(), 10u);
  EXPECT_EQ(queues["queues"]["3"], (Json{{"device", "0000:02:00.0"},
                                         {"group", "uplink"},
                                         {"queue", 1},
                                         {"packets", 9'855'000},
                                         {"bytes", 5'045'760'000}}));

  const Json spread = answer("/roceway/distribution");
  EXPECT_EQ(spread["moved_buckets"], 2048);
  EXPECT_EQ(spread["groups"]["1"]["max_over_mean_per_mille"], 1040);

  const Json ledger = answer("/roceway/ledger");
  EXPECT_EQ(ledger["received"], 60'000'000);
  EXPECT_EQ(ledger["dropped"], 15'000);
  EXPECT_EQ(ledger["unaccounted"], 0);
  EXPECT_EQ(ledger["balanced"], true);

  const Json drops = answer("/roceway/drops");
  EXPECT_EQ(drops["dropped"]["too_big"], 15'000);
  EXPECT_EQ(drops["dropped"]["runt"], 0);
  EXPECT_EQ(drops["ports"]["0"]["dropped"], (Json{{"too_big", 15'000}}));

  const Json lcores = answer("/roceway/lcores");
  EXPECT_EQ(lcores["lcores"]["0"], (Json{{"lcore", 1}, {"busy_percent", 75}, {"worst_round_us", 85}}));
}

TEST(TelemetryAnswers, ParametersThatCannotBe) {
  struct Row {
    const char *command, *parameter, *error;
  };
  for (const Row& row : {Row{"/roceway/ports", "1", "page: found \"1\"; allowed: 0 to 0"},
                         Row{"/roceway/queues", "x", "page: found \"x\"; allowed: 0 to 0"},
                         Row{"/roceway/queues", "0x", "page: found \"0x\"; allowed: 0 to 0"},
                         Row{"/roceway/members", "-1", "page: found \"-1\"; allowed: 0 to 0"},
                         Row{"/roceway/ledger", "1", "found \"1\"; it takes no parameter"}}) {
    EXPECT_EQ(answer(row.command, row.parameter), (Json{{"error", row.error}})) << row.command;
  }
}

TEST(TelemetryAnswers, EveryPageFitsAndPagesHoldEverything) {
  constexpr size_t kMostBytes = 16 * 1024 - 64;  // of an answer, less the command's name
  const control::Report report = largest();
  for (const auto& [command, list, entries] :
       {std::tuple{"/roceway/ports", "ports", 1024}, std::tuple{"/roceway/members", "members", 64},
        std::tuple{"/roceway/queues", "queues", 4096}, std::tuple{"/roceway/drops", "ports", 1024},
        std::tuple{"/roceway/lcores", "lcores", 128}, std::tuple{"/roceway/distribution", "groups", 16}}) {
    SCOPED_TRACE(command);
    size_t told = 0;
    const size_t pages = answer(command, {}, report).value("pages", 1);
    for (size_t page = 0; page < pages; ++page) {
      const Json one = answer(command, {}, report, page == 0 ? "" : std::to_string(page));
      EXPECT_LT(one.dump().size(), kMostBytes);
      EXPECT_LE(one[list].size(), 256u);  // RTE_TEL_MAX_DICT_ENTRIES
      told += one[list].size();
    }
    EXPECT_EQ(told, static_cast<size_t>(entries));
  }
}

TEST(TelemetryAnswers, RatesStartAtLeastASecondAgo) {
  console::RateStart rates;
  for (const auto& [at, from] :
       {std::pair{10.0, 0.0}, {10.5, 0.0}, {11.0, 10.0}, {11.9, 10.0}, {12.5, 11.0}, {60.0, 12.5}})
    EXPECT_EQ(rates.before(sample_report(at)).seconds, from) << at;
}

TEST(TelemetryAnswers, Hash) {
  EXPECT_EQ(console::words_of_tuple("10.0.0.1,10.0.0.2,1,2,udp"),
            (std::vector<std::string>{"10.0.0.1", "10.0.0.2", "1", "2", "udp"}));
  EXPECT_EQ(console::hash_answer({"", "0a000001", 7, 3, "net_null1", 1}),
            (Json{{"key", "0a000001"}, {"hash", 7}, {"bucket", 3}, {"device", "net_null1"}, {"queue", 1}}));
  EXPECT_EQ(console::hash_answer({.problem = "sport: no"}), (Json{{"error", "sport: no"}}));
}

TEST(TelemetryAnswers, HelpFits) {
  for (const console::TelemetryCommand& row : console::telemetry_commands())
    EXPECT_LT(std::string(row.help).size(), 64u) << row.command;
}

}  // namespace
