// SPDX-License-Identifier: BSD-3-Clause
// SIGINT, SIGTERM and SIGHUP as something the control thread waits for. Created by main before any other
// thread exists, so that all threads inherit the blocked signals; SIGPIPE is ignored from then on.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace control {

class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  // The number of the signal that came within `limit`, or nothing; returns early when `other_fd` is readable.
  std::optional<int> wait(std::chrono::nanoseconds limit, int other_fd = -1) const;
  // From now on another SIGINT or SIGTERM ends the process at once, and SIGHUP does nothing. Those within
  // 20 ms still count as the first: timeout(1) signals both the process and its group, a shell and a
  // supervisor may do so together.
  void let_the_next_one_kill() const;

 private:
  sigset_t set_;
  int fd_;
};

}  // namespace control
