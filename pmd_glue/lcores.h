// SPDX-License-Identifier: BSD-3-Clause
// Runs one function on each worker lcore, and the clock and sleep that workers use. start and join are called
// by control on the main thread; the rest by the worker itself.
#pragma once

#include <rte_cycles.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace glue {

// Workers while they run. The functions must end by themselves when asked (they watch a stop flag); join
// waits.
class WorkerLcores {
 public:
  // lcores[i] runs bodies[i]. Throws StartError when an lcore is busy.
  void start(const std::vector<unsigned>& lcores, std::vector<std::function<void()>> bodies);
  void join();
  ~WorkerLcores() { join(); }

 private:
  struct Launch {
    std::function<void()> body;
    std::atomic<bool> ended{false};  // stored with release: what the body wrote is visible after join
  };
  std::vector<unsigned> lcores_;
  std::deque<Launch> launches_;
};

inline uint64_t read_tsc() {
  return rte_rdtsc();
}
uint64_t tsc_hz();

// Lets this thread's sleeps end within a microsecond of their time instead of the usual fifty.
void use_fine_timers();
void sleep_us(uint32_t microseconds);

}  // namespace glue
