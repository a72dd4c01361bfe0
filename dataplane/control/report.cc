// SPDX-License-Identifier: BSD-3-Clause
// Adds the books up and checks them; see report.h. The faces are in report_text.cc and report_json.cc.
#include "control/report.h"

#include <algorithm>

namespace control {

std::string state_word(core::DownCause cause) {
  return cause == core::DownCause::none ? "up" : "down (" + std::string(core::name_of(cause)) + ")";
}

core::Ledger PortReport::ledger() const {
  return {from_here.rx_packets, from_here.generated, from_here.sent, from_here.held_in_all(),
          from_here.dropped_in_all()};
}

double PortReport::use(double seconds) const {
  constexpr uint64_t kWireBytes = 24;  // around each frame: preamble 8, FCS 4, gap 12
  const uint64_t bytes = std::max(rx_bytes + kWireBytes * rx_packets, tx_bytes + kWireBytes * tx_packets);
  if (speed_bps == 0 || seconds <= 0) return 0;
  return static_cast<double>(bytes) * 8 / seconds / static_cast<double>(speed_bps);
}

core::IngressTotals Report::totals() const {
  core::IngressTotals totals;
  for (const PortReport& port : ports) totals += port.from_here;
  return totals;
}

core::Ledger Report::ledger() const {
  core::Ledger ledger;
  for (const PortReport& port : ports) ledger += port.ledger();
  return ledger;
}

uint64_t Report::slack_packets() const {
  return final ? 0 : uint64_t{core::kMaxBurst} * lcores.size() * ports.size();
}

bool Report::balanced() const {
  const uint64_t slack = slack_packets();
  uint64_t left_by_ports = 0;
  for (const PortReport& port : ports) {
    if (!port.ledger().balanced(slack) || (final && !port.driver_agrees())) return false;
    left_by_ports += port.tx_packets;
  }
  const uint64_t sent = ledger().sent;
  const uint64_t apart = left_by_ports > sent ? left_by_ports - sent : sent - left_by_ports;
  return apart <= slack && (!final || pool_back == pool_mbufs);
}

const GroupReport* Report::busiest() const {
  const auto most =
      std::max_element(groups.begin(), groups.end(),
                       [](const GroupReport& a, const GroupReport& b) { return a.packets < b.packets; });
  return most == groups.end() ? nullptr : &*most;
}

void add_yardstick(Report& report) {
  for (GroupReport& group : report.groups) {
    if (group.equal_shares && group.steady)
      group.ideal = core::ideal_random_max_over_mean(group.flows, group.queues);
  }
}

}  // namespace control
