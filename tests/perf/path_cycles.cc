// SPDX-License-Identifier: BSD-3-Clause
// Clocks of the TSC that a packet takes in one process, without a driver of a NIC and without memory of its
// own to wait for (perf/cycle_rig.h): tables by name, all of them by default. docs/numbers.md.
//   path_cycles [--turns N] [--packets N] [--list] [--help] [SECTION ...]
// Exit status 2: an option is wrong. 1: something could not be measured.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cxxopts.hpp>
#include <string>
#include <string_view>

#include "perf/cycle_sections.h"

namespace perf {

std::vector<Samples> take_turns(unsigned turns, const std::vector<std::function<double()>>& measures) {
  std::vector<Samples> samples(measures.size());
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (size_t step = 0; step < measures.size(); ++step) {
      const size_t next = turn % 2 == 0 ? step : measures.size() - 1 - step;
      samples[next].push_back(measures[next]());
    }
  }
  return samples;
}

double median(Samples samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

double median_difference(const Samples& a, const Samples& b) {
  Samples differences;
  for (size_t turn = 0; turn < a.size(); ++turn) differences.push_back(a[turn] - b[turn]);
  return median(differences);
}

double median_ratio(const Samples& a, const Samples& b) {
  Samples ratios;
  for (size_t turn = 0; turn < a.size(); ++turn) ratios.push_back(a[turn] / b[turn]);
  return median(ratios);
}

core::Settings gateway_settings(uint16_t queues, uint16_t burst) {
  core::Settings settings;
  settings.engine.mode = core::Mode::gateway;
  settings.engine.burst = burst;
  settings.distribution.queues_per_nic = queues;
  return settings;
}

}  // namespace perf

namespace {

using BadOption = cxxopts::exceptions::exception;  // what cxxopts finds wrong itself is thrown as this too

// Fewer packets would be counted by the start and the end of a turn.
constexpr uint64_t kLeastPackets = 10'000, kMostPackets = 1'000'000'000, kMostTurns = 1000;

uint64_t number(const std::string& option, std::string_view text, uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || value < least || value > most) {
    const bool out_of_range = whole || error == std::errc::result_out_of_range;
    throw BadOption("--" + option + " " + std::string(text.empty() ? "\"\"" : text) + ": " +
                    (out_of_range ? "out of range" : "not a whole number") +
                    "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

cxxopts::Options make_options() {
  cxxopts::Options options("path_cycles", "Clocks of the TSC that a packet takes, without NICs.\n");
  options.custom_help("[options]").positional_help("[SECTION ...]").set_width(110);
  const auto by_default = [](const char* text) { return cxxopts::value<std::string>()->default_value(text); };
  options.add_options()("turns", "of everything that is compared, 1 to 1000", by_default("15"), "N")(
      "packets", "of a turn, 10000 to 1000000000", by_default("2000000"), "N")(
      "list", "names the sections and says what they measure")("h,help", "this text")(
      "section", "to run; all by default", cxxopts::value<std::vector<std::string>>());
  options.parse_positional("section");
  return options;
}

std::vector<perf::Section> all_sections() {
  std::vector<perf::Section> all;
  for (const auto sections :
       {perf::floor_sections(), perf::step_sections(), perf::scale_sections(), perf::worker_sections()})
    all.insert(all.end(), sections.begin(), sections.end());
  return all;
}

// The sections of these names, all when there are none.
std::vector<perf::Section> chosen(const std::vector<std::string>& names) {
  const std::vector<perf::Section> all = all_sections();
  if (names.empty()) return all;
  std::vector<perf::Section> found;
  for (const std::string& name : names) {
    const auto section = std::ranges::find(all, name, &perf::Section::name);
    if (section == all.end())
      throw BadOption("found section \"" + name + "\"; --list tells those that there are");
    found.push_back(*section);
  }
  return found;
}

int run(const char* program, const cxxopts::ParseResult& options) {
  if (options.count("list") > 0) {
    for (const perf::Section& section : all_sections())
      std::printf("%-26s %s\n", std::string(section.name).c_str(), std::string(section.what).c_str());
    return 0;
  }
  std::vector<std::string> names;
  if (options.count("section") > 0) names = options["section"].as<std::vector<std::string>>();
  const std::vector<perf::Section> sections = chosen(names);
  const auto text = [&options](const char* name) { return options[name].as<std::string>(); };
  const perf::Effort effort = {static_cast<unsigned>(number("turns", text("turns"), 1, kMostTurns)),
                               number("packets", text("packets"), kLeastPackets, kMostPackets)};
  perf::CycleRig rig(program);
  for (const perf::Section& section : sections) {
    std::printf("== %s: %s\n", std::string(section.name).c_str(), std::string(section.what).c_str());
    section.run(rig, effort);
    std::fflush(stdout);
  }
  return 0;
}

int complain(const std::exception& problem, int status) {
  std::fprintf(stderr, "path_cycles: %s\n", problem.what());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    cxxopts::Options options = make_options();
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help") > 0) {
      std::printf("%s", options.help().c_str());
      return 0;
    }
    return run(argv[0], given);
  } catch (const BadOption& bad) {
    return complain(bad, 2);
  } catch (const std::exception& bad) {
    return complain(bad, 1);
  }
}
