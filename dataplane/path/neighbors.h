// SPDX-License-Identifier: BSD-3-Clause
// ARP and neighbor discovery for the gateway itself: takes answers of probed next hops out of the traffic and
// counts them, and answers questions for a port's own address. One a worker, mode gateway, for ports that
// have an address.
#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <span>
#include <vector>

#include "core/counters.h"
#include "core/neighbor.h"
#include "core/plan.h"

namespace path {

class Neighbors {
 public:
  // `pool_of_port`: where an answer's mbuf comes from, by port index.
  explicit Neighbors(std::vector<rte_mempool*> pool_of_port) : pool_of_port_(std::move(pool_of_port)) {}

  // Whether the packet is the gateway's own business; the caller then frees it, reason `local`. When it was a
  // question, `answer` is a packet to send by the port it came in by, else null (also when the pool is
  // empty).
  bool take(const core::PacketView& view, const core::PacketHeaders& headers, const core::PortPlan& port,
            uint16_t port_index, core::IngressCounters& ingress, rte_mbuf*& answer) const;

 private:
  std::vector<rte_mempool*> pool_of_port_;
};

// An mbuf with this frame, which goes by its exit or not at all; null when the pool is empty. Any thread that
// may use the pool.
rte_mbuf* packet_of(const core::NeighborFrame& frame, rte_mempool* pool, uint16_t dpdk_port);

}  // namespace path
