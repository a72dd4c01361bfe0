// SPDX-License-Identifier: BSD-3-Clause
// Sorts the command line into EAL's and roceway's, checks every word and reads the values; see cli.h. Main
// thread.
#include "control/cli.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#define CXXOPTS_NO_REGEX  // its own parser; std::regex of GCC 12 warns under the sanitizers
#include <cxxopts.hpp>

#include "control/nearest.h"
#include "control/printable.h"

namespace control {
namespace {

// Puts `value` into `cli`, or says what is allowed instead.
using Read = std::optional<std::string> (*)(const std::string& value, Cli& cli);

struct Option {
  std::string_view names;  // the first is the one reports use; others after commas
  std::string_view value;  // what the help calls it; empty: takes none
  std::string_view help;
  Read read;
};

template <std::optional<uint16_t> Cli::*kMember, uint64_t kLeast, uint64_t kMost>
std::optional<std::string> number(const std::string& value, Cli& cli) {
  constexpr core::Range kAllowed{kLeast, kMost};
  uint64_t read = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || !kAllowed.holds(read)) return "a whole number " + core::text_of(kAllowed);
  cli.*kMember = static_cast<uint16_t>(read);
  return std::nullopt;
}

// Fractions are welcome. A billion seconds is longer than any machine stays up.
template <auto kMember>
std::optional<std::string> seconds(const std::string& value, Cli& cli) {
  constexpr double kMost = 1e9;
  double read = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || !(read > 0 && read <= kMost)) return "seconds, more than 0, as in 10 or 0.5";
  cli.*kMember = read;
  return std::nullopt;
}

template <std::optional<std::string> Cli::*kMember>
std::optional<std::string> file_name(const std::string& value, Cli& cli) {
  cli.*kMember = value;
  return std::nullopt;
}

template <bool Cli::*kMember>
std::optional<std::string> flag(const std::string&, Cli& cli) {
  cli.*kMember = true;
  return std::nullopt;
}

std::string mode_names() {
  std::string names;
  for (unsigned i = 0; i <= static_cast<unsigned>(core::Mode::flowgen); ++i) {
    names += (i == 0 ? "" : ", ") + std::string(name_of(static_cast<core::Mode>(i)));
  }
  return names;
}

std::optional<std::string> mode(const std::string& value, Cli& cli) {
  cli.fwd = core::mode_of(value);
  if (!cli.fwd) return mode_names();
  return std::nullopt;
}

namespace limits = core::limits;
constexpr uint64_t kMostWorkers = limits::kLcore.most;  // one lcore is left for control

// The one list of options: parsing, help and suggestions.
constexpr Option kOptions[] = {
    {"config", "FILE", "settings file (TOML)", file_name<&Cli::config>},
    {"check", "", "check the settings file and stop", flag<&Cli::check>},
    {"fwd,forward-mode", "MODE",
     "what happens to a packet: gateway, io, mac, macswap, 5tswap, rxonly, txonly, flowgen", mode},
    {"rxq", "N", "RX queues of every port",
     number<&Cli::rxq, limits::kRxQueues.least, limits::kRxQueues.most>},
    {"txq", "N", "TX queues each worker sends by on every port (the rule's num_queues)",
     number<&Cli::txq, limits::kQueuesPerNic.least, limits::kQueuesPerNic.most>},
    {"burst", "N", "packets asked for at once",
     number<&Cli::burst, limits::kBurst.least, limits::kBurst.most>},
    {"nb-cores", "N", "workers", number<&Cli::nb_cores, 1, kMostWorkers>},
    {"stats-period", "S", "print statistics every S seconds", seconds<&Cli::stats_period_s>},
    {"duration", "S", "stop after S seconds", seconds<&Cli::duration_s>},
    {"idle-exit", "S", "stop after S seconds without a data packet", seconds<&Cli::idle_exit_s>},
    {"report", "FILE", "write the final report as JSON", file_name<&Cli::report>},
    {"v,version", "", "print the version and stop", flag<&Cli::version>},
    {"h,help", "", "print this and stop", flag<&Cli::help>},
};

// EAL's words in DPDK 22.11, for the hint that they belong before "--".
constexpr std::string_view kEalLong[] = {"lcores",
                                         "main-lcore",
                                         "master-lcore",
                                         "mbuf-pool-ops-name",
                                         "block",
                                         "allow",
                                         "vdev",
                                         "iova-mode",
                                         "vmware-tsc-map",
                                         "proc-type",
                                         "syslog",
                                         "log-level",
                                         "trace",
                                         "trace-dir",
                                         "trace-bufsz",
                                         "trace-mode",
                                         "in-memory",
                                         "base-virtaddr",
                                         "telemetry",
                                         "no-telemetry",
                                         "no-huge",
                                         "no-pci",
                                         "no-hpet",
                                         "no-shconf",
                                         "force-max-simd-bitwidth",
                                         "socket-mem",
                                         "socket-limit",
                                         "huge-dir",
                                         "file-prefix",
                                         "huge-unlink",
                                         "huge-worker-stack",
                                         "create-uio-dev",
                                         "vfio-intr",
                                         "vfio-vf-token",
                                         "legacy-mem",
                                         "single-file-segments",
                                         "match-allocations"};
constexpr std::string_view kEalShort = "lcnmabsSrd";

std::vector<std::string_view> split(std::string_view names) {
  std::vector<std::string_view> parts;
  for (size_t comma = 0; comma != std::string_view::npos; names.remove_prefix(comma + 1)) {
    comma = names.find(',');
    parts.push_back(names.substr(0, comma));
    if (comma == std::string_view::npos) break;
  }
  return parts;
}

std::vector<std::string_view> long_names() {
  std::vector<std::string_view> all;
  for (const Option& option : kOptions) {
    for (const std::string_view name : split(option.names)) {
      if (name.size() > 1) all.push_back(name);
    }
  }
  return all;
}

// `dashed` is "--name" or "-n".
const Option* find_option(std::string_view dashed) {
  const bool is_long = dashed.starts_with("--");
  const std::string_view name = dashed.substr(is_long ? 2 : 1);
  for (const Option& option : kOptions) {
    for (const std::string_view known : split(option.names)) {
      if (known == name && (known.size() > 1) == is_long) return &option;
    }
  }
  return nullptr;
}

bool is_eal(std::string_view dashed) {
  if (!dashed.starts_with("--")) return kEalShort.find(dashed[1]) != std::string_view::npos;
  return std::find(std::begin(kEalLong), std::end(kEalLong), dashed.substr(2)) != std::end(kEalLong);
}

std::string unknown_option(std::string_view dashed) {
  const std::string_view bare = dashed.substr(std::min(dashed.find_first_not_of('-'), dashed.size()));
  const std::string name = printable(dashed);
  // "-config" is nearer to --config than to EAL's -c, "-c3" is not.
  const auto meant = nearest_word(bare, long_names());
  const bool spelt_out = meant && *meant == bare;
  if (!spelt_out && is_eal(dashed)) {
    return name + ": put EAL options before --, as in: roceway -l 0,1 --vdev=net_ring0 -- --fwd io";
  }
  if (meant) return name + ": unknown option; did you mean --" + std::string(*meant) + '?';
  return name + ": unknown option; see --help";
}

// Takes out what roceway does not know and says why, so that cxxopts gets only words that it can parse.
std::vector<std::string> known_words(const std::vector<std::string>& words,
                                     std::vector<std::string>& problems) {
  std::vector<std::string> known;
  const auto is_value = [&](size_t i) { return i < words.size() && !words[i].starts_with("--"); };
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string dashed = word.substr(0, word.find('='));
    const bool has_equals = dashed.size() < word.size();
    if (word == "--") {
      problems.push_back("--: found twice; EAL options, one --, roceway's options");
    } else if (dashed.size() < 2 || word[0] != '-') {
      problems.push_back(quoted(word) + ": not an option; see --help");
    } else if (const Option* option = find_option(dashed); option == nullptr) {
      problems.push_back(unknown_option(dashed));
      // A plain word behind it was most likely its value.
      if (!has_equals && i + 1 < words.size() && !words[i + 1].starts_with('-')) ++i;
    } else if (option->value.empty()) {
      if (has_equals) problems.push_back(dashed + ": takes no value");
      if (!has_equals) known.push_back(word);
    } else if (has_equals ? word.size() == dashed.size() + 1 : !is_value(i + 1) || words[i + 1].empty()) {
      problems.push_back(dashed + ": needs a value, as in " + dashed + ' ' + std::string(option->value));
      if (!has_equals && is_value(i + 1)) ++i;
    } else {
      known.push_back(word);
      if (!has_equals) known.push_back(words[++i]);
    }
  }
  return known;
}

cxxopts::Options make_options() {
  cxxopts::Options options("roceway", "Software data plane for RoCE traffic over several NICs.");
  options.custom_help("--config FILE [options]\n  roceway [EAL options] -- [options]");
  for (const Option& option : kOptions) {
    const std::string names(option.names), help(option.help);
    if (option.value.empty()) {
      options.add_options()(names, help);
    } else {
      options.add_options()(names, help, cxxopts::value<std::string>(), std::string(option.value));
    }
  }
  return options;
}

void read_values(const std::vector<std::string>& words, Cli& cli) {
  std::vector<const char*> argv = {"roceway"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  cxxopts::Options options = make_options();
  try {
    const cxxopts::ParseResult result = options.parse(static_cast<int>(argv.size()), argv.data());
    std::set<std::string> seen;
    for (const cxxopts::KeyValue& given : result.arguments()) {
      const std::string dashed = "--" + given.key();
      const Option& option = *find_option(dashed);
      if (!seen.insert(given.key()).second) {
        cli.problems.push_back(dashed + ": found twice; allowed once");
      } else if (const auto allowed = option.read(given.value(), cli)) {
        cli.problems.push_back(dashed + ": found " + quoted(given.value()) + "; allowed: " + *allowed);
      }
    }
  } catch (const cxxopts::exceptions::exception& error) {
    cli.problems.push_back(error.what());
  }
}

// EAL stops at words that it does not know, with a page of its own help.
void check_eal_args(Cli& cli) {
  for (const std::string& arg : cli.eal_args) {
    const std::string dashed = arg.substr(0, arg.find('='));
    if (arg == "-h" || arg == "--help") cli.help = true;  // not EAL's page of options: that would start EAL
    if (!dashed.starts_with("--") || dashed == "--help" || find_option(dashed) == nullptr) continue;
    cli.problems.push_back(dashed + ": put roceway's options behind --, as in: roceway -l 0,1 -- " + dashed);
  }
}

// What options need of each other.
void check_together(Cli& cli) {
  if (cli.config) return;
  if (cli.check) cli.problems.push_back("--check: needs --config FILE");
  if (cli.fwd == core::Mode::gateway)
    cli.problems.push_back("--fwd: gateway needs --config FILE with groups");
}

}  // namespace

Cli parse_cli(int argc, const char* const* argv) {
  Cli cli;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  if (const auto dashes = std::find(words.begin(), words.end(), "--"); dashes != words.end()) {
    cli.eal_args.assign(words.begin(), dashes);
    words.erase(words.begin(), dashes + 1);
    check_eal_args(cli);
  }
  read_values(known_words(words, cli.problems), cli);
  const bool config_refused =
      std::any_of(cli.problems.begin(), cli.problems.end(), [](const std::string& problem) {
        return problem.starts_with("--config:") || problem.ends_with("--config?");
      });
  if (!config_refused) check_together(cli);
  return cli;
}

std::string help_text() {
  return make_options().help();
}

void apply(const Cli& cli, core::Settings& settings) {
  if (!cli.config) settings.engine.mode = core::Mode::io;
  if (cli.fwd) settings.engine.mode = *cli.fwd;
  if (cli.burst) settings.engine.burst = *cli.burst;
  if (cli.txq) settings.distribution.queues_per_nic = *cli.txq;
  if (!cli.rxq) return;
  for (core::PortSettings& port : settings.ports) port.rx_queues = *cli.rxq;
}

}  // namespace control
