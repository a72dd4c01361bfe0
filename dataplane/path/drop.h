// SPDX-License-Identifier: BSD-3-Clause
// Frees a packet and counts why. Worker lcores.
#pragma once

#include <rte_mbuf.h>

#include "core/counters.h"
#include "core/types.h"

namespace path {

// `ingress`: this worker's counters of the port that the packet came in by (or was made for).
inline void drop(core::IngressCounters& ingress, core::DropReason reason, rte_mbuf* mbuf) {
  ingress.dropped[static_cast<size_t>(reason)].add(1);
  rte_pktmbuf_free(mbuf);
}

}  // namespace path
