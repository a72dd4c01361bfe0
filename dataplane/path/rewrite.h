// SPDX-License-Identifier: BSD-3-Clause
// The changes that a setting or mode asks for in a frame; without one, frames leave as they came. testpmd's
// mac, macswap and 5tswap, and the gateway's next-hop rewriting. IP, TCP and UDP checksums stay right:
// swapping two words does not change a ones' complement sum, and MAC addresses are in none. The ICRC of RoCE
// covers addresses and ports in their order and is not redone: 5tswap breaks it, as testpmd's does. Worker
// lcores.
#pragma once

#include <rte_mbuf.h>

#include "core/types.h"

namespace path {

// Destination and source MAC set. The frame has at least 14 bytes.
void set_macs(rte_mbuf* mbuf, const core::MacAddress& destination, const core::MacAddress& source);
// Destination and source MAC exchanged. The frame has at least 14 bytes.
void swap_macs(rte_mbuf* mbuf);
// MAC addresses, IP addresses and TCP or UDP ports exchanged, as far as the frame has them.
void swap_five_tuple(rte_mbuf* mbuf);

}  // namespace path
