// SPDX-License-Identifier: BSD-3-Clause
// Who talks to the program; see faces.h.
#include "console/faces.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <utility>

#include "console/hash_text.h"

namespace console {
namespace {

constexpr const char* kPromptText = "roceway> ";

// The words of hash explain, for telemetry. Control thread.
HashExplained explain_words(Console& console, const std::vector<std::string>& words) {
  const core::Plan& plan = console.engine().plan();
  if (plan.mode != core::Mode::gateway) return {.problem = "only mode gateway distributes by hash"};
  if (words.size() != 5) return {.problem = "allowed: SRC,DST,SPORT,DPORT,PROTO"};
  uint16_t ports[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    const std::string& word = words[2 + i];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), ports[i]);
    if (error != std::errc{} || end != word.data() + word.size())
      return {.problem =
                  std::string(i == 0 ? "sport" : "dport") + ": found \"" + word + "\"; allowed: 0 to 65535"};
  }
  const ReadTuple read = read_tuple(words[0], words[1], ports[0], ports[1], words[4]);
  if (!read.problem.empty()) return {.problem = read.problem};
  return explained_in_short(plan, core::explain(plan, read.tuple, console.first_access_port()));
}

}  // namespace

Faces::Faces(Console& console, control::Errands& errands, FaceChoice choice)
    : console_(console), errands_(errands), choice_(std::move(choice)) {
  const ReadReport read_report = [this]() -> std::optional<control::Report> {
    std::optional<control::Report> report;
    errands_.run([&] { report = console_.engine().recent_report(); });
    return report;
  };
  const ExplainHash explain_hash = [this](const std::vector<std::string>& words) {
    std::optional<HashExplained> explained;
    errands_.run([&] { explained = explain_words(console_, words); });
    return explained;
  };
  const RunLine run = [this](const std::string& line) { return run_line(line); };
  if (!choice_.metrics.empty()) web_ = std::make_unique<WebServer>(choice_.metrics, read_report);
  if (choice_.ctl) ctl_ = std::make_unique<CtlServer>(*choice_.ctl, run);
  telemetry_ = std::make_unique<Telemetry>(read_report, explain_hash);
  if (choice_.interactive && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
    prompt_ = std::make_unique<Prompt>(console_.parser().context(), kPromptText, run);
}

void Faces::begin() {
  if (choice_.interactive || choice_.cmdline_file) talker_ = std::thread([this] { talk(); });
}

Faces::~Faces() {
  errands_.close();
  stop_.ring();
  if (prompt_) prompt_->stop();
  if (talker_.joinable()) talker_.join();
}

std::optional<Answer> Faces::run_line(const std::string& line) {
  std::optional<Answer> answer;
  errands_.run([&] { answer = console_.run(line); });
  return answer;
}

void Faces::talk() {
  const Print print = [this](std::string_view text) { write_all(STDOUT_FILENO, text, stop_.fd()); };
  LineRunner runner([this](const std::string& line) { return run_line(line); }, print, stop_.fd());
  Outcome outcome;
  if (choice_.cmdline_file) outcome = runner.script(*choice_.cmdline_file);
  if (outcome.goes_on() && !choice_.interactive) {
    errands_.run([&] {
      if (console_.engine().forwarding()) return;
      const Answer started = console_.start(choice_.tx_first_bursts);
      if (started.problem) outcome.problem = started.problem;
    });
    if (!outcome.problem) return;  // it forwards now, as without the file
  }
  if (outcome.goes_on()) outcome = prompt_ ? prompt_->run() : runner.script(STDIN_FILENO, "stdin");
  if (outcome.stopped) return;
  if (outcome.problem) {
    script_failed_.store(true, std::memory_order_release);
    std::fprintf(stderr, "roceway: %s\n", outcome.problem->c_str());
  }
  errands_.run([this] { console_.quit(); });
}

std::string Faces::listening() const {
  std::string lines;
  if (ctl_) lines += "control socket " + ctl_->path() + ": roceway ctl\n";
  if (web_) lines += "status page and metrics: " + web_->url() + "\n";
  return lines;
}

bool Faces::print_above(const std::string& lines) {
  if (!prompt_) return false;
  prompt_->print_above(lines);
  return true;
}

}  // namespace console
