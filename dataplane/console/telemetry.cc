// SPDX-License-Identifier: BSD-3-Clause
// Commands on DPDK's telemetry socket; see telemetry.h. What they say is in telemetry_answers.cc.
#include "console/telemetry.h"

#include <rte_telemetry.h>

#include <algorithm>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "pmd_glue/start_error.h"

namespace console {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kHash = "/roceway/hash";

// Between DPDK's threads and the one Telemetry object, if there is one.
class Door {
 public:
  void open(ReadReport read_report, ExplainHash explain_hash) {
    const std::lock_guard lock(mutex_);
    read_report_ = std::move(read_report);
    explain_hash_ = std::move(explain_hash);
    rate_start_ = {};
    open_ = true;
  }
  void close() {
    std::unique_lock lock(mutex_);
    open_ = false;
    changed_.wait(lock, [this] { return inside_ == 0; });
    read_report_ = nullptr;
    explain_hash_ = nullptr;
  }
  Json answer(const std::string& command, const std::string& parameter) {
    if (!enter()) return ending();
    Json answer = command == kHash ? answer_hash(parameter) : answer_report(command, parameter);
    leave();
    return answer;
  }

 private:
  static Json ending() { return {{"error", "roceway is ending"}}; }
  bool enter() {
    const std::lock_guard lock(mutex_);
    inside_ += open_ ? 1 : 0;
    return open_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --inside_;
    changed_.notify_all();
  }
  Json answer_hash(const std::string& parameter) const {
    const std::vector<std::string> words = words_of_tuple(parameter);
    if (words.size() != 5)
      return {
          {"error", "found " + std::to_string(words.size()) + " words; allowed: SRC,DST,SPORT,DPORT,PROTO"}};
    const std::optional<HashExplained> explained = explain_hash_(words);
    return explained ? hash_answer(*explained) : ending();
  }
  Json answer_report(const std::string& command, const std::string& parameter) {
    const std::optional<control::Report> now = read_report_();
    if (!now) return ending();
    control::Report before;
    {
      const std::lock_guard lock(mutex_);
      before = rate_start_.before(*now);
    }
    const auto& commands = telemetry_commands();
    const auto row = std::find_if(commands.begin(), commands.end(),
                                  [&](const TelemetryCommand& one) { return one.command == command; });
    return row->answer(before, *now, parameter);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  unsigned inside_ = 0;
  ReadReport read_report_;
  ExplainHash explain_hash_;
  RateStart rate_start_;
};

// Never destroyed: DPDK's threads may come until the process is gone.
Door& door() {
  static Door& door = *new Door;
  return door;
}

// DPDK keeps 128 bytes of a text, the zero included.
std::string short_enough(const std::string& text) {
  return text.substr(0, RTE_TEL_MAX_STRING_LEN - 1);
}

// Our answers are numbers and texts, and dictionaries of them. What holds others is freed by DPDK once
// written.
void fill(rte_tel_data* to, const Json& object) {
  rte_tel_data_start_dict(to);
  for (const auto& [key, value] : object.items()) {
    const char* const name = key.c_str();
    if (value.is_string()) {
      rte_tel_data_add_dict_string(to, name, short_enough(value.get<std::string>()).c_str());
    } else if (value.is_object()) {
      rte_tel_data* const inner = rte_tel_data_alloc();
      if (inner == nullptr) continue;
      fill(inner, value);
      rte_tel_data_add_dict_container(to, name, inner, 0);
    } else if (value.is_boolean()) {
      rte_tel_data_add_dict_u64(to, name, value.get<bool>() ? 1 : 0);
    } else if (value.is_number_unsigned()) {
      rte_tel_data_add_dict_u64(to, name, value.get<uint64_t>());
    } else {
      const auto whole = std::clamp<int64_t>(value.get<int64_t>(), INT_MIN, INT_MAX);
      rte_tel_data_add_dict_int(to, name, static_cast<int>(whole));
    }
  }
}

int answer(const char* command, const char* parameter, rte_tel_data* to) {
  fill(to, door().answer(command, parameter ? parameter : ""));
  return 0;
}

void register_once() {
  static bool registered = false;
  if (std::exchange(registered, true)) return;
  const auto add = [](const char* command, const char* help) {
    if (rte_telemetry_register_cmd(command, answer, help) != 0)
      throw glue::StartError(std::string("telemetry: DPDK does not take the command ") + command);
  };
  for (const TelemetryCommand& row : telemetry_commands()) add(row.command, row.help);
  add(kHash, "Where a flow goes. Parameters: SRC,DST,SPORT,DPORT,PROTO");
}

}  // namespace

Telemetry::Telemetry(ReadReport read_report, ExplainHash explain_hash) {
  register_once();
  door().open(std::move(read_report), std::move(explain_hash));
}

Telemetry::~Telemetry() {
  door().close();
}

}  // namespace console
