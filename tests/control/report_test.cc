// SPDX-License-Identifier: BSD-3-Clause
// When the books balance, and what the two faces of a report say.
#include "control/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "control/words.h"

namespace {

// Two ports; 10 packets came in by the first, 9 left by the second, one was a runt.
control::Report balanced_report() {
  control::Report report;
  report.mode = "gateway";
  report.seconds = 2;
  report.ports.resize(2);
  control::PortReport& in = report.ports[0];
  in.device = "net_a";
  in.group = "access";
  in.rx_packets = in.from_here.rx_packets = 10;
  in.rx_bytes = in.from_here.rx_bytes = 640;
  in.from_here.sent = 9;
  in.from_here.dropped[static_cast<size_t>(core::DropReason::runt)] = 1;
  control::PortReport& out = report.ports[1];
  out.device = "net_b";
  out.group = "uplink";
  out.tx_packets = 9;
  out.tx_bytes = 576;
  report.members = {{"net_a", "access", true, "up", 1, 0, 0, {{}}},
                    {"net_b", "uplink", true, "up", 1, 9, 576, {{5, 320}, {4, 256}}}};
  report.groups = {{"access", 0, 0, 1, true, {}, {}, true, {}},
                   {"uplink", 9, 4, 2, true, {1.1, 0.98}, {1.4, 1.6}, true, {}}};
  report.lcores = {{1, 0.5, 12.5}};
  report.final = true;
  report.pool_mbufs = report.pool_back = 100;
  return report;
}

TEST(Report, BalancesOrNot) {
  struct Row {
    const char* name;
    void (*change)(control::Report&);
    bool balanced;
  };
  for (const Row& row :
       {Row{"as it is", [](control::Report&) {}, true},
        Row{"a packet vanished", [](control::Report& r) { --r.ports[0].from_here.sent; }, false},
        Row{"a port sent more than was sent", [](control::Report& r) { ++r.ports[1].tx_packets; }, false},
        Row{"an mbuf is not back", [](control::Report& r) { --r.pool_back; }, false},
        Row{"while running mbufs are out", [](control::Report& r) { r.final = false, r.pool_back = 0; },
            true},
        Row{"the driver counts nothing", [](control::Report& r) { r.ports[1].driver = {}; }, true},
        Row{"the driver agrees", [](control::Report& r) { r.ports[1].driver.tx_packets = 9; }, true},
        Row{"sent or failed",
            [](control::Report& r) { r.ports[1].driver = {.tx_packets = 7, .tx_errors = 2}; }, true},
        Row{"the driver lost one", [](control::Report& r) { r.ports[1].driver.tx_packets = 8; }, false},
        Row{"held is accounted for",
            [](control::Report& r) {
              ++r.ports[0].from_here.rx_packets;
              ++r.ports[0].from_here.held;
            },
            true}}) {
    SCOPED_TRACE(row.name);
    control::Report report = balanced_report();
    row.change(report);
    EXPECT_EQ(report.balanced(), row.balanced);
    const auto json = nlohmann::json::parse(control::to_json(report));
    EXPECT_EQ(json["ledger"]["balanced"], row.balanced);
    const bool text_says_so = control::to_text(report).find("the ledger balances") != std::string::npos;
    EXPECT_EQ(text_says_so, row.balanced);
  }
}

TEST(Report, JsonHasTheDocumentedShape) {
  const auto json = nlohmann::json::parse(control::to_json(balanced_report()));
  EXPECT_EQ(json["seconds"], 2.0);
  EXPECT_EQ(json["ports"][0]["device"], "net_a");
  EXPECT_EQ(json["ports"][0]["rx_bytes"], 640);
  EXPECT_EQ(json["ports"][1]["tx_packets"], 9);
  EXPECT_EQ(json["members"][1]["queues"][1], (nlohmann::json{{"queue", 1}, {"packets", 4}, {"bytes", 256}}));
  EXPECT_EQ(json["fairness"]["group"], "uplink");  // the busier group
  EXPECT_EQ(json["fairness"]["max_over_mean"], 1.1);
  EXPECT_EQ(json["fairness"]["ideal_random_max_over_mean"], 1.4);
  EXPECT_EQ(json["dropped"], (nlohmann::json{{"runt", 1}}));
  EXPECT_EQ(json["ledger"]["received"], 10);
  EXPECT_EQ(json["ledger"]["dropped"], 1);
  EXPECT_EQ(json["moved"], (nlohmann::json{{"buckets", 0}, {"needed", 0}}));
  EXPECT_EQ(json["lcores"][0]["worst_round_us"], 12.5);
}

TEST(Report, TextSaysWhetherChanceIsToBlame) {
  control::Report report = balanced_report();
  EXPECT_NE(control::to_text(report).find("as even as so few flows can be"), std::string::npos);
  report.groups[1].flows = 32;
  EXPECT_NE(control::to_text(report).find("as even as so many flows can be"), std::string::npos);
  report.groups[1].fairness.max_over_mean = 1.9;
  EXPECT_NE(control::to_text(report).find("less even than chance"), std::string::npos);
  report.groups[1].equal_shares = false;
  EXPECT_NE(control::to_text(report).find("unequal weights have no yardstick"), std::string::npos);
}

// A fairness of 0 says nothing: the gateway's own probes are spread by no rule.
TEST(Report, TextTellsFairnessOfWhatWasForwarded) {
  struct Row {
    const char* name;
    void (*change)(control::GroupReport&);
    const char* line;  // empty: none
  };
  for (const Row& row : {Row{"two queues", [](control::GroupReport&) {},
                             "fairness over 2 queues: max/mean 1.100, Jain 0.9800\n"},
                         Row{"one queue", [](control::GroupReport& g) { g.queues = 1; },
                             "fairness over 1 queue: max/mean 1.100, Jain 0.9800\n"},
                         Row{"probes only", [](control::GroupReport& g) { g.flows = 0; }, ""},
                         Row{"probes only, by members that are down",
                             [](control::GroupReport& g) { g.flows = g.queues = 0, g.fairness = {}; }, ""},
                         Row{"probes only, all else was dropped",
                             [](control::GroupReport& g) { g.queues = 0, g.fairness = {}; }, ""}}) {
    SCOPED_TRACE(row.name);
    control::Report report = balanced_report();
    row.change(report.groups[1]);
    const std::string text = control::to_text(report);
    EXPECT_NE(text.find("to uplink"), std::string::npos) << text;
    EXPECT_EQ(text.find("fairness") != std::string::npos, *row.line != 0) << text;
    EXPECT_NE(text.find(row.line), std::string::npos) << text;
    EXPECT_EQ(text.find("verdict") != std::string::npos, *row.line != 0) << text;
  }
}

// 14.88 million frames of 64 bytes (60 here, without FCS) a second fill ten gigabits.
TEST(Report, UseOfALinkCountsWhatStandsAroundAFrame) {
  control::PortReport port;
  port.tx_packets = 14'880'952;
  port.tx_bytes = port.tx_packets * 60;
  EXPECT_EQ(port.use(1), 0);  // no speed known
  port.speed_bps = 10'000'000'000;
  EXPECT_NEAR(port.use(1), 1, 1e-6);
  EXPECT_NEAR(port.use(2), 0.5, 1e-6);
}

TEST(Report, StatsLineIsOfTheInterval) {
  control::Report before = balanced_report(), now = balanced_report();
  before.seconds = 1;
  now.seconds = 3;
  now.ports[0].rx_packets += 4'000'000;
  now.ports[1].tx_bytes += 1'000'000'000;
  const std::string line = control::stats_line(before, now);
  EXPECT_NE(line.find("RX 2.000 Mpps"), std::string::npos) << line;
  EXPECT_NE(line.find("4.000 Gbit/s  held"), std::string::npos) << line;
}

TEST(Words, Numbers) {
  EXPECT_EQ(control::grouped(0), "0");
  EXPECT_EQ(control::grouped(999), "999");
  EXPECT_EQ(control::grouped(1000), "1,000");
  EXPECT_EQ(control::grouped(1234567), "1,234,567");
  EXPECT_EQ(control::counted(0, "queue"), "0 queues");
  EXPECT_EQ(control::counted(1, "queue"), "1 queue");
  EXPECT_EQ(control::counted(1234, "queue"), "1,234 queues");
  EXPECT_EQ(control::fixed(1.2345, 2), "1.23");
  EXPECT_EQ(control::padded("ab", 4), "  ab");
  EXPECT_EQ(control::padded("ab", -4), "ab  ");
  EXPECT_EQ(control::padded("abcde", 4), "abcde");
}

}  // namespace
