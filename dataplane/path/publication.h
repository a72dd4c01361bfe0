// SPDX-License-Identifier: BSD-3-Clause
// How a plan gets from the control thread to the workers, and when an old one may be freed. Publishing is one
// release store; a worker takes the plan up at the start of a round and reports in passing that it holds no
// older one (rte_rcu_qsbr); freeing looks whether all have reported and never waits.
//
// Constructor, publish, reclaim and taken_up_by_all: control thread. The others: worker `worker`, on its
// lcore.
#pragma once

#include <rte_rcu_qsbr.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "core/plan.h"

namespace path {

class Publication {
 public:
  // Throws std::bad_alloc when there is no memory.
  explicit Publication(std::unique_ptr<core::Plan> first);
  ~Publication();  // when no worker runs
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  const core::Plan& newest() const { return *owned_; }
  // The next plan; sees to its generation. The one before is kept until every worker that is awake has left
  // it.
  void publish(std::unique_ptr<core::Plan> next);
  // Frees what nobody can hold any more; returns how many old plans are still kept.
  size_t reclaim();
  // Whether every worker that is awake works by the newest plan.
  bool taken_up_by_all() const;

  // Before the first round and after the last one; a worker that is not online holds up nothing.
  void online(unsigned worker);
  void offline(unsigned worker);
  // At the start of a round, when the worker holds no reference into any plan: it holds the returned one
  // until it calls again or goes offline. A plan is known by its generation: a new one may lie where an old
  // one lay.
  const core::Plan* take_up(unsigned worker) {
    rte_rcu_qsbr_quiescent(qsbr_.get(), worker);
    return current_.load(std::memory_order_acquire);
  }

 private:
  struct Retired {
    uint64_t token;
    std::unique_ptr<const core::Plan> plan;
  };
  std::unique_ptr<rte_rcu_qsbr, void (*)(void*)> qsbr_;
  std::unique_ptr<const core::Plan> owned_;
  std::atomic<const core::Plan*> current_{nullptr};
  std::deque<Retired> retired_;
};

}  // namespace path
