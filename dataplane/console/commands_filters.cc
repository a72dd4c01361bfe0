// SPDX-License-Identifier: BSD-3-Clause
// Section filters: testpmd's flow language, for rules in a NIC's own steering. Control thread.
#include <algorithm>

#include "console/console.h"
#include "console/port_text.h"

namespace console {
namespace {

uint16_t port_of(Console& console, const Arguments& arguments) {
  return console.dpdk_port(*console.port_of(arguments.text("port")));
}

Answer flow_validate(Console& console, const Arguments& arguments) {
  const auto rule = core::read_flow_rule(arguments.text("rule"));
  if (!rule.problem.empty()) return Answer::refuse(rule.problem);
  const auto refused = glue::FlowRules::validate(port_of(console, arguments), rule.rule);
  return refused ? Answer::refuse(*refused) : Answer::say("Flow rule validated\n");
}

Answer flow_create(Console& console, const Arguments& arguments) {
  const auto rule = core::read_flow_rule(arguments.text("rule"));
  if (!rule.problem.empty()) return Answer::refuse(rule.problem);
  const auto id = console.flow_rules.create(port_of(console, arguments), rule.rule);
  if (!id) return Answer::refuse(*id.problem);
  const bool hashes =
      std::any_of(rule.rule.actions.begin(), rule.rule.actions.end(),
                  [](const core::FlowAction& action) { return action.type == core::FlowActionType::rss; });
  std::vector<std::string> notes;
  if (hashes) {
    notes = console.engine().hashes_otherwise({*console.port_of(arguments.text("port"))}, true,
                                              "a rule with action rss");
  }
  return Answer::say("Flow rule #" + std::to_string(id.value) + " created\n" + device_notes(notes));
}

Answer flow_list(Console& console, const Arguments& arguments) {
  return Answer::say(flow_list_text(console.flow_rules.rules_of(port_of(console, arguments))));
}

Answer flow_query(Console& console, const Arguments& arguments) {
  const auto count =
      console.flow_rules.query(port_of(console, arguments), static_cast<uint32_t>(arguments.number("rule")));
  return count ? Answer::say(flow_count_text(count.value)) : Answer::refuse(*count.problem);
}

Answer flow_destroy(Console& console, const Arguments& arguments) {
  const auto id = static_cast<uint32_t>(arguments.number("rule"));
  const auto refused = console.flow_rules.destroy(port_of(console, arguments), id);
  return refused ? Answer::refuse(*refused)
                 : Answer::say("Flow rule #" + std::to_string(id) + " destroyed\n");
}

Answer flow_flush(Console& console, const Arguments& arguments) {
  const auto refused = console.flow_rules.flush(port_of(console, arguments));
  return refused ? Answer::refuse(*refused) : Answer{};
}

Answer flow_isolate(Console& console, const Arguments& arguments) {
  const bool on = arguments.text("0|1|on|off") == "1" || arguments.text("0|1|on|off") == "on";
  const auto refused = glue::FlowRules::isolate(port_of(console, arguments), on);
  return refused ? Answer::refuse(*refused)
                 : Answer::say(std::string("Ingress traffic on port is ") +
                               (on ? "now restricted to" : "no longer restricted to") +
                               " the defined flow rules\n");
}

}  // namespace

std::vector<Command> filter_commands() {
  constexpr Effect kLive = Effect::live;
  constexpr Effect kShows = Effect::shows;
  return {
      {"filters", "flow validate <port:port> <rule...>", "Ask the device whether it would take a rule.",
       kShows, flow_validate},
      {"filters", "flow create <port:port> <rule...>",
       "Install a rule: [ingress] pattern ITEM / ... / end actions ACTION / ... / end.", kLive, flow_create},
      {"filters", "flow list <port:port>", "Show the rules of a port.", kShows, flow_list},
      {"filters", "flow query <port:port> <rule:number(0,4294967295)> count",
       "Show what a rule with action count counted.", kShows, flow_query},
      {"filters", "flow destroy <port:port> rule <rule:number(0,4294967295)>", "Remove a rule.", kLive,
       flow_destroy},
      {"filters", "flow flush <port:port>", "Remove all rules of a port.", kLive, flow_flush},
      {"filters", "flow isolate <port:port> 0|1|on|off", "Take in what rules take, and nothing else.", kLive,
       flow_isolate},
  };
}

}  // namespace console
