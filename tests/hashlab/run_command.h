// SPDX-License-Identifier: BSD-3-Clause
// Runs a command of the laboratory as main does, down to its report. Used by tests only.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "hashlab/bad_input.h"
#include "hashlab/command.h"
#include "hashlab/progress.h"

namespace test_support {

inline hashlab::Report run_command(const hashlab::Command& command,
                                   const std::vector<std::string>& arguments) {
  hashlab::OptionList options;
  command.add_options(options);
  hashlab::Report report = command.run(hashlab::Given(options, arguments));
  for (const hashlab::Table& table : report.tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
  return report;
}

// What BadInput says of it, or "taken".
template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const hashlab::BadInput& bad) {
    return bad.what();
  }
  return "taken";
}

inline const hashlab::Table& table_of(const hashlab::Report& report, const std::string& name) {
  static const hashlab::Table kNone;
  for (const hashlab::Table& table : report.tables)
    if (table.name == name) return table;
  ADD_FAILURE() << "no table " << name;
  return kNone;
}

inline hashlab::Value cell(const hashlab::Table& table, size_t row, const std::string& column) {
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].name == column && row < table.rows.size()) return table.rows[row][c];
  ADD_FAILURE() << "no row " << row << " with column " << column;
  return {};
}

inline hashlab::Value fact(const hashlab::Report& report, const std::string& name) {
  for (const hashlab::Fact& fact : report.facts)
    if (fact.what.name == name) return fact.value;
  ADD_FAILURE() << "no fact " << name;
  return {};
}

// The report of a command that is stopped before it looks at a flow: it must say nothing of flows but that.
inline void expect_nothing_told_when_stopped(const hashlab::Command& command) {
  hashlab::catch_signals();
  raise(SIGINT);
  const hashlab::Report report = run_command(command, {"--pattern", "random", "--flows", "8M"});
  hashlab::go_on();
  EXPECT_EQ(fact(report, "flows"), hashlab::Value(uint64_t{0}));
  EXPECT_TRUE(report.verdicts.empty());
  EXPECT_TRUE(report.tables.empty());
  EXPECT_TRUE(report.plots.empty());
  EXPECT_EQ(report.notes, std::vector<std::string>{"stopped early: 0 of 8,000,000 flows were looked at, so "
                                                   "there is no verdict"});
}

}  // namespace test_support
