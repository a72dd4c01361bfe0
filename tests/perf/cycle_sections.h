// SPDX-License-Identifier: BSD-3-Clause
// The parts of path_cycles: each prints one table of clocks a packet. What is compared takes turns, forwards
// and backwards; told are medians, and medians of what is compared within a turn.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/settings.h"
#include "perf/cycle_rig.h"

namespace perf {

struct Effort {
  unsigned turns = 15;
  uint64_t packets = 2'000'000;  // a turn
};

struct Section {
  std::string_view name;  // on the command line
  std::string_view what;
  void (*run)(CycleRig& rig, const Effort& effort);
};
// Each file has its own.
std::span<const Section> floor_sections();
std::span<const Section> step_sections();
std::span<const Section> scale_sections();
std::span<const Section> worker_sections();

// What each of `measures` said, turn by turn.
using Samples = std::vector<double>;
std::vector<Samples> take_turns(unsigned turns, const std::vector<std::function<double()>>& measures);
double median(Samples samples);
double median_difference(const Samples& a, const Samples& b);  // of a - b
double median_ratio(const Samples& a, const Samples& b);       // of a / b

// Mode gateway with `queues` a NIC.
core::Settings gateway_settings(uint16_t queues = 2, uint16_t burst = 32);

}  // namespace perf
