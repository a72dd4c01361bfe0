// SPDX-License-Identifier: BSD-3-Clause
// Section settings: running configuration, save, differences, undo, and everything for a bug report. Control
// thread.
#include <filesystem>

#include "console/console.h"
#include "console/forward_text.h"
#include "console/save_file.h"
#include "control/settings_file.h"
#include "control/settings_text.h"
#include "control/words.h"
#include "pmd_glue/captures.h"
#include "pmd_glue/dumps.h"

namespace console {
namespace {

using nlohmann::json;

template <bool all>
Answer show_running(Console& console, const Arguments&) {
  const std::string text = control::settings_text(console.settings(), all);
  return Answer::show(text, {{"toml", text}});
}

// Saving over a configuration is the use of it; over anything else it would be a loss.
std::optional<std::string> why_not_over(const Console& console, const std::string& file) {
  for (const std::string& used : console.files_of_run) {
    if (glue::same_file(file, used)) return "is a file of this run (" + used + "); name another";
  }
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return std::nullopt;  // save_file says what it is
  const auto why = control::why_no_settings_file(file);
  if (!why) return std::nullopt;
  return "is there and is no settings file (" + *why + "); name another, or remove it";
}

Answer save(Console& console, const Arguments& arguments) {
  const std::string& file = arguments.text("file");
  if (const auto why = why_not_over(console, file)) return Answer::refuse(file + ": " + *why);
  if (const auto problem = save_file(file, control::settings_text(console.settings(), false)))
    return Answer::refuse(*problem);
  console.saved = console.settings();
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(file, unknown);
  return Answer::say("saved in " + (unknown ? file : whole.string()) + "\n");
}

Answer diff(Console& console, const Arguments&) {
  std::string text;
  json list = json::array();
  for (const control::SettingChange& change : control::difference(console.saved, console.settings())) {
    text += change.where + ": " + change.before + " -> " + change.after + "\n";
    list.push_back({{"where", change.where}, {"before", change.before}, {"after", change.after}});
  }
  return Answer::show(text.empty() ? "nothing differs from what was started with or last saved\n" : text,
                      list);
}

Answer rollback(Console& console, const Arguments& arguments) {
  const uint64_t steps = arguments.has("changes") ? arguments.number("changes") : 1;
  if (steps > console.undo.size()) {
    return Answer::refuse("changes: found " + std::to_string(steps) + "; " +
                          (console.undo.empty() ? std::string("nothing was changed by commands")
                                                : "allowed: 1 to " + std::to_string(console.undo.size())));
  }
  const size_t at = console.undo.size() - steps;
  const core::Settings before = console.undo[at];
  std::string said;
  for (const control::SettingChange& change : control::difference(console.settings(), before)) {
    said += change.where + ": " + change.before + " -> " + change.after + "\n";
  }
  Answer answer = console.change(before, "rollback", said);
  if (!answer.problem) console.undo.resize(at);
  return answer;
}

Answer show_tech(Console& console, const Arguments&) {
  std::string text = "roceway " ROCEWAY_VERSION "\n";
  const auto part = [&](const std::string& title, const std::string& what) {
    text += "\n== " + title + "\n" + what;
  };
  std::string decided;
  for (const std::string& line : console.engine().describe()) decided += line + "\n";
  part("as decided now", decided);
  part("settings", control::settings_text(console.settings(), true));
  for (const char* line : {"diff", "show config fwd", "show config rxtx", "show port summary all",
                           "show port info all", "show port xstats all", "show hash", "show distribution",
                           "show report", "show drops", "show runtime", "show events", "show trace"}) {
    const Answer answer = console.run(line);
    part(line, answer.problem ? *answer.problem + "\n" : answer.text);
  }
  part("dump_devargs", glue::dump_devargs());
  part("dump_memzone", glue::dump_memzone());
  const auto pools = glue::dump_mempool("");
  part("dump_mempool", pools ? pools.value : *pools.problem + "\n");
  return Answer::show(text, {{"text", text}});
}

}  // namespace

std::vector<Command> settings_commands() {
  constexpr Effect kShows = Effect::shows;
  return {
      {"settings", "show running-config", "Show the settings in effect as a file, defaults left out.", kShows,
       show_running<false>},
      {"settings", "show running-config all", "The same with all defaults.", kShows, show_running<true>},
      {"settings", "save <file>", "Write the settings in effect to a file, which is replaced whole.",
       Effect::live, save},
      {"settings", "diff", "Show what differs from the settings started with or last saved.", kShows, diff},
      {"settings", "rollback", "Take the last change back.", Effect::restart, rollback},
      {"settings", "rollback <changes:number(1,64)>", "Take the last changes back.", Effect::restart,
       rollback},
      {"settings", "show tech", "Show everything for a bug report, in one go.", kShows, show_tech},
  };
}

}  // namespace console
