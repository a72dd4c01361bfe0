// SPDX-License-Identifier: BSD-3-Clause
// The syntax of a row, read into words, and whether a user's word fits one of them. The notation is in
// command.h. Pure; used by parser and misfit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console/command.h"

namespace console {

// DPDK's string tokens have room for that much and no more.
inline constexpr size_t kMostWordBytes = 126;

struct SyntaxWord {
  enum class Type : uint8_t { choice, word, number, hex, mac, port, ports, numbers, rest };

  std::string shown;  // as the row has it
  Type type = Type::word;
  std::string name;                            // of the argument
  std::vector<std::string_view> choices = {};  // one: a fixed word
  uint64_t least = 0, most = UINT64_MAX;       // of a number
};

// A row and its words, which point into it.
struct Row {
  const Command* command;
  std::vector<SyntaxWord> words;
};

// Throws std::logic_error for a row that is written wrongly.
Row read_row(const Command& command);

std::vector<std::string_view> split_words(std::string_view line);

// Whether `word` is of the type. What a port is knows only the console: here it is whatever has a digit in
// it, and "all" where all are allowed.
bool fits(const SyntaxWord& syntax, std::string_view word);
// What would, for people: "a whole number 1 to 512".
std::string allowed(const SyntaxWord& syntax);
// Of types number (decimal, or hexadecimal behind 0x) and hex (behind 0x or not).
std::optional<uint64_t> number_of(const SyntaxWord& syntax, std::string_view word);

}  // namespace console
