// SPDX-License-Identifier: BSD-3-Clause
// roceway: boot order from top to bottom, teardown in reverse; nothing else. Exit status: 0 the run ended and
// its ledger balances, 1 it does not (or the report could not be written), 2 it could not be started as
// asked.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>

#include "console/console.h"
#include "console/ctl_client.h"
#include "console/ctl_path.h"
#include "console/faces.h"
#include "control/cli.h"
#include "control/engine.h"
#include "control/live_change.h"
#include "control/report_file.h"
#include "control/settings_file.h"
#include "control/signals.h"
#include "control/supervisor.h"
#include "core/eal_options.h"
#include "pmd_glue/captures.h"
#include "pmd_glue/host.h"
#include "pmd_glue/start_error.h"

namespace {

constexpr int kUnbalanced = 1;
constexpr int kBadInput = 2;

int refuse(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    std::istringstream lines(problem);
    for (std::string line; std::getline(lines, line);) std::fprintf(stderr, "roceway: %s\n", line.c_str());
  }
  return kBadInput;
}

// The whole of what was asked for. Somebody who closed the pipe wants no more; a full disk is another matter.
int print(const std::string& text, bool stdout_is_open) {
  errno = stdout_is_open ? 0 : EBADF;
  if (stdout_is_open && std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  if (errno == EPIPE) return 0;
  std::fprintf(stderr, "roceway: standard output could not be written: %s\n", std::strerror(errno));
  return kUnbalanced;
}

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// The name of the configuration is the default EAL file prefix: two configurations may run side by side.
std::string instance_name(const control::Cli& cli) {
  if (!cli.config) return "roceway";
  std::string name = "roceway-" + std::filesystem::path(*cli.config).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '%' || c == '/' || c == ' '; }, '_');
  return name;
}

unsigned workers_at_most(const control::Cli& cli, const core::Settings& settings,
                         const std::vector<std::string>& eal_args, const glue::HostFacts& host) {
  if (cli.nb_cores) return *cli.nb_cores;
  if (!settings.engine.lcores.empty()) return static_cast<unsigned>(settings.engine.lcores.size());
  return core::names_lcores(eal_args) ? glue::workers_at_most(eal_args, host) : 1;
}

// The control socket is there for every configuration, and for whoever asks for it.
console::FaceChoice faces_of(const control::Cli& cli, const core::Settings& settings,
                             const std::string& instance) {
  console::FaceChoice choice{.cmdline_file = cli.cmdline_file,
                             .interactive = cli.interactive,
                             .tx_first_bursts = cli.tx_first ? 1u : 0u,
                             .ctl = cli.ctl,
                             .metrics = settings.metrics.listen};
  if (cli.no_ctl || cli.ctl || !cli.config) return choice;
  if (const auto problem = console::make_ctl_folder(console::ctl_folder())) throw glue::StartError(*problem);
  choice.ctl = console::ctl_path_of(instance);
  return choice;
}

int run(const control::Cli& cli, control::LoadedSettings& loaded, const control::Signals& signals) {
  glue::check_descriptors();
  core::Settings settings = loaded.settings;
  std::vector<std::string> eal_args = settings.eal.args;
  eal_args.insert(eal_args.end(), cli.eal_args.begin(), cli.eal_args.end());
  std::optional<control::ReportFile> report_file;
  if (cli.report) {
    std::vector<std::string> inputs = glue::capture_files(eal_args);
    if (cli.config) inputs.push_back(*cli.config);
    report_file.emplace(*cli.report, inputs);
  }
  glue::check_captures(eal_args, settings.engine.mbuf_bytes);

  const glue::HostFacts host = glue::look_at_host();
  const glue::EalRequest request{
      settings.eal.args,
      cli.eal_args,
      settings.engine.lcores,
      instance_name(cli),
      settings.eal.secondary,
      control::pool_mbufs_at_most(settings, eal_args, workers_at_most(cli, settings, eal_args, host)),
      settings.engine.mbuf_bytes};
  const glue::EalPlan plan = glue::plan_eal(request, host);
  glue::reserve_instance_name(plan.file_prefix);
  glue::remove_leftovers_now_and_at_exit(plan);
  const glue::Eal eal(plan);

  if (settings.ports.empty()) {
    control::take_all_devices(settings, eal_args, eal);
    if (const auto problems = control::problems_of_peers(cli, settings.ports.size()); !problems.empty())
      return refuse(problems);
    control::apply(cli, settings);
    if (!cli.config) settings.eal.args = eal_args;  // what `save` writes can be started with
  }
  say("roceway " ROCEWAY_VERSION);
  control::Engine engine(std::move(settings), eal, cli.nb_cores.value_or(0));
  for (const std::string& line : engine.describe()) say(line);
  for (const std::string& note : plan.notes) say("note: " + note);

  control::Errands errands;
  console::Console console(engine);
  console.files_of_run = glue::capture_files(eal_args);
  if (report_file) {
    for (const std::string& file : report_file->files()) console.files_of_run.push_back(file);
  }
  const bool commanded = cli.interactive || cli.cmdline_file;
  if (!commanded || cli.auto_start) engine.start(cli.tx_first ? 1 : 0);
  std::optional<console::Faces> faces(std::in_place, console, errands,
                                      faces_of(cli, engine.settings(), plan.file_prefix));
  if (const std::string where = faces->listening(); !where.empty()) std::printf("%s", where.c_str());
  if (!cli.interactive) say("running; Ctrl-C stops");
  faces->begin();
  control::Reread reread;
  if (cli.config)
    reread = [&] {
      if (control::reread_settings(engine, cli, loaded.warnings)) console.file_was_read();
    };
  const std::string why = control::supervise(
      engine, signals, {cli.duration_s, cli.idle_exit_s, cli.stats_period_s}, reread, errands,
      console.quits(), [&](const std::string& lines) { return faces->print_above(lines); });
  signals.let_the_next_one_kill();
  const bool script_failed = faces->script_failed();
  faces.reset();
  say("stopping: " + why);
  engine.stop();

  control::Report report = engine.report();
  control::add_yardstick(report);
  std::printf("\n%s", control::to_text(report).c_str());
  // Somebody who closed the pipe wants no more; a full disk is another matter.
  const bool printed = std::fflush(stdout) == 0 || errno == EPIPE;
  if (!printed) std::fprintf(stderr, "roceway: the report could not be printed: %s\n", std::strerror(errno));
  const bool written = !report_file || report_file->write(control::to_json(report));
  if (!written) std::fprintf(stderr, "roceway: --report %s: %s\n", cli.report->c_str(), std::strerror(errno));
  if (!printed || !written || !report.balanced()) return kUnbalanced;
  return script_failed ? kBadInput : 0;
}

// What is opened next must not become one of these. Whether stdout was open before.
bool open_standard_streams() {
  const bool stdout_was_open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", O_RDWR);
  }
  return stdout_was_open;
}

// What only the file system and the mode can tell of the command line.
std::vector<std::string> problems_of(const control::Cli& cli, const core::Settings& settings) {
  std::vector<std::string> problems;
  if (!settings.ports.empty()) problems = control::problems_of_peers(cli, settings.ports.size());
  if (cli.cmdline_file && access(cli.cmdline_file->c_str(), R_OK) != 0)
    problems.push_back("--cmdline-file " + *cli.cmdline_file + ": " + std::strerror(errno));
  if (cli.tx_first && settings.engine.mode == core::Mode::gateway)
    problems.push_back("--tx-first: mode gateway makes no packets of its own");
  if (!settings.metrics.listen.empty()) {
    const std::string problem = console::problem_of_web_address(settings.metrics.listen);
    if (!problem.empty()) problems.push_back((cli.metrics ? "--metrics: " : "metrics.listen: ") + problem);
  }
  return problems;
}

}  // namespace

int main(int argc, char** argv) {
  const bool stdout_is_open = open_standard_streams();
  if (argc > 1 && std::string_view(argv[1]) == "ctl") {
    const console::Parser parser(console::command_table(), console::instead_of);
    return console::ctl_main({argv + 2, argv + argc}, parser.context(), console::ctl_folder(),
                             {.out = stdout_is_open ? STDOUT_FILENO : -1});
  }
  const control::Cli cli = control::parse_cli(argc, argv);
  if (cli.help) return print(control::help_text(), stdout_is_open);
  if (cli.version) return print("roceway " ROCEWAY_VERSION "\n", stdout_is_open);
  if (!cli.problems.empty()) return refuse(cli.problems);

  control::LoadedSettings loaded;
  const auto command_line = [&cli](core::Settings& settings) { control::apply(cli, settings); };
  if (cli.config) loaded = control::load_settings_file(*cli.config, command_line);
  if (!cli.config) control::apply(cli, loaded.settings);
  if (!loaded.problems.empty()) return refuse(loaded.problems);
  if (const auto problems = core::validate(loaded.settings); !problems.empty())
    return refuse(core::texts_of(problems));
  if (const auto problems = problems_of(cli, loaded.settings); !problems.empty()) return refuse(problems);
  for (const std::string& warning : loaded.warnings)
    std::fprintf(stderr, "roceway: warning: %s\n", warning.c_str());

  const control::Signals signals;  // before any thread exists
  try {
    if (cli.check) {
      glue::check_captures(loaded.settings.eal.args, loaded.settings.engine.mbuf_bytes);
      return print(*cli.config + ": valid\n", stdout_is_open);
    }
    return run(cli, loaded, signals);
  } catch (const control::UnsuitedSettings& error) {
    return refuse(loaded.placed(error.problems));
  } catch (const std::exception& error) {  // StartError, and what the standard library throws without memory
    return refuse({error.what()});
  }
}
