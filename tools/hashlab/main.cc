// SPDX-License-Identifier: BSD-3-Clause
// roceway-hashlab: how traffic spreads under a hash, and why. One command a run: its options are parsed, it
// makes a report, the report is shown. Exit status 0; 2 when the input is at fault, in one line on standard
// error; 1 when standard output or a file cannot be written; 130 or 143 when a signal ended it early, behind
// what was known by then.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "hashlab/command.h"
#include "hashlab/progress.h"
#include "hashlab/show.h"

namespace {

using namespace hashlab;

constexpr const char* kProgram = "roceway-hashlab";

std::string list_of_commands() {
  std::string text = "Tells how evenly traffic spreads over NICs and queues, and why.\n\nUsage:\n  ";
  text += std::string(kProgram) + " COMMAND [options]\n\nCommands:\n";
  for (const Command* command : commands()) {
    text += "  " + std::string(command->name) + std::string(12 - command->name.size(), ' ') +
            std::string(command->about) + "\n";
  }
  return text + "\n" + kProgram + " COMMAND --help tells the options of one, with examples.\n";
}

OptionList options_of(const Command& command) {
  OptionList options;
  command.add_options(options);
  options.flag("json", "as JSON");
  options.flag("csv", "the main table as CSV");
  options("html", "a page with plots, besides", std::nullopt, "FILE");
  options.flag("help", "this text");
  return options;
}

void print(const std::string& text) {
  std::cout << text;
  std::cout.flush();
  if (!std::cout) throw std::runtime_error("standard output: cannot be written");
}

void show(const Report& report, const Given& given) {
  if (given.has("html")) write_file(given.text("html"), page_of(report));
  print(given.flag("json") ? json_of(report) : given.flag("csv") ? csv_of(report) : text_of(report));
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  const OptionList options = options_of(command);
  const Given given(options, arguments);
  if (given.flag("help")) {
    print(help_of(options, std::string(kProgram) + " " + std::string(command.name),
                  std::string(command.about), std::string(command.usage)) +
          "\nExamples:\n" + std::string(command.examples));
    return 0;
  }
  if (given.flag("json") && given.flag("csv")) throw BadInput("--json --csv: one of them only");
  if (given.has("html") && (given.text("html").empty() || given.text("html") == "-"))
    refuse("html", given.text("html"), "is no file; name one");
  for (const std::string& word : given.words()) {
    std::error_code none;  // one of them is no file: then they are not the same
    if (given.has("html") && std::filesystem::equivalent(word, given.text("html"), none))
      refuse("html", given.text("html"), "is the input; name another file");
  }
  catch_signals();
  const Report report = command.run(given);
  show(report, given);
  if (!report.broken.empty()) throw BadInput(report.broken);
  return stopped_by() != 0 ? 128 + stopped_by() : 0;
}

int dispatch(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty()) {
    std::cerr << list_of_commands();
    return 2;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    print(list_of_commands());
    return 0;
  }
  if (word == "--version") {
    print(std::string(kProgram) + " " + ROCEWAY_VERSION + "\n");
    return 0;
  }
  std::vector<std::string_view> names;
  for (const Command* command : commands()) {
    if (command->name == word) return run(*command, {argv + 2, argv + argc});
    names.push_back(command->name);
  }
  throw BadInput(word + ": no such command; allowed: " + listed(names));
}

int complain(const std::exception& problem, int status) {
  std::cerr << kProgram << ": " << problem.what() << std::endl;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error of writing
  try {
    return dispatch(argc, argv);
  } catch (const BadInput& bad) {
    return complain(bad, stopped_by() != 0 ? 128 + stopped_by() : 2);
  } catch (const std::exception& bad) {
    return complain(bad, 1);
  }
}
