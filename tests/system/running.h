// SPDX-License-Identifier: BSD-3-Clause
// A program that runs while a test changes the world around it and reads, in their order, the lines in which
// it tells what it makes of that. Used by the system tests on the test's own thread.
#pragma once

#include <stdexcept>
#include <string>

#include "system/program.h"

namespace system_test {

class Running {
 public:
  // Returns when it has said `ready`. Its stdout and stderr are one pipe, so that lines come in the order of
  // time.
  Running(const std::string& program, const Words& arguments, const test_support::Surroundings& around,
          const std::string& ready)
      : process_("/bin/sh", words(program, arguments), around) {
    expect_says(ready);
  }

  pid_t pid() const { return process_.pid(); }
  void send(int signal) const { process_.send(signal); }
  // Reads on from behind what was expected last until it has said `text`; throws when it ends before.
  void expect_says(const std::string& text) {
    if (!process_.wait_for(text, read_)) {
      const std::string said = process_.wait().out;
      throw std::runtime_error("ended without saying: " + text + "\nbut:\n" +
                               said.substr(std::min(read_, said.size())));
    }
    read_ = process_.out_so_far().find(text, read_) + text.size();
  }
  const std::string& said() const { return process_.out_so_far(); }
  // Reads until it has ended. Once only.
  test_support::Ended wait() { return process_.wait(); }

 private:
  static Words words(const std::string& program, const Words& arguments) {
    Words words = {"-c", "exec \"$0\" \"$@\" 2>&1", program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }
  test_support::Process process_;
  size_t read_ = 0;
};

}  // namespace system_test
