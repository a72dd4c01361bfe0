// SPDX-License-Identifier: BSD-3-Clause
// A report as text for a terminal: columns aligned, numbers to the right, sentences wrapped; parts set apart
// by an empty line. Called by main once a command is done.
#include <algorithm>

#include "hashlab/report_values.h"
#include "hashlab/show.h"

namespace hashlab {
namespace {

constexpr size_t kWidth = 110;
constexpr size_t kGap = 2;           // between columns, and before what stands under a heading
constexpr size_t kNarrowest = 24;    // of text that is wrapped: narrower is not readable
constexpr size_t kLongestFact = 40;  // a longer value does not push the remarks of all others away

// Names come from outside: what would move the cursor of a terminal becomes a question mark.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

// Characters, not bytes: of UTF-8 those count that begin one.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padding(const std::string& text, size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ');
}

// Lines of whole words, none wider than `width` but for a word that is.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines(1);
  for (size_t start = 0; start < text.size();) {
    const size_t space = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, space - start);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (width_of(line) + 1 + width_of(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
    start = space + 1;
  }
  return lines;
}

// `text` behind what stands on the line already, its further lines below its first.
std::string hanging(const std::string& text, size_t indent) {
  const size_t room = kWidth > indent + kNarrowest ? kWidth - indent : kNarrowest;
  std::string out;
  for (const std::string& line : wrapped(printable(text), room))
    out += (out.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  return out;
}

std::string facts_text(const std::vector<Fact>& facts) {
  size_t name_width = 0, value_width = 0;
  for (const Fact& fact : facts) {
    name_width = std::max(name_width, width_of(fact.what.title));
    const size_t width = width_of(shown(fact.value, fact.what));
    if (width <= kLongestFact) value_width = std::max(value_width, width);
  }
  std::string out;
  const std::string gap(kGap, ' ');
  for (const Fact& fact : facts) {
    const std::string name = printable(fact.what.title), value = printable(shown(fact.value, fact.what));
    out += name + padding(name, name_width) + gap;
    if (fact.remark.empty()) {
      out += hanging(value, name_width + kGap) + "\n";
    } else {
      const size_t used = name_width + kGap + std::max(value_width, width_of(value)) + kGap;
      out += value + padding(value, value_width) + gap + hanging(fact.remark, used) + "\n";
    }
  }
  return out;
}

// What stands in the cells, headings first, and how wide the columns are.
struct Cells {
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> widths;
};

Cells cells_of(const Table& table) {
  Cells cells{{{}}, std::vector<size_t>(table.columns.size(), 0)};
  for (const Column& column : table.columns) cells.rows.front().push_back(printable(column.title));
  for (const std::vector<Value>& row : table.rows) {
    std::vector<std::string>& texts = cells.rows.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) texts.push_back(printable(shown(row[i], table.columns[i])));
  }
  for (const std::vector<std::string>& row : cells.rows) {
    for (size_t i = 0; i < row.size(); ++i) cells.widths[i] = std::max(cells.widths[i], width_of(row[i]));
  }
  return cells;
}

std::string table_text(const Table& table) {
  const Cells cells = cells_of(table);
  std::string out = printable(table.title) + "\n";
  for (const std::vector<std::string>& row : cells.rows) {
    size_t used = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space = padding(row[i], cells.widths[i]);
      out += std::string(kGap, ' ');
      used += kGap;
      if (right_aligned(table.columns[i])) {
        out += space + row[i];
      } else {
        out += i + 1 < row.size() ? row[i] + space : hanging(row[i], used);
      }
      used += cells.widths[i];
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}

std::string sentences_text(const std::string& heading, const std::vector<std::string>& sentences) {
  std::string out = heading + "\n";
  for (const std::string& sentence : sentences)
    out += std::string(kGap, ' ') + hanging(sentence, kGap) + "\n";
  return out;
}

// Not wrapped: each is one line for the prompt.
std::string commands_text(const std::vector<std::string>& commands) {
  std::string out = "Commands for roceway's prompt\n";
  for (const std::string& command : commands) out += std::string(kGap, ' ') + printable(command) + "\n";
  return out;
}

}  // namespace

std::string text_of(const Report& report) {
  std::string out = hanging(report.title, 0) + "\n";
  if (!report.facts.empty()) out += "\n" + facts_text(report.facts);
  for (const Table& table : report.tables) out += "\n" + table_text(table);
  if (!report.verdicts.empty()) out += "\n" + sentences_text("Verdict", report.verdicts);
  if (!report.notes.empty()) out += "\n" + sentences_text("Notes", report.notes);
  if (!report.commands.empty()) out += "\n" + commands_text(report.commands);
  return out;
}

}  // namespace hashlab
