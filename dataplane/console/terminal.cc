// SPDX-License-Identifier: BSD-3-Clause
// Changes a terminal and changes it back; see terminal.h.
#include "console/terminal.h"

#include <fcntl.h>
#include <pthread.h>
#include <termios.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

namespace console {
namespace {

// For a signal's handler, which gets nothing else.
std::atomic<int> the_terminal = -1;
termios before_raw;

constexpr std::array kKilling = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static_assert(std::atomic<int>::is_always_lock_free);

// Also from the background, where changing a terminal would stop the process.
void set_modes(int fd, const termios& modes) {
  sigset_t background, before;
  sigemptyset(&background);
  sigaddset(&background, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &background, &before);
  tcsetattr(fd, TCSANOW, &modes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void restore() {
  const int fd = the_terminal.exchange(-1);
  if (fd >= 0) set_modes(fd, before_raw);
}

// The handler has gone by itself (SA_RESETHAND): the signal, raised again, does what it does to any program.
void restore_and_die(int signal) {
  restore();
  raise(signal);
}

bool is_handled_by(int signal, void (*handler)(int)) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == handler;
}

}  // namespace

RawTerminal::RawTerminal(int fd) {
  [[maybe_unused]] static const bool kAtExit = std::atexit(restore) == 0;
  if (tcgetattr(fd, &before_raw) != 0) return;
  the_terminal = fd;
  struct sigaction action {};
  action.sa_handler = restore_and_die;
  action.sa_flags = SA_RESETHAND;
  for (const int signal : kKilling) {
    if (is_handled_by(signal, SIG_DFL)) sigaction(signal, &action, nullptr);
  }
  termios raw = before_raw;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);  // as testpmd's
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  set_modes(fd, raw);
}

RawTerminal::~RawTerminal() {
  restore();
  for (const int signal : kKilling) {
    if (is_handled_by(signal, restore_and_die)) std::signal(signal, SIG_DFL);
  }
}

Descriptor reopen_terminal(int fd) {
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  return Descriptor(open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace console
