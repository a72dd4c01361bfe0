// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC of RoCE: CRC-32 (polynomial 04C11DB7, reflected) over eight bytes of ones, the IP header,
// UDP, BTH and payload, with every field that a router may change set to ones. InfiniBand Architecture annex
// A17.3.3 (RoCEv2) and A16 (RoCEv1). Used by flow_maker to write it and by tests to check it. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/parse.h"

namespace core {

inline constexpr unsigned kIcrcBytes = 4;

// Ethernet's CRC-32 continued from `state`: no inversion before or after.
uint32_t crc32_update(uint32_t state, std::span<const uint8_t> bytes);

// ICRC of a RoCEv2 or RoCEv1 packet. `packet` starts at the network header (IPv4, IPv6 or GRH) and ends
// before the ICRC. The result goes on the wire least significant byte first.
uint32_t roce_icrc(std::span<const uint8_t> packet, L3 l3, bool roce_v1 = false);

}  // namespace core
