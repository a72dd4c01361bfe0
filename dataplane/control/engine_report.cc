// SPDX-License-Identifier: BSD-3-Clause
// The engine's books, gathered from workers and drivers; see engine.h and report.h. Control thread.
#include <algorithm>

#include "control/engine.h"
#include "core/fairness.h"

namespace control {

core::IngressTotals Engine::totals_of_port(uint16_t index) const {
  core::IngressTotals totals;
  for (const auto& worker : workers_) totals += worker->ingress(index);
  return totals;
}

Engine::Activity Engine::activity() const {
  // Only what is counted as done: workers go on while this adds up, and a difference of two counters would
  // flicker.
  constexpr auto kMacControl = static_cast<size_t>(core::DropReason::mac_control);
  constexpr auto kLinkLocal = static_cast<size_t>(core::DropReason::link_local);
  Activity activity;
  for (uint16_t index = 0; index < plan().ports.size(); ++index) {
    const core::IngressTotals totals = totals_of_port(index);
    activity.held += totals.held_in_all();
    activity.data_packets += totals.sent;
    for (size_t reason = 0; reason < core::kDropReasons; ++reason) {
      if (reason != kMacControl && reason != kLinkLocal) activity.data_packets += totals.dropped[reason];
    }
  }
  return activity;
}

QueueReport Engine::sent_by(uint16_t exit) const {
  QueueReport queue;
  for (const auto& worker : workers_) {
    queue.packets += worker->exit(exit).packets.read();
    queue.bytes += worker->exit(exit).bytes.read();
  }
  return queue;
}

PortReport Engine::port_report(uint16_t index) const {
  const core::PortPlan& plan = this->plan().ports[index];
  PortReport port;
  port.device = plan.device;
  port.group = settings_.ports[index].group;
  port.from_here = totals_of_port(index);
  port.rx_packets = port.from_here.rx_packets;
  port.rx_bytes = port.from_here.rx_bytes;
  for (uint16_t q = 0; q < plan.queues_per_nic; ++q) {
    const QueueReport queue = sent_by(static_cast<uint16_t>(plan.first_exit + q));
    port.tx_packets += queue.packets;
    port.tx_bytes += queue.bytes;
  }
  port.driver = stopped_ ? last_counted_[index] : ports_[index].counted();
  const glue::LinkState link = stopped_ ? last_link_[index] : ports_[index].link();
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
  const core::DownCause cause = monitor_ ? monitor_->cause(index) : core::DownCause::none;
  return cause == core::DownCause::none && port.drain ? "drained" : state_word(cause);
}

MemberReport Engine::member_report(uint16_t index, bool link_up) const {
  const core::PortPlan& plan = this->plan().ports[index];
  MemberReport member;
  member.device = plan.device;
  member.group = settings_.ports[index].group;
  member.up = link_up;
  member.state = state_of(index);
  member.weight = settings_.ports[index].weight;
  for (uint16_t q = 0; q < plan.queues_per_nic; ++q) {
    const QueueReport queue = sent_by(static_cast<uint16_t>(plan.first_exit + q));
    member.packets += queue.packets;
    member.bytes += queue.bytes;
    member.queues.push_back(queue);
  }
  return member;
}

GroupReport Engine::group_report(size_t group, const std::vector<MemberReport>& members) const {
  GroupReport report;
  report.group = plan().groups[group].name;
  std::vector<uint64_t> loads;
  std::vector<double> shares;
  for (const MemberReport& member : members) {
    if (member.group != report.group) continue;
    report.packets += member.packets;
    for (const QueueReport& queue : member.queues) {
      loads.push_back(queue.packets);
      shares.push_back(member.state == "up" ? member.weight : 0);
    }
  }
  const double shares_max = *std::max_element(shares.begin(), shares.end());
  report.steady = !buckets_moved_;
  for (const auto& worker : workers_) {
    const core::ReorderCounters* order = worker->reordering(group);
    if (order == nullptr) continue;
    report.order.packets += order->packets.read();
    report.order.flows += order->flows.read();
    report.order.reordered += order->reordered.read();
    report.order.repeated += order->repeated.read();
    report.order.evicted += order->evicted.read();
    report.order.farthest = std::max(report.order.farthest, order->farthest.read());
  }
  core::FlowMeter flows;
  for (const auto& worker : workers_) flows.merge(worker->flows(group));
  report.flows = flows.estimate();
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
  const auto now = stopped_ ? stopped_at_ : std::chrono::steady_clock::now();
  report.seconds = std::chrono::duration<double>(now - started_at_).count();
  for (uint16_t index = 0; index < plan().ports.size(); ++index) report.ports.push_back(port_report(index));
  if (plan().mode == core::Mode::gateway) {
    for (uint16_t index = 0; index < plan().ports.size(); ++index) {
      report.members.push_back(member_report(index, report.ports[index].link_up));
    }
  }
  for (size_t g = 0; g < plan().groups.size(); ++g) {
    report.groups.push_back(group_report(g, report.members));
    report.moved.buckets += plan().groups[g].tables.front().from_rule.buckets;
    report.moved.needed += plan().groups[g].tables.front().from_rule.needed;
  }
  report.reorder_sample = settings_.engine.reorder_sample;
  report.publications = publisher_->publications();
  report.longest_publication_ms = static_cast<double>(publisher_->longest_ns()) / 1e6;
  report.events.assign(recent_events_.begin(), recent_events_.end());
  const auto hz = static_cast<double>(glue::tsc_hz());
  for (size_t w = 0; w < workers_.size(); ++w) {
    const core::LoopCounters& loop = workers_[w]->loop();
    const auto total = static_cast<double>(std::max<uint64_t>(loop.total_tsc.read(), 1));
    report.lcores.push_back({lcores_[w], static_cast<double>(loop.busy_tsc.read()) / total,
                             static_cast<double>(loop.worst_round_tsc.read()) / hz * 1e6});
  }
  report.final = stopped_;
  report.pool_mbufs = pools_->size();
  report.pool_back = mbufs_back_;
  return report;
}

}  // namespace control
