// SPDX-License-Identifier: BSD-3-Clause
// Reads single values of a settings file: checks type, range and words, and refuses in the user's words. Used
// by the list of keys in control/settings_keys, on the control thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/settings_reading.h"
#include "control/toml.h"
#include "core/settings.h"

namespace control {

// A value in the file: where it stands, and where to say that it is refused.
struct Place {
  Reading& reading;
  std::string where;
  const toml::node& node;

  void refuse(const std::string& what) const { reading.refuse(where, what); }
};

template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

// What stands there, as problems tell it: `found string "9000"`, `found 1.5`, `found a list`.
std::string found(const toml::node& node);

// Each of these gives the value, or refuses it and gives nothing.
std::optional<uint64_t> whole_number(const Place& place, core::Range allowed);
std::optional<uint32_t> seed_number(const Place& place);  // also "0x5eed", as tools print it
void read_flag(const Place& place, bool& flag);
void read_text(const Place& place, std::string& text);
void each_entry(const Place& place, const std::string& allowed,
                const std::function<void(const Place&)>& read);

// Values with a form of their own. A list keeps one entry for each of the file, refused or not, so that the
// numbers in problems stay those of the file.
void read_args(const Place& place, core::EalSettings& eal);
void read_lcores(const Place& place, core::EngineSettings& engine);
void read_speed(const Place& place, core::PortSettings& port);
void read_next_hop(const Place& place, core::PortSettings& port);
void read_fields(const Place& place, core::DistributionSettings& distribution);
void read_port_ranges(const Place& place, core::DistributionSettings& distribution);
void read_sizes(const Place& place, core::FlowPattern& flowgen);

template <class Value>
std::string names_of(const std::vector<Word<Value>>& words) {
  std::string names;
  for (const Word<Value>& word : words)
    names += (names.empty() ? "\"" : ", \"") + std::string(word.name) + '"';
  return names;
}

template <class Value>
std::optional<Value> one_of(const Place& place, const std::vector<Word<Value>>& words) {
  const auto text = place.node.value_exact<std::string_view>();
  for (const Word<Value>& word : words) {
    if (text && *text == word.name) return word.value;
  }
  place.refuse(found(place.node) + "; allowed: " + names_of(words));
  return std::nullopt;
}

}  // namespace control
