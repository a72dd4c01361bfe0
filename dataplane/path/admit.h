// SPDX-License-Identifier: BSD-3-Clause
// The last question before a packet is put in line for an exit of mode gateway: may it leave by that port,
// and does it need other MAC addresses there? Worker lcores.
#pragma once

#include <rte_mbuf.h>

#include <optional>

#include "core/plan.h"
#include "path/rewrite.h"

namespace path {

// The reason why not; otherwise the frame is rewritten when the port has a next hop. `l3_offset`: bytes of
// Ethernet and tags.
inline std::optional<core::DropReason> admit(rte_mbuf* mbuf, const core::PortPlan& to, uint32_t l3_offset) {
  const std::optional<core::DropReason> reason = core::reason_to_stay(to, mbuf->pkt_len, l3_offset);
  if (!reason && to.next_hop) set_macs(mbuf, *to.next_hop, to.mac);
  return reason;
}

}  // namespace path
