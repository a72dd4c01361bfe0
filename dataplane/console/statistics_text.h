// SPDX-License-Identifier: BSD-3-Clause
// What devices and forwarding counted, in testpmd's shape: its labels in its order. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmd_glue/port_info.h"

namespace console {

struct PortRates {
  uint64_t rx_pps = 0, rx_bps = 0, tx_pps = 0, tx_bps = 0;
};
// Zero where a counter has fallen, as after `clear port stats`, and when no time has passed.
PortRates rates_between(const glue::PortStatistics& before, const glue::PortStatistics& now,
                        std::chrono::nanoseconds elapsed);

// show port stats; the rates are those since the last show.
std::string nic_statistics_text(uint16_t port, const glue::PortStatistics& counted, const PortRates& rates);
// show port xstats
std::string extended_statistics_text(uint16_t port, const glue::ExtendedStatistics& counted);

// How many bursts had so many packets, from 0 on: "  RX-bursts : 100 [40% of 0 pkts + 60% of 32 pkts]". Shows
// 0 and the two most frequent sizes. Empty when there was no burst. `direction` is "RX" or "TX".
std::string bursts_text(std::string_view direction, std::span<const uint64_t> bursts_of_size);

struct ForwardStatistics {
  uint16_t port = 0;
  uint64_t rx_packets = 0, rx_dropped = 0, rx_errors = 0, rx_nombuf = 0;  // dropped: missed by the device
  uint64_t tx_packets = 0, tx_dropped = 0;                                // dropped: refused by the driver
  std::vector<uint64_t> rx_bursts, tx_bursts;                             // by size; empty: not recorded
};
// show fwd stats all, and what `stop` prints: each port, then all of them.
std::string forward_statistics_text(const std::vector<ForwardStatistics>& ports);

// With `set record-core-cycles on`; empty when there was no packet.
std::string cycles_text(uint64_t cycles, uint64_t packets, std::string_view mode, uint64_t clock_hz);

}  // namespace console
