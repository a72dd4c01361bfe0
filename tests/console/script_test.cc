// SPDX-License-Identifier: BSD-3-Clause
// Scripts: every line is run in order, the first that fails stops, and where it stands is told.
#include "console/script.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "console/small_table.h"

namespace {

namespace fs = std::filesystem;
using console::Answer;
using console::LineRunner;
using console::Outcome;

class Script : public testing::Test {
 protected:
  Script() {
    std::string name = (fs::temp_directory_path() / "roceway_script_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Script() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string without_folder(std::string text) const {
    for (size_t at; (at = text.find(folder_.string() + '/')) != std::string::npos;)
      text.erase(at, folder_.string().size() + 1);
    return text;
  }
  LineRunner runner() {
    return {[](const std::string& line) { return console_test::understood(line); },
            [this](std::string_view text) { printed_ += text; }};
  }

  fs::path folder_;
  std::string printed_;
};

TEST_F(Script, RunsLinesUntilOneFails) {
  const struct {
    std::string name, text, printed, problem = {};
    bool quit = false;
  } rows[] = {
      {"empty", "", ""},
      {"comments and blanks", "# a\n\n   \n", ""},
      {"two", "help\nstart\n", "ran help\nran start\n"},
      {"the last without a newline", "help\nstart", "ran help\nran start\n"},
      {"CRLF", "help\r\nstart\r\n", "ran help\nran start\n"},
      {"quit ends", "help\nquit\nstart\n", "ran help\nran quit\n", "", true},
      {"the first that fails", "help\n\nset burst 0\nstart\n", "ran help\n",
       "s:3: n: found \"0\"; allowed: a whole number 1 to 512"},
      {"the last fails", "help\nfoo", "ran help\n", "s:2: \"foo\": unknown command; \"help\" tells them all"},
      {"a line too long", "help\n" + std::string(5000, 'x') + "\nstart\n", "ran help\n",
       "s:2: line of 5,000 bytes; allowed: up to 4,095"},
      {"a control character", "he\x01lp\n", "",
       "s:1: found control character 0x01 at byte 3; allowed: text, blanks and tabs"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    printed_.clear();
    const Outcome outcome = runner().script(write("s", row.text));
    EXPECT_EQ(printed_, row.printed);
    EXPECT_EQ(without_folder(outcome.problem.value_or("")), row.problem);
    EXPECT_EQ(outcome.quit, row.quit);
    EXPECT_FALSE(outcome.stopped);
  }
}

TEST_F(Script, LoadsScripts) {
  write("b", "start\n");
  write("with blank", "help\n");
  const std::string outer = write("a", "help\n load\t" + (folder_ / "b").string() + " # b\nload " +
                                           (folder_ / "with blank").string() + "\nstart tx_first");
  EXPECT_TRUE(runner().line("load " + outer).goes_on());
  EXPECT_EQ(printed_, "ran help\nran start\nran help\nran start tx_first\n");
}

TEST_F(Script, TellsWhereANestedLineFails) {
  write("b", "start\nset burst x\n");
  write("a", "\nload " + (folder_ / "b").string() + "\nhelp\n");
  const Outcome outcome = runner().script((folder_ / "a").string());
  EXPECT_EQ(without_folder(*outcome.problem), "a:2: b:2: n: found \"x\"; allowed: a whole number 1 to 512");
  EXPECT_EQ(printed_, "ran start\n");
}

TEST_F(Script, RefusesWhatCannotBeLoaded) {
  write("self", "load " + (folder_ / "self").string());
  for (int i = 0; i < 9; ++i) {
    write("deep" + std::to_string(i), "help\nload " + (folder_ / ("deep" + std::to_string(i + 1))).string());
  }
  write("deep8", "help");
  const struct {
    std::string file, problem;
  } rows[] = {
      {"none", "none: No such file or directory"},
      {".", ".: not a file; allowed: a file with a command on each line"},
      {"self", "self:1: self: loads itself"},
      {"deep1", ""},
      {"deep0",
       "deep0:2: deep1:2: deep2:2: deep3:2: deep4:2: deep5:2: deep6:2: deep7:2: deep8: scripts load each "
       "other 8 "
       "deep; allowed: up to that"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.file);
    const Outcome outcome = runner().line("load " + (folder_ / row.file).string());
    EXPECT_EQ(without_folder(outcome.problem.value_or("")), row.problem);
  }
  EXPECT_EQ(runner().line("load /dev/zero").problem,
            "/dev/zero: not a file; allowed: a file with a command on each line");
}

TEST_F(Script, StopsWhenTheProgramEnds) {
  unsigned run = 0;
  LineRunner ending([&](const std::string&) { return ++run < 3 ? std::optional(Answer{}) : std::nullopt; },
                    [](std::string_view) {});
  const Outcome outcome = ending.script(write("s", "a\nb\nc\nd\n"));
  EXPECT_TRUE(outcome.stopped);
  EXPECT_FALSE(outcome.problem);
  EXPECT_EQ(run, 3U);
}

// A pipe on which nothing comes, read by a thread of its own.
TEST_F(Script, EndsAtTheEndOfItsInputAndWhenStopped) {
  for (const bool closes : {true, false}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const console::Bell stop;
    std::promise<void> printed;
    auto ended = std::async(std::launch::async, [&] {
      LineRunner runner([](const std::string& line) { return console_test::understood(line); },
                        [&](std::string_view text) {
                          printed_ += text;
                          printed.set_value();
                        },
                        stop.fd());
      return runner.script(ends[0], "stdin");
    });
    ASSERT_EQ(::write(ends[1], "start\n", 6), 6);
    printed.get_future().wait();
    if (closes) {
      close(ends[1]);
      EXPECT_TRUE(ended.get().goes_on());
    } else {
      stop.ring();
      EXPECT_TRUE(ended.get().stopped);
      close(ends[1]);
    }
    close(ends[0]);
  }
  EXPECT_EQ(printed_, "ran start\nran start\n");
}

}  // namespace
