// SPDX-License-Identifier: BSD-3-Clause
// Finds the first word that does not fit; see misfit.h.
#include "console/misfit.h"

#include <algorithm>

#include "control/nearest.h"
#include "control/printable.h"

namespace console {
namespace {

using Type = SyntaxWord::Type;
using Rows = std::vector<const Row*>;

constexpr size_t kMostLines = 8, kMostChoices = 16;

// How many of the words the row begins with.
size_t depth(const Row& row, std::span<const std::string_view> words) {
  size_t at = 0;
  for (; at < row.words.size() && at < words.size() && fits(row.words[at], words[at]); ++at) {
    if (row.words[at].type == Type::rest) return words.size();
  }
  return at;
}

bool is_complete(const Row& row, std::span<const std::string_view> words) {
  return depth(row, words) == words.size() && row.words.size() <= words.size();
}

void add_once(std::vector<std::string_view>& list, std::string_view word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

std::string joined(std::span<const std::string_view> words, std::string_view separator, size_t most) {
  std::string text;
  for (const std::string_view word : words.first(std::min(most, words.size())))
    text += (text.empty() ? "" : std::string(separator)) + std::string(word);
  return words.size() > most ? text + std::string(separator) + "..." : text;
}

std::string in_quotes(std::span<const std::string_view> words) {
  return control::quoted(joined(words, " ", words.size()));
}

// The syntax of the rows, a line each, and where there are more.
std::string syntax_lines(const Rows& rows) {
  std::string text;
  std::vector<std::string_view> sections;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < kMostLines) text += "\n  " + std::string(rows[i]->command->syntax);
    if (i >= kMostLines) add_once(sections, rows[i]->command->section);
  }
  if (!sections.empty()) {
    text += "\n  and " + std::to_string(rows.size() - kMostLines) + " more: help " +
            joined(sections, ", help ", sections.size());
  }
  return text;
}

std::string unknown_command(std::span<const Row> rows, std::string_view word) {
  constexpr size_t kMostMeant = 5;
  std::vector<std::string_view> known, meant;
  for (const Row& row : rows) {
    for (const std::string_view choice : row.words.front().choices) add_once(known, choice);
  }
  for (const std::string_view name : known) {
    if (name.starts_with(word)) add_once(meant, name);
  }
  if (const auto nearest = control::nearest_word(word, known)) add_once(meant, *nearest);
  std::string text = control::quoted(word) + ": unknown command";
  if (!meant.empty()) text += "; did you mean " + joined(meant, ", ", kMostMeant) + "?";
  return text + (text.ends_with('?') ? "" : ";") + " \"help\" tells them all";
}

// What may stand behind the beginning that the rows share, which has `at` words.
struct Following {
  std::vector<std::string_view> choices;       // to be typed as they are
  std::vector<std::string_view> shown;         // choices and <arguments>
  std::vector<const SyntaxWord*> values = {};  // of arguments
  bool end = false;
};

Following following(const Rows& rows, size_t at) {
  Following next;
  for (const Row* row : rows) {
    if (row->words.size() == at) {
      next.end = true;
      continue;
    }
    const SyntaxWord& word = row->words[at];
    for (const std::string_view choice : word.choices) {
      add_once(next.choices, choice);
      add_once(next.shown, choice);
    }
    if (!word.choices.empty()) continue;
    add_once(next.shown, word.shown);
    next.values.push_back(&word);
  }
  return next;
}

}  // namespace

std::string found_instead(const SyntaxWord& syntax, std::string_view word) {
  if (word.size() > kMostWordBytes)
    return syntax.name + ": found a word of " + std::to_string(word.size()) + " bytes; allowed: up to " +
           std::to_string(kMostWordBytes);
  return syntax.name + ": found " + control::quoted(word) + "; allowed: " + allowed(syntax);
}

std::string explain_misfit(std::span<const Row> rows, std::span<const std::string_view> words) {
  size_t deepest = 0;
  for (const Row& row : rows) deepest = std::max(deepest, depth(row, words));
  if (deepest == 0) return unknown_command(rows, words.front());
  Rows agreeing;
  for (const Row& row : rows) {
    if (depth(row, words) == deepest) agreeing.push_back(&row);
  }
  const Following next = following(agreeing, deepest);
  const std::string beginning = in_quotes(words.first(deepest));
  const std::string options = joined(next.shown, ", ", kMostChoices);
  if (deepest == words.size()) return beginning + ": not complete; next: " + options + syntax_lines(agreeing);

  const std::string_view word = words[deepest];
  if (next.choices.empty() && next.values.size() == 1 && !next.end) {
    return found_instead(*next.values.front(), word) + syntax_lines(agreeing);
  }
  if (word.size() > kMostWordBytes && !next.shown.empty()) {
    return beginning + ": found a word of " + std::to_string(word.size()) +
           " bytes behind it; allowed: up to " + std::to_string(kMostWordBytes) + syntax_lines(agreeing);
  }
  std::string text = beginning + ": found " + control::quoted(word) + " behind it; allowed: ";
  text += next.shown.empty() ? "nothing more" : options + (next.end ? ", or nothing more" : "");
  if (const auto meant = control::nearest_word(word, next.choices))
    text += "; did you mean " + std::string(*meant) + '?';
  return text + syntax_lines(agreeing);
}

std::string explain_ambiguity(std::span<const Row> rows, std::span<const std::string_view> words) {
  Rows complete;
  for (const Row& row : rows) {
    if (is_complete(row, words)) complete.push_back(&row);
  }
  return in_quotes(words) + ": ambiguous, it reads as each of" + syntax_lines(complete);
}

}  // namespace console
