// SPDX-License-Identifier: BSD-3-Clause
// Watches a running engine until something ends it: a signal, the time given, or silence. Its thread, the
// main lcore's, is the control thread; it polls no packets and wakes once a millisecond, to give the engine
// its tick.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "control/engine.h"
#include "control/errands.h"
#include "control/event_log.h"
#include "control/signals.h"

namespace control {

struct RunLimits {
  std::optional<double> duration_s;   // stop after this long
  std::optional<double> idle_exit_s;  // stop after so long without a data packet and with nothing held
  double stats_period_s = 0;          // print a line of rates so often; 0: never
};

// What SIGHUP asks for; prints what it did. Empty: SIGHUP ends the run as the other signals do.
using Reread = std::function<void()>;

// Why the run ended, for the user: "received signal 2 (Interrupt)", "5 s are over", "no data packet for 0.5
// s", "quit".
//
// Between ticks it serves what other threads ask for; `quit` becomes true by one of these.
std::string supervise(Engine& engine, const Signals& signals, const RunLimits& limits, const Reread& reread,
                      Errands& errands, const bool& quit, const EventLog::Elsewhere& elsewhere);

}  // namespace control
