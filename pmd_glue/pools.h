// SPDX-License-Identifier: BSD-3-Clause
// Packet pools, one for each NUMA node that has a NIC, sized by core/plan. Created before ports are
// configured and freed after they are closed; by then every mbuf must be back. Called by control on the main
// thread.
#pragma once

#include <rte_mempool.h>

#include <memory>
#include <vector>

#include "core/plan.h"

namespace glue {

// Bytes that a pool of this size takes, headers included, from pages of `page_bytes`. No mbuf lies across two
// pages: without hugepages a page of 4 KB holds one mbuf of the usual size.
uint64_t pool_bytes(uint64_t mbufs, uint16_t data_room_bytes, uint64_t page_bytes);
// The pages that pools are made of while EAL runs.
uint64_t pool_page_bytes();

class Pools {
 public:
  // Throws StartError with what is needed and what is free when a pool does not fit. `set`: 0 for the first
  // of this process; sets that live side by side have different ones.
  Pools(const std::vector<core::PoolNeed>& needs, uint16_t data_room_bytes, unsigned set = 0);

  rte_mempool* on_node(int numa_node) const;
  bool has(const rte_mempool* pool) const;
  uint32_t size() const;       // mbufs of all pools
  uint32_t available() const;  // of them, not in use; exact when nothing runs

 private:
  struct Free {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };
  struct NodePool {
    int numa_node;
    std::unique_ptr<rte_mempool, Free> pool;
  };
  std::vector<NodePool> pools_;
};

}  // namespace glue
