// SPDX-License-Identifier: BSD-3-Clause
// Reads the drivers' counters of a running DPDK program, roceway or another, through DPDK's telemetry socket
// (DPDK's how-to guide, "DPDK Telemetry User Guide"): what a test waits for while packets move, and a view
// that is not roceway's own.
#pragma once

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>

#include "system/program.h"

namespace system_test {

class Telemetry {
 public:
  // Of the program with this EAL file prefix; it has started.
  explicit Telemetry(const std::string& prefix) : socket_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const std::string path = runtime_folder(prefix) / "dpdk_telemetry.v2";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      const std::string why = std::strerror(errno);
      close(socket_);
      throw std::runtime_error(path + ": " + why);
    }
    receive();  // it introduces itself
  }
  ~Telemetry() { close(socket_); }
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  // DPDK's port numbers: the order of EAL's arguments.
  uint64_t sent(unsigned port) { return counter(port, "opackets"); }
  uint64_t received(unsigned port) { return counter(port, "ipackets"); }

  // The whole answer to "/command" or "/command,parameters".
  Json ask(const std::string& question) {
    if (send(socket_, question.data(), question.size(), MSG_NOSIGNAL) < 0)
      throw std::runtime_error("it has gone");
    return receive();
  }

 private:
  uint64_t counter(unsigned port, const char* name) {
    return ask("/ethdev/stats," + std::to_string(port)).at("/ethdev/stats").at(name).get<uint64_t>();
  }
  Json receive() {
    char buffer[16 * 1024];
    const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
    if (got <= 0) throw std::runtime_error("it has gone");
    return Json::parse(std::string(buffer, static_cast<size_t>(got)));
  }

  int socket_;
};

// Asks again and again until it is so. What has not come after a minute never will: throws.
template <class Condition>
void until(const std::string& what, Condition condition) {
  const auto hangs = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > hangs) throw std::runtime_error("it hangs before " + what);
    sched_yield();
  }
}

}  // namespace system_test
