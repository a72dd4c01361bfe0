// SPDX-License-Identifier: BSD-3-Clause
// The one list of the tables of a settings file and of their keys, and the walk over a parsed file by it.
// Called by control/settings_file and settings_difference, on the control thread.
#pragma once

#include <vector>

#include "control/settings_reading.h"
#include "control/settings_rows.h"
#include "control/toml.h"
#include "core/settings.h"

namespace control {

const std::vector<Key<core::EalSettings>>& eal_keys();
const std::vector<Key<core::EngineSettings>>& engine_keys();
const std::vector<Key<core::GroupSettings>>& group_keys();
const std::vector<Key<core::PortSettings>>& port_keys();
const std::vector<Key<core::RouteSettings>>& route_keys();
const std::vector<Key<core::PinSettings>>& pin_keys();
const std::vector<Key<core::FailoverSettings>>& failover_keys();
const std::vector<Key<core::DistributionSettings>>& distribution_keys();
const std::vector<Key<core::LogSettings>>& log_keys();
const std::vector<Key<core::MetricsSettings>>& metrics_keys();
const std::vector<Key<core::FlowPattern>>& flowgen_keys();

// Calls visit.table for every [table] and visit.list for every [[list of tables]], in the order in which
// problems name them.
template <class Visitor>
void visit_tables(Visitor& visit) {
  using core::Settings;
  visit.table("eal", &Settings::eal, eal_keys());
  visit.table("engine", &Settings::engine, engine_keys());
  visit.list("group", &Settings::groups, group_keys());
  visit.list("port", &Settings::ports, port_keys());
  visit.list("route", &Settings::routes, route_keys());
  visit.list("pin", &Settings::pins, pin_keys());
  visit.table("failover", &Settings::failover, failover_keys());
  visit.table("distribution", &Settings::distribution, distribution_keys());
  visit.table("log", &Settings::log, log_keys());
  visit.table("metrics", &Settings::metrics, metrics_keys());
  visit.table("flowgen", &Settings::flowgen, flowgen_keys());
}

// Sets what the file sets and leaves the rest at its default; notes in `reading` what it refuses.
void read_settings(const toml::table& root, core::Settings& settings, Reading& reading);

}  // namespace control
