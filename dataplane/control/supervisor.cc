// SPDX-License-Identifier: BSD-3-Clause
// The control loop; see supervisor.h.
#include "control/supervisor.h"

#include <chrono>
#include <cstdio>
#include <cstring>

#include "control/words.h"

namespace control {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{1};

double seconds_since(Clock::time_point then, Clock::time_point now) {
  return std::chrono::duration<double>(now - then).count();
}

}  // namespace

std::string supervise(Engine& engine, const Signals& signals, const RunLimits& limits, const Reread& reread,
                      Errands& errands, const bool& quit, const EventLog::Elsewhere& elsewhere) {
  EventLog log(engine.settings().log.to);
  const Clock::time_point start = Clock::now();
  Clock::time_point last_change = start;
  Engine::Activity last_activity = engine.activity();
  Report last_report = engine.report();
  double next_stats_s = limits.stats_period_s;
  while (true) {
    const std::optional<int> signal = signals.wait(kTick, errands.event_fd());
    if (signal == SIGHUP && reread) {
      reread();
    } else if (signal) {
      return "received signal " + std::to_string(*signal) + " (" + strsignal(*signal) + ")";
    }
    errands.serve(kTick);
    if (quit) return "quit";
    engine.tick();
    for (const Event& event : engine.take_events()) log.write(event, elsewhere);
    const Clock::time_point now = Clock::now();
    const double elapsed_s = seconds_since(start, now);
    if (limits.duration_s && elapsed_s >= *limits.duration_s)
      return fixed(*limits.duration_s, 1) + " s are over";

    const Engine::Activity activity = engine.activity();
    if (activity.data_packets != last_activity.data_packets || activity.held > 0) last_change = now;
    last_activity = activity;
    if (limits.idle_exit_s && seconds_since(last_change, now) >= *limits.idle_exit_s) {
      return "no data packet for " + fixed(*limits.idle_exit_s, 1) + " s";
    }
    if (limits.stats_period_s > 0 && elapsed_s >= next_stats_s) {
      const Report report = engine.report();
      const std::string line = stats_line(last_report, report) + "\n";
      if (!elsewhere || !elsewhere(line)) {
        std::fputs(line.c_str(), stdout);
        std::fflush(stdout);
      }
      last_report = report;
      next_stats_s += limits.stats_period_s;
    }
  }
}

}  // namespace control
