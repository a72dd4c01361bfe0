// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the bytes of an mbuf whose front may be split over several segments. Worker lcores
// only.
#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/packet_view.h"

namespace path {

using ParseScratch = std::array<uint8_t, core::kParseWindowBytes>;

// The window that parse reads. It points into the mbuf when its first segment holds enough, else into
// `scratch`, which must then stay untouched while the view is in use.
inline core::PacketView view_of(const rte_mbuf* mbuf, ParseScratch& scratch) {
  const uint32_t wanted = std::min(mbuf->pkt_len, core::kParseWindowBytes);
  const uint8_t* front = rte_pktmbuf_mtod(mbuf, const uint8_t*);
  if (mbuf->data_len < wanted) [[unlikely]] {
    front = static_cast<const uint8_t*>(rte_pktmbuf_read(mbuf, 0, wanted, scratch.data()));
  }
  return {front, wanted, mbuf->pkt_len};
}

// Ethertype of a frame of at least 14 bytes, tags not looked behind.
inline uint16_t ethertype_of(const rte_mbuf* mbuf) {
  uint8_t copy[2];
  return core::load_be16(static_cast<const uint8_t*>(rte_pktmbuf_read(mbuf, 12, 2, copy)));
}

// Writes `size` bytes at `offset`; the caller knows that the frame reaches so far.
inline void write_frame(rte_mbuf* mbuf, uint32_t offset, const void* bytes, uint32_t size) {
  const auto* from = static_cast<const uint8_t*>(bytes);
  while (size > 0) {
    while (offset >= mbuf->data_len) {
      offset -= mbuf->data_len;
      mbuf = mbuf->next;
    }
    const uint32_t here = std::min<uint32_t>(size, mbuf->data_len - offset);
    std::copy_n(from, here, rte_pktmbuf_mtod_offset(mbuf, uint8_t*, offset));
    from += here;
    offset += here;
    size -= here;
  }
}

}  // namespace path
