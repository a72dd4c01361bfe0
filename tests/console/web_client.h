// SPDX-License-Identifier: BSD-3-Clause
// The least client of a web server on loopback: sends bytes as they are and reads until the server closes.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "console/web_server.h"

namespace console_test {

inline unsigned port_of(const console::WebServer& server) {
  const std::string url = server.url();
  return static_cast<unsigned>(std::stoul(url.substr(url.rfind(':') + 1)));
}

class Connection {
 public:
  explicit Connection(unsigned port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      close(socket_);
      throw std::runtime_error("nobody listens on port " + std::to_string(port));
    }
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& bytes) const { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  std::string read_all() const {
    std::string all;
    char buffer[4096];
    for (ssize_t got; (got = recv(socket_, buffer, sizeof(buffer), 0)) > 0;)
      all.append(buffer, static_cast<size_t>(got));
    return all;
  }

 private:
  int socket_;
};

inline std::string ask(unsigned port, const std::string& request) {
  const Connection connection(port);
  connection.send(request);
  return connection.read_all();
}

inline void connect_and_hang_up(unsigned port, const std::string& beginning) {
  Connection(port).send(beginning);
}

}  // namespace console_test
