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
  std::optional<core::MacAddress> mac;  // a ring has none: 00:00:00:00:00:00
  uint16_t rx_queues = 1;
  bool sends = true;  // false: a port that cannot send
  bool gives_rss_hash = false;
  unsigned ring_slots = 4096;  // of each TX ring; it takes one less
  bool shares_wire = false;  // all its TX queues, and those of other ports that say so, lead to one ring: the
                             // order in which packets leave can be read from it
};

class RingBench {
 public:
  // `settings.ports` is filled from `ports`; queues_per_nic must be set.
  // `tx_first_bursts`: see WorkerSetup.
  RingBench(core::Settings settings, std::vector<BenchPort> ports, unsigned workers = 1,
            uint32_t tx_first_bursts = 0);
  ~RingBench();

  // One frame onto an RX ring, in segments of `segment_bytes` (0: as few as possible); `rss_hash`: as if the
  // device had hashed it.
  void put(uint16_t port, uint16_t rx_queue, const Bytes& frame, uint16_t segment_bytes = 0,
           std::optional<uint32_t> rss_hash = {});
  // Starts the workers; runs until everything put so far is received and every packet sent, held or dropped.
  void start();
  void wait_until_quiet() const;
  void stop();
  void run() {
    start();
    wait_until_quiet();
    stop();
  }

  // Publishes a plan for changed settings (live keys only) and health, by port; frees old plans.
  void change(const core::Settings& settings, const std::vector<bool>& up = {});
  // Until every worker works by the newest plan and all buckets follow it.
  void wait_until_settled() const;
  const core::Settings& settings() const { return settings_; }
  rte_mempool* pool() const { return pools_->on_node(0); }
  rte_ring* rx_ring(uint16_t port, uint16_t queue) const { return wires_[port].rx[queue]; }
  rte_ring* tx_ring(uint16_t port, uint16_t queue) const { return wires_[port].tx[queue]; }
  uint16_t dpdk_port(uint16_t port) const { return facts_[port].port; }

  // Frames now on the TX ring, oldest first; they are taken off.
  std::vector<Bytes> take(uint16_t port, uint16_t tx_queue);

  core::IngressTotals ingress(uint16_t port) const;
  uint64_t dropped(uint16_t port, core::DropReason reason) const {
    return ingress(port).dropped[static_cast<size_t>(reason)];
  }
  core::IngressTotals totals() const;
  core::Ledger ledger() const;
  uint64_t sent_by(uint16_t port, uint16_t queue) const;  // by the rule's q, all workers
  const core::Plan& plan() const { return plane_->publication.newest(); }
  const path::Worker& worker(unsigned index) const { return *workers_[index]; }
  path::Worker& worker(unsigned index) { return *workers_[index]; }
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
  rte_ring* shared_wire_ = nullptr;
  std::vector<glue::Port> ports_;
  std::unique_ptr<path::Plane> plane_;
  std::vector<std::unique_ptr<path::Worker>> workers_;
  std::atomic<bool> stop_{false};
  glue::WorkerLcores running_;
  uint64_t put_ = 0;
};

}  // namespace test_support
