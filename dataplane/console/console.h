// SPDX-License-Identifier: BSD-3-Clause
// What commands act on, and the way of a line: matched against the one table of commands, its arguments
// checked, run. A changing command edits a copy of the settings and gives it to `change`; nothing else alters
// a running data plane. Control thread; other threads come through control/errands.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/command.h"
#include "console/parser.h"
#include "control/engine.h"
#include "pmd_glue/flow_rules.h"
#include "pmd_glue/port_info.h"

namespace console {

class Console {
 public:
  // `engine` outlives it.
  explicit Console(control::Engine& engine);

  // One line, without its newline. A blank line or a comment (#) answers nothing.
  Answer run(std::string_view line);
  // Whether a command has asked the program to end.
  const bool& quits() const { return quits_; }
  void quit() { quits_ = true; }
  // The settings file was read again: it is what `diff` compares with, and nothing before it is taken back.
  void file_was_read();
  // Begins to forward; what `show fwd stats` tells counts from now.
  Answer start(unsigned tx_first_bursts);
  const Parser& parser() const { return parser_; }

  control::Engine& engine() { return engine_; }
  const core::Settings& settings() const { return engine_.settings(); }

  // Brings settings into effect; `what` says it in the log. The answer begins with `said` and goes on with
  // what it meant: buckets that moved, forwarding that stood still, what only the next start brings.
  Answer change(core::Settings next, const std::string& what, const std::string& said);
  Answer change_lcores(const std::vector<unsigned>& lcores, const std::string& what, const std::string& said);

  // Index in settings of a port named by DPDK's id or its device; ids count in the order of EAL.
  std::optional<size_t> port_of(const std::string& word) const;
  // The indices that a <ports> argument names.
  std::vector<size_t> ports_of(const std::string& word) const;
  // Where packets come in unless a command names a port: the first of access.
  uint16_t first_access_port() const;
  uint16_t dpdk_port(size_t index) const { return engine_.devices().facts()[index].port; }

  // What later commands look back to.
  struct Shown {
    std::chrono::steady_clock::time_point at;
    glue::PortStatistics statistics;
  };
  std::map<size_t, Shown> shown;                           // `show port stats`: throughput since last show
  std::map<size_t, glue::ExtendedStatistics> xstats_from;  // `clear port xstats`
  std::map<size_t, glue::PortStatistics> statistics_from;  // `clear port stats`
  control::Report forwarded_from;   // `start`, `clear fwd stats`: where they count from
  core::Settings saved;             // what `diff` compares with: as started or last saved
  std::deque<core::Settings> undo;  // what `rollback` returns to, the newest last
  glue::FlowRules flow_rules;
  std::vector<std::string> files_of_run;  // captures, the report: `save` must not write over them

 private:
  std::string told(const control::ChangeResult& result) const;
  std::optional<std::string> problem_of_ports(const Command& command, const Arguments& arguments) const;

  control::Engine& engine_;
  Parser parser_;
  bool quits_ = false;
};

// What a change means for devices, as at the start of the program.
std::string device_notes(const std::vector<std::string>& notes);

// The rows of every section, in the order of `help all`.
std::span<const Command> command_table();
// What to use instead of a command of testpmd that is not here.
std::optional<std::string> instead_of(std::string_view line);

// By section; each in its file commands_SECTION.cc.
std::vector<Command> control_commands();
std::vector<Command> display_commands();
std::vector<Command> config_commands();
std::vector<Command> port_commands();
std::vector<Command> filter_commands();
std::vector<Command> distribution_commands();
std::vector<Command> watch_commands();
std::vector<Command> settings_commands();
std::vector<Command> dump_commands();

}  // namespace console
