// SPDX-License-Identifier: BSD-3-Clause
// The gateway's own ARP and neighbor discovery; see neighbors.h. Worker lcores.
#include "path/neighbors.h"

#include <rte_mbuf.h>

#include <cstring>

#include "path/flow_note.h"

namespace path {

rte_mbuf* packet_of(const core::NeighborFrame& frame, rte_mempool* pool, uint16_t dpdk_port) {
  rte_mbuf* mbuf = rte_pktmbuf_alloc(pool);
  if (mbuf == nullptr) return nullptr;
  char* room = rte_pktmbuf_append(mbuf, static_cast<uint16_t>(frame.size));
  std::memcpy(room, frame.bytes.data(), frame.size);
  mbuf->port = dpdk_port;
  FlowNote note;
  note.mark = core::PacketMark::of(0, 0, kNoTarget);
  write_note(mbuf, note);
  return mbuf;
}

bool Neighbors::take(const core::PacketView& view, const core::PacketHeaders& headers,
                     const core::PortPlan& port, uint16_t port_index, core::IngressCounters& ingress,
                     rte_mbuf*& answer) const {
  answer = nullptr;
  const core::NeighborFinding finding = core::judge_neighbor(view, headers, port.address, port.next_hop_ip);
  switch (finding.verdict) {
    case core::NeighborVerdict::not_for_us:
      return false;
    case core::NeighborVerdict::answer:
      ingress.answers.add(1);
      return (view.data[0] & 1) == 0;  // one to all stations is for those behind the gateway, too
    case core::NeighborVerdict::question:
      answer = packet_of(core::make_answer({port.mac, *port.address}, finding.asker_or_sender),
                         pool_of_port_[port_index], port.port);
      return true;
  }
  return false;
}

}  // namespace path
