// SPDX-License-Identifier: BSD-3-Clause
// A data plane on a test bench: ports made of rte_rings, real workers on real lcores, and the test at the
// other end of every wire. The test puts frames on RX rings, lets the workers run until all are accounted
// for, and takes what came out of each TX ring. Nothing sleeps; a run ends when the counters say so.
#pragma once

#include <rte_ring.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"
#include "path/worker.h"
#include "pmd_glue/lcores.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/ports.h"
#include "support/frames.h"

namespace test_support {

struct BenchPort {
  core::PortSettings settings;
  uint16_t rx_queues = 1;
  bool sends = true;           // false: a port that cannot send
  unsigned ring_slots = 4096;  // of each TX ring; it takes one less
};

class RingBench {
 public:
  // `settings.ports` is filled from `ports`; queues_per_nic must be set.
  RingBench(core::Settings settings, std::vector<BenchPort> ports, unsigned workers = 1);
  ~RingBench();

  // One frame onto an RX ring, in segments of `segment_bytes` (0: as few as possible).
  void put(uint16_t port, uint16_t rx_queue, const Bytes& frame, uint16_t segment_bytes = 0);
  // Starts the workers; runs until everything put so far is received and every packet sent, held or dropped.
  void start();
  void wait_until_quiet() const;
  void stop();
  void run() {
    start();
    wait_until_quiet();
    stop();
  }

  // Frames now on the TX ring, oldest first; they are taken off.
  std::vector<Bytes> take(uint16_t port, uint16_t tx_queue);

  core::IngressTotals ingress(uint16_t port) const;
  uint64_t dropped(uint16_t port, core::DropReason reason) const {
    return ingress(port).dropped[static_cast<size_t>(reason)];
  }
  core::IngressTotals totals() const;
  core::Ledger ledger() const;
  uint64_t sent_by(uint16_t port, uint16_t queue) const;  // by the rule's q, all workers
  const core::Plan& plan() const { return plan_; }
  const path::Worker& worker(unsigned index) const { return *workers_[index]; }
  // mbufs of the pool in use; call when no worker runs and all rings were taken from.
  uint32_t mbufs_in_use() const { return pools_->size() - pools_->available(); }

 private:
  struct Wires {
    std::vector<rte_ring*> rx, tx;
  };
  core::Settings settings_;
  std::vector<core::PortFacts> facts_;
  core::Layout layout_;
  std::unique_ptr<glue::Pools> pools_;
  std::vector<Wires> wires_;
  std::vector<glue::Port> ports_;
  core::Plan plan_;
  std::vector<std::unique_ptr<path::Worker>> workers_;
  std::atomic<bool> stop_{false};
  glue::WorkerLcores running_;
  uint64_t put_ = 0;
};

}  // namespace test_support
