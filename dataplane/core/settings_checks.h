// SPDX-License-Identifier: BSD-3-Clause
// What the files that judge settings share: the list of what they find, and the names of keys and groups.
// Included by core/settings.cc, settings_paths.cc and settings_routes.cc alone; others call validate() and
// warnings() of core/settings.h. Pure, on the control thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/settings.h"

namespace core {

class Findings {
 public:
  void add(std::string where, std::string what) { list_.push_back({std::move(where), std::move(what)}); }
  void number(std::string where, uint64_t value, Range allowed) {
    if (!allowed.holds(value)) add(std::move(where), found_outside(std::to_string(value), allowed));
  }
  std::vector<Problem> take() { return std::move(list_); }

 private:
  std::vector<Problem> list_;
};

inline std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

inline std::string item(std::string_view list, size_t index) {
  return std::string(list) + '[' + std::to_string(index) + ']';
}
inline std::string item_key(std::string_view list, size_t index, std::string_view key) {
  return item(list, index) + '.' + std::string(key);
}
inline std::string port_key(size_t index, std::string_view key) {
  return item_key("port", index, key);
}

// "left, right"; "none" when there is nothing to list.
inline std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

// "01:00.0" and "0000:01:00.0" are one PCI device: EAL takes a missing domain for 0.
inline std::string full_device_name(const std::string& device) {
  const bool short_pci = device.size() == 7 && device[2] == ':' && device[5] == '.';
  return short_pci ? "0000:" + device : device;
}

// Indices of the ports of a group, in the file's order.
inline std::vector<size_t> members_of(const Settings& settings, std::string_view group) {
  std::vector<size_t> members;
  for (size_t i = 0; i < settings.ports.size(); ++i) {
    if (settings.ports[i].group == group) members.push_back(i);
  }
  return members;
}

// The groups of mode gateway. Not complete: some port's group is missing or refused, so a name that no port
// has may be the one which that port was meant to have; or there are no ports, which is told once.
struct Groups {
  std::vector<std::string> names;
  bool complete = true;
};
Groups groups_of(const Settings& settings);

// `name`, which stands at `where`, must be one of `groups`; `meaning` says what it is for.
void check_group_name(const std::string& where, const std::string& name, std::string_view meaning,
                      const Groups& groups, Findings& findings);

// settings_paths.cc: groups, their members, what keeps them alive. It calls those of settings_routes.cc.
void check_paths(const Settings& settings, Findings& findings);
void warn_of_paths(const Settings& settings, Findings& findings);

// settings_routes.cc: [[route]] and [[pin]], in mode gateway.
void check_routes(const Settings& settings, const Groups& groups, Findings& findings);
void check_pins(const Settings& settings, const Groups& groups, Findings& findings);
void warn_of_routes(const Settings& settings, const Groups& groups, Findings& findings);

}  // namespace core
