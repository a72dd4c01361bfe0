// SPDX-License-Identifier: BSD-3-Clause
// The Grafana dashboard asks for nothing that the program does not tell, and for labels that are there.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "console/metrics.h"
#include "console/sample_report.h"

namespace {

using Json = nlohmann::json;

Json dashboard() {
  return Json::parse(std::ifstream(ROCEWAY_SOURCE_DIR "/configs/grafana-dashboard.json"));
}

// Every text under one of `keys`, at any depth.
void collect(const Json& json, const std::set<std::string>& keys, std::vector<std::string>& texts) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) collect(value, keys, texts);
    if (value.is_string() && keys.contains(key)) texts.push_back(value);
  }
}

TEST(Dashboard, EveryMetricAndLabelExists) {
  std::set<std::string> metrics, labels = {"instance", "job"};
  for (const prometheus::MetricFamily& family : console::metrics_of(console_test::sample_report(1))) {
    metrics.insert(family.name);
    for (const auto& label : family.metric.front().label) labels.insert(label.name);
  }
  std::vector<std::string> asked;
  collect(dashboard(), {"expr", "definition", "query"}, asked);
  ASSERT_GT(asked.size(), 15u);
  std::set<std::string> used;
  for (const std::string& text : asked) {
    static const std::regex kMetric("roceway_[a-z_]+");
    for (std::sregex_iterator at(text.begin(), text.end(), kMetric), end; at != end; ++at) {
      EXPECT_TRUE(metrics.contains(at->str())) << at->str() << " in " << text;
      used.insert(at->str());
    }
    static const std::regex kBy("(?:by|on|ignoring|group_left) ?\\(([a-z, ]+)\\)"), kWord("[a-z]+");
    for (std::sregex_iterator at(text.begin(), text.end(), kBy), end; at != end; ++at) {
      const std::string list = (*at)[1];
      for (std::sregex_iterator word(list.begin(), list.end(), kWord); word != end; ++word)
        EXPECT_TRUE(labels.contains(word->str())) << word->str() << " in " << text;
    }
  }
  for (const char* shown :
       {"roceway_port_receive_packets_total", "roceway_dropped_packets_total", "roceway_member_up",
        "roceway_queue_transmit_packets_total", "roceway_group_fairness_max_over_mean",
        "roceway_lcore_busy_seconds_total", "roceway_ledger_balanced"})
    EXPECT_TRUE(used.contains(shown)) << shown;
}

TEST(Dashboard, TakesItsDataSourceFromAVariable) {
  const Json json = dashboard();
  EXPECT_EQ(json["templating"]["list"][0]["type"], "datasource");
  std::set<int> ids;
  for (const Json& panel : json["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second) << panel["title"];
    if (panel["type"] == "row") continue;
    EXPECT_EQ(panel["datasource"]["uid"], "${datasource}") << panel["title"];
  }
}

}  // namespace
