// SPDX-License-Identifier: BSD-3-Clause
// Gives problems their lines and leaves out those that only follow from another; see settings_reading.h.
// Control thread.
#include "control/settings_reading.h"

#include <algorithm>
#include <utility>

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

void Reading::refuse_missing(const std::string& where, const std::string& what) {
  if (!refused(where)) refuse(where, what);
}

void Reading::refuse_line(unsigned line, const std::string& what) {
  problems_.push_back({line, what});
}

void Reading::add(const core::Problem& problem) {
  if (follows_from_refused(problem.where)) return;
  problems_.push_back({line_of(problem.where), core::text_of(problem)});
}

void Reading::warn(const core::Problem& warning) {
  warnings_.push_back({line_of(warning.where), core::text_of(warning)});
}

std::vector<std::string> Reading::placed(const std::vector<core::Problem>& problems) const {
  std::vector<Remark> remarks;
  for (const core::Problem& problem : problems) {
    remarks.push_back({line_of(problem.where), core::text_of(problem)});
  }
  return in_order(std::move(remarks));
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

bool Reading::refused_in_a_port(const std::string& key) const {
  if (refused("port") || refused_entry_of("port")) return true;
  const auto is_it = [&](const std::string& where) {
    return where.starts_with("port[") && where.ends_with("]." + key);
  };
  return std::any_of(refused_.begin(), refused_.end(), is_it) ||
         std::any_of(meant_.begin(), meant_.end(), is_it);
}

bool Reading::follows_from_refused(const std::string& where) const {
  if (refused(where) || refused_entry_of(where)) return true;
  const bool of_pin = where.starts_with("pin");
  const bool of_paths = of_pin || where.starts_with("route") || where.starts_with("group");
  // Groups matter in one mode only, which of them are allowed depends on routes, and a refused group may have
  // been the one that now seems to be missing.
  const bool of_groups = of_paths || where == "port" || where.ends_with("].group");
  if (of_groups && (refused("engine.mode") || refused("route"))) return true;
  if ((of_paths || where == "port") && refused_in_a_port("group")) return true;
  if (of_pin && refused_in_a_port("device")) return true;
  if (where.starts_with("failover.domains_down") && refused_in_a_port("domain")) return true;
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
