// SPDX-License-Identifier: BSD-3-Clause
// One line on the terminal, and the two signals that ask for an early end; see progress.h. Nothing of it
// touches standard output, so results can be piped.
#include "hashlab/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace hashlab {
namespace {

constexpr int64_t kBetweenMs = 200;
constexpr const char* kWipe = "\r\x1b[K";  // to the line's start; erase to its end (ECMA-48, EL)

// A signal handler writes them.
std::atomic<bool> asked_to_stop{false};
std::atomic<int> stopped_by_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int signal) {
  asked_to_stop = true;
  stopped_by_signal = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value < 10 ? 1 : 0, value);
  return text;
}

std::string duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  const auto text = [](int64_t value, const char* unit) { return std::to_string(value) + unit; };
  if (whole < 60) return text(whole, " s");
  if (whole < 3600) return text(whole / 60, " min ") + text(whole % 60, " s");
  return text(whole / 3600, " h ") + text(whole % 3600 / 60, " min");
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = 0;  // no SA_RESTART: a read that waits for a pipe ends, too
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stopped() {
  return asked_to_stop.load(std::memory_order_relaxed);
}

void go_on() {
  asked_to_stop = false;
}

int stopped_by() {
  return stopped_by_signal.load(std::memory_order_relaxed);
}

std::string progress_line(const std::string& what, const std::string& unit, double done, double total,
                          double seconds, size_t columns) {
  const std::string gap = "  ";
  std::string counts = gap + std::to_string(static_cast<uint64_t>(done)), share, rate, left;
  if (total > 0) {
    counts += " of " + std::to_string(static_cast<uint64_t>(total));
    share = gap + std::to_string(static_cast<int>(std::min(100 * done / total, 100.0))) + " %";
  }
  counts += " " + unit;
  if (done > 0 && seconds > 0) {
    rate = gap + number(done / seconds) + " " + unit + "/s";
    if (total > 0) left = gap + duration(std::max(total - done, 0.0) / done * seconds) + " left";
  }
  std::string behind = counts + share + rate + left;
  if (what.size() + behind.size() > columns) behind = counts + share + left;
  if (what.size() + behind.size() > columns && total > 0) behind = share + left;
  const size_t room = columns - std::min(columns, behind.size());
  return (what.substr(0, room) + behind).substr(0, columns);
}

Progress::Progress(std::string what, std::string unit, double total)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      shown_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (written_ms_ > 0) std::fputs(kWipe, stderr);
}

void Progress::advance(double done) {
  if (!shown_) return;
  const double so_far = done_.fetch_add(done, std::memory_order_relaxed) + done;
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  int64_t last_ms = written_ms_.load(std::memory_order_relaxed);
  if (now_ms - last_ms < kBetweenMs) return;
  if (!written_ms_.compare_exchange_strong(last_ms, now_ms)) return;  // another thread writes it
  // A line as wide as the terminal would wrap and could not be wiped.
  const std::string line =
      progress_line(what_, unit_, so_far, total_, static_cast<double>(now_ms) / 1000, terminal_columns() - 1);
  std::fputs((kWipe + line).c_str(), stderr);
}

}  // namespace hashlab
