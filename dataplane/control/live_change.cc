// SPDX-License-Identifier: BSD-3-Clause
// A changed settings file while packets move; see live_change.h.
#include "control/live_change.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "control/settings_difference.h"
#include "control/settings_file.h"

namespace control {
namespace {

// False: nothing has changed.
bool refuse(const std::string& file, const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::fprintf(stderr, "roceway: %s\n", problem.c_str());
  std::fprintf(stderr, "roceway: %s was read again and cannot be used; nothing has changed\n", file.c_str());
  return false;
}

// The live part in one line, for the event that tells of its plan.
std::string in_short(const std::vector<SettingChange>& changes) {
  constexpr size_t kTold = 3;
  std::string text;
  size_t live = 0;
  for (const SettingChange& change : changes) {
    if (change.live() && live++ < kTold) text += (text.empty() ? "" : ", ") + text_of(change);
  }
  return live > kTold ? text + " and " + std::to_string(live - kTold) + " more" : text;
}

// The ports of the running settings stand in another order than the file's: their problems have no line.
std::vector<std::string> placed(const LoadedSettings& loaded, const std::vector<core::Problem>& problems) {
  std::vector<std::string> texts;
  for (const core::Problem& problem : problems) {
    const bool of_port = problem.where.starts_with("port[");
    texts.push_back(of_port ? core::text_of(problem) : loaded.placed({problem}).front());
  }
  return texts;
}

// The first judgement that finds something speaks.
std::vector<core::Problem> problems_of(const Engine& engine, const core::Settings& wanted,
                                       const core::Settings& next) {
  std::vector<core::Problem> problems = new_groups_named(engine.settings(), wanted);
  if (problems.empty()) problems = core::validate(next);
  if (problems.empty()) problems = engine.unsuited(next);
  return problems;
}

}  // namespace

bool reread_settings(Engine& engine, const Cli& cli, std::vector<std::string>& warnings) {
  const std::string& file = *cli.config;
  // Opening a pipe waits for somebody who writes, and the control thread must not wait.
  std::error_code unknown;
  if (std::filesystem::is_fifo(file, unknown))
    return refuse(file, {file + ": is a pipe, which cannot be read again"});
  LoadedSettings loaded =
      load_settings_file(file, [&cli](core::Settings& settings) { apply(cli, settings); });
  if (!loaded.problems.empty()) return refuse(file, loaded.problems);
  // A file without [[port]] means every device that EAL has, now as at start.
  if (loaded.settings.ports.empty()) loaded.settings.ports = engine.settings().ports;
  const std::vector<SettingChange> changes = difference(engine.settings(), loaded.settings);
  core::Settings next = with_live_changes(engine.settings(), loaded.settings);
  // Valid as a whole, the file may still need a restart for its live part to make sense.
  if (const auto problems = problems_of(engine, loaded.settings, next); !problems.empty())
    return refuse(file, placed(loaded, problems));
  for (const std::string& warning : loaded.warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      std::fprintf(stderr, "roceway: warning: %s\n", warning.c_str());
  }
  warnings = std::move(loaded.warnings);
  std::printf("%s was read again: %s\n", file.c_str(), changes.empty() ? "nothing differs" : "these differ");
  for (const SettingChange& change : changes) std::printf("  %s\n", text_of(change).c_str());
  std::fflush(stdout);
  const bool is_live =
      std::any_of(changes.begin(), changes.end(), [](const SettingChange& change) { return change.live(); });
  if (is_live) {
    const ChangeResult result = engine.change(std::move(next), in_short(changes), "the file was read");
    for (const std::string& note : result.of_devices) std::printf("note: %s\n", note.c_str());
    std::fflush(stdout);
  }
  return is_live;
}

}  // namespace control
