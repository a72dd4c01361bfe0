// SPDX-License-Identifier: BSD-3-Clause
// What the tests of commands share. Each section of commands has a table: the syntax of each of its commands
// as `help all` tells it, and the lines that are typed to try it, with what their answers say. kTyped lists
// these tables, so that a command without a test is found (commands_help_test.cc).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/ctl.h"
#include "system/live_change.h"

namespace system_test {

// A line, and what its answer says, piece by piece in this order.
struct Step {
  enum class Kind {
    ok,       // it is done
    error,    // it is refused
    comes_to  // it is done, and asked again until it says so: what it tells of takes a moment
  };
  std::string line;
  Words says;
  Kind kind = Kind::ok;
};
inline Step ok(const std::string& line, const Words& says = {}) {
  return {line, says, Step::Kind::ok};
}
inline Step error(const std::string& line, const Words& says) {
  return {line, says, Step::Kind::error};
}
inline Step comes_to(const std::string& line, const Words& says) {
  return {line, says, Step::Kind::comes_to};
}

// `syntax`: empty for steps between commands.
struct Typed {
  std::string syntax;
  std::vector<Step> steps;
};
using TypedRows = std::vector<Typed>;

// By section; each in its file commands_SECTION_test.cc. `folder` is for files that commands read and write.
TypedRows control_rows(const std::string& folder);
TypedRows display_rows(const std::string& folder);
TypedRows config_rows(const std::string& folder);
TypedRows ports_rows(const std::string& folder);
TypedRows filters_rows(const std::string& folder);
TypedRows distribution_rows(const std::string& folder);
TypedRows watch_rows(const std::string& folder);
TypedRows settings_rows(const std::string& folder);
TypedRows dumps_rows(const std::string& folder);
inline constexpr TypedRows (*kTyped[])(const std::string&) = {control_rows, display_rows,  config_rows,
                                                              ports_rows,   filters_rows,  distribution_rows,
                                                              watch_rows,   settings_rows, dumps_rows};

// Whether `text` says all of it, in this order; else what is missing.
inline testing::AssertionResult says(const std::string& text, const Words& pieces) {
  size_t at = 0;
  for (const std::string& piece : pieces) {
    const size_t found = text.find(piece, at);
    if (found == std::string::npos)
      return testing::AssertionFailure() << "not said: " << piece << "\nbut: " << text;
    at = found + piece.size();
  }
  return testing::AssertionSuccess();
}

class CommandsTest : public LiveChangeTest {
 protected:
  std::string socket_path() const { return file("ctl.sock"); }
  std::string folder() const { return std::filesystem::path(file("x")).parent_path(); }

  // As a user of testpmd starts it: devices and mode on the command line. It forwards at once.
  Running start_plain(const Words& vdevs, const Words& more = {}) const {
    Words words = {"-l", "0,1", "--no-huge", "-m", "600", "--no-pci", "--file-prefix", prefix()};
    for (const std::string& vdev : vdevs) words.push_back("--vdev=" + vdev);
    for (const char* word : {"--", "--ctl"}) words.emplace_back(word);
    words.push_back(socket_path());
    words.insert(words.end(), {"--report", report_file()});
    words.insert(words.end(), more.begin(), more.end());
    return Running(roceway(), words, around(), "running");
  }
  // Four NICs under traffic (live_change.h), in mode gateway.
  Running start_gateway() const { return start(write_config(four_nics()), {"--ctl", socket_path()}); }

  void type(Ctl& ctl, const TypedRows& rows) const {
    for (const Typed& row : rows) {
      SCOPED_TRACE(row.syntax);
      for (const Step& step : row.steps) type(ctl, step);
    }
  }
  void type(Ctl& ctl, const Step& step) const {
    SCOPED_TRACE(step.line);
    Ctl::Heard heard = ctl.ask(step.line);
    if (step.kind == Step::Kind::comes_to) {
      until(step.line + ":\n" + heard.text, [&] {
        heard = ctl.ask(step.line);
        return static_cast<bool>(says(heard.text, step.says));
      });
    }
    EXPECT_EQ(heard.status, step.kind == Step::Kind::error ? "error" : "ok") << heard.text;
    EXPECT_TRUE(says(heard.text, step.says));
    if (step.kind != Step::Kind::error && step.line.starts_with("show ")) expect_json(ctl, step.line);
  }
  // Every show answers --json.
  static void expect_json(Ctl& ctl, const std::string& line) {
    if (line.ends_with(" --json")) return;
    const Ctl::Heard heard = ctl.ask(line + " --json");
    EXPECT_EQ(heard.status, "ok") << heard.text;
    EXPECT_TRUE(Json::accept(heard.text)) << heard.text;
  }
};

}  // namespace system_test
