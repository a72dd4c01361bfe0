// SPDX-License-Identifier: BSD-3-Clause
// Events as lines; see event.h and event_log.h. Control thread.
#include "control/event_log.h"

#include <paths.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace control {
namespace {

constexpr double kAtOnce = 50;
constexpr double kASecond = 10;

std::string utc(std::chrono::system_clock::time_point time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(since - seconds).count();
  const std::time_t whole = seconds.count();
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char date[32], fraction[16];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(fraction, sizeof fraction, ".%06dZ", static_cast<int>(micros));
  return std::string(date) + fraction;
}

std::string without_time(const Event& event) {
  std::string line = event.name;
  for (const auto& [name, value] : event.fields) line += ' ' + name + '=' + value;
  return line + "  " + event.text;
}

}  // namespace

std::string line_of(const Event& event) {
  return utc(event.time) + ' ' + without_time(event);
}

// Without a log daemon syslog(3) loses lines and says nothing.
EventLog::EventLog(core::LogTo to)
    : to_(to == core::LogTo::syslog && access(_PATH_LOG, W_OK) != 0 ? core::LogTo::stderr_ : to),
      allowance_(kAtOnce) {
  if (to_ != to)
    std::fputs("roceway: warning: log.to: nobody listens at " _PATH_LOG "; events go to stderr\n", stderr);
  if (to_ == core::LogTo::syslog) openlog("roceway", LOG_PID, LOG_DAEMON);
}

EventLog::~EventLog() {
  if (to_ == core::LogTo::syslog) closelog();
}

bool EventLog::may_write(double at_s) {
  allowance_ = std::min(kAtOnce, allowance_ + (at_s - last_s_) * kASecond);
  last_s_ = at_s;
  if (allowance_ < 1) {
    ++left_out_;
    return false;
  }
  allowance_ -= 1;
  return true;
}

void EventLog::write(const Event& event, const Elsewhere& elsewhere) {
  if (!may_write(event.at_s)) return;
  Event told = event;
  if (left_out_ > 0) told.fields.emplace_back("left_out", std::to_string(std::exchange(left_out_, 0)));
  if (to_ == core::LogTo::syslog) {
    syslog(LOG_NOTICE, "%s", without_time(told).c_str());
    return;
  }
  const std::string line = line_of(told) + "\n";
  if (!elsewhere || !elsewhere(line)) std::fputs(line.c_str(), stderr);
}

}  // namespace control
