// SPDX-License-Identifier: BSD-3-Clause
// Clocks of the TSC that a packet takes in one process, without a driver of a NIC and without memory of its
// own to wait for (perf/cycle_rig.h): tables by name, all of them by default. docs/numbers.md.
//   path_cycles [--turns N] [--packets N] [--list] [SECTION ...]
#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
#include <string>

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

std::vector<perf::Section> all_sections() {
  std::vector<perf::Section> all;
  for (const auto sections :
       {perf::floor_sections(), perf::step_sections(), perf::scale_sections(), perf::worker_sections()})
    all.insert(all.end(), sections.begin(), sections.end());
  return all;
}

// The sections of these names, all when there are none; empty when one is unknown.
std::vector<perf::Section> chosen(const std::vector<std::string>& names) {
  const std::vector<perf::Section> all = all_sections();
  if (names.empty()) return all;
  std::vector<perf::Section> found;
  for (const std::string& name : names) {
    const auto section = std::ranges::find(all, name, &perf::Section::name);
    if (section == all.end()) {
      std::fprintf(stderr, "path_cycles: found section \"%s\"; --list tells those that there are\n",
                   name.c_str());
      return {};
    }
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
  if (sections.empty()) return 2;
  const perf::Effort effort = {std::max(options["turns"].as<unsigned>(), 1u),
                               options["packets"].as<uint64_t>()};
  perf::CycleRig rig(program);
  for (const perf::Section& section : sections) {
    std::printf("== %s: %s\n", std::string(section.name).c_str(), std::string(section.what).c_str());
    section.run(rig, effort);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options("path_cycles", "Clocks of the TSC a packet");
  options.add_options()("turns", "of everything that is compared",
                        cxxopts::value<unsigned>()->default_value("15"))(
      "packets", "a turn", cxxopts::value<uint64_t>()->default_value("2000000"))("list", "tell the sections")(
      "section", "to run", cxxopts::value<std::vector<std::string>>());
  options.parse_positional("section");
  try {
    return run(argv[0], options.parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "path_cycles: %s\n", error.what());
    return 2;
  }
}
