// SPDX-License-Identifier: BSD-3-Clause
// The status page in a headless Chromium: what a reader sees after some seconds of a known run, and that the
// page makes no complaint. Chromium's virtual time makes the seconds, so nothing waits.
#include "console/status_page.h"

#include <gtest/gtest.h>

#include <atomic>

#include "console/sample_report.h"
#include "console/web_server.h"
#include "system/program.h"

namespace {

using console::WebServer;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class StatusPage : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null") != 0) GTEST_SKIP() << "chromium is not there";
  }
  // The page after five virtual seconds, and on stderr what it said to the console.
  test_support::Ended show(const WebServer& server) const {
    return test_support::Process(
               "chromium",
               {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--no-first-run",
                "--user-data-dir=" + (folder_.path() / "profile").string(), "--enable-logging=stderr",
                "--virtual-time-budget=5000", "--dump-dom", server.url()},
               {folder_.path(), {{"HOME", folder_.path().string()}}})
        .wait();
  }
  // Each question a second later than the one before.
  console::ReadReport a_second_each() {
    return [this] { return console_test::sample_report(10 + seconds_++); };
  }

 private:
  system_test::TempFolder folder_;
  std::atomic<int> seconds_ = 0;
};

TEST_F(StatusPage, ShowsTheNumbersOfTheRun) {
  const WebServer server("127.0.0.1:0", a_second_each());
  const test_support::Ended ended = show(server);
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* seen : {
           "mode gateway, forwarding for 1",
           "4 of 5 members up",
           "books balance",
           "live",
           "data-rx=\"6000000\"",    // a second of the access port
           "data-tx=\"1995500\"",    // and of a NIC
           "24.6 Gbit/s",            // 6 Mpps of 512 bytes
           "25.7 %",                 // with what is around each frame, of 100 Gbit/s: 6e6 * 536 * 8 / 1e11
           "data-share=\"0.3327\"",  // 1,995,500 of 5,998,500
           "data-share=\"0.0000\"",
           "about 2,048 flows over 6 queues",
           "chance alone: up to 1.1",
           "as even as so many flows can be",
           "down (link)",
           "data-reason=\"too_big\"",
           "1.50 kpps",
           "75.0 % busy",
           "50.0 % busy",
           "worst round 85",
           "2,048 of 8,192 buckets moved",
           "✓ balances",
       }) {
    EXPECT_TRUE(has(ended.out, seen)) << seen << "\nis not in\n"
                                      << ended.out.substr(ended.out.find("<body>"), 9000);
  }
  EXPECT_FALSE(has(ended.err, "CONSOLE")) << ended.err;
  EXPECT_FALSE(has(ended.out, "NaN"));
  EXPECT_FALSE(has(ended.out, "undefined</"));
}

TEST_F(StatusPage, OtherModesAndEmptyRunsShowNoNonsense) {
  control::Report report;
  report.mode = "io";
  report.ports = {console_test::sample_port("net_null0", "", true),
                  console_test::sample_port("<b>x</b>", "", false)};
  const WebServer server("127.0.0.1:0", [report, seconds = 0]() mutable {
    report.seconds = report.uptime_s = ++seconds;
    report.forwarding = true;
    return report;
  });
  const test_support::Ended ended = show(server);
  EXPECT_TRUE(has(ended.out, "no packet dropped"));
  EXPECT_TRUE(has(ended.out, "&lt;b&gt;x&lt;/b&gt;"));  // a name is text, whatever is in it
  EXPECT_FALSE(has(ended.out, "NaN"));
  EXPECT_FALSE(has(ended.err, "CONSOLE")) << ended.err;
}

// A member that has just got most of the weight: the columns of all others are cut off and say so.
TEST_F(StatusPage, CutsColumnsOffThatWouldFlattenAllOthers) {
  const WebServer server("127.0.0.1:0", [seconds = 0]() mutable {
    control::Report report = console_test::sample_report(10 + seconds++);
    for (control::MemberReport& member : report.members) member.weight = 1;
    report.members[1].weight = 1000;
    for (control::GroupReport& group : report.groups) group.equal_shares = false;
    return report;
  });
  const test_support::Ended ended = show(server);
  EXPECT_TRUE(has(ended.out, "columns end at 100.0 % above and below")) << ended.err;
  EXPECT_TRUE(has(ended.out, "of them farther above: up to "));
  EXPECT_TRUE(has(ended.out, "class=\"over cut\""));
  EXPECT_TRUE(has(ended.out, ", beyond the scale"));
}

TEST_F(StatusPage, SaysWhenNobodyAnswers) {
  const WebServer server("127.0.0.1:0", [asked = 0]() mutable -> std::optional<control::Report> {
    if (++asked > 2) return std::nullopt;
    return console_test::sample_report(asked);
  });
  const test_support::Ended ended = show(server);
  EXPECT_TRUE(has(ended.out, "connection lost"));
  EXPECT_TRUE(has(ended.out, "No answer from roceway since "));
  EXPECT_TRUE(has(ended.out, "data-rx=\"6000000\""));  // the last numbers stay
}

// One file: nothing in it names another server, and what may run is named by its hash.
TEST(StatusPageText, AsksNobodyElse) {
  const std::string page(console::kStatusPage);
  for (size_t at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1)) {
    EXPECT_EQ(page.compare(at, 26, "http://www.w3.org/2000/svg"), 0) << page.substr(at, 60);
  }
  EXPECT_FALSE(has(page, "src=")) << "an outside file";
  EXPECT_FALSE(has(page, "@import"));
  const std::string policy(console::kStatusPagePolicy);
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_FALSE(has(policy, "unsafe"));
}

}  // namespace
