// SPDX-License-Identifier: BSD-3-Clause
// Work for the control thread; see errands.h.
#include "control/errands.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace control {

Errands::Errands() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Errands::~Errands() {
  close();
  ::close(event_fd_);
}

bool Errands::run(const std::function<void()>& work) {
  Errand errand{&work};
  std::unique_lock lock(mutex_);
  if (closed_) return false;
  waiting_.push_back(&errand);
  eventfd_write(event_fd_, 1);
  changed_.wait(lock, [&] { return errand.done || errand.refused; });
  return errand.done;
}

void Errands::serve(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  while (!waiting_.empty() && std::chrono::steady_clock::now() < end) {
    Errand* const errand = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    (*errand->work)();
    lock.lock();
    errand->done = true;
    changed_.notify_all();
  }
  eventfd_t count = 0;
  if (waiting_.empty()) eventfd_read(event_fd_, &count);
}

void Errands::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (Errand* errand : waiting_) errand->refused = true;
  waiting_.clear();
  changed_.notify_all();
}

}  // namespace control
