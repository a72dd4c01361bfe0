// SPDX-License-Identifier: BSD-3-Clause
// Gives problems their lines and leaves out those that only follow from another; see settings_reading.h.
// Control thread.
#include "control/settings_reading.h"

#include <algorithm>

namespace control {

void Reading::refuse(const std::string& where, const std::string& what) {
  refused_.insert(where);
  problems_.push_back({line_of(where), where + ": " + what});
}

void Reading::refuse_unknown(unsigned line, const std::string& where, const std::string& what,
                             const std::string& meant) {
  const std::string prefix = where.empty() ? "" : where + ": ";
  problems_.push_back({line, prefix + what});
  if (!meant.empty()) meant_.insert(where.empty() ? meant : where + '.' + meant);
}

void Reading::refuse_line(unsigned line, const std::string& what) {
  problems_.push_back({line, what});
}

void Reading::add(const core::Problem& problem) {
  if (follows_from_refused(problem.where)) return;
  problems_.push_back({line_of(problem.where), problem.where + ": " + problem.what});
}

void Reading::warn(const core::Problem& warning) {
  warnings_.push_back({line_of(warning.where), warning.where + ": " + warning.what});
}

unsigned Reading::line_of(std::string where) const {
  while (true) {
    if (const auto found = lines_.find(where); found != lines_.end()) return found->second;
    const size_t end = where.find_last_of(".[");
    if (end == std::string::npos) return 0;
    where.resize(end);
  }
}

bool Reading::refused(std::string where) const {
  const auto misspelt = [&](const std::string& key) { return meant_.contains(key) && !lines_.contains(key); };
  while (!refused_.contains(where) && !misspelt(where)) {
    const size_t end = where.find_last_of(".[");
    if (end == std::string::npos) return false;
    where.resize(end);
  }
  return true;
}

bool Reading::refused_entry_of(const std::string& list) const {
  return std::any_of(refused_.begin(), refused_.end(), [&](const std::string& entry) {
    return entry.starts_with(list + '[') && entry.ends_with(']');
  });
}

bool Reading::follows_from_refused(const std::string& where) const {
  if (refused(where) || refused_entry_of(where)) return true;
  // Groups matter in one mode only, and a refused group may have been the one that now seems to be missing.
  const bool of_groups = where == "port" || where.ends_with(".group");
  if (of_groups && refused("engine.mode")) return true;
  if (where == "port") {
    return std::any_of(refused_.begin(), refused_.end(),
                       [](const std::string& key) { return key.ends_with(".group"); });
  }
  // The shortest frame depends on both.
  return where.starts_with("flowgen.sizes") && (refused("flowgen.kind") || refused("flowgen.ip"));
}

std::vector<std::string> Reading::in_order(std::vector<Remark> remarks) const {
  std::stable_sort(remarks.begin(), remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.line < b.line; });
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) {
    const std::string line = remark.line == 0 ? "" : ':' + std::to_string(remark.line);
    lines.push_back(file_name_ + line + ": " + remark.text);
  }
  return lines;
}

}  // namespace control
