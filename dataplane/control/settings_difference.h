// SPDX-License-Identifier: BSD-3-Clause
// Decides what differs between two settings and how much of it can take effect while packets move. Called by
// control before it changes a running data plane, and by what tells the user of it, on the control thread.
// Pure; both settings are valid.
#pragma once

#include <string>
#include <vector>

#include "control/settings_values.h"
#include "core/settings.h"

namespace control {

// One key that differs, or one port, route or pin that is there on one side only. What stands in the place of
// another is one change.
struct SettingChange {
  std::string where;  // as the file names it: "port[2].weight", "route[1]"
  // As they stand in a file, in one line; "(not set)" for a key that is left out, "(none)" for an entry that
  // is not there. A port that is there on one side is told by its device.
  std::string before, after;
  When when = When::forwarding;
  bool live() const { return when == When::now; }
  friend bool operator==(const SettingChange&, const SettingChange&) = default;
};

// In the order of control/settings_keys. Ports are the same when their device is, groups by name, pins by
// group and bucket, routes by position; the order of ports, groups and pins is no difference. A group that is
// not listed has the defaults. `where` counts in `after`, or in `before` for what is gone from `after`.
std::vector<SettingChange> difference(const core::Settings& before, const core::Settings& after);

// What in `after` names a group that `before` does not have and `after` has: it comes with a port, and that
// with a restart. Mode gateway.
std::vector<core::Problem> new_groups_named(const core::Settings& before, const core::Settings& after);

// `before` with the live keys of `after`. Its ports stay as many and in their order; groups, routes, pins and
// failover are those of `after`. Must be validated again: a route may lead to a port that only a restart
// adds.
core::Settings with_live_changes(const core::Settings& before, const core::Settings& after);

// `port[2].weight: 1 -> 3`; `port[2].mtu: 1500 -> 9000: needs a restart`.
std::string text_of(const SettingChange& change);

}  // namespace control
