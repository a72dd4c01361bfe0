// SPDX-License-Identifier: BSD-3-Clause
// Runs EAL once, as eal_plan decided, and turns its many lines into one cause and one fix. Called by main on
// the main thread; teardown by main.
#pragma once

#include <string>
#include <vector>

#include "pmd_glue/eal_plan.h"

namespace glue {

// Removes an earlier run's leftovers of this prefix now, and this run's when the process exits: DPDK unlinks
// its telemetry socket in an exit handler, and only behind that is the directory empty. Call before EAL
// starts, while holding the name.
void remove_leftovers_now_and_at_exit(const EalPlan& plan);

// EAL from start to cleanup. Its log is kept back while it starts and asked afterwards: one translated line
// (StartError) when it failed, log_about when a device is missing.
class Eal {
 public:
  explicit Eal(const EalPlan& plan);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  // Widest registers that --force-max-simd-bitwidth allows; without the option any.
  unsigned most_simd_bits() const { return most_simd_bits_; }
  // Worker lcores in EAL's order: every lcore but the main one.
  std::vector<unsigned> worker_lcores() const;
  // What EAL's log said of this device while it started; empty when nothing.
  std::string log_about(const std::string& device) const;

 private:
  std::string log_;
  unsigned most_simd_bits_ = 0;
  bool pdump_ = false;
};

// EAL's own words -> cause and fix, in one line. Pure; tested with real logs.
std::string explain_eal_failure(const std::string& log);

}  // namespace glue
