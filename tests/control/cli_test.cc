// SPDX-License-Identifier: BSD-3-Clause
// Command lines: what good ones mean, and every line said of bad ones.
#include "control/cli.h"

#include <gtest/gtest.h>

namespace {

using control::Cli;
using Lines = std::vector<std::string>;

Cli parse(const Lines& words) {
  std::vector<const char*> argv = {"roceway"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return control::parse_cli(static_cast<int>(argv.size()), argv.data());
}

// Everything a command line sets, as text; nothing for what it leaves alone.
std::string summary(const Cli& cli) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : " ") + name + '=' + value;
  };
  const auto number = [&](const std::string& name, const auto& value) {
    if (value) add(name, std::to_string(*value));
  };
  for (const std::string& arg : cli.eal_args) add("eal", arg);
  if (cli.config) add("config", *cli.config);
  if (cli.check) add("check", "1");
  if (cli.help) add("help", "1");
  if (cli.version) add("version", "1");
  if (cli.fwd) add("fwd", std::string(core::name_of(*cli.fwd)));
  number("rxq", cli.rxq);
  number("txq", cli.txq);
  number("burst", cli.burst);
  number("nb_cores", cli.nb_cores);
  if (cli.stats_period_s != 0) add("stats_period_s", std::to_string(cli.stats_period_s));
  number("duration_s", cli.duration_s);
  number("idle_exit_s", cli.idle_exit_s);
  if (cli.report) add("report", *cli.report);
  return text;
}

TEST(Cli, GoodCommandLines) {
  struct Row {
    std::string name;
    Lines words;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"nothing", {}, ""},
      {"config", {"--config", "a.toml"}, "config=a.toml"},
      {"config with =", {"--config=a=b.toml"}, "config=a=b.toml"},
      {"check", {"--config", "a.toml", "--check"}, "config=a.toml check=1"},
      {"EAL before --",
       {"-l", "0,1", "--vdev=net_ring0", "--", "--fwd", "io"},
       "eal=-l eal=0,1 eal=--vdev=net_ring0 fwd=io"},
      {"EAL only", {"-l", "0", "--"}, "eal=-l eal=0"},
      {"-- with nothing before it", {"--", "--fwd", "mac"}, "fwd=mac"},
      {"help is roceway's on either side", {"--help", "-v", "--"}, "eal=--help eal=-v help=1"},
      {"gateway with a file", {"--config", "f", "--fwd", "gateway"}, "config=f fwd=gateway"},
      {"testpmd's longer word", {"--forward-mode=5tswap"}, "fwd=5tswap"},
      {"numbers at their ends",
       {"--rxq", "256", "--txq=64", "--burst", "512", "--nb-cores=127"},
       "rxq=256 txq=64 burst=512 nb_cores=127"},
      {"seconds",
       {"--stats-period", "0.5", "--duration=10", "--idle-exit", "1e1"},
       "stats_period_s=0.500000 duration_s=10.000000 idle_exit_s=10.000000"},
      {"report", {"--report", "out.json"}, "report=out.json"},
      {"a file name with a dash", {"--report", "-"}, "report=-"},
      {"help", {"--help"}, "help=1"},
      {"short help", {"-h"}, "help=1"},
      {"version", {"--version"}, "version=1"},
      {"short version", {"-v"}, "version=1"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Cli cli = parse(row.words);
    EXPECT_EQ(cli.problems, Lines{});
    EXPECT_EQ(summary(cli), row.expected);
  }
}

TEST(Cli, EveryProblemIsSaid) {
  const std::string modes = "gateway, io, mac, macswap, 5tswap, rxonly, txonly, flowgen";
  const std::string eal = ": put EAL options before --, as in: roceway -l 0,1 --vdev=net_ring0 -- --fwd io";
  struct Row {
    std::string name;
    Lines words;
    Lines expected;
  };
  const std::vector<Row> rows = {
      {"misspelt", {"--brust", "3"}, {"--brust: unknown option; did you mean --burst?"}},
      {"misspelt with =", {"--confg=a.toml"}, {"--confg: unknown option; did you mean --config?"}},
      {"one dash", {"-config", "a.toml"}, {"-config: unknown option; did you mean --config?"}},
      {"like nothing", {"--zebra"}, {"--zebra: unknown option; see --help"}},
      {"EAL's short", {"-l", "0,1"}, {"-l" + eal}},
      {"EAL's short with its value", {"-n4"}, {"-n4" + eal}},
      {"EAL's long",
       {"--vdev=net_null0", "--no-huge", "--file-prefix", "x"},
       {"--vdev" + eal, "--no-huge" + eal, "--file-prefix" + eal}},
      {"EAL's behind --", {"--", "--no-pci"}, {"--no-pci" + eal}},
      {"ours before --",
       {"--config=f", "-l", "0", "--"},
       {"--config: put roceway's options behind --, as in: roceway -l 0,1 -- --config"}},
      {"stray word", {"a.toml"}, {"\"a.toml\": not an option; see --help"}},
      {"stray word behind a flag", {"--config", "f", "--check", "g"}, {"\"g\": not an option; see --help"}},
      {"stray empty word and dash",
       {"", "-"},
       {"\"\": not an option; see --help", "\"-\": not an option; see --help"}},
      {"line break",
       {"a\nb", "--x\ny", "--rxq", "\n"},
       {"\"a\\x0ab\": not an option; see --help", "--x\\x0ay: unknown option; see --help",
        "--rxq: found \"\\x0a\"; allowed: a whole number 1 to 256"}},
      {"-- twice", {"--", "--"}, {"--: found twice; EAL options, one --, roceway's options"}},
      {"no value at the end", {"--config"}, {"--config: needs a value, as in --config FILE"}},
      {"no value before an option", {"--burst", "--fwd", "io"}, {"--burst: needs a value, as in --burst N"}},
      {"empty value",
       {"--report=", "--config", ""},
       {"--report: needs a value, as in --report FILE", "--config: needs a value, as in --config FILE"}},
      {"value of a flag", {"--config", "f", "--check=yes"}, {"--check: takes no value"}},
      {"twice", {"--fwd", "io", "--forward-mode", "mac"}, {"--fwd: found twice; allowed once"}},
      {"mode", {"--fwd", "oi"}, {"--fwd: found \"oi\"; allowed: " + modes}},
      {"numbers outside",
       {"--rxq", "0", "--txq", "65", "--burst", "513", "--nb-cores", "128"},
       {"--rxq: found \"0\"; allowed: a whole number 1 to 256",
        "--txq: found \"65\"; allowed: a whole number 1 to 64",
        "--burst: found \"513\"; allowed: a whole number 1 to 512",
        "--nb-cores: found \"128\"; allowed: a whole number 1 to 127"}},
      {"not numbers",
       {"--rxq", "4x", "--txq", "-1", "--burst", "1.5", "--nb-cores", "99999999999999999999"},
       {"--rxq: found \"4x\"; allowed: a whole number 1 to 256",
        "--txq: found \"-1\"; allowed: a whole number 1 to 64",
        "--burst: found \"1.5\"; allowed: a whole number 1 to 512",
        "--nb-cores: found \"99999999999999999999\"; allowed: a whole number 1 to 127"}},
      {"not seconds",
       {"--stats-period", "0", "--duration", "-1", "--idle-exit", "nan"},
       {"--stats-period: found \"0\"; allowed: seconds, more than 0, as in 10 or 0.5",
        "--duration: found \"-1\"; allowed: seconds, more than 0, as in 10 or 0.5",
        "--idle-exit: found \"nan\"; allowed: seconds, more than 0, as in 10 or 0.5"}},
      {"seconds without end",
       {"--duration", "inf", "--idle-exit", "5s"},
       {"--duration: found \"inf\"; allowed: seconds, more than 0, as in 10 or 0.5",
        "--idle-exit: found \"5s\"; allowed: seconds, more than 0, as in 10 or 0.5"}},
      {"check without a file", {"--check"}, {"--check: needs --config FILE"}},
      {"gateway without a file", {"--fwd", "gateway"}, {"--fwd: gateway needs --config FILE with groups"}},
      {"what follows from a refused --config is not said",
       {"--check", "--confg", "f"},
       {"--confg: unknown option; did you mean --config?"}},
      {"several at once",
       {"x", "--brust", "3", "--rxq", "0"},
       {"\"x\": not an option; see --help", "--brust: unknown option; did you mean --burst?",
        "--rxq: found \"0\"; allowed: a whole number 1 to 256"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(parse(row.words).problems, row.expected);
  }
}

TEST(Cli, HelpNamesEveryOption) {
  const std::string help = control::help_text();
  for (const char* option :
       {"--config FILE", "--check", "--fwd MODE", "--rxq N", "--txq N", "--burst N", "--nb-cores N",
        "--stats-period S", "--duration S", "--idle-exit S", "--report FILE", "--version", "--help",
        "roceway --config FILE [options]", "roceway [EAL options] -- [options]"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST(Cli, CommandLineWinsOverFile) {
  core::Settings settings;
  settings.engine.mode = core::Mode::mac;
  settings.engine.burst = 16;
  settings.ports.resize(2);
  settings.ports[1].rx_queues = 9;

  core::Settings untouched = settings;
  control::apply(parse({"--config", "f"}), untouched);
  EXPECT_EQ(untouched.engine.mode, core::Mode::mac);
  EXPECT_EQ(untouched.engine.burst, 16);
  EXPECT_EQ(untouched.ports[0].rx_queues, std::nullopt);
  EXPECT_EQ(untouched.ports[1].rx_queues, 9);
  EXPECT_EQ(untouched.distribution.queues_per_nic, std::nullopt);

  core::Settings changed = settings;
  control::apply(parse({"--config", "f", "--fwd", "rxonly", "--burst", "8", "--rxq", "2", "--txq", "4"}),
                 changed);
  EXPECT_EQ(changed.engine.mode, core::Mode::rxonly);
  EXPECT_EQ(changed.engine.burst, 8);
  EXPECT_EQ(changed.ports[0].rx_queues, 2);
  EXPECT_EQ(changed.ports[1].rx_queues, 2);
  EXPECT_EQ(changed.distribution.queues_per_nic, 4);
}

TEST(Cli, WithoutFileTheModeIsIo) {
  core::Settings settings;
  control::apply(parse({}), settings);
  EXPECT_EQ(settings.engine.mode, core::Mode::io);
  control::apply(parse({"--fwd", "txonly"}), settings);
  EXPECT_EQ(settings.engine.mode, core::Mode::txonly);
}

}  // namespace
