// SPDX-License-Identifier: BSD-3-Clause
// What a command is: its words, its help, and what it does. The rows stand in console/commands_*.cc, one file
// a section; prompt, scripts and the control socket run the same rows. Everything here runs on the control
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace console {

class Console;

// What a command says. `text` is for people and ends with a newline unless it is empty; `json` is the same
// for programs, of commands that answer `--json`.
struct Answer {
  std::string text;
  nlohmann::json json;
  std::optional<std::string> problem;  // one line or several; nothing has changed
  bool quit = false;                   // the program shall end

  static Answer say(std::string text) { return {.text = std::move(text)}; }
  static Answer show(std::string text, nlohmann::json json) {
    return {.text = std::move(text), .json = std::move(json)};
  }
  static Answer refuse(std::string problem) { return {.problem = std::move(problem)}; }
};

// The arguments of a line by the names that the syntax gives them, checked against their types before the
// handler sees them.
class Arguments {
 public:
  void put(const std::string& name, std::string value) { values_[name] = std::move(value); }
  void put_number(const std::string& name, uint64_t number) { numbers_[name] = number; }
  bool has(const std::string& name) const { return values_.contains(name); }
  // The word as it was typed; empty when the line has none of that name.
  const std::string& text(const std::string& name) const;
  // Of types number and hex; 0 when the line has none of that name.
  uint64_t number(const std::string& name) const;
  bool is_on(const std::string& name) const { return text(name) == "on"; }

 private:
  std::map<std::string, std::string> values_;
  std::map<std::string, uint64_t> numbers_;
};

// The numbers of a word of type numbers, ranges filled in; at most 1,024 of them.
std::vector<uint64_t> numbers_of(std::string_view word);

// What typing it changes.
enum class Effect : uint8_t { shows, live, restart, stops };

// One row. Syntax, word by word:
//   port              that word
//   rxq|txq           one of these words; the argument's name is the whole choice ("rxq|txq")
//   <name>            any one word
//   <name:TYPE>       a word of a type: number (0 to 2^64-1, decimal or 0x...), number(1,512), hex (with or
//   without
//                     0x, up to 64 bits), mac, onoff, port (an id or a device's name), ports (the same or
//                     "all"), numbers ("0,2,5" or "1-4")
//   <name...>         the rest of the line, spaces included, up to 4,095 characters; last only
struct Command {
  std::string_view section;  // of `help SECTION`
  std::string_view syntax;
  std::string_view help;  // one line, an imperative
  Effect effect;
  Answer (*run)(Console& console, const Arguments& arguments);
};

}  // namespace console
