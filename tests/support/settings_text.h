// SPDX-License-Identifier: BSD-3-Clause
// Rows of settings text and of the lines that must be said of it. Called by tests only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/settings_file.h"

namespace test_support {

using Lines = std::vector<std::string>;

struct SettingsRow {
  std::string name;
  std::string text;
  Lines expected;  // problems, each with its line in a file called "f"
};

inline void expect_problems(const std::vector<SettingsRow>& rows) {
  for (const SettingsRow& row : rows) {
    SCOPED_TRACE(row.name);
    const control::LoadedSettings loaded = control::parse_settings(row.text, "f");
    EXPECT_EQ(loaded.problems, row.expected);
    EXPECT_EQ(loaded.warnings, Lines{});
  }
}

// Valid as it stands, one line; a row goes on from line 2.
inline const std::string kIo = "engine.mode = \"io\"\n";
inline const std::string kTables = "[eal], [engine], [[port]], [distribution], [flowgen]";

}  // namespace test_support
