// SPDX-License-Identifier: BSD-3-Clause
// The report for people: ports, the spread over NICs and queues beside what chance would give, the ledger,
// lcores. Control thread.
#include <algorithm>

#include "control/report.h"
#include "control/words.h"

namespace control {
namespace {

constexpr int kName = -16;
constexpr int kCount = 15;
constexpr int kRate = 9;
constexpr uint64_t kFewFlowsPerQueue = 16;
constexpr size_t kQueuesInALine = 4;

std::string mpps(uint64_t packets, double seconds) {
  return fixed(seconds > 0 ? static_cast<double>(packets) / seconds / 1e6 : 0, 3);
}
std::string gbps(uint64_t bytes, double seconds) {
  return fixed(seconds > 0 ? static_cast<double>(bytes) * 8 / seconds / 1e9 : 0, 3);
}

// A column is as wide as its longest name.
int name_width(const Report& report) {
  size_t width = static_cast<size_t>(-kName);
  for (const PortReport& port : report.ports) width = std::max(width, port.device.size() + 2);
  return -static_cast<int>(width);
}

std::string ports_table(const Report& report, int name) {
  std::string out = padded("port", name) + padded("group", -8) + padded("link", -5) +
                    padded("RX packets", kCount) + padded("Mpps", kRate) + padded("Gbit/s", kRate) +
                    padded("TX packets", kCount) + padded("Mpps", kRate) + padded("Gbit/s", kRate) +
                    padded("use", kRate) + "\n";
  for (const PortReport& port : report.ports) {
    out += padded(port.device, name) + padded(port.group.empty() ? "-" : port.group, -8) +
           padded(port.link_up ? "up" : "down", -5) + padded(grouped(port.rx_packets), kCount) +
           padded(mpps(port.rx_packets, report.seconds), kRate) +
           padded(gbps(port.rx_bytes, report.seconds), kRate) + padded(grouped(port.tx_packets), kCount) +
           padded(mpps(port.tx_packets, report.seconds), kRate) +
           padded(gbps(port.tx_bytes, report.seconds), kRate) +
           padded(port.speed_bps ? fixed(port.use(report.seconds) * 100, 1) + " %" : "-", kRate) + "\n";
  }
  return out;
}

std::string verdict(const GroupReport& group) {
  if (!group.steady)
    return "buckets moved during the run: loads are those of several tables and have no yardstick";
  if (!group.equal_shares) return "loads are divided by their weights; unequal weights have no yardstick";
  const std::string chance = "an ideal random hash of about " + grouped(group.flows) +
                             " equal flows: " + fixed(group.ideal.mean, 3) + " on average, up to " +
                             fixed(group.ideal.p95, 3) + " in 95 of 100 draws";
  if (group.fairness.max_over_mean > group.ideal.p95) {
    return chance +
           "\n  verdict: less even than chance; this hash and seed do not suit these flows, or a few flows "
           "carry "
           "most packets";
  }
  // Below this an ideal hash leaves queues empty or twice as full as others: evenness needs more flows.
  const bool few = group.flows < kFewFlowsPerQueue * group.queues;
  return chance +
         (few ? "\n  verdict: as even as so few flows can be; more flows, or fields that tell more of them "
                "apart, would spread better"
              : "\n  verdict: as even as so many flows can be");
}

// What the sampled flows show; nothing when none was watched.
std::string order_line(const GroupReport& group, uint32_t sample) {
  const OrderReport& order = group.order;
  if (order.packets == 0) return "";
  return "order: " + grouped(order.reordered) + " reordered and " + grouped(order.repeated) +
         " repeated of " + grouped(order.packets) + " packets of " + grouped(order.flows) + " flows" +
         (sample > 1 ? " (one flow in " + grouped(sample) + " is watched)" : "") +
         (order.repeated > order.packets / 2 ? ", as when a capture is played again and again" : "") +
         (order.reordered > 0 ? ", farthest " + grouped(order.farthest) : "") + "\n";
}

// Queue counts behind a member, four in a line.
std::string queue_cells(const std::vector<QueueReport>& queues, int indent) {
  std::string out;
  for (size_t q = 0; q < queues.size(); ++q) {
    if (q > 0 && q % kQueuesInALine == 0) out += "\n" + padded("", indent) + "  |";
    out += padded(std::to_string(q) + ":", 5) + padded(grouped(queues[q].packets), kCount);
  }
  return out + "\n";
}

std::string spread_table(const Report& report, const GroupReport& group, int name) {
  constexpr int kShare = 10;
  std::string out = padded("to " + group.group, name) + padded("TX packets", kCount) +
                    padded("share", kShare) + "  |  by queue of the rule\n";
  for (const MemberReport& member : report.members) {
    if (member.group != group.group) continue;
    const double share = static_cast<double>(member.packets) * 100 / static_cast<double>(group.packets);
    out += padded(member.device, name) + padded(grouped(member.packets), kCount) +
           padded(fixed(share, 2) + " %", kShare) + "  |" +
           queue_cells(member.queues, -name + kCount + kShare);
    if (member.state != "up") out += padded("", -name) + "  " + member.state + "\n";
  }
  // What was sent may be questions to next hops alone, which no rule spreads.
  if (group.flows > 0 && group.fairness.max_over_mean > 0) {
    out += "fairness over " + counted(group.queues, "queue") + ": max/mean " +
           fixed(group.fairness.max_over_mean, 3) + ", Jain " + fixed(group.fairness.jain, 4) + "\n  " +
           verdict(group) + "\n";
  }
  return out + order_line(group, report.reorder_sample);
}

template <class Name, size_t N>
std::string counts(const std::array<uint64_t, N>& values) {
  std::string out;
  for (size_t i = 0; i < N; ++i) {
    if (values[i] > 0) {
      out += (out.empty() ? "" : ", ") + std::string(core::name_of(static_cast<Name>(i))) + " " +
             grouped(values[i]);
    }
  }
  return out.empty() ? "none" : out;
}

std::string ledger_row(const std::string& title, const core::Ledger& ledger, uint64_t slack, int name) {
  return padded(title, name) + padded(grouped(ledger.received), kCount) +
         padded(grouped(ledger.generated), kCount) + padded(grouped(ledger.sent), kCount) +
         padded(grouped(ledger.held), 10) + padded(grouped(ledger.dropped), kCount) +
         (ledger.balanced(slack) ? "\n" : "   does not balance\n");
}

std::string driver_lines(const Report& report) {
  std::string out;
  glue::DriverCounters lost;
  for (const PortReport& port : report.ports) {
    lost.rx_missed += port.driver.rx_missed;
    lost.rx_errors += port.driver.rx_errors;
    lost.rx_nombuf += port.driver.rx_nombuf;
    if (port.driver.tx_errors > 0) {
      out += port.device + ": its driver accepted " + grouped(port.driver.tx_errors) +
             " packets it then failed to send\n";
    }
    if (!port.driver_agrees()) {
      out += port.device + ": its driver counted " + grouped(port.driver.tx_packets + port.driver.tx_errors) +
             " packets of " + grouped(port.tx_packets) + " that it accepted\n";
    }
  }
  return out + "lost before reception: missed " + grouped(lost.rx_missed) + ", errors " +
         grouped(lost.rx_errors) + ", no mbuf " + grouped(lost.rx_nombuf) + "\n";
}

std::string ledger_table(const Report& report, int name) {
  std::string out = padded("ledger", name) + padded("received", kCount) + padded("generated", kCount) +
                    padded("sent", kCount) + padded("held", 10) + padded("dropped", kCount) + "\n";
  for (const PortReport& port : report.ports)
    out += ledger_row(port.device, port.ledger(), report.slack_packets(), name);
  out += ledger_row("all", report.ledger(), report.slack_packets(), name);
  const core::IngressTotals totals = report.totals();
  out += "dropped: " + counts<core::DropReason>(totals.dropped) + "\n";
  if (report.mode == "gateway") out += "seen: " + counts<core::Protocol>(totals.seen) + "\n";
  out += driver_lines(report);
  if (report.final) {
    out += "packet pool: " + grouped(report.pool_back) + " of " + grouped(report.pool_mbufs) +
           " mbufs are back\n";
  }
  return out + (report.balanced() ? "the ledger balances: received + generated = sent + held + dropped\n"
                                  : "THE LEDGER DOES NOT BALANCE\n");
}

}  // namespace

std::string ledger_text(const Report& report) {
  return ledger_table(report, name_width(report));
}

std::string spread_text(const Report& report, const GroupReport& group) {
  return spread_table(report, group, name_width(report));
}

std::string to_text(const Report& report) {
  const int name = name_width(report);
  std::string out = fixed(report.seconds, 2) + " s\n\n" + ports_table(report, name) + "\n";
  for (const GroupReport& group : report.groups) {
    if (group.packets > 0) out += spread_table(report, group, name) + "\n";
  }
  out += ledger_table(report, name) + "\n";
  for (const LcoreReport& lcore : report.lcores) {
    out += "lcore " + std::to_string(lcore.lcore) + ": busy " + fixed(lcore.busy_share * 100, 1) +
           " %, worst round " + fixed(lcore.worst_round_us, 0) + " us\n";
  }
  return out;
}

std::string stats_line(const Report& before, const Report& now) {
  const double seconds = now.seconds - before.seconds;
  const auto sums = [](const Report& report) {
    PortReport sum;
    for (const PortReport& port : report.ports) {
      sum.rx_packets += port.rx_packets;
      sum.rx_bytes += port.rx_bytes;
      sum.tx_packets += port.tx_packets;
      sum.tx_bytes += port.tx_bytes;
    }
    return sum;
  };
  const PortReport from = sums(before), to = sums(now);
  const core::Ledger ledger = now.ledger();
  return padded(fixed(now.seconds, 1), 8) + " s  RX " + mpps(to.rx_packets - from.rx_packets, seconds) +
         " Mpps " + gbps(to.rx_bytes - from.rx_bytes, seconds) + " Gbit/s  TX " +
         mpps(to.tx_packets - from.tx_packets, seconds) + " Mpps " +
         gbps(to.tx_bytes - from.tx_bytes, seconds) + " Gbit/s  held " + grouped(ledger.held) + "  dropped " +
         grouped(ledger.dropped);
}

}  // namespace control
