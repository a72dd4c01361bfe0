// SPDX-License-Identifier: BSD-3-Clause
// That the documents know what the program knows: every command, every option, every key of the settings
// file.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "console/console.h"
#include "console/syntax.h"
#include "control/cli_options.h"
#include "control/settings_keys.h"

namespace {

std::string document(const std::string& name) {
  std::ifstream file(std::string(ROCEWAY_SOURCE_DIR) + "/docs/" + name);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text, "") << name;
  return text;
}

// A long syntax may stand in several lines.
std::string in_one_line(std::string_view text) {
  std::string line;
  bool blank = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (is_blank && !blank) line += ' ';
    if (!is_blank) line += c;
    blank = is_blank;
  }
  return line;
}

// What stands between lines of ```, with a blank line in place of each.
std::string blocks_of(const std::string& text) {
  std::string blocks;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("```")) inside = !inside;
    if (inside) blocks += (line.starts_with("```") ? "|" : line) + "\n";
    at = end + 1;
  }
  return blocks;
}

TEST(Manual, HasEveryCommand) {
  const std::string commands = ' ' + in_one_line(blocks_of(document("commands.md")));
  for (const console::Command& command : console::command_table()) {
    const std::string syntax = ' ' + std::string(command.syntax) + ' ';
    EXPECT_NE(commands.find(syntax), std::string::npos) << command.syntax << " is not in docs/commands.md";
  }
}

TEST(Manual, HasASectionForEachOfHelp) {
  const std::string commands = document("commands.md");
  for (const console::Command& command : console::command_table()) {
    EXPECT_NE(commands.find("\n## Section " + std::string(command.section) + "\n"), std::string::npos)
        << command.section;
  }
}

TEST(Manual, SaysOfTestpmdsCommandsWhatTheProgramSays) {
  const std::string commands = document("commands.md");
  const size_t table = commands.find("| begins with | instead |");
  ASSERT_NE(table, std::string::npos);
  size_t rows = 0;
  for (size_t at = commands.find("| `", table); at != std::string::npos;) {
    const size_t word_end = commands.find("` | ", at), end = commands.find(" |\n", word_end);
    const std::string word = commands.substr(at + 3, word_end - at - 3);
    const auto said = console::instead_of(word);
    ASSERT_TRUE(said) << word;
    EXPECT_TRUE(said->ends_with("instead: " + commands.substr(word_end + 4, end - word_end - 4))) << *said;
    ++rows;
    at = commands.compare(end + 3, 3, "| `") == 0 ? end + 3 : std::string::npos;
  }
  EXPECT_GT(rows, 30u);
}

TEST(Manual, HasEveryOption) {
  const std::string guide = document("guide.md");
  for (const control::Option& option : control::cli_options()) {
    const std::string first(option.names.substr(0, option.names.find(',')));
    const std::string dashed = (first.size() == 1 ? "`-" : "`--") + first;
    const bool there = guide.find("| " + dashed + "`") != std::string::npos ||
                       guide.find("| " + dashed + " ") != std::string::npos;
    EXPECT_TRUE(there) << dashed << "` has no row in docs/guide.md";
  }
}

// Each key has its row, under the heading of its table, and says there whether it is live.
class Keys {
 public:
  template <class Table>
  void table(std::string_view name, Table core::Settings::*, const std::vector<control::Key<Table>>& keys) {
    look("\n### [" + std::string(name) + "]", keys);
  }
  template <class Table>
  void list(std::string_view name, std::vector<Table> core::Settings::*,
            const std::vector<control::Key<Table>>& keys) {
    look("\n### [[" + std::string(name) + "]]", keys);
  }

 private:
  template <class Table>
  void look(const std::string& heading, const std::vector<control::Key<Table>>& keys) const {
    const size_t from = guide_.find(heading);
    ASSERT_NE(from, std::string::npos) << heading;
    const std::string part = guide_.substr(from, guide_.find("\n### ", from + 1) - from);
    for (const control::Key<Table>& key : keys) {
      const size_t row = part.find("\n| `" + std::string(key.name) + "` |");
      ASSERT_NE(row, std::string::npos) << heading << ' ' << key.name;
      const std::string line = part.substr(row + 1, part.find('\n', row + 1) - row - 1);
      const std::string when = key.when == control::When::now       ? "| live |"
                               : key.when == control::When::program ? "| start |"
                                                                    : "| run |";
      EXPECT_NE(line.find(when), std::string::npos) << line << ": takes effect " << when;
      EXPECT_FALSE(key.help.empty()) << key.name;
      EXPECT_FALSE(key.allowed.empty()) << key.name;
    }
  }

  const std::string guide_ = document("guide.md");
};

TEST(Manual, HasEveryKeyAndWhenItTakesEffect) {
  Keys keys;
  control::visit_tables(keys);
}

}  // namespace
