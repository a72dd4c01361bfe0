// SPDX-License-Identifier: BSD-3-Clause
// Lines of what was decided: the rule with its numbers, and what becomes of packets for a group that nobody
// is left in.
#include "control/describe.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

core::PortFacts device(const std::string& name) {
  core::PortFacts facts;
  facts.device = name;
  facts.max_rx_queues = facts.max_tx_queues = 64;
  return facts;
}

// A port for each of `groups`.
core::Settings gateway_of(const std::vector<std::string>& groups) {
  core::Settings settings;
  settings.engine.mode = core::Mode::gateway;
  for (const std::string& group : groups) {
    settings.ports.push_back({.device = "net_null" + std::to_string(settings.ports.size()), .group = group});
  }
  return settings;
}

struct Built {
  std::vector<core::PortFacts> facts;
  core::Layout layout;
  core::Plan plan;
};

Built built(const core::Settings& settings, unsigned workers, const std::vector<bool>& up = {}) {
  Built out;
  for (const core::PortSettings& port : settings.ports) out.facts.push_back(device(port.device));
  out.layout = core::lay_out_queues(settings, out.facts, workers);
  out.plan = core::make_plan(settings, out.facts, out.layout, up);
  return out;
}

TEST(Describe, TheRuleWithItsNumbers) {
  const struct {
    std::vector<std::string> groups;
    unsigned workers;
    uint16_t buckets_per_queue;
    std::string rule;  // of uplink
  } rows[] = {
      {{"access", "uplink"}, 1, 1, "% (1 queue x 1 NIC), nic = q / 1; 1 bucket"},
      {{"access", "uplink"}, 2, 64, "% (2 queues x 1 NIC), nic = q / 2; 128 buckets"},
      {{"access", "uplink", "uplink"}, 1, 64, "% (1 queue x 2 NICs), nic = q / 1; 128 buckets"},
      {{"access", "uplink", "uplink"}, 2, 512, "% (2 queues x 2 NICs), nic = q / 2; 2,048 buckets"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.rule);
    core::Settings settings = gateway_of(row.groups);
    settings.distribution.buckets_per_queue = row.buckets_per_queue;
    const Built all = built(settings, row.workers);
    const std::vector<std::string> lines = control::describe(settings, all.facts, all.layout, {}, all.plan,
                                                             std::vector<unsigned>(row.workers, 1));
    const std::string expected = "  to uplink: q = jenkins(src_ip, dst_ip, src_port, dst_port) " + row.rule;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), expected), 1);
  }
}

// Ports 0 to 3 are local, east, west and lab.
TEST(NobodyLeft, TellsWhatBecomesOfPackets) {
  const std::string dropped = "its packets are dropped until a member returns";
  const core::RouteSettings to_east{.from = "local", .to = "east"};
  const core::RouteSettings or_west{.from = "local", .to = "east", .fallback = "west"};
  const core::RouteSettings or_lab{.from = "west", .to = "east", .fallback = "lab"};
  const struct {
    std::string name;
    std::vector<core::RouteSettings> routes;
    std::vector<bool> up;
    size_t group;
    std::string expected;
  } rows[] = {
      {"no fallback", {to_east}, {true, false, true, true}, 1, "nobody is left in east: " + dropped},
      {"a fallback",
       {or_west},
       {true, false, true, true},
       1,
       "nobody is left in east: its packets go to fallback west"},
      {"a fallback that is lost too",
       {or_west},
       {true, false, false, true},
       1,
       "nobody is left in east: " + dropped},
      {"a fallback that was in use",
       {or_west},
       {true, false, false, true},
       2,
       "nobody is left in west: " + dropped},
      {"a fallback that was not in use", {or_west}, {true, true, false, true}, 2, "nobody is left in west"},
      {"two fallbacks",
       {or_west, or_lab, or_west},
       {true, false, true, true},
       1,
       "nobody is left in east: its packets go to fallback west or lab"},
      {"one of two routes has one",
       {or_west, {.from = "lab", .to = "east"}},
       {true, false, true, true},
       1,
       "nobody is left in east: its packets go to fallback west, those of a route without one are dropped "
       "until a member returns"},
      {"no route leads there", {to_east}, {true, true, true, false}, 3, "nobody is left in lab"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    core::Settings settings = gateway_of({"local", "east", "west", "lab"});
    settings.routes = row.routes;
    EXPECT_EQ(control::nobody_left(settings, built(settings, 1, row.up).plan, row.group), row.expected);
  }
  const core::Settings exchange = gateway_of({"access", "uplink"});
  EXPECT_EQ(control::nobody_left(exchange, built(exchange, 1, {true, false}).plan, 1),
            "nobody is left in uplink: " + dropped)
      << "without routes";
}

}  // namespace
