// SPDX-License-Identifier: BSD-3-Clause
// Parse, count, drop or go on; see classify.h. Worker lcores.
#include "path/classify.h"

#include <rte_prefetch.h>

#include <optional>

#include "core/parse.h"
#include "path/frame_bytes.h"

namespace path {
namespace {

// The reason to drop, or nothing when the packet goes on.
std::optional<core::DropReason> judge(core::Verdict verdict, const core::Plan& plan) {
  switch (verdict) {
    case core::Verdict::forward:
      return std::nullopt;
    case core::Verdict::runt:
      return core::DropReason::runt;
    case core::Verdict::mac_control:
      return core::DropReason::mac_control;
    case core::Verdict::link_local:
      if (plan.drop_link_local) return core::DropReason::link_local;
      return std::nullopt;
    case core::Verdict::malformed:
      if (plan.drop_malformed) return core::DropReason::malformed;
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void classify(std::span<rte_mbuf* const> mbufs, const core::Plan& plan, core::IngressCounters& ingress,
              Batch& batch) {
  ParseScratch scratch;
  for (rte_mbuf* mbuf : mbufs) rte_prefetch0(rte_pktmbuf_mtod(mbuf, const void*));
  uint64_t bytes = 0;
  uint16_t kept = 0;
  for (rte_mbuf* mbuf : mbufs) {
    bytes += mbuf->pkt_len;
    const core::PacketView view = view_of(mbuf, scratch);
    const core::PacketHeaders headers = core::parse(view, plan.vlan_tag);
    ingress.seen[static_cast<size_t>(headers.protocol)].add(1);
    if (headers.verdict != core::Verdict::forward) [[unlikely]] {
      if (const auto reason = judge(headers.verdict, plan)) {
        ingress.dropped[static_cast<size_t>(*reason)].add(1);
        rte_pktmbuf_free(mbuf);
        continue;
      }
    }
    batch.mbufs[kept] = mbuf;
    batch.l3_offset[kept] = headers.l3_offset;
    core::make_flow_key(view, headers, plan.fields, batch.keys[kept]);
    ++kept;
  }
  batch.count = kept;
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
}

}  // namespace path
