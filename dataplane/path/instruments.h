// SPDX-License-Identifier: BSD-3-Clause
// What a worker can tell of itself when asked: clocks and calls of each step, sizes of bursts, traces. While
// nothing is asked, on() is false and the worker runs rounds that hold none of it. One a worker; its lcore
// writes, control reads the counters and arms the tracer.
#pragma once

#include "core/counters.h"
#include "core/plan.h"
#include "path/trace.h"
#include "pmd_glue/lcores.h"

namespace path {

class Instruments {
 public:
  Instruments(unsigned worker, uint64_t start_tsc) : tracer_(worker, start_tsc) {}

  // Whether anything is asked for. It stays as it is within a round.
  bool on() const { return on_; }
  bool begin_round() {
    if (tracer_.is_ordered()) [[unlikely]]
      look_again();
    return on_;
  }
  void take_up(const core::Plan& plan) {
    cycles_ = plan.record_cycles;
    bursts_ = plan.record_bursts;
    look_again();
  }
  void look_again() {
    if (tracer_.is_ordered()) tracer_.take_order();
    on_ = cycles_ || bursts_ || tracer_.busy();
  }

  // A round is cut into laps: each ends a step and begins the next.
  void begin_laps() {
    if (cycles_) last_tsc_ = glue::read_tsc();
  }
  void lap(core::Step step, uint64_t packets) {
    if (!cycles_) return;
    const uint64_t now = glue::read_tsc();
    core::StepCounters& counters = steps_[static_cast<size_t>(step)];
    counters.calls.add(1);
    counters.packets.add(packets);
    counters.tsc.add(now - last_tsc_);
    last_tsc_ = now;
  }
  // A look at an RX queue and what it brought.
  void received(uint16_t packets, uint16_t port_index, uint16_t rx_queue, rte_mbuf* const* mbufs) {
    if (bursts_) bursts_counted_.rx[packets].add(1);
    lap(packets == 0 ? core::Step::poll : core::Step::receive, packets);
    tracer_.choose({mbufs, packets}, port_index, rx_queue);
  }
  void transmitted(uint16_t packets) {
    if (bursts_) bursts_counted_.tx[packets].add(1);
  }
  Tracer& tracer() { return tracer_; }

  // Control.
  const core::StepTable& steps() const { return steps_; }
  const core::BurstCounters& bursts() const { return bursts_counted_; }
  const Tracer& tracer() const { return tracer_; }

 private:
  bool on_ = false, cycles_ = false, bursts_ = false;
  uint64_t last_tsc_ = 0;
  core::StepTable steps_;
  core::BurstCounters bursts_counted_;
  Tracer tracer_;
};

}  // namespace path
