// SPDX-License-Identifier: BSD-3-Clause
// Bytes to lines, however they are cut into pieces.
#include "console/line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using console::kMostLineBytes;
using console::LineSplitter;

std::vector<std::string> lines_of(std::string_view bytes, size_t piece) {
  LineSplitter splitter;
  std::vector<std::string> lines;
  const auto add = [&](const LineSplitter::Line& line) {
    lines.push_back(line.too_long() ? "too long: " + std::to_string(line.bytes) : line.text);
  };
  for (size_t at = 0; at < bytes.size(); at += piece) {
    splitter.feed(bytes.substr(at, piece));
    while (const auto line = splitter.next()) add(*line);
  }
  if (const auto line = splitter.rest()) add(*line);
  EXPECT_FALSE(splitter.rest());
  return lines;
}

TEST(LineSplitter, CutsBytesIntoLines) {
  const std::string longest(kMostLineBytes, 'x');
  const struct {
    std::string name, bytes;
    std::vector<std::string> lines;
  } rows[] = {
      {"nothing", "", {}},
      {"one", "a\n", {"a"}},
      {"no newline at the end", "a\nb", {"a", "b"}},
      {"empty ones", "\n\na\n\n", {"", "", "a", ""}},
      {"CRLF", "a\r\nb\r\n\r\n", {"a", "b", ""}},
      {"CR at the very end", "a\r", {"a"}},
      {"CR inside stays", "a\rb\n", {"a\rb"}},
      {"NUL stays", std::string("a\0b\n", 4), {std::string("a\0b", 3)}},
      {"the longest", longest + "\n" + longest + "\r\n" + longest, {longest, longest, longest}},
      {"one too many", longest + "x\nb\n", {"too long: 4096", "b"}},
      {"one too many at the end", longest + "x", {"too long: 4096"}},
      {"a megabyte", "a\n" + std::string(1 << 20, 'y') + "\nb\n", {"a", "too long: 1048576", "b"}},
  };
  for (const auto& row : rows) {
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{4096}, size_t{1} << 21}) {
      SCOPED_TRACE(row.name + " in pieces of " + std::to_string(piece));
      EXPECT_EQ(lines_of(row.bytes, piece), row.lines);
    }
  }
}

TEST(LineSplitter, KnowsEarlyThatALineIsTooLong) {
  LineSplitter splitter;
  splitter.feed(std::string(kMostLineBytes + 1, 'x'));
  EXPECT_FALSE(splitter.overflows());  // the last may be a CR
  splitter.feed("x");
  EXPECT_TRUE(splitter.overflows());
  splitter.feed("\n");
  EXPECT_FALSE(splitter.overflows());
}

TEST(Line, CommentsBeginOutsideOfQuotes) {
  const struct {
    std::string text, without;
    bool is_closed = true;
  } rows[] = {
      {"set burst 32 # a comment", "set burst 32"},
      {"set burst 32# don't", "set burst 32"},
      {"# \"a comment", ""},
      {R"(domain "A#x")", R"(domain "A#x")"},
      {R"(domain "A#x" # "B)", R"(domain "A#x")"},
      {"domain 'A#x' # B", "domain 'A#x'"},
      {R"(domain "A\"#x" # B)", R"(domain "A\"#x")"},
      {R"(domain 'A\' # B)", R"(domain 'A\')"},
      {R"(list ["a#1","b#2", 'c#3'] # d)", R"(list ["a#1","b#2", 'c#3'])"},
      {"load it's # a comment", "load it's"},
      {R"(domain "A#x)", R"(domain "A#x)", false},
      {R"(domain "A\")", R"(domain "A\")", false},
      {"domain 'A", "domain 'A", false},
      {R"(list ["a)", R"(list ["a)", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(console::without_comment(row.text), row.without);
    EXPECT_EQ(!console::problem_of_line(row.text), row.is_closed) << row.text;
  }
}

TEST(Line, SaysWhatIsNotUtf8) {
  const struct {
    std::string text;
    bool good;
  } rows[] = {
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", true},
      {"\x80", false},
      {"\xc3", false},
      {"\xc0\xaf", false},
      {"\xe0\x80\xaf", false},
      {"\xed\xa0\x80", false},
      {"\xf4\x90\x80\x80", false},
      {"\xf5\x80", false},
      {"\xe2\x82", false},
      {"\xef\xbf\xbf\xf4\x8f\xbf\xbf", true},
  };
  for (const auto& row : rows) EXPECT_EQ(!console::problem_of_line(row.text), row.good) << row.text;
}

}  // namespace
