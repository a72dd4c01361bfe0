// SPDX-License-Identifier: BSD-3-Clause
// Rewrites addresses in place; see rewrite.h. Worker lcores.
#include "path/rewrite.h"

#include <cstring>

#include "core/parse.h"
#include "path/frame_bytes.h"

namespace path {
namespace {

constexpr uint32_t kMacBytes = 6;

// Exchanges two fields that lie one behind the other.
void swap_neighbours(rte_mbuf* mbuf, const core::PacketView& view, uint32_t offset, uint32_t field_bytes) {
  uint8_t swapped[32];
  std::memcpy(swapped, view.data + offset + field_bytes, field_bytes);
  std::memcpy(swapped + field_bytes, view.data + offset, field_bytes);
  write_frame(mbuf, offset, swapped, 2 * field_bytes);
}

}  // namespace

void set_macs(rte_mbuf* mbuf, const core::MacAddress& destination, const core::MacAddress& source) {
  write_frame(mbuf, 0, destination.data(), kMacBytes);
  write_frame(mbuf, kMacBytes, source.data(), kMacBytes);
}

void swap_macs(rte_mbuf* mbuf) {
  ParseScratch scratch;
  swap_neighbours(mbuf, view_of(mbuf, scratch), 0, kMacBytes);
}

void swap_five_tuple(rte_mbuf* mbuf) {
  ParseScratch scratch;
  const core::PacketView view = view_of(mbuf, scratch);
  const core::PacketHeaders headers = core::parse(view);
  swap_neighbours(mbuf, view, 0, kMacBytes);
  if (headers.l3 == core::L3::ipv4) swap_neighbours(mbuf, view, headers.l3_offset + 12u, 4);
  if (headers.l3 == core::L3::ipv6) swap_neighbours(mbuf, view, headers.l3_offset + 8u, 16);
  const bool tcp_or_udp = headers.ip_proto == 6 || headers.ip_proto == 17;
  if (headers.has_ports && tcp_or_udp) swap_neighbours(mbuf, view, headers.l4_offset, 2);
}

}  // namespace path
