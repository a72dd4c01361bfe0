// SPDX-License-Identifier: BSD-3-Clause
// What happened, for the log and the report: a name, numbers, and a sentence. Made by control/engine, written
// by control/event_log. Control thread.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace control {

struct Event {
  std::string name;  // published, port, forwarding, limit, slow_round
  std::string text;  // the sentence, with its cause
  std::vector<std::pair<std::string, std::string>> fields = {};  // "took_ms", "0.120"
  double at_s = 0;                                               // since start
  std::chrono::system_clock::time_point time = {};
};

// `2026-11-30T15:04:05.123456Z published moved=16 of=64 needed=16 took_ms=0.120  net_ring1 of uplink is down
// ...`: time in UTC, name, fields, two blanks, the sentence.
std::string line_of(const Event& event);

}  // namespace control
