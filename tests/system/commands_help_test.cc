// SPDX-License-Identifier: BSD-3-Clause
// `help all` and the tests know the same commands, and every choice of every command is typed by a test.
#include <algorithm>
#include <set>
#include <sstream>

#include "system/commands.h"

namespace system_test {
namespace {

// Of `help all`: a line that begins a command is followed by one that is indented.
std::set<std::string> syntaxes_of(const std::string& help) {
  std::set<std::string> syntaxes;
  std::istringstream lines(help);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (line.starts_with("    ")) syntaxes.insert(before);
  }
  return syntaxes;
}

Words split(const std::string& text, char by) {
  Words parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

// Whether a line has the words of a syntax; `chosen` gets its choices as "WORDS/CHOICE".
bool fits(const std::string& syntax, const std::string& line, std::set<std::string>& chosen) {
  const Words pattern = split(syntax, ' '), words = split(line, ' ');
  std::set<std::string> here;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (i >= words.size()) return false;
    if (pattern[i].ends_with("...>")) break;
    if (i + 1 == pattern.size() && words.size() > pattern.size()) return false;
    if (pattern[i].starts_with('<')) continue;
    const Words choices = split(pattern[i], '|');
    if (std::find(choices.begin(), choices.end(), words[i]) == choices.end()) return false;
    here.insert(pattern[i] + '/' + words[i]);
  }
  chosen.merge(here);
  return true;
}

TEST_F(CommandsTest, EveryCommandOfTheHelpIsTyped) {
  Running program = start_plain({"net_null0"}, {"--forward-mode", "rxonly"});
  Ctl ctl(socket_path());
  const std::set<std::string> helped = syntaxes_of(ctl.ask("help all").text);
  EXPECT_GT(helped.size(), 100u);
  std::set<std::string> typed;
  for (const auto& rows_of : kTyped) {
    for (const Typed& row : rows_of(folder())) {
      SCOPED_TRACE(row.syntax);
      EXPECT_TRUE(typed.insert(row.syntax).second) << "twice";
      std::set<std::string> chosen;
      EXPECT_TRUE(std::any_of(row.steps.begin(), row.steps.end(), [&](const Step& step) {
        return fits(row.syntax, step.line, chosen);
      })) << "never typed";
      for (const Step& step : row.steps) fits(row.syntax, step.line, chosen);
      for (const std::string& word : split(row.syntax, ' ')) {
        if (word.starts_with('<')) continue;
        for (const std::string& choice : split(word, '|'))
          EXPECT_TRUE(chosen.contains(word + '/' + choice)) << choice << " is never chosen";
      }
    }
  }
  for (const std::string& syntax : helped) EXPECT_TRUE(typed.contains(syntax)) << "no test types " << syntax;
  for (const std::string& syntax : typed) EXPECT_TRUE(helped.contains(syntax)) << "no help for " << syntax;
  expect_good_end(program);
}

// Every section that `help` names has commands, and together they are all that there are.
TEST_F(CommandsTest, SectionsOfTheHelp) {
  Running program = start_plain({"net_null0"}, {"--forward-mode", "rxonly"});
  Ctl ctl(socket_path());
  std::set<std::string> of_sections;
  for (const std::string word :
       {"control", "display", "config", "ports", "filters", "distribution", "watch", "settings", "dumps"}) {
    EXPECT_TRUE(says(ctl.ask("help").text, {"help " + word + " ", ": "}));
    std::set<std::string> of_section = syntaxes_of(ctl.ask("help " + word).text);
    EXPECT_FALSE(of_section.empty()) << word;
    of_sections.merge(of_section);
    EXPECT_TRUE(of_section.empty()) << *of_section.begin() << " is in two sections";
  }
  EXPECT_EQ(of_sections, syntaxes_of(ctl.ask("help all").text));
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
