// SPDX-License-Identifier: BSD-3-Clause
// The two calls that a worker makes to a device, inline. Only the lcore that owns the queue may call them.
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <span>

#include "core/types.h"

namespace glue {

// Packets taken from the RX queue into `mbufs`, at most its size.
inline uint16_t rx_burst(core::PortQueue from, std::span<rte_mbuf*> mbufs) {
  return rte_eth_rx_burst(from.port, from.queue, mbufs.data(), static_cast<uint16_t>(mbufs.size()));
}

// Packets the driver accepted, always from the front; the rest still belong to the caller.
inline uint16_t tx_burst(core::PortQueue to, std::span<rte_mbuf*> mbufs) {
  return rte_eth_tx_burst(to.port, to.queue, mbufs.data(), static_cast<uint16_t>(mbufs.size()));
}

}  // namespace glue
