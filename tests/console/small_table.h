// SPDX-License-Identifier: BSD-3-Clause
// A small table of commands and a way to run lines of it, without a data plane: answers say what was
// understood.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "console/parser.h"
#include "console/script.h"

namespace console_test {

inline console::Answer no_handler(console::Console&, const console::Arguments&) {
  return console::Answer::refuse("handlers do not run here");
}

inline constexpr console::Command kTable[] = {
    {"general", "help", "List the sections", console::Effect::shows, no_handler},
    {"general", "help <section>", "List a section", console::Effect::shows, no_handler},
    {"general", "quit", "End the program", console::Effect::stops, no_handler},
    {"general", "load <file...>", "Run the commands of a file", console::Effect::live, no_handler},
    {"general", "start", "Start", console::Effect::live, no_handler},
    {"general", "start tx_first", "Start with packets", console::Effect::live, no_handler},
    {"general", "start tx_first <n:number(1,512)>", "Start with n bursts", console::Effect::live, no_handler},
    {"show", "show port info <port:ports>", "Show ports", console::Effect::shows, no_handler},
    {"show", "show port stats <port:ports>", "Show counters", console::Effect::shows, no_handler},
    {"show", "show port <port:port> rss reta", "Show the table", console::Effect::shows, no_handler},
    {"show", "show rxq|txq info <port:port> <queue:number(0,1023)>", "Show a queue", console::Effect::shows,
     no_handler},
    {"set", "set burst <n:number(1,512)>", "Set the burst", console::Effect::live, no_handler},
    {"set", "set promisc <port:ports> <state:onoff>", "Set promiscuous", console::Effect::live, no_handler},
    {"set", "set coremask <mask:hex>", "Set lcores", console::Effect::live, no_handler},
    {"set", "set corelist <lcores:numbers>", "Set lcores", console::Effect::live, no_handler},
    {"set", "set eth-peer <port:port> <mac:mac>", "Set a peer", console::Effect::live, no_handler},
    {"set", "set seed <seed:number>", "Set the seed", console::Effect::live, no_handler},
    {"set", "set note <text...>", "Keep a text", console::Effect::live, no_handler},
    {"pairs", "pair <left> twin", "Ambiguous with the next", console::Effect::live, no_handler},
    {"pairs", "pair twin <right>", "Ambiguous with the one before", console::Effect::live, no_handler},
    {"many", "many a <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many b <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many c <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many d <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many e <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many f <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many g <x>", "One of many", console::Effect::live, no_handler},
    {"many", "many h <x>", "One of many", console::Effect::live, no_handler},
    {"more", "many i <x>", "One of many", console::Effect::live, no_handler},
};

inline std::optional<std::string> refused_word(std::string_view line) {
  if (line.starts_with("set vlan ")) return "set vlan: not here; VLANs are set on the switch";
  return std::nullopt;
}

inline const console::Parser& small_parser() {
  static const console::Parser parser(kTable, refused_word);
  return parser;
}

// What a line was understood as: "ran SYNTAX", "quit", or why it was not.
inline console::Answer understood(const std::string& line) {
  const console::Parsed parsed = small_parser().parse(line);
  if (!parsed.problem.empty()) return console::Answer::refuse(parsed.problem);
  if (parsed.command == nullptr) return {};
  console::Answer answer = console::Answer::say("ran " + std::string(parsed.command->syntax) + '\n');
  answer.quit = parsed.command->syntax == "quit";
  return answer;
}

}  // namespace console_test
