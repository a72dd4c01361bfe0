// SPDX-License-Identifier: BSD-3-Clause
// What one row of the lists of keys is, and the rows of the common kinds: numbers, words, strings, flags.
// Used by control/settings_keys, which holds the lists, and by what walks them, on the control thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "control/settings_values.h"
#include "core/settings.h"

namespace control {

// When a changed key takes effect.
inline constexpr When kLive = When::now;
inline constexpr When kRestart = When::forwarding;
inline constexpr When kProgram = When::program;

// One key of a table. `text` is the value as it stands in a file; what it gives, `read` takes back. It is
// empty where only leaving the key out says the same.
template <class Table>
struct Key {
  std::string_view name;
  When when = kRestart;
  std::function<void(const Place&, Table&)> read;  // sets a member of Table, or refuses
  std::function<std::string(const Table&)> text;
  std::function<void(const Table& from, Table& to)> copy;
  std::string allowed;    // the values it may have, in words
  std::string_view help;  // what it does, in a line of the manual
  bool needed = false;    // leaving the key out is a problem that only the file shows
};

// A member read and written by functions of its own.
template <class Table, class Member>
Key<Table> form(std::string_view name, When when, Member Table::*member,
                std::type_identity_t<std::function<void(const Place&, Member&)>> read,
                std::type_identity_t<std::function<std::string(const Member&)>> text, std::string allowed,
                std::string_view help) {
  return {
      .name = name,
      .when = when,
      .read = [=, read = std::move(read)](const Place& place, Table& table) { read(place, table.*member); },
      .text = [=, text = std::move(text)](const Table& table) { return text(table.*member); },
      .copy = [=](const Table& from, Table& to) { to.*member = from.*member; },
      .allowed = std::move(allowed),
      .help = help};
}

template <class Value>
struct UnlessOptional {
  using Type = Value;
};
template <class Value>
struct UnlessOptional<std::optional<Value>> {
  using Type = Value;
};

// A whole number or an optional of one.
template <class Table, class Member>
Key<Table> number(std::string_view name, When when, Member Table::*member, core::Range allowed,
                  std::string_view help) {
  const auto read = [=](const Place& place, Member& value) {
    using Value = typename UnlessOptional<Member>::Type;
    if (const auto found = whole_number(place, allowed)) value = static_cast<Value>(*found);
  };
  const auto text = [](const Member& value) -> std::string {
    if constexpr (std::is_integral_v<Member>)
      return std::to_string(value);
    else
      return value ? std::to_string(*value) : "";
  };
  return form(name, when, member, read, text, core::text_of(allowed), help);
}

template <class Table>
Key<Table> needed_number(std::string_view name, When when, auto Table::*member, core::Range allowed,
                         std::string_view help) {
  Key<Table> key = number(name, when, member, allowed, help);
  key.needed = true;
  return key;
}

template <class Table, class Member>
Key<Table> word(std::string_view name, When when, Member Table::*member,
                const std::vector<Word<Member>>& words, std::string_view help) {
  const auto read = [=](const Place& place, Member& value) {
    if (const auto found = one_of(place, words)) value = *found;
  };
  const auto text = [=](const Member& value) -> std::string {
    for (const Word<Member>& word : words) {
      if (word.value == value) return string_text(word.name);
    }
    return "";
  };
  return form(name, when, member, read, text, names_of(words), help);
}

// A string that is empty where the file has none.
template <class Table>
Key<Table> text(std::string_view name, When when, std::string Table::*member, std::string allowed,
                std::string_view help) {
  const auto text = [](const std::string& value) { return value.empty() ? "" : string_text(value); };
  return form(name, when, member, read_string, text, std::move(allowed), help);
}

template <class Table>
Key<Table> flag(std::string_view name, When when, bool Table::*member, std::string_view help) {
  const auto text = [](const bool& value) -> std::string { return value ? "true" : "false"; };
  return form(name, when, member, read_flag, text, "true, false", help);
}

template <class Table>
Key<Table> seed(When when, uint32_t Table::*member, std::string_view help) {
  const auto text = [](const uint32_t& value) { return std::to_string(value); };
  return form("seed", when, member, read_seed, text,
              core::text_of(core::limits::kSeed) + ", or a string as \"0x5eed\"", help);
}

// A key of a value that is itself a member.
template <class Table, class Part>
Key<Table> within(Part Table::*part, const Key<Part>& key) {
  return {.name = key.name,
          .when = key.when,
          .read = [=](const Place& place, Table& table) { key.read(place, table.*part); },
          .text = [=](const Table& table) { return key.text(table.*part); },
          .copy = [=](const Table& from, Table& to) { key.copy(from.*part, to.*part); },
          .allowed = key.allowed,
          .help = key.help};
}

// The words of an enumeration, from its first value to `last`.
template <class Enum>
std::vector<Word<Enum>> words_up_to(Enum last) {
  std::vector<Word<Enum>> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
    words.push_back({name_of(static_cast<Enum>(i)), static_cast<Enum>(i)});
  }
  return words;
}

}  // namespace control
