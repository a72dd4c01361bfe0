// SPDX-License-Identifier: BSD-3-Clause
// Runs lines, one by one or out of a file, a pipe or standard input. `load FILE` is done here, so that
// prompt, scripts and socket load alike, each line being an errand of its own. On the thread of whoever
// talks; never control's.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/command.h"
#include "console/descriptors.h"

namespace console {

// One line on the control thread, waited for; any other thread may call it. Nothing: the program is ending.
using RunLine = std::function<std::optional<Answer>(const std::string& line)>;
// Where answers go, as they come.
using Print = std::function<void(std::string_view text)>;

struct Outcome {
  std::optional<std::string> problem;  // of the line that failed, in a script behind "FILE:LINE: "
  bool quit = false;                   // the program shall end
  bool stopped = false;  // the program is ending, or stop_fd was readable: not all lines were run
  bool goes_on() const { return !problem && !quit && !stopped; }
};

class LineRunner {
 public:
  // Once `stop_fd` is readable, no further line of a script is run.
  LineRunner(RunLine run, Print print, int stop_fd = -1)
      : run_(std::move(run)), print_(std::move(print)), stop_fd_(stop_fd) {}

  Outcome line(const std::string& line);
  // Up to the first line that fails. `file` is a regular file or a pipe.
  Outcome script(const std::string& file);
  // What `fd` has until its end. `name` stands in problems.
  Outcome script(int fd, const std::string& name);

 private:
  Outcome load(const std::string& file, bool pipe_too);

  RunLine run_;
  Print print_;
  int stop_fd_;
  std::vector<std::pair<dev_t, ino_t>> open_;  // scripts that are being run, the outermost first
};

}  // namespace console
