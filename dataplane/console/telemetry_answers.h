// SPDX-License-Identifier: BSD-3-Clause
// What DPDK's telemetry socket is told of a report, as values: console/telemetry gives them to DPDK. DPDK
// knows whole numbers and texts only, so parts are told in per cent or per mille; an answer has 16 KB at
// most, so lists come in pages of so many entries that the longest fit. Pure.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "control/report.h"

namespace console {

// Where packets of a 5-tuple go and why, by the code that forwards; or what is wrong with the words.
struct HashExplained {
  std::string problem;  // empty: the rest holds
  std::string key_hex;  // bytes of the flow key
  uint32_t hash = 0, bucket = 0;
  std::string device;
  uint16_t queue = 0;  // of the rule
};

// Words as `hash explain` takes them: SRC DST SPORT DPORT PROTO. Any thread; nothing: the program is ending.
using ExplainHash = std::function<std::optional<HashExplained>(const std::vector<std::string>& words)>;

// The answer of one command: `before` is where rates and shares of time start, `parameter` what was asked
// behind the comma. An object; one with "error" alone says what is wrong with the parameter.
using TelemetryAnswer = nlohmann::ordered_json (*)(const control::Report& before, const control::Report& now,
                                                   const std::string& parameter);

struct TelemetryCommand {
  const char* command;
  const char* help;  // shorter than 64 characters
  TelemetryAnswer answer;
};

// All but /roceway/hash, which is no matter of a report.
const std::vector<TelemetryCommand>& telemetry_commands();

// For /roceway/hash: the words of "SRC,DST,SPORT,DPORT,PROTO", and the answer.
std::vector<std::string> words_of_tuple(const std::string& parameter);
nlohmann::ordered_json hash_answer(const HashExplained& explained);

// The report that rates are counted from: at least a second older than what is told now, as long as somebody
// asked then; at first the start of the run, when all was 0.
class RateStart {
 public:
  control::Report before(const control::Report& now);

 private:
  control::Report start_, recent_;
};

}  // namespace console
