// SPDX-License-Identifier: BSD-3-Clause
// Tables of settings: each row changes valid settings in one way and names every problem or warning of that.
// Used by the tests of core/settings and of the files beside it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/settings.h"

namespace test_support {

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::vector<core::Problem>& problems) {
  Lines lines;
  for (const core::Problem& problem : problems) lines.push_back(problem.where + ": " + problem.what);
  return lines;
}

inline core::PortSettings port(const std::string& device, const std::string& group = "") {
  core::PortSettings settings;
  settings.device = device;
  settings.group = group;
  return settings;
}

inline core::Settings gateway() {
  core::Settings settings;
  settings.ports = {port("net_pcap0", "access"), port("net_null1", "uplink"), port("net_null2", "uplink")};
  return settings;
}

struct SettingsRow {
  std::string name;
  std::function<void(core::Settings&)> change;
  Lines expected;
};

inline void run(const std::vector<SettingsRow>& rows, const std::function<core::Settings()>& start,
                std::vector<core::Problem> (*judge)(const core::Settings&)) {
  for (const SettingsRow& row : rows) {
    SCOPED_TRACE(row.name);
    core::Settings settings = start();
    row.change(settings);
    EXPECT_EQ(lines_of(judge(settings)), row.expected);
  }
}

}  // namespace test_support
