// SPDX-License-Identifier: BSD-3-Clause
// A folder for sockets, and a client that speaks to a control socket byte by byte, as badly as a test wants.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "console/ctl_path.h"
#include "console/descriptors.h"

namespace console_test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "roceway_ctl_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

class RawClient {
 public:
  explicit RawClient(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto address = console::socket_address(path);
    is_connected_ = connect(fd_.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0;
  }
  bool is_connected() const { return is_connected_; }
  // False when the server has hung up.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t size = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      text.remove_prefix(static_cast<size_t>(size));
    }
    return true;
  }
  void ends_input() const { shutdown(fd_.get(), SHUT_WR); }
  // Exactly so many bytes; fewer only when the server hangs up.
  std::string receive(size_t size) const {
    std::string text(size, '\0');
    size_t got = 0;
    while (got < size) {
      const ssize_t more = recv(fd_.get(), text.data() + got, size - got, 0);
      if (more <= 0) break;
      got += static_cast<size_t>(more);
    }
    text.resize(got);
    return text;
  }
  // Until the server hangs up.
  std::string receive_all() const {
    std::string text;
    for (std::string more = receive(4096); !more.empty(); more = receive(4096)) text += more;
    return text;
  }
  void expect(const std::string& text) const { EXPECT_EQ(receive(text.size()), text); }
  void hang_up() { fd_.reset(); }

 private:
  console::Descriptor fd_;
  bool is_connected_ = false;
};

}  // namespace console_test
