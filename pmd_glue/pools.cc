// SPDX-License-Identifier: BSD-3-Clause
// Creates and counts packet pools; see pools.h. Main thread.
#include "pmd_glue/pools.h"

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "pmd_glue/host.h"
#include "pmd_glue/start_error.h"

namespace glue {
namespace {

constexpr uint64_t kMega = 1 << 20;

uint64_t free_bytes(int numa_node) {
  rte_malloc_socket_stats stats{};
  const uint64_t in_heap = rte_malloc_get_socket_stats(numa_node, &stats) == 0 ? stats.heap_freesz_bytes : 0;
  return in_heap + (rte_eal_has_hugepages() ? look_at_host().free_hugepage_bytes : 0);
}

}  // namespace

uint64_t pool_bytes(uint64_t mbufs, uint16_t data_room_bytes, uint64_t page_bytes) {
  const uint64_t object =
      sizeof(rte_mbuf) + RTE_PKTMBUF_HEADROOM + data_room_bytes + sizeof(rte_mempool_objhdr);
  // One line more: the pool spreads objects over memory channels.
  const uint64_t size = ((object + RTE_CACHE_LINE_SIZE - 1) / RTE_CACHE_LINE_SIZE + 1) * RTE_CACHE_LINE_SIZE;
  const uint64_t in_a_page = page_bytes / size;
  if (in_a_page == 0) return mbufs * ((size + page_bytes - 1) / page_bytes) * page_bytes;
  return (mbufs + in_a_page - 1) / in_a_page * page_bytes;
}

uint64_t pool_page_bytes() {
  return rte_eal_has_hugepages() ? look_at_host().hugepage_bytes
                                 : static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

Pools::Pools(const std::vector<core::PoolNeed>& needs, uint16_t data_room_bytes, unsigned set) {
  for (const core::PoolNeed& need : needs) {
    const std::string name =
        "packets_" + std::to_string(need.numa_node) + (set > 0 ? "_" + std::to_string(set) : "");
    const uint64_t free = free_bytes(need.numa_node);
    const bool countable = need.mbufs() <= UINT32_MAX;
    rte_errno = E2BIG;
    rte_mempool* pool =
        countable ? rte_pktmbuf_pool_create(
                        name.c_str(), static_cast<uint32_t>(need.mbufs()), core::kPoolCache, 0,
                        static_cast<uint16_t>(data_room_bytes + RTE_PKTMBUF_HEADROOM), need.numa_node)
                  : nullptr;
    if (pool == nullptr) {
      const std::string why = rte_strerror(rte_errno);
      // EAL opens a file for each hugepage, and has closed them by now.
      const uint64_t bytes = pool_bytes(need.mbufs(), data_room_bytes, pool_page_bytes());
      if (countable) check_descriptors(1 + (rte_eal_has_hugepages() ? bytes / pool_page_bytes() : 0));
      throw StartError("the packet pool of NUMA node " + std::to_string(need.numa_node) + " needs " +
                       std::to_string(need.mbufs()) + " mbufs, " + std::to_string(bytes / kMega) +
                       " MB, and " + std::to_string(free / kMega) + " MB are free (" + why +
                       "); raise /proc/sys/vm/nr_hugepages or -m, or lower rx_descriptors, tx_descriptors, "
                       "rx_queues or hold_packets");
    }
    pools_.push_back({need.numa_node, std::unique_ptr<rte_mempool, Free>(pool)});
  }
}

rte_mempool* Pools::on_node(int numa_node) const {
  for (const NodePool& node : pools_) {
    if (node.numa_node == numa_node) return node.pool.get();
  }
  return pools_.front().pool.get();
}

bool Pools::has(const rte_mempool* pool) const {
  for (const NodePool& node : pools_) {
    if (node.pool.get() == pool) return true;
  }
  return false;
}

uint32_t Pools::size() const {
  uint32_t mbufs = 0;
  for (const NodePool& node : pools_) mbufs += node.pool->size;
  return mbufs;
}

uint32_t Pools::available() const {
  uint32_t mbufs = 0;
  for (const NodePool& node : pools_) mbufs += rte_mempool_avail_count(node.pool.get());
  return mbufs;
}

}  // namespace glue
