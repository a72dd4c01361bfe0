// SPDX-License-Identifier: BSD-3-Clause
// Starts and joins worker lcores; see lcores.h.
#include "pmd_glue/lcores.h"

#include <rte_launch.h>
#include <sys/prctl.h>

#include <ctime>
#include <string>
#include <utility>

#include "pmd_glue/start_error.h"

namespace glue {

void WorkerLcores::start(const std::vector<unsigned>& lcores, std::vector<std::function<void()>> bodies) {
  bodies_ = std::move(bodies);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const auto run = [](void* body) {
      (*static_cast<std::function<void()>*>(body))();
      return 0;
    };
    if (rte_eal_remote_launch(run, &bodies_[i], lcores[i]) != 0) {
      throw StartError("lcore " + std::to_string(lcores[i]) + " cannot be started: it is busy");
    }
    lcores_.push_back(lcores[i]);
  }
}

void WorkerLcores::join() {
  for (unsigned lcore : lcores_) rte_eal_wait_lcore(lcore);
  lcores_.clear();
}

uint64_t tsc_hz() {
  return rte_get_tsc_hz();
}

void use_fine_timers() {
  prctl(PR_SET_TIMERSLACK, 1000UL);
}

void sleep_us(uint32_t microseconds) {
  const timespec time{microseconds / 1'000'000, static_cast<long>(microseconds % 1'000'000) * 1000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace glue
