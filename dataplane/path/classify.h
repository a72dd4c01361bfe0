// SPDX-License-Identifier: BSD-3-Clause
// Step 2 of a round: parses every packet of a burst, counts what it is, takes out what must not be forwarded
// (each with its reason) and what is the gateway's own business, chooses the target group of the rest and
// makes their flow keys. Packets of the common shapes are dealt with all at once (core/burst), where all
// packets of a port go to one group; every other packet by itself. One a worker, mode gateway.
#pragma once

#include <rte_mempool.h>

#include <optional>
#include <span>
#include <vector>

#include "core/burst.h"
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

  // Deals with `mbufs`, at most core::kBatch packets that came in by `port_index`: fills `batch` with those
  // that go on, the others are freed and counted in `ingress`. Answers to neighbors' questions, to be sent by
  // the port they came in by, are appended to `answers`. kObserved: packets may be traced.
  template <bool kObserved>
  void classify(std::span<rte_mbuf* const> mbufs, uint16_t port_index, core::IngressCounters& ingress,
                Batch& batch, std::vector<rte_mbuf*>& answers);

 private:
  // What a plan asks for on one port.
  struct PortView {
    std::optional<uint16_t> target;  // of all packets; else they are looked at
    bool guarded = false;
    bool speaks_ip = false;
    bool gives_rss_hash = false;
    bool at_once = false;  // of a common shape nothing more is asked but, when guarded, its MAC addresses
  };
  void collect(std::span<rte_mbuf* const> mbufs, core::IngressCounters& ingress, Batch& batch) const;
  core::PacketBits take_common(uint16_t port_index, core::IngressCounters& ingress, Batch& batch);
  template <bool kObserved>
  void take_other(unsigned i, uint16_t port_index, core::IngressCounters& ingress, Batch& batch,
                  std::vector<rte_mbuf*>& answers);
  std::optional<core::DropReason> judge(const core::PacketView& view, const core::PacketHeaders& headers,
                                        uint16_t port_index, uint16_t target, core::IngressCounters& ingress,
                                        std::vector<rte_mbuf*>& answers);
  // Whether the guard let a frame with these addresses pass, so that it need not be asked again.
  bool passed_before(const uint8_t* frame, uint16_t port_index) const {
    return ports_[port_index].target.has_value() && guard_.is_like_the_last(frame, port_index);
  }
  void trace(const rte_mbuf* mbuf, const core::PacketView& view, const core::PacketHeaders& headers,
             uint16_t port_index, uint16_t target);

  const core::Plan* plan_;
  const core::BurstKernels* kernels_ = nullptr;  // of the plan's width
  Tracer& tracer_;
  std::vector<PortView> ports_;
  L2Guard guard_;
  Neighbors neighbors_;
};

}  // namespace path
