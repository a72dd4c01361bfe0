// SPDX-License-Identifier: BSD-3-Clause
// Single values of a settings file, both ways: reads one, checking type, range and words, and refuses in the
// user's words; writes one as TOML text that reads back to an equal value. Used by the list of keys in
// control/settings_keys, on the control thread.
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

// When a change takes effect: at once; after forwarding has ended and begun again; when the program starts
// anew.
enum class When : uint8_t { now, forwarding, program };

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

// Gives the value, or refuses it and gives nothing.
std::optional<uint64_t> whole_number(const Place& place, core::Range allowed);
void each_entry(const Place& place, const std::string& allowed,
                const std::function<void(const Place&)>& read);

// Each of these sets the value, or refuses and leaves it. A list keeps one entry for each of the file,
// refused or not, so that the numbers in problems stay those of the file.
void read_flag(const Place& place, bool& flag);
void read_string(const Place& place, std::string& text);
void read_strings(const Place& place, std::vector<std::string>& texts);
void read_seed(const Place& place, uint32_t& seed);  // also "0x5eed", as tools print it
void read_lcores(const Place& place, std::vector<core::LcoreEntry>& lcores);
void read_speed(const Place& place, uint64_t& speed_bps);
void read_mac(const Place& place, std::optional<core::MacAddress>& mac);
void read_address(const Place& place, std::optional<core::IpAddress>& address);
void read_prefix(const Place& place,
                 std::optional<core::IpPrefix>& prefix);  // an address alone: all its bits
void read_priorities(const Place& place, uint8_t& priorities);
void read_fields(const Place& place, core::KeyFields& fields);
void read_port_ranges(const Place& place, std::vector<core::PortRange>& ranges);
void read_sizes(const Place& place, std::vector<uint16_t>& sizes);

// Text that is one, and nothing else: "02:00:00:00:00:0a"; "192.0.2.1", "2001:db8::1".
std::optional<core::MacAddress> mac_in(std::string_view text);
std::optional<core::IpAddress> address_in(std::string_view text);
std::string bare_text(const core::IpAddress& address);

// Their opposites. Empty for what only leaving the key out can say: no address, no lcores chosen, the
// driver's speed, the default port ranges.
std::string string_text(std::string_view text);
std::string strings_text(const std::vector<std::string>& texts);
std::string lcores_text(const std::vector<core::LcoreEntry>& lcores);
std::string speed_text(uint64_t speed_bps);
std::string mac_text(const std::optional<core::MacAddress>& mac);
std::string address_text(const std::optional<core::IpAddress>& address);
std::string prefix_text(const std::optional<core::IpPrefix>& prefix);
std::string priorities_text(uint8_t priorities);
std::string fields_text(const core::KeyFields& fields);
std::string port_ranges_text(const std::vector<core::PortRange>& ranges);
std::string sizes_text(const std::vector<uint16_t>& sizes);

// What key `fields` sets: which fields make a key, without `symmetric` and the port ranges.
void copy_fields(const core::KeyFields& from, core::KeyFields& to);

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
