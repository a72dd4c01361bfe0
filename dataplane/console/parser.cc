// SPDX-License-Identifier: BSD-3-Clause
// Makes instances of DPDK's cmdline from the rows and takes a matched line out of its result; see parser.h.
#include "console/parser.h"

#include <cmdline_parse.h>
#include <cmdline_parse_string.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <new>
#include <stdexcept>
#include <vector>

#include "console/misfit.h"
#include "console/syntax.h"
#include "control/printable.h"

namespace console {
namespace {

using Type = SyntaxWord::Type;

// Where the word `index` of a row stands in cmdline's result: every word has a cell, the rest of the line,
// which is last, all that follows.
size_t cell_of(size_t index) {
  return index * STR_TOKEN_SIZE;
}

struct Match {
  const Row* row = nullptr;
  std::vector<std::string> words;
};

// cmdline takes every # for a comment. One that is not, being quoted, goes through it as a byte that no line
// can have.
constexpr char kHash = '#', kHidden = '\1';

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// cmdline calls back with the row and its own result, and with nothing of the caller's.
thread_local Match* the_match = nullptr;

void note_match(void* result, cmdline*, void* row_pointer) {
  const auto* row = static_cast<const Row*>(row_pointer);
  const auto* cells = static_cast<const char*>(result);
  the_match->row = row;
  for (size_t i = 0; i < row->words.size(); ++i)
    the_match->words.push_back(replaced(cells + cell_of(i), kHidden, kHash));
}

}  // namespace

struct Parser::Instances {
  explicit Instances(std::span<const Command> table) {
    rows.reserve(table.size());
    for (const Command& command : table) rows.push_back(read_row(command));
    for (const Row& row : rows) pointers.push_back(make(row));
    pointers.push_back(nullptr);
    line = cmdline_new(pointers.data(), "", -1, -1);  // no terminal: it only carries the instances
    if (line == nullptr) throw std::bad_alloc();
  }
  ~Instances() {
    cmdline_free(line);
    for (cmdline_parse_inst_t* instance : pointers) std::free(instance);
  }
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;

  cmdline_parse_inst_t* make(const Row& row) {
    const size_t cells = cell_of(row.words.size() - 1) +
                         (row.words.back().type == Type::rest ? STR_MULTI_TOKEN_SIZE : STR_TOKEN_SIZE);
    if (cells > CMDLINE_PARSE_RESULT_BUFSIZE)
      throw std::logic_error("command \"" + std::string(row.command->syntax) + "\": has too many words");
    const size_t bytes =
        sizeof(cmdline_parse_inst_t) + (row.words.size() + 1) * sizeof(cmdline_parse_token_hdr_t*);
    auto* instance = static_cast<cmdline_parse_inst_t*>(std::calloc(1, bytes));
    if (instance == nullptr) throw std::bad_alloc();
    texts.push_back(std::string(row.command->syntax) + ": " + std::string(row.command->help));
    instance->f = note_match;
    instance->data = const_cast<Row*>(&row);  // cmdline hands it back untouched
    instance->help_str = texts.back().c_str();
    for (size_t i = 0; i < row.words.size(); ++i) instance->tokens[i] = &token_of(row.words[i], i).hdr;
    return instance;
  }

  cmdline_parse_token_string_t& token_of(const SyntaxWord& word, size_t index) {
    const char* text = nullptr;  // any word
    if (word.type == Type::rest) text = TOKEN_STRING_MULTI;
    if (word.type == Type::choice) {
      std::string choices;
      for (const std::string_view choice : word.choices)
        choices += (choices.empty() ? "" : "#") + std::string(choice);
      texts.push_back(choices);
      text = texts.back().c_str();
    }
    return tokens.emplace_back(cmdline_parse_token_string_t{
        {&cmdline_token_string_ops, static_cast<unsigned>(cell_of(index))}, {text}});
  }

  std::vector<Row> rows;  // never changed again: cmdline keeps addresses
  std::deque<std::string> texts;
  std::deque<cmdline_parse_token_string_t> tokens;
  std::vector<cmdline_parse_inst_t*> pointers;
  cmdline* line = nullptr;
};

namespace {

// The arguments of a line that matched, or which of them is wrong.
std::string take_arguments(const Match& match, Arguments& arguments) {
  for (size_t i = 0; i < match.row->words.size(); ++i) {
    const SyntaxWord& syntax = match.row->words[i];
    const std::string& word = match.words[i];
    const bool ours = syntax.type != Type::port && syntax.type != Type::ports;
    if (ours && !fits(syntax, word)) return found_instead(syntax, word);
    arguments.put(syntax.name, word);
    if (syntax.type == Type::number || syntax.type == Type::hex)
      arguments.put_number(syntax.name, *number_of(syntax, word));
  }
  return {};
}

// Takes a last word --json off.
bool take_json(std::string_view& line) {
  constexpr std::string_view kJson = "--json";
  if (!line.ends_with(kJson)) return false;
  const std::string_view before = line.substr(0, line.size() - kJson.size());
  if (!before.empty() && !before.ends_with(' ') && !before.ends_with('\t')) return false;
  line = without_comment(before);
  return true;
}

}  // namespace

Parser::Parser(std::span<const Command> table, RefusedWord refused_word)
    : instances_(std::make_unique<Instances>(table)), refused_word_(std::move(refused_word)) {}

Parser::~Parser() = default;

cmdline_parse_ctx_t* Parser::context() const {
  return instances_->pointers.data();
}

Parsed Parser::parse(std::string_view line) const {
  Parsed parsed;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (auto problem = problem_of_line(line)) {
    parsed.problem = std::move(*problem);
    return parsed;
  }
  line = without_comment(line);
  parsed.json = take_json(line);
  if (line.empty()) {
    if (parsed.json) parsed.problem = "--json: belongs behind a command, as in: show port info all --json";
    return parsed;
  }
  Match match;
  the_match = &match;
  const int result =
      cmdline_parse(instances_->line, (replaced(std::string(line), kHash, kHidden) + '\n').c_str());
  if (match.row != nullptr) {
    parsed.problem = take_arguments(match, parsed.arguments);
    if (parsed.problem.empty()) parsed.command = match.row->command;
    return parsed;
  }
  const std::vector<std::string_view> words = split_words(line);
  if (result == CMDLINE_PARSE_AMBIGUOUS) {
    parsed.problem = explain_ambiguity(instances_->rows, words);
  } else if (auto instead = refused_word_ ? refused_word_(line) : std::nullopt) {
    parsed.problem = std::move(*instead);
  } else {
    parsed.problem = explain_misfit(instances_->rows, words);
  }
  return parsed;
}

}  // namespace console
