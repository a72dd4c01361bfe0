// SPDX-License-Identifier: BSD-3-Clause
// Compares two settings by the list of keys, and merges them by it; see settings_difference.h. Control
// thread.
#include "control/settings_difference.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "control/settings_keys.h"
#include "core/route.h"

namespace control {
namespace {

const std::string kNone = "(none)";
const std::string kNotSet = "(not set)";

template <class Table>
struct Entry {
  const Table& table;
  size_t index;
};

// What makes two entries of a list the same one.
bool same(const Entry<core::GroupSettings>& a, const Entry<core::GroupSettings>& b) {
  return a.table.name == b.table.name;
}
bool same(const Entry<core::PortSettings>& a, const Entry<core::PortSettings>& b) {
  return a.table.device == b.table.device;
}
bool same(const Entry<core::RouteSettings>& a, const Entry<core::RouteSettings>& b) {
  return a.index == b.index;
}
bool same(const Entry<core::PinSettings>& a, const Entry<core::PinSettings>& b) {
  return a.table.group == b.table.group && a.table.bucket == b.table.bucket;
}

// The entry of `list` that is the same as `entry`; null when none is.
template <class Table>
const Table* same_in(const std::vector<Table>& list, const Entry<Table>& entry) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (same(Entry<Table>{list[i], i}, entry)) return &list[i];
  }
  return nullptr;
}

// When an entry that comes or goes takes effect.
template <class Table>
When latest(const std::vector<Key<Table>>& keys) {
  const auto last = std::max_element(
      keys.begin(), keys.end(), [](const Key<Table>& a, const Key<Table>& b) { return a.when < b.when; });
  return last->when;
}

// An entry of a list in one line: a TOML inline table of what it sets.
template <class Table>
std::string in_one_line(const Table& table, const std::vector<Key<Table>>& keys) {
  std::string line;
  for (const Key<Table>& key : keys) {
    const std::string text = key.text(table);
    if (!text.empty()) line += (line.empty() ? "{ " : ", ") + std::string(key.name) + " = " + text;
  }
  return line.empty() ? "{}" : line + " }";
}
std::string in_one_line(const core::PortSettings& port, const std::vector<Key<core::PortSettings>>&) {
  return string_text(port.device);
}

class Comparison {
 public:
  Comparison(const core::Settings& before, const core::Settings& after) : before_(before), after_(after) {}

  template <class Table>
  void table(std::string_view name, Table core::Settings::*member, const std::vector<Key<Table>>& keys) {
    compare(std::string(name), keys, before_.*member, after_.*member);
  }

  template <class Table>
  void list(std::string_view name, std::vector<Table> core::Settings::*member,
            const std::vector<Key<Table>>& keys) {
    const std::vector<Table>& before = before_.*member;
    const std::vector<Table>& after = after_.*member;
    const auto where = [&](size_t i) { return std::string(name) + '[' + std::to_string(i) + ']'; };
    for (size_t i = 0; i < after.size(); ++i) {
      const Table* const old = same_in(before, Entry<Table>{after[i], i});
      old != nullptr ? compare(where(i), keys, *old, after[i]) : added(where(i), keys, after[i]);
    }
    for (size_t i = 0; i < before.size(); ++i) {
      if (same_in(after, Entry<Table>{before[i], i}) == nullptr) removed(where(i), keys, before[i]);
    }
  }

  std::vector<SettingChange> take() { return std::move(changes_); }

 private:
  template <class Table>
  void compare(const std::string& where, const std::vector<Key<Table>>& keys, const Table& before,
               const Table& after) {
    for (const Key<Table>& key : keys) {
      const std::string was = key.text(before), is = key.text(after);
      if (was == is) continue;
      const std::string full = where + '.' + std::string(key.name);
      changes_.push_back({full, was.empty() ? kNotSet : was, is.empty() ? kNotSet : is, key.when});
    }
  }

  template <class Table>
  void added(const std::string& where, const std::vector<Key<Table>>& keys, const Table& table) {
    changes_.push_back({where, kNone, in_one_line(table, keys), latest(keys)});
  }
  template <class Table>
  void removed(const std::string& where, const std::vector<Key<Table>>& keys, const Table& table) {
    const std::string was = in_one_line(table, keys);
    const auto in_its_place = std::find_if(
        changes_.begin(), changes_.end(),
        [&](const SettingChange& change) { return change.where == where && change.before == kNone; });
    if (in_its_place != changes_.end()) {
      in_its_place->before = was;
    } else {
      changes_.push_back({where, was, kNone, latest(keys)});
    }
  }
  // A group is there whether it is listed or not.
  void added(const std::string& where, const std::vector<Key<core::GroupSettings>>& keys,
             const core::GroupSettings& group) {
    compare(where, keys, core::GroupSettings{.name = group.name}, group);
  }
  void removed(const std::string& where, const std::vector<Key<core::GroupSettings>>& keys,
               const core::GroupSettings& group) {
    compare(where, keys, group, core::GroupSettings{.name = group.name});
  }

  const core::Settings& before_;
  const core::Settings& after_;
  std::vector<SettingChange> changes_;
};

// Starts from the settings before, and takes what is live from those after.
class Merge {
 public:
  Merge(const core::Settings& before, const core::Settings& after) : merged_(before), after_(after) {}

  template <class Table>
  void table(std::string_view, Table core::Settings::*member, const std::vector<Key<Table>>& keys) {
    take_live(keys, after_.*member, merged_.*member);
  }

  template <class Table>
  void list(std::string_view, std::vector<Table> core::Settings::*member,
            const std::vector<Key<Table>>& keys) {
    std::vector<Table>& merged = merged_.*member;
    if (latest(keys) == When::now) {
      merged = after_.*member;
      return;
    }
    for (size_t i = 0; i < merged.size(); ++i) {
      const Table* const now = same_in(after_.*member, Entry<Table>{merged[i], i});
      if (now != nullptr) take_live(keys, *now, merged[i]);
    }
  }

  core::Settings take() { return std::move(merged_); }

 private:
  template <class Table>
  static void take_live(const std::vector<Key<Table>>& keys, const Table& from, Table& to) {
    for (const Key<Table>& key : keys) {
      if (key.when == When::now) key.copy(from, to);
    }
  }

  core::Settings merged_;
  const core::Settings& after_;
};

}  // namespace

std::vector<SettingChange> difference(const core::Settings& before, const core::Settings& after) {
  Comparison comparison(before, after);
  visit_tables(comparison);
  return comparison.take();
}

std::vector<core::Problem> new_groups_named(const core::Settings& before, const core::Settings& after) {
  std::vector<core::Problem> problems;
  if (before.engine.mode != core::Mode::gateway) return problems;
  const std::vector<std::string> had = core::group_names(before), has = core::group_names(after);
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto look = [&](std::string_view list, size_t i, std::string_view key, const std::string& group) {
    if (is_in(had, group) || !is_in(has, group)) return;
    problems.push_back({std::string(list) + '[' + std::to_string(i) + "]." + std::string(key),
                        "group " + string_text(group) + " is new, and a new group needs a restart"});
  };
  for (size_t i = 0; i < after.groups.size(); ++i) look("group", i, "name", after.groups[i].name);
  for (size_t i = 0; i < after.routes.size(); ++i) {
    look("route", i, "from", after.routes[i].from);
    look("route", i, "to", after.routes[i].to);
    look("route", i, "fallback", after.routes[i].fallback);
  }
  for (size_t i = 0; i < after.pins.size(); ++i) look("pin", i, "group", after.pins[i].group);
  return problems;
}

core::Settings with_live_changes(const core::Settings& before, const core::Settings& after) {
  Merge merge(before, after);
  visit_tables(merge);
  return merge.take();
}

std::string text_of(const SettingChange& change) {
  return change.where + ": " + change.before + " -> " + change.after +
         (change.live() ? "" : ": needs a restart");
}

}  // namespace control
