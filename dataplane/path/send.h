// SPDX-License-Identifier: BSD-3-Clause
// Step 4 of a round: collects packets for each TX queue of this worker, hands them to the driver once a
// burst, and keeps what the driver refused. While a queue holds anything, every further packet for it is
// appended, so that a flow stays in order; beyond the hold limit packets are dropped as tx_full. One Sender a
// worker; only its lcore calls it, and control reads the counters.
#pragma once

#include <rte_mbuf.h>

#include <memory>
#include <span>
#include <vector>

#include "core/counters.h"
#include "core/plan.h"

namespace path {

class Sender {
 public:
  // `ingress` are this worker's counters by port index, `exits` by exit; both outlive the Sender.
  Sender(const core::Plan& plan, unsigned worker, std::span<core::IngressCounters> ingress,
         std::span<core::ExitCounters> exits);

  // Puts a packet in line for an exit; at most core::kMaxBurst between two flushes.
  void stage(uint16_t exit, rte_mbuf* mbuf) {
    Lane& lane = lanes_[exit];
    if (lane.staged == 0) dirty_[dirty_count_++] = exit;
    lane.stage[lane.staged++] = mbuf;
    lane.staged_bytes += mbuf->pkt_len;
  }

  // Hands everything staged to the drivers. All of it came in by (or was made for) port `ingress_port`.
  void flush(uint16_t ingress_port);

  // Offers held packets again, oldest first. Called at the start of every round.
  void retry_held();

  bool holds(uint16_t exit) const { return lanes_[exit].held.count != 0; }
  uint32_t held() const { return held_; }
  // Frees what is still held, reason `stopped`.
  void drop_held();

 private:
  // A ring of fixed size; the oldest packet first.
  struct Hold {
    std::vector<rte_mbuf*> slots;
    uint32_t head = 0, count = 0;
    void push(rte_mbuf* mbuf) { slots[(head + count++) % slots.size()] = mbuf; }
  };
  struct Lane {
    core::PortQueue to;
    uint16_t staged = 0;
    uint64_t staged_bytes = 0;
    std::unique_ptr<rte_mbuf*[]> stage;
    Hold held;
  };

  void hold_or_drop(uint16_t exit, std::span<rte_mbuf*> refused, uint16_t ingress_port);
  uint16_t port_index(uint16_t dpdk_port) const { return index_of_port_[dpdk_port]; }

  const core::Plan& plan_;
  std::span<core::IngressCounters> ingress_;
  std::span<core::ExitCounters> exits_;
  std::vector<Lane> lanes_;
  std::vector<uint16_t> dirty_;
  uint16_t dirty_count_ = 0;
  uint32_t held_ = 0;
  std::vector<uint16_t> index_of_port_;  // DPDK port id -> index in plan.ports
};

}  // namespace path
