// SPDX-License-Identifier: BSD-3-Clause
// The engine's books, gathered from workers and drivers; see engine.h and report.h. Control thread.
#include <algorithm>

#include "control/engine.h"
#include "core/fairness.h"

namespace control {
namespace {

constexpr std::chrono::milliseconds kRecent{10};

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

RunTotals Engine::totals() const {
  RunTotals totals;
  totals.add(past_);
  totals.add(run_->totals());
  return totals;
}

double Engine::seconds() const {
  if (!run_->started) return seconds_of(past_time_);
  return seconds_of(past_time_ + (forwarding() ? std::chrono::steady_clock::now() : ended_at_) - begun_at_);
}

Engine::Activity Engine::activity() const {
  // Only what is counted as done: workers go on while this adds up, and a difference of two counters would
  // flicker.
  constexpr auto kMacControl = static_cast<size_t>(core::DropReason::mac_control);
  constexpr auto kLinkLocal = static_cast<size_t>(core::DropReason::link_local);
  Activity activity;
  for (uint16_t index = 0; index < plan().ports.size(); ++index) {
    const core::IngressTotals totals = run_->ingress(index);
    activity.held += totals.held_in_all();
    activity.data_packets += totals.sent;
    for (size_t reason = 0; reason < core::kDropReasons; ++reason) {
      if (reason != kMacControl && reason != kLinkLocal) activity.data_packets += totals.dropped[reason];
    }
  }
  return activity;
}

PortReport Engine::port_report(uint16_t index, const RunTotals& totals) const {
  const core::PortPlan& plan = this->plan().ports[index];
  PortReport port;
  port.id = plan.port;
  port.device = plan.device;
  port.group = settings_.ports[index].group;
  if (const auto of_port = totals.ports.find(plan.device); of_port != totals.ports.end()) {
    port.from_here = of_port->second.ingress;
    const QueueReport sent = of_port->second.sent();
    port.tx_packets = sent.packets;
    port.tx_bytes = sent.bytes;
    port.tx_dropped = sent.dropped;
  }
  port.rx_packets = port.from_here.rx_packets;
  port.rx_bytes = port.from_here.rx_bytes;
  port.driver = stopped_ ? last_counted_[index] : devices_.ports()[index].counted();
  const glue::LinkState link = stopped_ ? last_link_[index] : devices_.ports()[index].link();
  port.link_up = link.up;
  port.speed_bps = plan.speed_bps ? plan.speed_bps : link.speed_bps;
  return port;
}

std::string Engine::state_of(uint16_t index) const {
  const core::PortSettings& port = settings_.ports[index];
  const auto& down = settings_.failover.domains_down;
  if (!port.enabled) return "stopped";
  if (!port.domain.empty() && std::find(down.begin(), down.end(), port.domain) != down.end())
    return "down (domain)";
  const core::DownCause cause = run_->monitor ? run_->monitor->cause(index) : core::DownCause::none;
  return cause == core::DownCause::none && port.drain ? "drained" : state_word(cause);
}

MemberReport Engine::member_report(const PortReport& port, uint16_t index, const RunTotals& totals) const {
  MemberReport member;
  member.device = port.device;
  member.group = port.group;
  member.up = port.link_up;
  member.state = state_of(index);
  member.weight = settings_.ports[index].weight;
  member.packets = port.tx_packets;
  member.bytes = port.tx_bytes;
  member.queues = totals.ports.at(port.device).queues;
  return member;
}

GroupReport Engine::group_report(const RunTotals& totals, const std::string& group,
                                 const std::vector<MemberReport>& members) const {
  GroupReport report;
  report.group = group;
  std::vector<uint64_t> loads;
  std::vector<double> shares;
  for (const MemberReport& member : members) {
    if (member.group != group) continue;
    report.packets += member.packets;
    for (const QueueReport& queue : member.queues) {
      loads.push_back(queue.packets);
      shares.push_back(member.state == "up" ? member.weight : 0);
    }
  }
  const double shares_max = *std::max_element(shares.begin(), shares.end());
  report.steady = !buckets_moved_;
  report.order = totals.groups.at(group).order;
  report.flows = totals.groups.at(group).flows.estimate();
  report.queues =
      static_cast<uint32_t>(std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0; }));
  report.equal_shares =
      std::all_of(shares.begin(), shares.end(), [&](double s) { return s == 0 || s == shares_max; });
  report.fairness = core::fairness_of(loads, shares);
  return report;
}

Report Engine::report() const {
  Report report;
  report.mode = core::name_of(plan().mode);
  report.seconds = seconds();
  report.uptime_s = seconds_of(std::chrono::steady_clock::now() - made_at_);
  report.forwarding = forwarding();
  const RunTotals totals = this->totals();
  for (uint16_t index = 0; index < plan().ports.size(); ++index) {
    report.ports.push_back(port_report(index, totals));
    if (plan().mode == core::Mode::gateway)
      report.members.push_back(member_report(report.ports.back(), index, totals));
  }
  // Ports that were detached keep their line in the books.
  for (const auto& [device, of_port] : totals.ports) {
    const bool is_there =
        std::any_of(report.ports.begin(), report.ports.end(),
                    [&name = device](const PortReport& port) { return port.device == name; });
    if (is_there) continue;
    const QueueReport sent = of_port.sent();
    report.ports.push_back({.device = device,
                            .rx_packets = of_port.ingress.rx_packets,
                            .rx_bytes = of_port.ingress.rx_bytes,
                            .tx_packets = sent.packets,
                            .tx_bytes = sent.bytes,
                            .tx_dropped = sent.dropped,
                            .from_here = of_port.ingress});
  }
  for (const core::GroupPlan& group : plan().groups) {
    report.groups.push_back(group_report(totals, group.name, report.members));
    report.moved.buckets += group.tables.front().from_rule.buckets;
    report.moved.needed += group.tables.front().from_rule.needed;
  }
  report.reorder_sample = settings_.engine.reorder_sample;
  report.publications = totals.publications;
  report.longest_publication_ms = static_cast<double>(totals.longest_publication_ns) / 1e6;
  report.events.assign(recent_events_.begin(), recent_events_.end());
  for (const unsigned lcore : run_->lcores) {
    const RunTotals::OfLcore& of = totals.lcores.at(lcore);
    const double busy_share = of.total_s > 0 ? of.busy_s / of.total_s : 0;
    report.lcores.push_back({lcore, busy_share, of.worst_round_us, of.busy_s, of.total_s});
  }
  report.final = stopped_;
  report.pool_mbufs = stopped_ ? mbufs_ : devices_.mbufs();
  report.pool_back = mbufs_back_;
  return report;
}

const Report& Engine::recent_report() {
  const auto now = std::chrono::steady_clock::now();
  if (reported_at_ == std::chrono::steady_clock::time_point{} || now - reported_at_ >= kRecent) {
    recent_report_ = report();
    reported_at_ = now;
  }
  return recent_report_;
}

}  // namespace control
