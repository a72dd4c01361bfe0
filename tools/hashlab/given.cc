// SPDX-License-Identifier: BSD-3-Clause
// Reads and checks what stands on the command line; see given.h. The only file that includes cxxopts. Main
// thread.
#include "hashlab/given.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cxxopts.hpp>

namespace hashlab {
namespace {

std::string range_text(uint64_t least, uint64_t most) {
  return "allowed: " + std::to_string(least) + " to " + std::to_string(most);
}

// 1000 for "k" behind a number, and so on; 0 when it is no such letter.
uint64_t factor_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix == "k" || suffix == "K") return 1'000;
  if (suffix == "M") return 1'000'000;
  if (suffix == "G") return 1'000'000'000;
  return 0;
}

cxxopts::Options parser_of(const OptionList& list, const std::string& command, const std::string& about) {
  cxxopts::Options options(command, about + "\n");
  cxxopts::OptionAdder add = options.add_options();
  for (const Option& option : list.rows()) {
    if (option.value.empty()) {
      add(option.name == "help" ? "h,help" : option.name, option.about);
    } else if (!option.by_default.value_or("").empty()) {
      add(option.name, option.about, cxxopts::value<std::string>()->default_value(*option.by_default),
          option.value);
    } else {
      add(option.name, option.about, cxxopts::value<std::string>(), option.value);
    }
  }
  return options;
}

}  // namespace

void refuse(const std::string& option, std::string_view value, const std::string& why) {
  throw BadInput("--" + option + " " + (value.empty() ? "\"\"" : std::string(value)) + ": " + why);
}

uint64_t whole_number(const std::string& of, std::string_view text, uint64_t least, uint64_t most) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const std::string_view suffix = digits.substr(static_cast<size_t>(end - digits.data()));
  const uint64_t factor = hex && !suffix.empty() ? 0 : factor_of(suffix);
  const std::string what = of + " " + (text.empty() ? "\"\"" : std::string(text));
  // A number, though one that is less than any allowed.
  const bool negative =
      text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if ((error == std::errc::invalid_argument || factor == 0) && !negative) {
    throw BadInput(what + ": not a whole number; " + range_text(least, most));
  }
  const bool fits = !negative && error == std::errc() && value <= UINT64_MAX / factor;
  if (!fits || value * factor < least || value * factor > most) {
    throw BadInput(what + ": out of range; " + range_text(least, most));
  }
  return value * factor;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(at, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

uint64_t Given::number(const std::string& option, uint64_t least, uint64_t most) const {
  return whole_number("--" + option, text(option), least, most);
}

double Given::real(const std::string& option, double least, double most) const {
  const std::string found = text(option);
  char* end = nullptr;
  const double value = std::strtod(found.c_str(), &end);
  const bool whole = !found.empty() && end == found.c_str() + found.size() && !std::isnan(value);
  if (!whole || !std::isfinite(value) || value < least || value > most) {
    char range[64];
    std::snprintf(range, sizeof range, "allowed: %g to %g", least, most);
    refuse(option, found, (whole ? "out of range; " : "not a number; ") + std::string(range));
  }
  return value;
}

std::vector<std::string> Given::list(const std::string& option) const {
  return split(text(option), ',');
}

std::vector<uint64_t> Given::numbers(const std::string& option, uint64_t least, uint64_t most) const {
  std::vector<uint64_t> values;
  for (const std::string& part : list(option))
    values.push_back(whole_number("--" + option, part, least, most));
  return values;
}

size_t Given::one_of(const std::string& option, std::span<const std::string_view> names) const {
  const std::string found = text(option);
  const auto at = std::find(names.begin(), names.end(), found);
  if (at == names.end()) refuse(option, found, "unknown; allowed: " + listed(names));
  return static_cast<size_t>(at - names.begin());
}

Given::Given(const OptionList& list, const std::vector<std::string>& arguments) {
  cxxopts::Options options = parser_of(list, "", "");
  options.add_options("words")("words", "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional({"words"});
  std::vector<const char*> argv = {""};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  try {
    const cxxopts::ParseResult parsed = options.parse(static_cast<int>(argv.size()), argv.data());
    for (const Option& option : list.rows()) {
      if (parsed.count(option.name) > 0) given_.insert(option.name);
      if (parsed.count(option.name) > 1 && !option.value.empty()) {
        throw BadInput("--" + option.name + ": given " + std::to_string(parsed.count(option.name)) +
                       " times; once is allowed");
      }
      if (has(option.name) && !option.value.empty()) {
        values_[option.name] = parsed[option.name].as<std::string>();
      } else if (option.by_default) {
        values_[option.name] = *option.by_default;
      }
    }
    if (parsed.count("words") > 0) words_ = parsed["words"].as<std::vector<std::string>>();
  } catch (const cxxopts::exceptions::exception& bad) {
    throw BadInput(std::string(bad.what()) + "; --help lists the options");
  }
}

std::string help_of(const OptionList& list, const std::string& command, const std::string& about,
                    const std::string& usage) {
  return parser_of(list, command, about).custom_help(usage + " [options]").set_width(110).help({""});
}

}  // namespace hashlab
