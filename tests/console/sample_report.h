// SPDX-License-Identifier: BSD-3-Clause
// A made-up run of a gateway for tests of what shows reports: one access port, four NICs of two queues each.
// One NIC is down and one link has no known speed. Numbers grow with time at steady rates, so that a test
// knows them.
#pragma once

#include <cmath>

#include "control/report.h"

namespace console_test {

inline constexpr uint64_t kReceivedPerSecond = 6'000'000;
inline constexpr uint64_t kDroppedPerSecond = 1500;
// What a queue of a NIC that is up sends in a second, by NIC and queue; they add up to what is received less
// drops.
inline constexpr uint64_t kQueuePerSecond[3][2] = {
    {1'010'000, 985'500}, {1'000'000, 1'012'000}, {1'040'000, 951'000}};

inline uint64_t grown(uint64_t per_second, double seconds) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(per_second) * seconds));
}

inline control::PortReport sample_port(const std::string& device, const std::string& group, bool up) {
  control::PortReport port;
  port.device = device;
  port.group = group;
  port.link_up = up;
  port.speed_bps = 100'000'000'000;
  return port;
}

inline control::Report sample_report(double seconds) {
  control::Report report;
  report.mode = "gateway";
  report.seconds = report.uptime_s = seconds;
  report.forwarding = true;
  report.ports.reserve(5);
  control::PortReport& in = report.ports.emplace_back(sample_port("0000:01:00.0", "access", true));
  in.rx_packets = in.from_here.rx_packets = grown(kReceivedPerSecond, seconds);
  in.rx_bytes = in.from_here.rx_bytes = in.rx_packets * 512;
  in.from_here.dropped[static_cast<size_t>(core::DropReason::too_big)] = grown(kDroppedPerSecond, seconds);
  in.from_here.seen[static_cast<size_t>(core::Protocol::roce_v2)] = in.rx_packets;
  report.members.push_back({"0000:01:00.0", "access", true, "up", 1, 0, 0, {{}, {}}});
  for (unsigned nic = 0; nic < 4; ++nic) {
    const bool up = nic < 3;
    const std::string device = "0000:02:00." + std::to_string(nic);
    control::PortReport& port = report.ports.emplace_back(sample_port(device, "uplink", up));
    control::MemberReport member{device, "uplink", up, up ? "up" : "down (link)", 1, 0, 0, {}};
    for (unsigned queue = 0; queue < 2; ++queue) {
      const uint64_t packets = up ? grown(kQueuePerSecond[nic][queue], seconds) : 0;
      member.queues.push_back({packets, packets * 512});
      member.packets += packets;
      member.bytes += packets * 512;
    }
    port.tx_packets = member.packets;
    port.tx_bytes = member.bytes;
    in.from_here.sent += member.packets;
    report.members.push_back(member);
  }
  report.ports.back().speed_bps = 0;
  in.from_here.held = in.rx_packets - in.from_here.sent - in.from_here.dropped_in_all();
  report.groups = {{"access", 0, 0, 2, true, {}, {}, true, {}},
                   {"uplink", in.from_here.sent, 2048, 6, true, {1.04, 0.9991}, {}, true, {}}};
  report.groups[1].order = {40'000, 32, 3, 1, 0, 2};
  report.moved = {2048, 2000};
  report.publications = 2;
  report.longest_publication_ms = 0.25;
  report.events = {{0.5, "0000:02:00.3 of uplink is down (link): 2,048 of 8,192 buckets moved"}};
  report.lcores = {{1, 0.75, 85, 0.75 * seconds, seconds}, {2, 0.5, 40, 0.5 * seconds, seconds}};
  report.pool_mbufs = 16'384;
  return report;
}

}  // namespace console_test
