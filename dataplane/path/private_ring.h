// SPDX-License-Identifier: BSD-3-Clause
// A DPDK ring between two threads that needs no name among EAL's memzones. Main thread.
#pragma once

#include <rte_ring.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace path {

using PrivateRing = std::unique_ptr<rte_ring, void (*)(void*)>;

// One producer, one consumer; takes slots - 1 entries (a power of two). Throws std::bad_alloc.
inline PrivateRing make_private_ring(unsigned slots) {
  const auto bytes = static_cast<size_t>(rte_ring_get_memsize(slots));
  void* memory = std::aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(bytes, size_t{RTE_CACHE_LINE_SIZE}));
  if (memory == nullptr) throw std::bad_alloc();
  auto* ring = static_cast<rte_ring*>(memory);
  rte_ring_init(ring, "private", slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
  return {ring, &std::free};
}

}  // namespace path
