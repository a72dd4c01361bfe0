// SPDX-License-Identifier: BSD-3-Clause
// What a changed file says of groups that only a restart brings.
#include <gtest/gtest.h>

#include <functional>

#include "control/settings_difference.h"

namespace {

using core::Settings;
using Lines = std::vector<std::string>;

struct Row {
  std::string name;
  std::function<void(Settings&)> change;
  Lines expected;
};

// A group comes with a port, and that with a restart; a name that no port has is another matter.
TEST(NewGroups, AreNamedWhereTheyStand) {
  const auto is_new = [](const std::string& where) {
    return where + ": group \"east\" is new, and a new group needs a restart";
  };
  const auto gateway = [] {
    Settings settings;
    settings.engine.mode = core::Mode::gateway;
    settings.ports = {{.device = "net_null0", .group = "access"}, {.device = "net_null1", .group = "uplink"}};
    return settings;
  };
  const auto with_east = [](Settings& s) { s.ports.push_back({.device = "net_null2", .group = "east"}); };
  const Row rows[] = {
      {"nothing", [](Settings&) {}, {}},
      {"groups that are there", [](Settings& s) { s.routes = {{.from = "access", .to = "uplink"}}; }, {}},
      {"a slip", [](Settings& s) { s.routes = {{.from = "access", .to = "east"}}; }, {}},
      {"routes",
       [&](Settings& s) {
         with_east(s);
         s.routes = {{.from = "access", .to = "east"},
                     {.from = "access", .to = "uplink", .fallback = "east"},
                     {.from = "east", .to = "access"}};
       },
       {is_new("route[0].to"), is_new("route[1].fallback"), is_new("route[2].from")}},
      {"a pin, and settings of the group",
       [&](Settings& s) {
         with_east(s);
         s.routes = {{.from = "access", .to = "uplink"}};
         s.groups = {{.name = "uplink"}, {.name = "east"}};
         s.pins = {{.group = "east"}};
       },
       {is_new("group[1].name"), is_new("pin[0].group")}},
      {"a port that changes its group",
       [](Settings& s) {
         s.ports[1].group = "east";
         s.routes = {{.from = "access", .to = "east"}};
       },
       {is_new("route[0].to")}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Settings before = gateway(), after = gateway();
    row.change(after);
    EXPECT_EQ(core::texts_of(control::new_groups_named(before, after)), row.expected);
    before.engine.mode = core::Mode::io;
    EXPECT_EQ(core::texts_of(control::new_groups_named(before, after)), Lines{}) << "groups have no effect";
  }
}

}  // namespace
