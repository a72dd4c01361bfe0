// SPDX-License-Identifier: BSD-3-Clause
// All ways in which somebody talks to the program, put together as the command line asks: a file of commands,
// a prompt or a pipe, the control socket, DPDK's telemetry, metrics. Each has a thread of its own, made by
// the main thread and on its CPU; what they want done goes through control::Errands. Main thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "console/console.h"
#include "console/ctl_server.h"
#include "console/prompt.h"
#include "console/script.h"
#include "console/telemetry.h"
#include "console/web_server.h"
#include "control/errands.h"

namespace console {

struct FaceChoice {
  std::optional<std::string> cmdline_file;
  bool interactive = false;
  unsigned tx_first_bursts = 0;    // of the start that is not typed
  std::optional<std::string> ctl;  // path of the control socket
  std::string metrics;             // address; empty: none
};

class Faces {
 public:
  // Begins to listen; throws glue::StartError when it cannot. Everything outlives it. Whatever is asked waits
  // until control serves errands.
  Faces(Console& console, control::Errands& errands, FaceChoice choice);
  // Closes the errands, then waits for all threads.
  ~Faces();
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;

  // Begins to run lines of a file, a prompt or a pipe, when there are any.
  void begin();
  // Where it listens, a line each.
  std::string listening() const;
  // Event lines go to the terminal above what is being typed; false when nobody types.
  bool print_above(const std::string& lines);
  // Whether a command of a file or a pipe failed: the program then ends with status 2.
  bool script_failed() const { return script_failed_.load(std::memory_order_acquire); }

 private:
  std::optional<Answer> run_line(const std::string& line);
  void talk();

  Console& console_;
  control::Errands& errands_;
  const FaceChoice choice_;
  std::atomic<bool> script_failed_{false};
  std::unique_ptr<Prompt> prompt_;
  std::unique_ptr<CtlServer> ctl_;
  std::unique_ptr<Telemetry> telemetry_;
  std::unique_ptr<WebServer> web_;
  Bell stop_;
  std::thread talker_;
};

}  // namespace console
