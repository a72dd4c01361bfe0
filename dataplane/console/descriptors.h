// SPDX-License-Identifier: BSD-3-Clause
// Descriptors that the talking threads own, how such a thread is woken, and writing all of a text to somebody
// who may be slow without being stuck with him when the program ends. Used by script, prompt, ctl_server and
// ctl_client.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace console {

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

// Readable from ring() to silence(); for poll(2).
class Bell {
 public:
  Bell() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!fd_) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  int fd() const { return fd_.get(); }
  void ring() const { eventfd_write(fd_.get(), 1); }
  void silence() const {
    eventfd_t count = 0;
    eventfd_read(fd_.get(), &count);
  }

 private:
  Descriptor fd_;
};

// False when `fd` is none (-1), when nobody reads it any more, or once `stop_fd` (-1: none) is readable while
// the reader is slow. Pieces are as small as a pipe surely takes when poll says that it takes something, so
// that write does not block.
inline bool write_all(int fd, std::string_view text, int stop_fd) {
  constexpr size_t kPieceBytes = 4096;  // PIPE_BUF
  if (fd < 0) return false;             // poll would wait for it
  while (!text.empty()) {
    pollfd waits[] = {{fd, POLLOUT, 0}, {stop_fd, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return false;
    if (waits[0].revents == 0) {
      if (waits[1].revents != 0) return false;
      continue;
    }
    const ssize_t written = ::write(fd, text.data(), std::min(text.size(), kPieceBytes));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace console
