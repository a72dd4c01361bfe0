// SPDX-License-Identifier: BSD-3-Clause
// Changes of settings, lcores and devices while the program runs; see engine.h. Control thread.
#include <algorithm>
#include <utility>

#include "control/describe.h"
#include "control/engine.h"
#include "control/words.h"
#include "pmd_glue/captures.h"
#include "pmd_glue/port_controls.h"

namespace control {

ChangeResult Engine::change(core::Settings next, const std::string& what, const std::string& since) {
  ChangeResult result;
  if (const auto problems = core::validate(next); !problems.empty()) {
    result.problem = core::in_lines(problems);
    return result;
  }
  result.changes = difference(settings_, next);
  const std::vector<std::string> notes_before = device_notes();
  reported_at_ = {};
  const auto of = [&](When when) {
    return std::find_if(result.changes.begin(), result.changes.end(),
                        [when](const SettingChange& change) { return change.when == when; });
  };
  if (const auto fixed = of(When::program); fixed != result.changes.end()) {
    result.problem =
        fixed->where + ": " + fixed->before + " -> " + fixed->after + ": needs a new start of the program";
    return result;
  }
  if (of(When::forwarding) != result.changes.end()) {
    begin_again(std::move(next), lcores_, what, result);
  } else if (!result.changes.empty()) {
    change_live(std::move(next), what, since, result);
  }
  result.of_devices = device_notes_since(notes_before);
  return result;
}

ChangeResult Engine::change_lcores(const std::vector<unsigned>& lcores, const std::string& what) {
  ChangeResult result;
  const std::vector<std::string> notes_before = device_notes();
  begin_again(settings_, lcores, what, result);
  result.of_devices = device_notes_since(notes_before);
  return result;
}

std::vector<std::string> Engine::device_notes() const {
  return control::device_notes(settings_, devices_.facts(), run_->layout, plan());
}

std::vector<std::string> Engine::device_notes_since(const std::vector<std::string>& before) const {
  std::vector<std::string> notes = device_notes();
  std::erase_if(notes, [&](const std::string& note) {
    return std::find(before.begin(), before.end(), note) != before.end();
  });
  return notes;
}

// Hashes that are computed are those that were taken, so no flow moves for this. What comes in before workers
// have the plan may go where the new hash leads.
std::vector<std::string> Engine::hashes_otherwise(const std::vector<size_t>& ports, bool rules,
                                                  const std::string& what) {
  const std::vector<std::string> notes_before = device_notes();
  bool taken = false;
  for (const size_t port : ports) {
    taken |= plan().ports[port].gives_rss_hash;
    devices_.hashes_otherwise(port, rules);
  }
  if (taken && forwarding()) {
    run_->publisher->note(what, "the command", now_ns());
    publish();
  }
  return device_notes_since(notes_before);
}

void Engine::change_live(core::Settings next, const std::string& what, const std::string& since,
                         ChangeResult& result) {
  if (const auto problems = unsuited(next); !problems.empty()) {
    result.problem = core::in_lines(problems);
    return;
  }
  for (uint16_t i = 0; i < devices_.ports().size(); ++i) {
    if (settings_.ports[i].enabled && !next.ports[i].enabled) {
      to_pause_.push_back(i);
      std::erase(resumed_, i);
    }
    if (settings_.ports[i].enabled || !next.ports[i].enabled) continue;
    std::erase(to_pause_, i);
    if (const auto refused = devices_.ports()[i].resume()) {
      happened({.name = "port",
                .text = member_name(i) + " cannot be started: " + *refused,
                .fields = {{"device", settings_.ports[i].device}}});
      next.ports[i].enabled = false;
    } else {
      resumed_.push_back(i);
    }
  }
  settings_ = std::move(next);
  if (!forwarding()) {
    for (const uint16_t i : std::exchange(to_pause_, {})) devices_.ports()[i].pause();
    result.at_next_start = true;
    prepare(settings_, lcores_);  // so that what is shown is what the next start brings
    return;
  }
  if (run_->monitor) run_->monitor->set_policies(settings_);
  run_->publisher->note(what, since, now_ns());
  const Published preview = run_->publisher->preview(settings_, up());
  result.moved = preview.moved;
  result.buckets = preview.buckets;
  publish();
  for (const size_t group : preview.emptied) result.notes.push_back(nobody_left(settings_, plan(), group));
}

// Devices keep what comes meanwhile in their rings.
void Engine::begin_again(core::Settings next, std::vector<unsigned> lcores, const std::string& what,
                         ChangeResult& result) {
  if (const auto problems = lay_out(next, lcores).problems; !problems.empty()) {
    result.problem = core::in_lines(problems);
    return;
  }
  const bool was_forwarding = forwarding();
  const core::Settings before = settings_;
  const std::vector<unsigned> lcores_before = lcores_;
  const uint64_t from_ns = now_ns();
  halt();
  settings_ = std::move(next);
  lcores_ = std::move(lcores);
  try {
    was_forwarding ? start() : prepare(settings_, lcores_);
  } catch (const glue::StartError& error) {
    result.problem = error.what();
    settings_ = before;
    lcores_ = lcores_before;
    if (was_forwarding) go_on(result);
    return;
  }
  buckets_moved_ |= run_->plan().mode == core::Mode::gateway && !past_.ports.empty();
  result.at_next_start = !was_forwarding;
  if (!was_forwarding) return;
  result.stood_still_ms = static_cast<double>(now_ns() - from_ns) / 1e6;
  happened({.name = "forwarding",
            .text = what + ": forwarding stood still for " + fixed(*result.stood_still_ms, 2) + " ms",
            .fields = {{"stood_still_ms", fixed(*result.stood_still_ms, 3)}}});
}

// As before a change that failed.
void Engine::go_on(ChangeResult& result) {
  try {
    start();
  } catch (const glue::StartError& error) {
    *result.problem += "\nforwarding has stopped and cannot begin again: " + std::string(error.what());
  }
}

std::optional<std::string> Engine::attach(const std::string& devargs) {
  if (settings_.engine.mode == core::Mode::gateway)
    return "mode gateway takes its ports from the settings file; another device needs a new start of the "
           "program";
  try {
    glue::check_captures({"--vdev=" + devargs}, settings_.engine.mbuf_bytes);
  } catch (const glue::StartError& error) {
    return error.what();
  }
  const auto attached = glue::attach(devargs);
  if (!attached) return attached.problem;
  core::Settings next = settings_;
  next.ports.emplace_back().device = devargs.substr(0, devargs.find(','));
  try {
    devices_.add(next.ports.back().device);
    if (const auto problems = core::validate(next); !problems.empty()) throw UnsuitedSettings(problems);
    prepare(next, lcores_);
  } catch (const glue::StartError& error) {
    if (devices_.facts().size() == next.ports.size()) devices_.remove(next.ports.size() - 1);
    return error.what();
  }
  settings_ = std::move(next);
  reported_at_ = {};
  return std::nullopt;
}

std::optional<std::string> Engine::detach(size_t port) {
  if (settings_.ports.size() == 1) return "it is the last port, and one must stay";
  if (settings_.engine.mode == core::Mode::gateway)
    return "mode gateway takes its ports from the settings file; stop the port instead";
  const std::string device = settings_.ports[port].device;
  const auto refused = devices_.remove(port);
  settings_.ports.erase(settings_.ports.begin() + static_cast<std::ptrdiff_t>(port));
  std::erase(settings_.engine.forwarding_ports, device);
  prepare(settings_, lcores_);
  reported_at_ = {};
  return refused;
}

std::optional<std::string> Engine::reset(size_t port) {
  if (const auto refused = devices_.reset(port)) return refused;
  prepare(settings_, lcores_);
  return std::nullopt;
}

}  // namespace control
