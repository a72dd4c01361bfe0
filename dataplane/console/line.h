// SPDX-License-Identifier: BSD-3-Clause
// What a line is, wherever it comes from: its longest length, the bytes it may have, and how a stream of
// bytes becomes lines without more memory than one line needs. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace console {

inline constexpr size_t kMostLineBytes = 4095;

// Why these bytes cannot be a line; nothing when they can: too long, a control character (a tab is none), not
// UTF-8, a string that is not closed.
std::optional<std::string> problem_of_line(std::string_view line);
std::string line_too_long(size_t bytes);

// Behind the first # outside of quotes: a comment. Blanks around what is left go, and a CR before the
// newline.
std::string_view without_comment(std::string_view line);
bool has_comment(std::string_view line);

class LineSplitter {
 public:
  struct Line {
    std::string text;  // without its newline and a CR before it; empty when it is too long
    size_t bytes = 0;  // of the whole line
    bool too_long() const { return bytes > kMostLineBytes; }
  };

  void feed(std::string_view bytes);
  // The next whole line.
  bool has_line() const { return buffer_.find('\n', start_) != std::string::npos; }
  std::optional<Line> next();
  // At the end of the stream: what stands behind the last newline.
  std::optional<Line> rest();
  // Whether what came so far of an unfinished line is too long already.
  bool overflows() const;
  size_t unfinished_bytes() const { return forgotten_ + buffer_.size() - start_; }

 private:
  Line take(size_t end);
  void forget_what_is_too_long();

  std::string buffer_;
  size_t start_ = 0;      // of what is not taken yet
  size_t forgotten_ = 0;  // bytes of the line at start_ that were counted and dropped
};

}  // namespace console
