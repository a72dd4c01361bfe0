// SPDX-License-Identifier: BSD-3-Clause
// Signals for the control thread; see signals.h.
#include "control/signals.h"

#include <pthread.h>

#include <ctime>

namespace control {

Signals::Signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGHUP);  // read the settings again, or the terminal was closed
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

std::optional<int> Signals::wait(std::chrono::nanoseconds limit) const {
  const timespec time{limit.count() / 1'000'000'000, limit.count() % 1'000'000'000};
  const int signal = sigtimedwait(&set_, nullptr, &time);
  if (signal > 0) return signal;
  return std::nullopt;
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
