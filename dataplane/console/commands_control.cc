// SPDX-License-Identifier: BSD-3-Clause
// Section control: help, start, stop, quit. Control thread.
#include <algorithm>
#include <set>

#include "console/console.h"
#include "console/forward_text.h"
#include "control/words.h"

namespace console {
namespace {

struct Section {
  std::string_view name, about;
};
constexpr Section kSections[] = {
    {"control", "Start and stop forwarding."},
    {"display", "Ports, statistics and configuration."},
    {"config", "What happens to packets."},
    {"ports", "Configuring ports."},
    {"filters", "Rules in a NIC's own steering."},
    {"distribution", "Hash, table, members: where packets go."},
    {"watch", "Books, drops, clocks, traces."},
    {"settings", "Running configuration, save, undo."},
    {"dumps", "DPDK's own state."},
};

Answer help_sections(Console&, const Arguments&) {
  std::string text = "\nHelp is available for the following sections:\n\n";
  for (const Section& section : kSections) {
    text += "    " + control::padded("help " + std::string(section.name), -32) + ": " +
            std::string(section.about) + "\n";
  }
  return Answer::say(text + "    " + control::padded("help all", -32) +
                     ": All of the above sections.\n\nEvery show takes --json at its end.\n");
}

std::string section_text(const Section& section) {
  std::string text = "\n" + std::string(section.about) + "\n";
  for (const Command& command : command_table()) {
    if (command.section != section.name) continue;
    text += "\n" + std::string(command.syntax) + "\n    " + std::string(command.help) + "\n";
  }
  return text;
}

Answer help_section(Console&, const Arguments& arguments) {
  const std::string& wanted = arguments.text("section");
  std::string text, names;
  for (const Section& section : kSections) {
    if (wanted == "all" || wanted == section.name) text += section_text(section);
    names += std::string(section.name) + ", ";
  }
  if (!text.empty()) return Answer::say(text);
  return Answer::refuse("section: found \"" + wanted + "\"; allowed: " + names + "all");
}

Answer start_plain(Console& console, const Arguments&) {
  return console.start(0);
}

Answer start_tx_first(Console& console, const Arguments& arguments) {
  const core::Mode mode = console.settings().engine.mode;
  if (mode == core::Mode::gateway) {
    return Answer::refuse(
        "tx_first: mode gateway makes no packets of its own; use mode txonly or flowgen on another port");
  }
  return console.start(arguments.has("bursts") ? static_cast<unsigned>(arguments.number("bursts")) : 1);
}

Answer stop(Console& console, const Arguments&) {
  if (!console.engine().forwarding()) return Answer::say("Packet forwarding not started\n");
  console.engine().halt();
  return Answer::say("Telling cores to stop...\nWaiting for lcores to finish...\n" +
                     forward_statistics(console.engine().report(), console.forwarded_from) +
                     cycles_line(console.engine().run()) + "\nDone.\n");
}

// Whoever reads lines runs a file's lines one by one, so that control ticks between them (console/script).
Answer load(Console&, const Arguments&) {
  return Answer::refuse("load: only where lines come from a prompt, a file or the control socket");
}

Answer quit(Console&, const Arguments&) {
  return {.quit = true};
}

}  // namespace

std::vector<Command> control_commands() {
  return {
      {"control", "help", "List the sections of help.", Effect::shows, help_sections},
      {"control", "help <section>", "Explain the commands of a section, or of all.", Effect::shows,
       help_section},
      {"control", "start", "Start packet forwarding.", Effect::live, start_plain},
      {"control", "start tx_first", "Send one burst by every port, then start forwarding.", Effect::live,
       start_tx_first},
      {"control", "start tx_first <bursts:number(1,65535)>",
       "Send so many bursts by every port, then start forwarding.", Effect::live, start_tx_first},
      {"control", "stop", "Stop packet forwarding and show statistics.", Effect::stops, stop},
      {"control", "load <file>", "Run the commands of a file, up to the first that fails.", Effect::live,
       load},
      {"control", "quit", "End the program; the last report follows.", Effect::stops, quit},
  };
}

std::span<const Command> command_table() {
  static const std::vector<Command> kTable = [] {
    std::vector<Command> table;
    for (const auto& rows :
         {control_commands(), display_commands(), config_commands(), port_commands(), filter_commands(),
          distribution_commands(), watch_commands(), settings_commands(), dump_commands()}) {
      table.insert(table.end(), rows.begin(), rows.end());
    }
    return table;
  }();
  return kTable;
}

}  // namespace console
