// SPDX-License-Identifier: BSD-3-Clause
// Section watch: books, drops, clocks, traces. Control thread.
#include "console/console.h"
#include "console/statistics_text.h"
#include "control/words.h"
#include "path/trace_text.h"
#include "pmd_glue/lcores.h"
#include "pmd_glue/packet_filter.h"

namespace console {
namespace {

using control::fixed;
using control::grouped;
using control::padded;
using nlohmann::json;

Answer show_ledger(Console& console, const Arguments&) {
  const control::Report report = console.engine().report();
  json whole = json::parse(control::to_json(report));
  json ports = json::array();
  for (const json& port : whole["ports"])
    ports.push_back({{"device", port["device"]}, {"ledger", port["ledger"]}});
  return Answer::show(control::ledger_text(report), {{"all", whole["ledger"]}, {"ports", ports}});
}

Answer show_report(Console& console, const Arguments&) {
  const control::Report report = console.engine().report();
  return Answer::show(control::to_text(report), json::parse(control::to_json(report)));
}

Answer show_drops(Console& console, const Arguments&) {
  const control::Report& report = console.engine().recent_report();
  std::string text;
  json ports = json::array();
  for (const control::PortReport& port : report.ports) {
    json reasons = json::object();
    for (size_t reason = 0; reason < core::kDropReasons; ++reason) {
      const uint64_t packets = port.from_here.dropped[reason];
      if (packets == 0) continue;
      const std::string name(core::name_of(static_cast<core::DropReason>(reason)));
      text += padded(port.device, -18) + padded(name, -14) + padded(grouped(packets), 16) + "\n";
      reasons[name] = packets;
    }
    ports.push_back({{"device", port.device}, {"dropped", reasons}, {"tx_full_to_here", port.tx_dropped}});
  }
  return Answer::show(text.empty() ? "nothing was dropped\n" : text, ports);
}

// One lcore's steps: a row for each that ran.
std::string steps_text(const core::StepTable& steps, json& rows) {
  std::string text;
  for (size_t i = 0; i < core::kSteps; ++i) {
    const uint64_t calls = steps[i].calls.read(), packets = steps[i].packets.read(),
                   tsc = steps[i].tsc.read();
    if (calls == 0) continue;
    const std::string name(core::name_of(static_cast<core::Step>(i)));
    const auto per = [](uint64_t of, uint64_t by) {
      return by == 0 ? std::string("-") : fixed(static_cast<double>(of) / static_cast<double>(by), 2);
    };
    text += "  " + padded(name, -12) + padded(grouped(calls), 16) + padded(grouped(packets), 18) +
            padded(per(packets, calls), 13) + padded(per(tsc, packets), 14) + padded(per(tsc, calls), 13) +
            "\n";
    rows.push_back({{"step", name}, {"calls", calls}, {"packets", packets}, {"clocks", tsc}});
  }
  return text;
}

Answer show_runtime(Console& console, const Arguments&) {
  const control::Run& run = console.engine().run();
  const control::Report& report = console.engine().recent_report();
  std::string text;
  json lcores = json::array();
  for (size_t w = 0; w < run.workers.size(); ++w) {
    const control::LcoreReport& lcore = report.lcores[w];
    json rows = json::array();
    text += "lcore " + std::to_string(lcore.lcore) + ": busy " + fixed(lcore.busy_share * 100, 1) +
            " %, worst round " + fixed(lcore.worst_round_us, 0) + " us\n";
    const std::string steps = steps_text(run.workers[w]->steps(), rows);
    if (!steps.empty()) {
      text += "  " + padded("step", -12) + padded("calls", 16) + padded("packets", 18) +
              padded("packets/call", 13) + padded("clocks/packet", 14) + padded("clocks/call", 13) + "\n" +
              steps;
    }
    std::vector<uint64_t> rx, tx;
    for (const core::Counter& size : run.workers[w]->bursts().rx) rx.push_back(size.read());
    for (const core::Counter& size : run.workers[w]->bursts().tx) tx.push_back(size.read());
    text += bursts_text("RX", rx) + bursts_text("TX", tx);
    lcores.push_back({{"lcore", lcore.lcore},
                      {"busy_share", lcore.busy_share},
                      {"worst_round_us", lcore.worst_round_us},
                      {"steps", rows}});
  }
  const core::EngineSettings& engine = console.settings().engine;
  if (!engine.record_core_cycles) text += "clocks of each step are not recorded: set record-core-cycles on\n";
  return Answer::show(text, {{"lcores", lcores}, {"hz", glue::tsc_hz()}});
}

Answer trace_add(Console& console, const Arguments& arguments) {
  // Start makes new workers, who know nothing of what the old ones were asked for.
  if (!console.engine().forwarding())
    return Answer::refuse("nothing is forwarded, so there is nothing to follow; start comes first");
  const auto count = static_cast<uint32_t>(arguments.number("packets"));
  std::shared_ptr<const glue::PacketFilter> filter;
  if (arguments.has("expression")) {
    std::string error;
    filter = glue::PacketFilter::compile(arguments.text("expression"), error);
    if (!filter) return Answer::refuse("expression: " + error);
  }
  for (const auto& worker : console.engine().run().workers) worker->arm_trace(count, filter);
  return Answer::say("each worker follows the next " + std::to_string(count) +
                     (count == 1 ? " packet" : " packets") +
                     (filter ? count == 1 ? " that matches" : " that match" : "") + "\n");
}

Answer trace_clear(Console& console, const Arguments&) {
  for (const auto& worker : console.engine().run().workers) worker->arm_trace(0, nullptr);
  return {};
}

Answer show_trace(Console& console, const Arguments&) {
  std::string text;
  json traces = json::array();
  for (const auto& worker : console.engine().run().workers) {
    for (const path::Trace& trace : worker->traces()) {
      json lines = json::array();
      for (const std::string& line : path::lines_of(trace, console.engine().plan(), glue::tsc_hz())) {
        text += line + "\n";
        lines.push_back(line);
      }
      text += "\n";
      traces.push_back(lines);
    }
  }
  return Answer::show(text.empty() ? "no packet was followed yet; trace add N follows the next ones\n" : text,
                      traces);
}

Answer show_events(Console& console, const Arguments&) {
  const control::Report& report = console.engine().recent_report();
  std::string text;
  json events = json::array();
  for (const control::EventReport& event : report.events) {
    text += padded(fixed(event.at_s, 6), 14) + " s  " + event.text + "\n";
    events.push_back({{"seconds", event.at_s}, {"text", event.text}});
  }
  return Answer::show(text.empty() ? "nothing has happened\n" : text, events);
}

}  // namespace

std::vector<Command> watch_commands() {
  constexpr Effect kShows = Effect::shows;
  return {
      {"watch", "show report", "Show the whole report, as at the end of the program.", kShows, show_report},
      {"watch", "show ledger", "Show the books: received + generated = sent + held + dropped.", kShows,
       show_ledger},
      {"watch", "show drops", "Show drops by port and reason.", kShows, show_drops},
      {"watch", "show runtime", "Show busy share and worst round of lcores, clocks and packets of each step.",
       kShows, show_runtime},
      {"watch", "show events", "Show what has happened lately.", kShows, show_events},
      {"watch", "trace add <packets:number(1,1000)>",
       "Follow the next packets of each worker through the steps.", Effect::live, trace_add},
      {"watch", "trace add <packets:number(1,1000)> filter <expression...>",
       "The same for packets that match a pcap-filter(7) expression.", Effect::live, trace_add},
      {"watch", "clear trace", "End tracing and forget what was traced.", Effect::live, trace_clear},
      {"watch", "show trace", "Show the packets that were followed.", kShows, show_trace},
  };
}

}  // namespace console
