// SPDX-License-Identifier: BSD-3-Clause
// A plan without devices: one access port and three uplinks with two queues each. Called by tests only.
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"

namespace test_support {

inline core::Settings small_settings() {
  core::Settings settings;
  settings.distribution.queues_per_nic = 2;
  for (const char* group : {"access", "uplink", "uplink", "uplink"}) {
    settings.ports.emplace_back().group = group;
    settings.ports.back().device = "net" + std::to_string(settings.ports.size() - 1);
  }
  return settings;
}

inline core::Plan plan_of(const core::Settings& settings, const std::vector<bool>& up = {}) {
  std::vector<core::PortFacts> facts(settings.ports.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    facts[i].port = static_cast<uint16_t>(i);
    facts[i].device = settings.ports[i].device;
    facts[i].max_rx_queues = facts[i].max_tx_queues = 8;
  }
  return core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1), up);
}

}  // namespace test_support
