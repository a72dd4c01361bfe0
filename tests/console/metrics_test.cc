// SPDX-License-Identifier: BSD-3-Clause
// What Prometheus is told: each number under its name and labels, and a text that promtool finds nothing
// wrong with.
#include "console/metrics.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "console/sample_report.h"

namespace {

using console_test::sample_report;

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, NumbersAndLabels) {
  const std::string text = console::metrics_text(sample_report(10));
  for (const char* line : {
           "# TYPE roceway_port_receive_packets_total counter",
           "roceway_build_info{version=\"" ROCEWAY_VERSION "\"} 1",
           "roceway_mode_info{mode=\"gateway\"} 1",
           "roceway_running_seconds 10",
           "roceway_port_receive_packets_total{device=\"0000:01:00.0\",group=\"access\"} 60000000",
           "roceway_port_receive_bytes_total{device=\"0000:01:00.0\",group=\"access\"} 30720000000",
           "roceway_port_transmit_packets_total{device=\"0000:02:00.0\",group=\"uplink\"} 19955000",
           "roceway_port_link_up{device=\"0000:02:00.2\",group=\"uplink\"} 1",
           "roceway_port_link_up{device=\"0000:02:00.3\",group=\"uplink\"} 0",
           "roceway_port_speed_bytes_per_second{device=\"0000:02:00.0\",group=\"uplink\"} 12500000000",
           "roceway_dropped_packets_total{device=\"0000:01:00.0\",group=\"access\",reason=\"too_big\"} 15000",
           "roceway_dropped_packets_total{device=\"0000:01:00.0\",group=\"access\",reason=\"runt\"} 0",
           "roceway_seen_packets_total{device=\"0000:01:00.0\",group=\"access\",protocol=\"roce_v2\"} "
           "60000000",
           "roceway_held_packets{device=\"0000:01:00.0\",group=\"access\"} 0",
           "roceway_ledger_unaccounted_packets{device=\"0000:01:00.0\",group=\"access\"} 0",
           "roceway_ledger_balanced 1",
           "roceway_member_up{device=\"0000:02:00.0\",group=\"uplink\"} 1",
           "roceway_member_up{device=\"0000:02:00.3\",group=\"uplink\"} 0",
           "roceway_member_state_info{device=\"0000:02:00.3\",group=\"uplink\",state=\"down (link)\"} 1",
           "roceway_queue_transmit_packets_total{device=\"0000:02:00.1\",group=\"uplink\",queue=\"1\"} "
           "10120000",
           "roceway_group_flows{group=\"uplink\"} 2048",
           "roceway_reordered_packets_total{group=\"uplink\"} 3",
           "roceway_publications_total 2",
           "roceway_moved_buckets 2048",
           "roceway_lcore_busy_ratio{lcore=\"1\"} 0.75",
           "roceway_lcore_busy_seconds_total{lcore=\"2\"} 5",
       }) {
    EXPECT_TRUE(has_line(text, line)) << line << "\nis not in\n" << text;
  }
}

TEST(Metrics, UnknownSpeedAndForeignModesHaveNoMetric) {
  control::Report report = sample_report(1);
  EXPECT_EQ(console::metrics_text(report).find("speed_bytes_per_second{device=\"0000:02:00.3\""),
            std::string::npos);
  report.mode = "io";
  report.members.clear();
  report.groups.clear();
  const std::string text = console::metrics_text(report);
  for (const char* none : {"roceway_seen_packets_total", "roceway_member_up", "roceway_group_flows"})
    EXPECT_EQ(text.find(none), std::string::npos) << none;
  EXPECT_NE(text.find("roceway_port_receive_packets_total"), std::string::npos);
}

TEST(Metrics, BooksThatAreOffByMoreThanBurstsDoNotBalance) {
  control::Report report = sample_report(10);
  report.ports[0].from_here.sent -= report.slack_packets();
  EXPECT_TRUE(has_line(console::metrics_text(report), "roceway_ledger_balanced 1"));
  report.ports[0].from_here.sent -= 1;
  const std::string text = console::metrics_text(report);
  EXPECT_TRUE(has_line(text, "roceway_ledger_balanced 0"));
  EXPECT_TRUE(has_line(text, "roceway_ledger_unaccounted_packets{device=\"0000:01:00.0\",group=\"access\"} " +
                                 std::to_string(report.slack_packets() + 1)));
}

TEST(Metrics, EachFamilyOnceAndEachSeriesOnce) {
  std::set<std::string> names;
  for (const prometheus::MetricFamily& family : console::metrics_of(sample_report(3))) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    std::set<std::vector<prometheus::ClientMetric::Label>> series;
    for (const prometheus::ClientMetric& metric : family.metric)
      EXPECT_TRUE(series.insert(metric.label).second) << family.name;
  }
}

TEST(Metrics, NamesFromOutsideAreEscaped) {
  control::Report report = sample_report(1);
  report.ports[0].device = "a\"b\\c\nd";
  EXPECT_NE(console::metrics_text(report).find("device=\"a\\\"b\\\\c\\nd\""), std::string::npos);
}

TEST(Metrics, PromtoolFindsNothing) {
  if (std::system("command -v promtool >/dev/null") != 0)
    GTEST_SKIP() << "promtool is not there; it comes with Debian's package prometheus";
  FILE* const promtool =
      popen("promtool check metrics 2>&1 >/dev/null | tee /dev/stderr | { ! grep -q .; }", "w");
  ASSERT_NE(promtool, nullptr);
  const std::string text = console::metrics_text(sample_report(10));
  EXPECT_EQ(fwrite(text.data(), 1, text.size(), promtool), text.size());
  EXPECT_EQ(pclose(promtool), 0);
}

}  // namespace
