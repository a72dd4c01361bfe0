// SPDX-License-Identifier: BSD-3-Clause
// Frames of a pattern into mbufs; see generate.h. Constructed on the main thread, used on a worker lcore.
#include "path/generate.h"

#include <algorithm>
#include <cstring>

#include "path/rewrite.h"

namespace path {
namespace {

// Copies a frame into one mbuf, or a chain when it is longer than a data room. Null when the pool is empty.
rte_mbuf* copy_of(const uint8_t* bytes, uint32_t size, rte_mempool* pool) {
  rte_mbuf* first = rte_pktmbuf_alloc(pool);
  if (first == nullptr) return nullptr;
  rte_mbuf* last = first;
  while (true) {
    const uint16_t here = static_cast<uint16_t>(std::min<uint32_t>(size, rte_pktmbuf_tailroom(last)));
    std::memcpy(rte_pktmbuf_mtod(last, void*), bytes, here);
    last->data_len = here;
    first->pkt_len += here;
    bytes += here;
    size -= here;
    if (size == 0) return first;
    rte_mbuf* next = rte_pktmbuf_alloc(pool);
    if (next == nullptr) {
      rte_pktmbuf_free(first);
      return nullptr;
    }
    last->next = next;
    ++first->nb_segs;
    last = next;
  }
}

}  // namespace

Generator::Generator(const core::FlowPattern& pattern, core::Mode mode, unsigned worker, unsigned workers) {
  // As in testpmd every worker of txonly sends; flowgen's flows have one sender each.
  const bool one_flow = mode != core::Mode::flowgen;
  for (uint32_t flow = one_flow ? 0 : worker; flow < (one_flow ? 1 : pattern.flows); flow += workers) {
    const std::vector<uint8_t> frame = core::make_frame(pattern, flow, 0, {}, {});
    frames_.push_back({bytes_.size(), static_cast<uint32_t>(frame.size()), flow});
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
  }
}

uint16_t Generator::make(std::span<rte_mbuf*> mbufs, std::span<uint32_t> flows, rte_mempool* pool,
                         const core::PortPlan& from) {
  const core::MacAddress peer = from.next_hop.value_or(peer_of(from));
  uint16_t made = 0;
  for (; made < mbufs.size(); ++made) {
    const Frame& frame = frames_[next_];
    rte_mbuf* mbuf = copy_of(&bytes_[frame.offset], frame.size, pool);
    if (mbuf == nullptr) break;
    mbuf->port = from.port;
    set_macs(mbuf, peer, from.mac);
    mbufs[made] = mbuf;
    flows[made] = frame.flow;
    next_ = next_ + 1 == frames_.size() ? 0 : next_ + 1;
  }
  return made;
}

core::MacAddress peer_of(const core::PortPlan& port) {
  return {0x02, 0, 0, 0, 0, static_cast<uint8_t>(port.port)};
}

}  // namespace path
