// SPDX-License-Identifier: BSD-3-Clause
// docs/hashlab.md shows what the program prints: each command of it is run, and every line that stands below
// it must come out, in that order. "[...]" stands for lines that are left out.
#include <sstream>

#include "system/program.h"

#ifndef ROCEWAY_HASHLAB
#define ROCEWAY_HASHLAB ROCEWAY_SOURCE_DIR "/build/release/roceway-hashlab"
#endif

namespace {

using namespace system_test;

struct Shown {
  std::string command;
  Words lines;
};

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The blocks that begin with "$ roceway-hashlab".
std::vector<Shown> shown_in(const std::string& document) {
  constexpr std::string_view kPrompt = "$ roceway-hashlab ";
  std::vector<Shown> all;
  bool inside = false;
  for (const std::string& line : lines_of(read_text(document))) {
    if (line.starts_with("```")) {
      inside = false;
    } else if (line.starts_with(kPrompt)) {
      all.push_back({line.substr(kPrompt.size()), {}});
      inside = true;
    } else if (inside) {
      all.back().lines.push_back(line);
    }
  }
  return all;
}

// The first line of `expected` that does not follow in `found`; empty when all do.
std::string missing(const Words& expected, const Words& found) {
  auto at = found.begin();
  for (const std::string& line : expected) {
    if (line == "[...]") continue;
    at = std::find(at, found.end(), line);
    if (at == found.end()) return line;
    ++at;
  }
  return "";
}

TEST(HashlabDocs, CommandsPrintWhatTheDocumentShows) {
  const std::vector<Shown> all = shown_in(ROCEWAY_SOURCE_DIR "/docs/hashlab.md");
  EXPECT_GE(all.size(), 7u);
  for (const Shown& shown : all) {
    SCOPED_TRACE(shown.command);
    const std::string program = program_named("ROCEWAY_HASHLAB", ROCEWAY_HASHLAB);
    const test_support::Ended ended =
        test_support::Process("/bin/sh", {"-c", "exec '" + program + "' " + shown.command}).wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(missing(shown.lines, lines_of(ended.out)), "");
  }
}

}  // namespace
