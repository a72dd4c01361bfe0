// SPDX-License-Identifier: BSD-3-Clause
// Counters in testpmd's shape; see statistics_text.h. Pure.
#include "console/statistics_text.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "control/words.h"

namespace console {
namespace {

constexpr uint64_t kBitsPerByte = 8;
constexpr int kNarrow = 10, kWide = 14, kRate = 12;  // testpmd's columns

std::string left(uint64_t number, int width) {
  return control::padded(std::to_string(number), -width);
}
std::string right(uint64_t number, int width) {
  return control::padded(std::to_string(number), width);
}

std::string framed(const std::string& border, const std::string& words) {
  return "\n  " + border + ' ' + words + ' ' + border + '\n';
}

// "  RX-packets: 1              RX-dropped: 0             RX-total: 1"
std::string packet_line(const std::string& direction, uint64_t packets, uint64_t dropped) {
  return "  " + direction + "-packets: " + left(packets, kWide) + ' ' + direction +
         "-dropped: " + left(dropped, kWide) + direction + "-total: " + std::to_string(packets + dropped) +
         '\n';
}

}  // namespace

PortRates rates_between(const glue::PortStatistics& before, const glue::PortStatistics& now,
                        std::chrono::nanoseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const auto per_second = [seconds](uint64_t from, uint64_t to) {
    return seconds > 0 && to > from ? static_cast<uint64_t>(static_cast<double>(to - from) / seconds) : 0;
  };
  return {per_second(before.packets.rx_packets, now.packets.rx_packets),
          per_second(before.rx_bytes, now.rx_bytes) * kBitsPerByte,
          per_second(before.packets.tx_packets, now.packets.tx_packets),
          per_second(before.tx_bytes, now.tx_bytes) * kBitsPerByte};
}

std::string nic_statistics_text(uint16_t port, const glue::PortStatistics& counted, const PortRates& rates) {
  const std::string border(24, '#'), gap(10, ' ');
  const glue::DriverCounters& packets = counted.packets;
  return framed(border, "NIC statistics for port " + left(port, 2)) +
         "  RX-packets: " + left(packets.rx_packets, kNarrow) +
         " RX-missed: " + left(packets.rx_missed, kNarrow) +
         " RX-bytes:  " + std::to_string(counted.rx_bytes) +
         "\n  RX-errors: " + std::to_string(packets.rx_errors) +
         "\n  RX-nombuf:  " + left(packets.rx_nombuf, kNarrow) +
         "\n  TX-packets: " + left(packets.tx_packets, kNarrow) +
         " TX-errors: " + left(packets.tx_errors, kNarrow) +
         " TX-bytes:  " + std::to_string(counted.tx_bytes) +
         "\n\n  Throughput (since last show)\n  Rx-pps: " + right(rates.rx_pps, kRate) + gap +
         "Rx-bps: " + right(rates.rx_bps, kRate) + "\n  Tx-pps: " + right(rates.tx_pps, kRate) + gap +
         "Tx-bps: " + right(rates.tx_bps, kRate) + "\n  " + std::string(76, '#') + '\n';
}

std::string extended_statistics_text(uint16_t port, const glue::ExtendedStatistics& counted) {
  std::string text = "###### NIC extended statistics for port " + left(port, 2) + '\n';
  for (const auto& [name, value] : counted) text += name + ": " + std::to_string(value) + '\n';
  return text;
}

std::string bursts_text(std::string_view direction, std::span<const uint64_t> bursts_of_size) {
  const uint64_t all = std::accumulate(bursts_of_size.begin(), bursts_of_size.end(), uint64_t{0});
  if (all == 0) return "";
  // Size 0, the most frequent of the others, the next.
  std::array<size_t, 3> sizes{};
  for (size_t size = 1; size < bursts_of_size.size(); ++size) {
    const auto more_than = [&](size_t other) {
      return bursts_of_size[size] > (other == 0 ? 0 : bursts_of_size[other]);
    };
    if (more_than(sizes[1])) {
      sizes[2] = sizes[1];
      sizes[1] = size;
    } else if (more_than(sizes[2])) {
      sizes[2] = size;
    }
  }
  std::string text = "  " + std::string(direction) + "-bursts : " + std::to_string(all) + " [";
  uint64_t shown = 0, per_cent_shown = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const uint64_t bursts = i > 0 && sizes[i] == 0 ? 0 : bursts_of_size[sizes[i]];
    shown += bursts;
    const bool last = shown == all;  // it takes what rounding left over
    const uint64_t per_cent =
        last ? 100 - per_cent_shown
             : static_cast<uint64_t>(static_cast<double>(bursts) / static_cast<double>(all) * 100);
    per_cent_shown += per_cent;
    text += std::to_string(per_cent) + "% of " + std::to_string(sizes[i]) + " pkts";
    if (last) return text + "]\n";
    text += " + ";
  }
  return text + std::to_string(100 - per_cent_shown) + "% of other]\n";
}

std::string forward_statistics_text(const std::vector<ForwardStatistics>& ports) {
  std::string text;
  ForwardStatistics all;
  for (const ForwardStatistics& port : ports) {
    text += framed(std::string(22, '-'), "Forward statistics for port " + left(port.port, 2)) +
            packet_line("RX", port.rx_packets, port.rx_dropped);
    if (port.rx_errors + port.rx_nombuf > 0) {
      text += "  RX-error: " + std::to_string(port.rx_errors) +
              "\n  RX-nombufs: " + left(port.rx_nombuf, kWide) + '\n';
    }
    text += packet_line("TX", port.tx_packets, port.tx_dropped) + bursts_text("RX", port.rx_bursts) +
            bursts_text("TX", port.tx_bursts) + "  " + std::string(76, '-') + '\n';
    all.rx_packets += port.rx_packets;
    all.rx_dropped += port.rx_dropped;
    all.rx_nombuf += port.rx_nombuf;
    all.tx_packets += port.tx_packets;
    all.tx_dropped += port.tx_dropped;
  }
  const std::string border(15, '+');
  text += "\n  " + border + " Accumulated forward statistics for all ports" + border + '\n' +
          packet_line("RX", all.rx_packets, all.rx_dropped) +
          packet_line("TX", all.tx_packets, all.tx_dropped);
  if (all.rx_nombuf > 0) text += "  RX-nombufs: " + left(all.rx_nombuf, kWide) + '\n';
  return text + "  " + std::string(76, '+') + '\n';
}

std::string cycles_text(uint64_t cycles, uint64_t packets, std::string_view mode, uint64_t clock_hz) {
  if (packets == 0) return "";
  constexpr uint64_t kHzPerMhz = 1'000'000;
  return "\n  CPU cycles/packet=" +
         control::fixed(static_cast<double>(cycles) / static_cast<double>(packets), 2) +
         " (total cycles=" + std::to_string(cycles) + " / total " + std::string(mode) +
         " packets=" + std::to_string(packets) + ") at " + std::to_string(clock_hz / kHzPerMhz) +
         " MHz Clock\n";
}

}  // namespace console
