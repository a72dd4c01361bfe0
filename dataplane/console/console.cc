// SPDX-License-Identifier: BSD-3-Clause
// From a line to its answer; see console.h. Control thread.
#include "console/console.h"

#include <algorithm>
#include <charconv>

#include "console/forward_text.h"
#include "control/words.h"
#include "pmd_glue/start_error.h"

namespace console {
namespace {

using control::fixed;
using control::grouped;

constexpr size_t kUndo = 64;

}  // namespace

Console::Console(control::Engine& engine)
    : saved(engine.settings()), engine_(engine), parser_(command_table(), instead_of) {}

Answer Console::run(std::string_view line) {
  const Parsed parsed = parser_.parse(line);
  if (!parsed.problem.empty()) return Answer::refuse(parsed.problem);
  if (parsed.command == nullptr) return {};
  if (const auto problem = problem_of_ports(*parsed.command, parsed.arguments))
    return Answer::refuse(*problem);
  if (parsed.json && parsed.command->effect != Effect::shows) {
    return Answer::refuse("--json: only what shows something has it; \"" +
                          std::string(parsed.command->syntax) + "\" was not run");
  }
  Answer answer;
  try {
    answer = parsed.command->run(*this, parsed.arguments);
  } catch (const std::exception& error) {  // no memory, say: packets go on, whatever a command comes to
    return Answer::refuse("\"" + std::string(parsed.command->syntax) + "\" failed: " + error.what());
  }
  quits_ |= answer.quit;
  if (answer.problem || !parsed.json) return answer;
  if (answer.json.is_null()) {
    return Answer::refuse("--json: \"" + std::string(parsed.command->syntax) +
                          "\" has nothing to say in JSON");
  }
  answer.text = answer.json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return answer;
}

void Console::file_was_read() {
  saved = settings();
  undo.clear();
}

Answer Console::start(unsigned tx_first_bursts) {
  // testpmd's scripts start and stop without looking; neither is a mistake there.
  if (engine_.forwarding()) return Answer::say("Packet forwarding already started\n");
  const control::Report before = engine_.report();
  try {
    engine_.start(tx_first_bursts);
  } catch (const glue::StartError& error) {
    return Answer::refuse(error.what());
  }
  forwarded_from = before;
  return Answer::say(forwarding_text(engine_));
}

uint16_t Console::first_access_port() const {
  const core::Plan& plan = engine_.plan();
  for (uint16_t i = 0; i < plan.ports.size(); ++i) {
    if (plan.groups[plan.ports[i].group].name == core::kAccess) return i;
  }
  return 0;
}

std::optional<size_t> Console::port_of(const std::string& word) const {
  const auto& ports = settings().ports;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].device == word) return i;
  }
  uint16_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (dpdk_port(i) == id) return i;
  }
  return std::nullopt;
}

std::vector<size_t> Console::ports_of(const std::string& word) const {
  std::vector<size_t> ports;
  if (word != "all") return {*port_of(word)};
  for (size_t i = 0; i < settings().ports.size(); ++i) ports.push_back(i);
  return ports;
}

std::optional<std::string> Console::problem_of_ports(const Command& command,
                                                     const Arguments& arguments) const {
  for (const std::string name : {"port", "ports", "device"}) {
    if (!arguments.has(name)) continue;
    const bool may_be_all = command.syntax.find("<" + name + ":ports>") != std::string_view::npos;
    const bool is_port = may_be_all || command.syntax.find("<" + name + ":port>") != std::string_view::npos;
    const std::string& word = arguments.text(name);
    if (!is_port || (may_be_all && word == "all") || port_of(word)) continue;
    std::string there;
    for (size_t i = 0; i < settings().ports.size(); ++i) {
      there += (i > 0 ? ", " : "") + std::to_string(dpdk_port(i)) + " (" + settings().ports[i].device + ")";
    }
    return name + ": found \"" + word + "\"; allowed: " + there + (may_be_all ? ", all" : "");
  }
  return std::nullopt;
}

std::string Console::told(const control::ChangeResult& result) const {
  if (result.stood_still_ms)
    return "forwarding stood still for " + fixed(*result.stood_still_ms, 1) + " ms\n";
  if (result.at_next_start) return "";
  if (engine_.plan().mode != core::Mode::gateway) return "";
  const bool hashed_anew = std::any_of(result.changes.begin(), result.changes.end(), [](const auto& change) {
    return change.where.starts_with("distribution.");
  });
  if (hashed_anew) return "flows are hashed anew: those that change their queue may be reordered once\n";
  if (result.buckets == 0) return "no bucket moved\n";
  return grouped(result.moved.buckets) + " of " + grouped(result.buckets) + " buckets moved, " +
         grouped(result.moved.needed) + " had to\n";
}

std::string device_notes(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

Answer Console::change(core::Settings next, const std::string& what, const std::string& said) {
  const core::Settings before = settings();
  const control::ChangeResult result = engine_.change(std::move(next), what);
  if (result.problem) return Answer::refuse(*result.problem);
  std::string notes = device_notes(result.of_devices);
  for (const std::string& note : result.notes) notes += note + "\n";
  const std::vector<std::string> old = core::texts_of(core::warnings(before));
  for (const std::string& warning : core::texts_of(core::warnings(settings()))) {
    if (std::find(old.begin(), old.end(), warning) == old.end()) notes += "warning: " + warning + "\n";
  }
  if (!result.changes.empty()) undo.push_back(before);
  if (undo.size() > kUndo) undo.pop_front();
  return Answer::say(said + (result.changes.empty() ? "nothing differs\n" : told(result)) + notes);
}

Answer Console::change_lcores(const std::vector<unsigned>& lcores, const std::string& what,
                              const std::string& said) {
  const control::ChangeResult result = engine_.change_lcores(lcores, what);
  if (result.problem) return Answer::refuse(*result.problem);
  return Answer::say(said + told(result) + device_notes(result.of_devices));
}

}  // namespace console
