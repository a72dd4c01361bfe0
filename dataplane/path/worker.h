// SPDX-License-Identifier: BSD-3-Clause
// The only loop that touches packets: one Worker on one pinned lcore polls its RX queues, runs the steps of
// the mode and owns one TX queue for every exit. Built and read by control on the main thread; run() is the
// lcore's.
//
// A round: offer held packets again, then burst by burst receive, forward, flush; then the books of the
// round.
#pragma once

#include <rte_mempool.h>

#include <atomic>
#include <vector>

#include "core/counters.h"
#include "core/flow_meter.h"
#include "core/plan.h"
#include "path/batch.h"
#include "path/generate.h"
#include "path/send.h"

namespace path {

struct RxSource {
  core::PortQueue from;
  uint16_t port_index = 0;  // in plan.ports
};

// The RX queues that the layout gives to a worker.
std::vector<RxSource> sources_of(const core::Layout& layout, const std::vector<core::PortFacts>& facts,
                                 unsigned worker);

struct IdlePolicy {
  bool sleep = false;
  uint32_t rounds = 1000;  // empty rounds before the first sleep
  uint32_t sleep_us = 50;
};

// Everything a worker is given; the references outlive it.
struct WorkerSetup {
  const core::Plan& plan;
  unsigned worker = 0;  // 0 to plan.workers - 1
  std::vector<RxSource> sources;
  IdlePolicy idle;
  const core::FlowPattern& flowgen;
  std::vector<rte_mempool*> pool_of_port;  // by port index: where generated packets come from
};

class Worker {
 public:
  explicit Worker(const WorkerSetup& setup);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Polls until stop is requested, then offers what is held for at most 100 ms more and drops the rest as
  // `stopped`.
  void run(const std::atomic<bool>& stop);

  // Read by control at any moment.
  const core::IngressCounters& ingress(uint16_t port_index) const { return ingress_[port_index]; }
  const core::ExitCounters& exit(uint16_t exit) const { return exits_[exit]; }
  const core::LoopCounters& loop() const { return loop_; }
  // What went to a target group (mode gateway), by its index in plan.groups.
  const core::FlowMeter& flows(size_t group) const { return flows_[group]; }

 private:
  template <class Forward>
  void poll_until(const std::atomic<bool>& stop, Forward forward);
  uint32_t generate_round();
  void account_round(uint32_t moved, uint64_t& last_tsc);
  void rest(uint32_t moved, uint64_t& last_tsc);
  void empty_holds();

  // What each mode does with a burst from one RX queue.
  void forward_gateway(const RxSource& source, std::span<rte_mbuf*> mbufs);
  template <class Rewrite>
  void forward_paired(const RxSource& source, std::span<rte_mbuf*> mbufs, Rewrite rewrite);
  void forward_nowhere(const RxSource& source, std::span<rte_mbuf*> mbufs);

  void drop(uint16_t port_index, core::DropReason reason, rte_mbuf* mbuf);

  const core::Plan& plan_;
  const std::vector<RxSource> sources_;
  const IdlePolicy idle_;
  const std::vector<rte_mempool*> pool_of_port_;
  std::vector<uint16_t> port_of_exit_;  // exit -> index in plan.ports
  std::vector<core::IngressCounters> ingress_;
  std::vector<core::ExitCounters> exits_;
  core::LoopCounters loop_;
  std::vector<core::FlowMeter> flows_;  // by target group
  Sender sender_;
  Generator generator_;
  Batch batch_;
  uint32_t empty_rounds_ = 0;
};

}  // namespace path
