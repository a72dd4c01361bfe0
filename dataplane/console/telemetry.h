// SPDX-License-Identifier: BSD-3-Clause
// roceway's commands on DPDK's telemetry socket (/roceway/ports and others; dpdk-telemetry.py asks them).
// Made on the main thread once EAL runs; DPDK calls its answers on threads of its own, one for each client.
// DPDK forgets no command, so the commands outlive this object: without one they answer an error.
#pragma once

#include "console/read_report.h"
#include "console/telemetry_answers.h"

namespace console {

class Telemetry {
 public:
  // At most one at a time. Throws glue::StartError when DPDK does not take a command.
  Telemetry(ReadReport read_report, ExplainHash explain_hash);
  // Waits for answers that are being made: control::Errands must be closed before, or be served.
  ~Telemetry();
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;
};

}  // namespace console
