// SPDX-License-Identifier: BSD-3-Clause
// What the workers of one data plane share: the plan's publication, the ways between them, and what each lets
// the others read. Built by control before the workers and outlives them. Everything in it has one writer.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/counters.h"
#include "path/follow.h"
#include "path/handover.h"
#include "path/l2_guard.h"
#include "path/publication.h"

namespace path {

class Plane {
 public:
  explicit Plane(std::unique_ptr<core::Plan> first);

  const uint64_t start_tsc;  // when it was built
  Publication publication;
  Handover handover;
  MacTables mac_tables;
  // Counters by exit, of worker w: written by that worker only.
  std::vector<core::ExitCounters>& exits(unsigned worker) { return *exits_[worker]; }
  const ExitsOfWorkers& exits_of_workers() const { return exits_of_workers_; }

  // A worker that ends says so when it will hand nothing over any more; the last one to take must wait for
  // the others.
  void will_hand_over_nothing() { handing_over_.fetch_sub(1, std::memory_order_release); }
  bool somebody_hands_over() const { return handing_over_.load(std::memory_order_acquire) > 0; }

 private:
  std::vector<std::unique_ptr<std::vector<core::ExitCounters>>> exits_;
  ExitsOfWorkers exits_of_workers_;
  std::atomic<unsigned> handing_over_;
};

}  // namespace path
