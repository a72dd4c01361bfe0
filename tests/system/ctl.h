// SPDX-License-Identifier: BSD-3-Clause
// A client of a control socket, byte by byte (docs/control-socket.md, "Protocol"): how system tests type
// commands to a running program and take its answers. It asks as a program that is not roceway would.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace system_test {

class Ctl {
 public:
  struct Heard {
    std::string status, text;
  };

  // The program listens there already.
  explicit Ctl(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return;
    const std::string why = std::strerror(errno);
    close(socket_);
    throw std::runtime_error(path + ": " + why);
  }
  ~Ctl() {
    if (socket_ >= 0) close(socket_);
  }
  Ctl(Ctl&& from) noexcept : socket_(std::exchange(from.socket_, -1)), received_(std::move(from.received_)) {}
  Ctl& operator=(Ctl&&) = delete;

  // False when the program takes no more.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  void ends_input() const { shutdown(socket_, SHUT_WR); }

  // The next answer; none once the connection has ended. Throws when what came is no answer.
  std::optional<Heard> hear() {
    while (received_.find('\n') == std::string::npos) {
      if (receive_more()) continue;
      if (!received_.empty()) throw std::runtime_error("half an answer: " + received_);
      return std::nullopt;
    }
    const size_t head = received_.find('\n'), blank = received_.find(' ');
    if (blank > head) throw std::runtime_error("no answer: " + received_);
    const size_t bytes = std::stoul(received_.substr(blank + 1, head - blank - 1));
    while (received_.size() < head + 1 + bytes) {
      if (!receive_more()) throw std::runtime_error("half an answer: " + received_);
    }
    Heard heard{received_.substr(0, blank), received_.substr(head + 1, bytes)};
    received_.erase(0, head + 1 + bytes);
    return heard;
  }

  Heard ask(const std::string& line) {
    send(line + '\n');
    const std::optional<Heard> heard = hear();
    if (!heard) throw std::runtime_error("the connection ended behind: " + line);
    return *heard;
  }

 private:
  bool receive_more() {
    char bytes[65536];
    ssize_t got = 0;
    do {
      got = recv(socket_, bytes, sizeof(bytes), 0);
    } while (got < 0 && errno == EINTR);
    if (got > 0) received_.append(bytes, static_cast<size_t>(got));
    return got > 0;
  }

  int socket_;
  std::string received_;
};

}  // namespace system_test
