// SPDX-License-Identifier: BSD-3-Clause
// What stands on the command line of a command. Everything is read as text and checked here, so that each
// refusal says what, where and what is allowed: BadInput. Called by main and by the commands, on the main
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hashlab/bad_input.h"

namespace hashlab {

// The options of a command, as rows for the parser and for --help.
struct Option {
  std::string name, about;
  std::optional<std::string> by_default;
  std::string value;  // what its value is called; empty: a flag
};
class OptionList {
 public:
  void operator()(std::string name, std::string about, std::optional<std::string> by_default,
                  std::string value) {
    rows_.push_back({std::move(name), std::move(about), std::move(by_default), std::move(value)});
  }
  void flag(std::string name, std::string about) {
    rows_.push_back({std::move(name), std::move(about), {}, {}});
  }
  const std::vector<Option>& rows() const { return rows_; }

 private:
  std::vector<Option> rows_;
};

// The options that a user gave, defaults filled in.
class Given {
 public:
  // Reads the arguments behind a command's name, by cxxopts. Throws BadInput.
  Given(const OptionList& options, const std::vector<std::string>& arguments);

  // Whether the user gave it.
  bool has(const std::string& option) const { return given_.contains(option); }
  bool flag(const std::string& option) const { return has(option); }
  const std::string& text(const std::string& option) const { return values_.at(option); }
  // Whole numbers, decimal or 0x, with k, M or G (powers of 1000) behind; and others.
  uint64_t number(const std::string& option, uint64_t least, uint64_t most) const;
  double real(const std::string& option, double least, double most) const;
  // Split at commas; empty when the text is.
  std::vector<std::string> list(const std::string& option) const;
  std::vector<uint64_t> numbers(const std::string& option, uint64_t least, uint64_t most) const;
  // One of `names`, as its index.
  size_t one_of(const std::string& option, std::span<const std::string_view> names) const;
  // What stands without an option in front.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::map<std::string, std::string> values_;
  std::set<std::string> given_;
  std::vector<std::string> words_;
};

// What --help prints: `usage` is what stands behind the name of the command.
std::string help_of(const OptionList& options, const std::string& command, const std::string& about,
                    const std::string& usage);

// "--nics 0: out of range; allowed: 1 to 64"
[[noreturn]] void refuse(const std::string& option, std::string_view value, const std::string& why);
// The same for any text: `of` is how the user knows it ("--nics", "SPORT").
uint64_t whole_number(const std::string& of, std::string_view text, uint64_t least, uint64_t most);
std::vector<std::string> split(std::string_view text, char at);
// "a, b or c" of names.
std::string listed(std::span<const std::string_view> names);

}  // namespace hashlab
