// SPDX-License-Identifier: BSD-3-Clause
// Writes events as lines to standard error or to syslog, which systemd's journal reads too, and not more of
// them than somebody can want: 50 at once, then ten a second; how many were left out is told with the next.
// Control thread.
#pragma once

#include <cstdint>
#include <functional>

#include "control/event.h"
#include "core/settings.h"

namespace control {

class EventLog {
 public:
  explicit EventLog(core::LogTo to);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // `elsewhere`, when it takes the line, is where it goes instead of standard error: a terminal where
  // somebody types.
  using Elsewhere = std::function<bool(const std::string& line)>;
  void write(const Event& event, const Elsewhere& elsewhere);

 private:
  bool may_write(double at_s);

  const core::LogTo to_;
  double allowance_;
  double last_s_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace control
