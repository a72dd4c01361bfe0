// SPDX-License-Identifier: BSD-3-Clause
// The only loop that touches packets: one Worker on one pinned lcore polls its RX queues, runs the steps of
// the mode and sends by the TX queues it owns. Built and read by control on the main thread; run() is the
// lcore's.
//
// A round: take up the newest plan; offer held packets again; take what control and other workers handed in;
// then burst by burst receive, forward, flush; then the books of the round.
#pragma once

#include <rte_mempool.h>

#include <atomic>
#include <optional>
#include <vector>

#include "core/counters.h"
#include "core/flow_meter.h"
#include "core/plan.h"
#include "path/gateway.h"
#include "path/generate.h"
#include "path/instruments.h"
#include "path/plane.h"
#include "path/private_ring.h"
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
  Plane& plane;
  unsigned worker = 0;  // 0 to plan.workers - 1
  std::vector<RxSource> sources;
  IdlePolicy idle;
  const core::FlowPattern& flowgen;
  std::vector<rte_mempool*> pool_of_port;  // by port index: where generated packets come from
  uint32_t tx_first_bursts = 0;            // that every TX queue sends before the first round; not in gateway
};

class Worker {
 public:
  explicit Worker(const WorkerSetup& setup);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Polls until stop is requested, then offers what is held for at most 100 ms more and drops the rest as
  // `stopped`.
  void run(const std::atomic<bool>& stop);

  // A packet that control made, to be sent by one of the port's TX queues that this worker owns; it is
  // counted as generated. False when too many wait already: the caller keeps the packet. Control thread.
  bool post(rte_mbuf* mbuf, uint16_t exit);

  // Read by control at any moment.
  const core::IngressCounters& ingress(uint16_t port_index) const { return ingress_[port_index]; }
  const core::ExitCounters& exit(uint16_t exit) const { return exits_[exit]; }
  const core::LoopCounters& loop() const { return loop_; }
  // Of what went to a target group (mode gateway), by its index in plan.groups.
  const core::FlowMeter& flows(size_t group) const { return gateway_->flows(group); }
  const core::ReorderCounters* reordering(size_t group) const { return sender_.reordering(group); }
  const core::StepTable& steps() const { return instruments_.steps(); }
  const core::BurstCounters& bursts() const { return instruments_.bursts(); }

  // Follows the next `count` packets that come in here and match (null: all) on their way, at most
  // kMostTraces; what was traced before is forgotten. Control thread.
  void arm_trace(uint32_t count, std::shared_ptr<const glue::PacketFilter> filter) {
    instruments_.tracer().arm(count, std::move(filter));
  }
  std::vector<Trace> traces() const { return instruments_.tracer().traces(); }

 private:
  template <class Forward>
  void poll_until(const std::atomic<bool>& stop, Forward forward);
  template <bool kObserved, class Forward>
  void round(Forward& forward);
  template <bool kObserved>
  void lap(core::Step step, uint64_t packets) {
    if constexpr (kObserved) instruments_.lap(step, packets);
  }
  uint64_t tick();
  void take_up_plan();
  void leave_stopped_ports();
  uint32_t take_posted();
  uint32_t take_handed();
  void send_handed(std::span<rte_mbuf*> mbufs);
  void send_first();
  uint32_t generate_round();
  void put_generated(rte_mbuf* mbuf, uint16_t port_index, uint16_t exit);
  void account_round(uint32_t moved);
  void rest(uint32_t moved);
  void end();

  // What the modes that do not look at flows do with a burst from one RX queue.
  template <bool kObserved, class Rewrite>
  void forward_paired(const RxSource& source, std::span<rte_mbuf*> mbufs, Rewrite rewrite);
  template <bool kObserved>
  std::span<rte_mbuf*> drop_unfit(const RxSource& source, std::span<rte_mbuf*> mbufs, const core::PortPlan& to,
                                  uint32_t longest);
  template <bool kObserved>
  void forward_nowhere(const RxSource& source, std::span<rte_mbuf*> mbufs);

  Plane& plane_;
  const unsigned worker_;
  const core::Plan* plan_;  // while online
  const core::Mode mode_;
  const std::vector<RxSource> sources_;
  const IdlePolicy idle_;
  const uint32_t tx_first_bursts_;
  const std::vector<rte_mempool*> pool_of_port_;
  std::vector<core::IngressCounters> ingress_;
  std::vector<core::ExitCounters>& exits_;
  core::LoopCounters loop_;
  Instruments instruments_;
  Sender sender_;
  std::optional<Gateway> gateway_;  // mode gateway
  const bool generates_;            // in every round
  Generator generator_;
  PrivateRing posted_;
  // Taken from another worker in the last round.
  struct Arrival {
    uint16_t count = 0;
    rte_mbuf* mbufs[core::kBatch * 4];
  };
  std::vector<Arrival> arrivals_;  // by worker; none when nothing is handed over
  uint32_t generation_ = 0;
  uint32_t empty_rounds_ = 0;
  uint64_t last_tsc_ = 0;  // when the present round began
  uint64_t tsc_per_tick_, tick_ = 0, tick_ends_tsc_ = 0;  // ticks of core::kMacTickMs
  bool some_stopped_ = false;  // a port is not enabled
  bool redirects_ = true;      // false at the end: nothing is handed over any more
};

}  // namespace path
