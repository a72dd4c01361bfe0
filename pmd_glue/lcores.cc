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
namespace {

// What main wrote before it started lcores is visible to them, whatever EAL's own way of telling them does.
std::atomic<unsigned> launches_made{0};

}  // namespace

void WorkerLcores::start(const std::vector<unsigned>& lcores, std::vector<std::function<void()>> bodies) {
  launches_.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    Launch& launch = launches_.emplace_back();
    launch.body = std::move(bodies[i]);
    launches_made.fetch_add(1, std::memory_order_release);
    const auto run = [](void* argument) {
      launches_made.load(std::memory_order_acquire);
      auto& given = *static_cast<Launch*>(argument);
      given.body();
      given.ended.store(true, std::memory_order_release);
      return 0;
    };
    if (rte_eal_remote_launch(run, &launch, lcores[i]) != 0) {
      throw StartError("lcore " + std::to_string(lcores[i]) + " cannot be started: it is busy");
    }
    lcores_.push_back(lcores[i]);
  }
}

void WorkerLcores::join() {
  for (size_t i = 0; i < lcores_.size(); ++i) {
    rte_eal_wait_lcore(lcores_[i]);
    while (!launches_[i].ended.load(std::memory_order_acquire)) {
    }
  }
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
