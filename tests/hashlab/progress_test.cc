// SPDX-License-Identifier: BSD-3-Clause
// The line that tells how far work is: written on a terminal and wiped, never elsewhere; and the signals that
// end work early. What changes standard error or signals runs in a child.
#include "hashlab/progress.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <utility>

namespace {

TEST(Progress, LineTellsShareRateAndTimeLeft) {
  struct Row {
    double done, total, seconds;
    const char* expected;
  };
  const Row rows[] = {{0, 1024, 0.2, "reading f  0 of 1024 MB  0 %"},
                      {412, 1024, 2, "reading f  412 of 1024 MB  40 %  206 MB/s  3 s left"},
                      {1, 1000, 1, "reading f  1 of 1000 MB  0 %  1.0 MB/s  16 min 39 s left"},
                      {1, 10'000, 1, "reading f  1 of 10000 MB  0 %  1.0 MB/s  2 h 46 min left"},
                      {1024, 1024, 4, "reading f  1024 of 1024 MB  100 %  256 MB/s  0 s left"},
                      {1100, 1024, 4, "reading f  1100 of 1024 MB  100 %  275 MB/s  0 s left"},
                      {412, 0, 2, "reading f  412 MB  206 MB/s"},
                      {0, 0, 0, "reading f  0 MB"}};
  for (const Row& row : rows)
    EXPECT_EQ(hashlab::progress_line("reading f", "MB", row.done, row.total, row.seconds, 80), row.expected);
}

// What tells most stays: what it is, how far, how long still.
TEST(Progress, NarrowLinesDoWithoutTheirMiddle) {
  struct Row {
    size_t columns;
    double total;
    const char* expected;
  };
  const Row rows[] = {{54, 1024, "reading f  412 of 1024 MB  40 %  206 MB/s  3 s left"},
                      {51, 1024, "reading f  412 of 1024 MB  40 %  206 MB/s  3 s left"},
                      {50, 1024, "reading f  412 of 1024 MB  40 %  3 s left"},
                      {41, 1024, "reading f  412 of 1024 MB  40 %  3 s left"},
                      {40, 1024, "reading f  40 %  3 s left"},
                      {25, 1024, "reading f  40 %  3 s left"},
                      {20, 1024, "read  40 %  3 s left"},
                      {16, 1024, "  40 %  3 s left"},
                      {10, 1024, "  40 %  3 "},
                      {0, 1024, ""},
                      {27, 0, "reading f  412 MB  206 MB/s"},
                      {26, 0, "reading f  412 MB"},
                      {12, 0, "read  412 MB"}};
  for (const Row& row : rows) {
    EXPECT_EQ(hashlab::progress_line("reading f", "MB", 412, row.total, 2, row.columns), row.expected)
        << row.columns;
  }
}

std::string take(int from) {
  std::string text;
  char bytes[4096];
  for (pollfd ready{from, POLLIN, 0}; poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0;) {
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got <= 0) break;
    text.append(bytes, static_cast<size_t>(got));
  }
  return text;
}

// Standard error is `to` while it lives.
class ErrorsTo {
 public:
  explicit ErrorsTo(int to) : kept_(dup(STDERR_FILENO)) { dup2(to, STDERR_FILENO); }
  ~ErrorsTo() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }

 private:
  const int kept_;
};

TEST(Progress, IsShownOnATerminalAndWiped) {
  int ours = -1, theirs = -1;
  winsize narrow{.ws_row = 24, .ws_col = 40, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(openpty(&ours, &theirs, nullptr, nullptr, &narrow), 0);
  std::string shown, behind;
  {
    const ErrorsTo terminal(theirs);
    {
      hashlab::Progress progress("reading a capture with a long name", "MB", 1e12);
      while (shown.empty()) {
        progress.advance(1);
        shown = take(ours);
      }
      take(ours);
    }
    behind = take(ours);
  }
  EXPECT_TRUE(shown.starts_with("\r\x1b[Kreading a ")) << shown;
  EXPECT_TRUE(shown.ends_with(" left")) << shown;
  EXPECT_EQ(shown.size(), 4 + 39u) << shown;  // all columns but the last
  EXPECT_EQ(behind, "\r\x1b[K");
  close(theirs);
  close(ours);
}

// The one that began in a pipe is due before the other; both then write, or not, to the terminal.
TEST(Progress, IsQuietInAPipe) {
  int ends[2], ours = -1, theirs = -1;
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
  std::string shown;
  {
    const ErrorsTo pipe_end(ends[1]);
    hashlab::Progress quiet("quiet", "MB", 100);
    const ErrorsTo terminal(theirs);
    hashlab::Progress loud("loud", "MB", 1e12);
    while (shown.empty()) {
      quiet.advance(1);
      loud.advance(1);
      shown = take(ours);
    }
  }
  EXPECT_EQ(shown.find("\r\x1b[Kloud  "), 0u) << shown;
  EXPECT_EQ(take(ours), "\r\x1b[K");
  EXPECT_EQ(take(ends[0]), "");
  for (const int end : {ends[0], ends[1], ours, theirs}) close(end);
}

TEST(Progress, IsCountedByAnyThread) {
  int ours = -1, theirs = -1;
  ASSERT_EQ(openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
  std::string last;
  {
    const ErrorsTo terminal(theirs);
    hashlab::Progress progress("work", "steps", 0);
    const auto work = [&progress] {
      for (int i = 0; i < 1'000'000; ++i) progress.advance(1);
    };
    std::thread other(work);
    work();
    other.join();
    take(ours);
    while (last.empty()) {
      progress.advance(0);
      last = take(ours);
    }
  }
  EXPECT_EQ(last.find("\r\x1b[Kwork  2000000 steps  "), 0u) << last;
  close(theirs);
  close(ours);
}

TEST(Progress, FirstSignalAsksTheSecondEnds) {
  for (const auto& [first, second] : {std::pair{SIGINT, SIGINT}, std::pair{SIGINT, SIGTERM},
                                      std::pair{SIGTERM, SIGINT}, std::pair{SIGTERM, SIGTERM}}) {
    const pid_t child = fork();
    if (child == 0) {
      hashlab::catch_signals();
      if (hashlab::stopped()) _exit(1);
      raise(first);
      if (!hashlab::stopped()) _exit(2);
      raise(second);
      _exit(3);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == second) << first << " " << second << " " << status;
  }
}

// A read that waits must end, or Ctrl-C would do nothing while standard input is silent.
TEST(Progress, SignalsEndAWaitingRead) {
  const pid_t child = fork();
  if (child == 0) {
    hashlab::catch_signals();
    int restarted = 0;
    for (const int number : {SIGINT, SIGTERM}) {
      struct sigaction now {};
      sigaction(number, nullptr, &now);
      restarted |= now.sa_flags & SA_RESTART;
    }
    _exit(restarted == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
