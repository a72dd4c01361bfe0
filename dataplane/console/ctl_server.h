// SPDX-License-Identifier: BSD-3-Clause
// The control socket: a UNIX stream socket of this user alone. A client sends lines; for each it gets
//   ok BYTES\n      or  error BYTES\n      or  bye BYTES\n
// and so many bytes of text, which end with a newline unless there are none. `error` means that the line was
// refused and tells why; `bye` that the connection ends here and why, be it asked for anything or not. Lines
// are answered in order. One thread serves all clients, one line of each in turn, and waits for the control
// thread, never the other way round.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "console/descriptors.h"
#include "console/script.h"

namespace console {

inline constexpr size_t kMostCtlClients = 64;
// While more than this waits for a client, no further line of it is run; and it is cut off when it takes
// nothing for kCtlPatience.
inline constexpr size_t kMostWaitingBytes = size_t{1} << 20;
inline constexpr std::chrono::seconds kCtlPatience{10};

std::string ctl_answer(std::string_view status, std::string_view text);

class CtlServer {
 public:
  // Listens at `path`; a socket that a dead program left there is replaced. Throws glue::StartError.
  CtlServer(std::string path, RunLine run, std::chrono::milliseconds patience = kCtlPatience);
  // Waits for the line that is being run; let it end first (Errands::close). Removes the socket.
  ~CtlServer();
  CtlServer(const CtlServer&) = delete;
  CtlServer& operator=(const CtlServer&) = delete;

  const std::string& path() const { return path_; }

 private:
  struct Client;

  void listen_at_path();
  void loop();
  // Until there is something to do; marks the clients that have something.
  void wait();
  void accept_all();
  void serve(Client& client);
  void answer(Client& client, const std::string& line);

  std::string path_;
  RunLine run_;
  std::chrono::milliseconds patience_;
  Bell stop_;
  Descriptor listener_;
  struct stat made_ {};     // the socket that we made, not one that somebody put in its place
  bool accepts_ = true;     // false for a while when the process has no descriptor left
  bool is_called_ = false;  // somebody wants to be accepted
  bool stops_ = false;
  std::vector<std::unique_ptr<Client>> clients_;
  std::thread thread_;
};

}  // namespace console
