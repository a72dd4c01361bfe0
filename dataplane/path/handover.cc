// SPDX-License-Identifier: BSD-3-Clause
// Rings between workers; see handover.h.
#include "path/handover.h"

namespace path {

Handover::Handover(const core::Plan& plan) : workers_(plan.workers) {
  if (plan.owner != core::Owner::by_hash || plan.workers < 2) return;
  rings_ = std::vector<Pair>(size_t{workers_} * workers_);
  for (unsigned from = 0; from < workers_; ++from) {
    for (unsigned to = 0; to < workers_; ++to) {
      if (from != to) pair(from, to).ring = make_private_ring(core::kHandoverSlots);
    }
  }
}

uint16_t Handover::put(unsigned from, unsigned to, std::span<rte_mbuf* const> mbufs) {
  return static_cast<uint16_t>(rte_ring_sp_enqueue_burst(pair(from, to).ring.get(),
                                                         reinterpret_cast<void* const*>(mbufs.data()),
                                                         static_cast<unsigned>(mbufs.size()), nullptr));
}

uint16_t Handover::take(unsigned from, unsigned to, std::span<rte_mbuf*> mbufs) {
  return static_cast<uint16_t>(rte_ring_sc_dequeue_burst(pair(from, to).ring.get(),
                                                         reinterpret_cast<void**>(mbufs.data()),
                                                         static_cast<unsigned>(mbufs.size()), nullptr));
}

void Handover::finished(unsigned from, unsigned to, uint16_t count) {
  std::atomic<uint64_t>& done = pair(from, to).finished;
  done.store(done.load(std::memory_order_relaxed) + count, std::memory_order_release);
}

}  // namespace path
