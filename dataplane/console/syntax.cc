// SPDX-License-Identifier: BSD-3-Clause
// Reads rows and checks words; see syntax.h.
#include "console/syntax.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace console {
namespace {

using Type = SyntaxWord::Type;

struct TypeName {
  std::string_view name;
  Type type;
};
constexpr TypeName kTypes[] = {{"number", Type::number}, {"hex", Type::hex},     {"mac", Type::mac},
                               {"port", Type::port},     {"ports", Type::ports}, {"numbers", Type::numbers}};

[[noreturn]] void refuse(std::string_view syntax, const std::string& why) {
  throw std::logic_error("command \"" + std::string(syntax) + "\": " + why);
}

std::optional<uint64_t> whole(std::string_view text, int base) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "number(1,512)": the limits in brackets.
void read_limits(SyntaxWord& word, std::string_view brackets, std::string_view syntax) {
  const auto limits = split(brackets.substr(1, brackets.size() - 2), ',');
  const auto least = whole(limits.front(), 10), most = whole(limits.back(), 10);
  if (limits.size() != 2 || !least || !most || *least > *most) refuse(syntax, word.shown + " has no limits");
  word.least = *least;
  word.most = *most;
}

SyntaxWord read_word(std::string_view text, std::string_view syntax) {
  SyntaxWord word{.shown = std::string(text)};
  if (!text.starts_with('<')) {
    word.type = Type::choice;
    word.name = text;
    word.choices = split(text, '|');
    return word;
  }
  if (!text.ends_with('>') || text.size() < 3) refuse(syntax, word.shown + " lacks a name or its >");
  text = text.substr(1, text.size() - 2);
  if (text.ends_with("...")) {
    word.type = Type::rest;
    word.name = text.substr(0, text.size() - 3);
    return word;
  }
  const size_t colon = text.find(':');
  word.name = text.substr(0, colon);
  if (colon == std::string_view::npos) return word;
  const std::string_view type = text.substr(colon + 1);
  if (type == "onoff") {
    word.type = Type::choice;
    word.choices = {"on", "off"};
    return word;
  }
  const size_t bracket = type.find('(');
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const TypeName& row) { return row.name == type.substr(0, bracket); });
  if (known == std::end(kTypes)) refuse(syntax, word.shown + " has an unknown type");
  word.type = known->type;
  if (bracket != std::string_view::npos) {
    if (word.type != Type::number || !type.ends_with(')'))
      refuse(syntax, word.shown + " has an unknown type");
    read_limits(word, type.substr(bracket), syntax);
  }
  return word;
}

bool is_mac(std::string_view text) {
  const auto parts = split(text, ':');
  return parts.size() == 6 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return part.size() == 2 && whole(part, 16).has_value();
         });
}

// "0,2,5" or "1-4", also together.
bool is_numbers(std::string_view text) {
  const auto parts = split(text, ',');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    const auto ends = split(part, '-');
    const auto first = whole(ends.front(), 10), last = whole(ends.back(), 10);
    return ends.size() <= 2 && first && last && *first <= *last;
  });
}

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

Row read_row(const Command& command) {
  Row row{.command = &command, .words = {}};
  for (const std::string_view word : split_words(command.syntax)) {
    if (!row.words.empty() && row.words.back().type == Type::rest)
      refuse(command.syntax, row.words.back().shown + " is not the last word");
    row.words.push_back(read_word(word, command.syntax));
  }
  if (row.words.empty() || row.words.front().type != Type::choice)
    refuse(command.syntax, "does not begin with a word of its own");
  return row;
}

std::vector<std::string_view> split_words(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> words;
  for (size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<uint64_t> number_of(const SyntaxWord& syntax, std::string_view word) {
  const bool prefixed = word.starts_with("0x") || word.starts_with("0X");
  const bool hex = prefixed || syntax.type == Type::hex;
  const auto number = whole(word.substr(prefixed ? 2 : 0), hex ? 16 : 10);
  if (!number || *number < syntax.least || *number > syntax.most) return std::nullopt;
  return number;
}

bool fits(const SyntaxWord& syntax, std::string_view word) {
  if (syntax.type == Type::rest) return true;
  if (word.size() > kMostWordBytes) return false;
  switch (syntax.type) {
    case Type::choice:
      return std::find(syntax.choices.begin(), syntax.choices.end(), word) != syntax.choices.end();
    case Type::number:
    case Type::hex:
      return number_of(syntax, word).has_value();
    case Type::mac:
      return is_mac(word);
    case Type::numbers:
      return is_numbers(word);
    case Type::port:
      return has_digit(word);
    case Type::ports:
      return word == "all" || has_digit(word);
    case Type::word:
    case Type::rest:
      break;
  }
  return true;
}

std::string allowed(const SyntaxWord& syntax) {
  switch (syntax.type) {
    case Type::choice: {
      std::string text;
      for (const std::string_view choice : syntax.choices)
        text += (text.empty() ? "" : ", ") + std::string(choice);
      return text;
    }
    case Type::number:
      if (syntax.most == UINT64_MAX)
        return "a whole number" + (syntax.least > 0 ? ", " + std::to_string(syntax.least) + " or more" : "");
      return "a whole number " + std::to_string(syntax.least) + " to " + std::to_string(syntax.most);
    case Type::hex:
      return "a hexadecimal number of up to 16 digits, as in 0x1f";
    case Type::mac:
      return "a MAC address, as in 02:00:00:00:00:01";
    case Type::port:
      return "a port's id or device, as in 0";
    case Type::ports:
      return "a port's id or device, as in 0, or all";
    case Type::numbers:
      return "whole numbers, as in 0,2,5 or 1-4";
    case Type::word:
      return "a word of up to " + std::to_string(kMostWordBytes) + " bytes";
    case Type::rest:
      break;
  }
  return "the rest of the line";
}

}  // namespace console
