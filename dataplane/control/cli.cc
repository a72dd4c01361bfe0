// SPDX-License-Identifier: BSD-3-Clause
// Sorts the command line into EAL's and roceway's, checks every word and reads the values; see cli.h. Main
// thread.
#include "control/cli.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#define CXXOPTS_NO_REGEX  // its own parser; std::regex of GCC 12 warns under the sanitizers
#include <cxxopts.hpp>

#include "control/cli_options.h"
#include "control/nearest.h"
#include "control/printable.h"

namespace control {
namespace {

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
  for (const Option& option : cli_options()) {
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
  for (const Option& option : cli_options()) {
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
  for (const Option& option : cli_options()) {
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
      if (!seen.insert(given.key()).second && !option.repeats) {
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
  if (cli.ctl && cli.no_ctl) cli.problems.push_back("--no-ctl: found with --ctl; allowed: one of the two");
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

std::vector<std::string> problems_of_peers(const Cli& cli, size_t ports) {
  std::vector<std::string> problems;
  for (const EthPeer& peer : cli.eth_peers) {
    if (peer.port < ports) continue;
    problems.push_back("--eth-peer: found port " + std::to_string(peer.port) + "; allowed: 0" +
                       (ports > 1 ? " to " + std::to_string(ports - 1) : ""));
  }
  return problems;
}

void apply(const Cli& cli, core::Settings& settings) {
  core::EngineSettings& engine = settings.engine;
  if (!cli.config) engine.mode = core::Mode::io;
  if (cli.fwd) engine.mode = *cli.fwd;
  if (cli.burst) engine.burst = *cli.burst;
  if (cli.port_topology) engine.port_topology = *cli.port_topology;
  if (cli.rss) engine.rss = *cli.rss;
  if (cli.mbuf_size) engine.mbuf_bytes = *cli.mbuf_size;
  if (cli.total_num_mbufs) engine.reserve_mbufs = *cli.total_num_mbufs;
  if (cli.txpkts) settings.flowgen.sizes = {*cli.txpkts};
  if (cli.txq) settings.distribution.queues_per_nic = *cli.txq;
  if (cli.metrics) settings.metrics.listen = *cli.metrics;
  for (core::PortSettings& port : settings.ports) {
    if (cli.rxq) port.rx_queues = *cli.rxq;
    if (cli.rxd) port.rx_descriptors = *cli.rxd;
    if (cli.txd) port.tx_descriptors = *cli.txd;
    if (cli.max_pkt_len) port.mtu = *cli.max_pkt_len;
  }
  for (const EthPeer& peer : cli.eth_peers) {
    if (peer.port < settings.ports.size()) settings.ports[peer.port].next_hop_mac = peer.mac;
  }
}

}  // namespace control
