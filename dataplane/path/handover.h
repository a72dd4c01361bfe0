// SPDX-License-Identifier: BSD-3-Clause
// Packets on their way from the worker that received them to the worker that owns the TX queue they leave by
// (owner = "by_hash"): one single-producer single-consumer ring for each ordered pair of workers. The owner
// empties its rings every round; a ring is no place to hold. With owner = "per_worker" there are no rings.
//
// line_up and put: the sending worker. take and finished: the receiving one. lined_up and has_passed: any
// worker.
#pragma once

#include <rte_mbuf.h>

#include <atomic>
#include <span>
#include <vector>

#include "core/plan.h"
#include "path/private_ring.h"

namespace path {

class Handover {
 public:
  // Throws std::bad_alloc when there is no memory for a ring.
  explicit Handover(const core::Plan& plan);

  bool needed() const { return !rings_.empty(); }
  // Packets the ring had room for, from the front. Each has its note and its mbuf->port (where it came in)
  // set.
  uint16_t put(unsigned from, unsigned to, std::span<rte_mbuf* const> mbufs);
  // What worker `from` has handed to worker `to`, at most the size of `mbufs`.
  uint16_t take(unsigned from, unsigned to, std::span<rte_mbuf*> mbufs);
  // The last `count` taken packets are sent, held or dropped.
  void finished(unsigned from, unsigned to, uint16_t count);
  // Packets that are to be handed over are counted when they line up for it: what waits for the ring is on
  // the way, too.
  void line_up(unsigned from, unsigned to, size_t count) {
    std::atomic<uint64_t>& lined_up = pair(from, to).lined_up;
    lined_up.store(lined_up.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  // Packets on the way so far, and whether the first `count` of them are finished.
  uint64_t lined_up(unsigned from, unsigned to) const {
    return pair(from, to).lined_up.load(std::memory_order_relaxed);
  }
  bool has_passed(unsigned from, unsigned to, uint64_t count) const {
    return pair(from, to).finished.load(std::memory_order_acquire) >= count;
  }

 private:
  struct alignas(64) Pair {
    PrivateRing ring{nullptr, nullptr};
    std::atomic<uint64_t> lined_up{0};              // written by the sender
    alignas(64) std::atomic<uint64_t> finished{0};  // written by the receiver
  };
  Pair& pair(unsigned from, unsigned to) { return rings_[from * workers_ + to]; }
  const Pair& pair(unsigned from, unsigned to) const { return rings_[from * workers_ + to]; }

  unsigned workers_;
  std::vector<Pair> rings_;
};

}  // namespace path
