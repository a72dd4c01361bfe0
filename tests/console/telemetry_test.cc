// SPDX-License-Identifier: BSD-3-Clause
// roceway's commands on DPDK's telemetry socket, asked as dpdk-telemetry.py asks them: in the right shape
// while there is somebody to answer, and an error afterwards.
#include "console/telemetry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "console/sample_report.h"
#include "system/telemetry.h"

namespace {

using system_test::Json;

// Of this process: EalOnce names it so.
std::string prefix() {
  return "roceway-test-" + std::to_string(getpid());
}

Json ask(const std::string& question) {
  Json answer = system_test::Telemetry(prefix()).ask(question);
  return answer.at(question.substr(0, question.find(',')));
}

std::optional<console::HashExplained> explain(const std::vector<std::string>& words) {
  if (words[4] != "udp")
    return console::HashExplained{.problem = "PROTO: found \"" + words[4] + "\"; allowed: udp"};
  return console::HashExplained{"", "0a0000010a000002", 0xfeedf00d, 42, "0000:02:00.1", 1};
}

TEST(Telemetry, AnswersEveryCommand) {
  const console::Telemetry telemetry([] { return console_test::sample_report(10); }, explain);
  const Json ports = ask("/roceway/ports");

  EXPECT_EQ(ports["ports"].size(), 5u);
  EXPECT_EQ(ports["ports"]["0"]["device"], "0000:01:00.0");
  EXPECT_EQ(ports["ports"]["0"]["rx_pps"], 6'000'000);
  EXPECT_EQ(ports["ports"]["4"]["link_up"], 0);
  EXPECT_EQ(ask("/roceway/members")["members"]["4"]["state"], "down (link)");
  EXPECT_EQ(ask("/roceway/queues,0")["queues"]["3"]["packets"], 9'855'000);
  EXPECT_EQ(ask("/roceway/queues,1")["error"], "page: found \"1\"; allowed: 0 to 0");
  EXPECT_EQ(ask("/roceway/distribution")["groups"]["1"]["flows"], 2048);
  EXPECT_EQ(ask("/roceway/ledger")["balanced"], 1);
  EXPECT_EQ(ask("/roceway/drops")["ports"]["0"]["dropped"]["too_big"], 15'000);
  EXPECT_EQ(ask("/roceway/lcores")["lcores"]["1"]["busy_percent"], 50);
  EXPECT_EQ(ask("/roceway/hash,10.0.0.1,10.0.0.2,1,2,udp"), (Json{{"key", "0a0000010a000002"},
                                                                  {"hash", 0xfeedf00d},
                                                                  {"bucket", 42},
                                                                  {"device", "0000:02:00.1"},
                                                                  {"queue", 1}}));
  EXPECT_EQ(ask("/roceway/hash,10.0.0.1,10.0.0.2,1,2,tcp")["error"], "PROTO: found \"tcp\"; allowed: udp");
  EXPECT_EQ(ask("/roceway/hash")["error"], "found 0 words; allowed: SRC,DST,SPORT,DPORT,PROTO");
}

TEST(Telemetry, HelpIsThere) {
  const console::Telemetry telemetry([] { return console_test::sample_report(1); }, explain);
  EXPECT_EQ(ask("/help,/roceway/queues")["/roceway/queues"],
            "Packets of each queue of the rule. Parameter: int page");
}

TEST(Telemetry, TextsComeWholeOrCutNeverBroken) {
  control::Report report = console_test::sample_report(1);
  report.ports[0].device = "a\"b\\c";
  report.ports[1].device = std::string(300, 'x');
  const console::Telemetry telemetry([report] { return report; }, explain);
  const Json ports = ask("/roceway/ports")["ports"];
  EXPECT_EQ(ports["0"]["device"], "a\"b\\c");
  EXPECT_EQ(ports["1"]["device"], std::string(127, 'x'));
}

TEST(Telemetry, AnswersAnErrorWhenNobodyIsThere) {
  {
    const console::Telemetry telemetry([] { return console_test::sample_report(10); }, explain);
  }
  EXPECT_EQ(ask("/roceway/ports")["error"], "roceway is ending");
  EXPECT_EQ(ask("/roceway/hash,1,2,3,4,udp")["error"], "roceway is ending");
  const console::Telemetry telemetry([]() -> std::optional<control::Report> { return std::nullopt; },
                                     explain);
  EXPECT_EQ(ask("/roceway/ledger")["error"], "roceway is ending");
}

TEST(Telemetry, WaitsForAnswersThatAreBeingMade) {
  std::promise<void> asked, may_answer;
  std::atomic<bool> answered = false;
  auto telemetry = std::make_unique<console::Telemetry>(
      [&] {
        asked.set_value();
        may_answer.get_future().wait();
        answered = true;
        return console_test::sample_report(10);
      },
      explain);
  std::thread client([] { EXPECT_EQ(ask("/roceway/ledger")["balanced"], 1); });
  asked.get_future().wait();
  std::thread ending([&] {
    telemetry.reset();
    EXPECT_TRUE(answered);
  });
  may_answer.set_value();
  ending.join();
  client.join();
}

}  // namespace
