// SPDX-License-Identifier: BSD-3-Clause
// Step 2 of a round: parses every packet of a burst, counts what it is, takes out what must not be forwarded
// (each with its reason) and what is the gateway's own business, chooses the target group of the rest and
// makes their flow keys. One a worker, mode gateway.
#pragma once

#include <rte_mempool.h>

#include <optional>
#include <span>
#include <vector>

#include "core/counters.h"
#include "core/plan.h"
#include "path/batch.h"
#include "path/l2_guard.h"
#include "path/neighbors.h"
#include "path/trace.h"

namespace path {

class Classifier {
 public:
  Classifier(const core::Plan& plan, const MacTables& tables, unsigned worker,
             std::vector<rte_mempool*> pool_of_port, Tracer& tracer);

  void take_up(const core::Plan& plan);
  void set_tick(uint64_t tick) { guard_.set_tick(tick); }

  // Fills `batch` with the packets that go on, in their order; the others are freed and counted in `ingress`.
  // `mbufs` came in by `port_index` and holds at most core::kBatch packets. Answers to neighbors' questions,
  // to be sent by the port they came in by, are appended to `answers`. kObserved: packets may be traced.
  template <bool kObserved>
  void classify(std::span<rte_mbuf* const> mbufs, uint16_t port_index, core::IngressCounters& ingress,
                Batch& batch, std::vector<rte_mbuf*>& answers);

 private:
  // What a plan asks for on one port.
  struct PortView {
    std::optional<uint16_t> target;  // of all packets; else they are looked at
    bool guarded = false;
    bool speaks_ip = false;
    bool plain = false;  // nothing is asked of a well-formed packet but, when guarded, its MAC addresses
  };
  std::optional<core::DropReason> judge(const core::PacketView& view, const core::PacketHeaders& headers,
                                        uint16_t port_index, uint16_t target, core::IngressCounters& ingress,
                                        std::vector<rte_mbuf*>& answers);
  void trace(const rte_mbuf* mbuf, const core::PacketView& view, const core::PacketHeaders& headers,
             uint16_t port_index, uint16_t target);

  const core::Plan* plan_;
  Tracer& tracer_;
  std::vector<PortView> ports_;
  L2Guard guard_;
  Neighbors neighbors_;
};

}  // namespace path
