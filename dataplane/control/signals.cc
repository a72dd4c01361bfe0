// SPDX-License-Identifier: BSD-3-Clause
// Signals for the control thread; see signals.h.
#include "control/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace control {

Signals::Signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGHUP);  // read the settings again, or the terminal was closed
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  fd_ = signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Signals::~Signals() {
  close(fd_);
}

std::optional<int> Signals::wait(std::chrono::nanoseconds limit, int other_fd) const {
  const timespec time{limit.count() / 1'000'000'000, limit.count() % 1'000'000'000};
  pollfd fds[] = {{fd_, POLLIN, 0}, {other_fd, POLLIN, 0}};  // poll leaves out a descriptor of -1
  ppoll(fds, 2, &time, nullptr);
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void Signals::let_the_next_one_kill() const {
  while (wait(std::chrono::milliseconds(20))) {
  }
  // SIGHUP asks for settings, and there is nothing left that they could change.
  sigset_t kill = set_;
  sigdelset(&kill, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &kill, nullptr);
}

}  // namespace control
