// SPDX-License-Identifier: BSD-3-Clause
// The prompt on a terminal: DPDK's line editor with history, completion and help by the parser's rows. Its
// own loop waits for keys, so that it can be stopped and lines of the program can be printed above what
// somebody types. One thread calls run(); it may be slow as the terminal is, control never waits for it.
#pragma once

#include <cmdline.h>

#include <atomic>
#include <mutex>
#include <string>

#include "console/descriptors.h"
#include "console/script.h"

namespace console {

class Prompt {
 public:
  // `context` (Parser::context) outlives it; null: nothing completes. `text` is shown before each line, up to
  // 31 characters. `in` and `out` are terminals. `end_fd` is readable once there is nobody left to
  // run a line.
  Prompt(cmdline_parse_ctx_t* context, std::string text, RunLine run, int in = 0, int out = 1,
         int end_fd = -1);
  ~Prompt();
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;

  // Until `quit`, Ctrl-D or a terminal that hangs up (all: quit), stop(), `end_fd`, or a program that is
  // ending (stopped). A line that fails is told and the next one asked for.
  Outcome run();

  // The rest: any thread, at once.
  void stop();
  // Lines, each with its newline, above the one that is being typed. Kept until the terminal takes them; when
  // it takes none for long, the newest are left out, and how many.
  void print_above(std::string_view text);

 private:
  struct Editor;
  enum class Key : uint8_t { goes_on, ends };

  void write(std::string_view text);
  void write_waiting_lines(Editor& editor);
  Key press(Editor& editor, char key, Outcome& outcome);
  Key enter(Editor& editor, Outcome& outcome);

  cmdline_parse_ctx_t* context_;
  std::string text_;
  int in_, out_, end_fd_;
  Bell stop_, news_;
  Descriptor own_out_;
  LineRunner runner_;

  std::mutex mutex_;  // of what follows
  std::string waiting_;
  size_t left_out_ = 0;
};

}  // namespace console
