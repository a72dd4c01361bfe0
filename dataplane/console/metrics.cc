// SPDX-License-Identifier: BSD-3-Clause
// Families of metrics, row by row; see metrics.h.
#include "console/metrics.h"

#include <prometheus/text_serializer.h>

#include <utility>

namespace console {
namespace {

using control::GroupReport;
using control::LcoreReport;
using control::MemberReport;
using control::PortReport;
using control::QueueReport;
using control::Report;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<prometheus::ClientMetric::Label>;
using Families = std::vector<MetricFamily>;

constexpr MetricType kCounter = MetricType::Counter, kGauge = MetricType::Gauge;

// One family: what it is called and how its number is read from one T.
template <class T>
struct Row {
  const char* name;
  MetricType type;
  const char* help;
  double (*value)(const T& of);
};

double number(uint64_t count) {
  return static_cast<double>(count);
}

void add(MetricFamily& family, Labels labels, double value) {
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  (family.type == kCounter ? metric.counter.value : metric.gauge.value) = value;
}

MetricFamily& start(Families& families, const char* name, MetricType type, const char* help) {
  return families.emplace_back(MetricFamily{name, help, type, {}});
}

// A family for each row, a metric in it for each of `things`.
template <class T, size_t N, class LabelsOf>
void add_rows(Families& families, const Row<T> (&rows)[N], const std::vector<T>& things, LabelsOf labels_of) {
  for (const Row<T>& row : rows) {
    MetricFamily& family = start(families, row.name, row.type, row.help);
    for (const T& thing : things) add(family, labels_of(thing), row.value(thing));
  }
}

constexpr Row<PortReport> kPortRows[] = {
    {"roceway_port_receive_packets_total", kCounter, "Packets that workers took from the device.",
     [](const PortReport& p) { return number(p.rx_packets); }},
    {"roceway_port_receive_bytes_total", kCounter, "Bytes of these packets, without FCS.",
     [](const PortReport& p) { return number(p.rx_bytes); }},
    {"roceway_port_transmit_packets_total", kCounter, "Packets that the device's driver accepted.",
     [](const PortReport& p) { return number(p.tx_packets); }},
    {"roceway_port_transmit_bytes_total", kCounter, "Bytes of these packets, without FCS.",
     [](const PortReport& p) { return number(p.tx_bytes); }},
    {"roceway_port_receive_missed_packets_total", kCounter,
     "Packets that the device dropped because no worker took them in time, as its driver counts.",
     [](const PortReport& p) { return number(p.driver.rx_missed); }},
    {"roceway_port_receive_error_packets_total", kCounter, "Damaged packets, as the driver counts.",
     [](const PortReport& p) { return number(p.driver.rx_errors); }},
    {"roceway_port_receive_no_mbuf_packets_total", kCounter,
     "Packets that were lost because the packet pool was empty, as the driver counts.",
     [](const PortReport& p) { return number(p.driver.rx_nombuf); }},
    {"roceway_port_transmit_error_packets_total", kCounter,
     "Packets that the driver accepted and then failed to send, as it counts.",
     [](const PortReport& p) { return number(p.driver.tx_errors); }},
    {"roceway_port_link_up", kGauge, "Whether the link is up.",
     [](const PortReport& p) { return p.link_up ? 1.0 : 0.0; }},
    {"roceway_generated_packets_total", kCounter, "Packets made here by modes txonly and flowgen.",
     [](const PortReport& p) { return number(p.from_here.generated); }},
    {"roceway_sent_packets_total", kCounter,
     "Packets that came in by this device, or were made on it, and left by whatever port.",
     [](const PortReport& p) { return number(p.from_here.sent); }},
    {"roceway_held_packets", kGauge, "Packets that came in by this device and wait to be sent.",
     [](const PortReport& p) { return number(p.from_here.held_in_all()); }},
    {"roceway_ledger_unaccounted_packets", kGauge,
     "Received and generated less sent, held and dropped packets; some bursts around 0 while packets move.",
     [](const PortReport& p) { return static_cast<double>(p.ledger().unaccounted()); }},
};

constexpr Row<MemberReport> kMemberRows[] = {
    {"roceway_member_up", kGauge, "Whether traffic may go to this member of its group.",
     [](const MemberReport& m) { return m.state == "up" ? 1.0 : 0.0; }},
    {"roceway_member_weight", kGauge, "The member's share relative to the others of its group.",
     [](const MemberReport& m) { return static_cast<double>(m.weight); }},
};

constexpr Row<GroupReport> kGroupRows[] = {
    {"roceway_group_transmit_packets_total", kCounter, "Packets sent to the group.",
     [](const GroupReport& g) { return number(g.packets); }},
    {"roceway_group_flows", kGauge, "Flows sent to the group since start, an estimate.",
     [](const GroupReport& g) { return number(g.flows); }},
    {"roceway_group_queues", kGauge, "TX queues of the group that are meant to carry packets.",
     [](const GroupReport& g) { return number(g.queues); }},
    {"roceway_group_fairness_max_over_mean", kGauge,
     "Packets of the fullest queue over the mean of all since start, by share; 1 is even, 0: nothing was "
     "sent.",
     [](const GroupReport& g) { return g.fairness.max_over_mean; }},
    {"roceway_group_fairness_jain", kGauge,
     "Jain's index over the group's queues since start; 1 is even, 0: nothing was sent.",
     [](const GroupReport& g) { return g.fairness.jain; }},
    {"roceway_order_watched_packets_total", kCounter, "Packets of the flows watched for their order.",
     [](const GroupReport& g) { return number(g.order.packets); }},
    {"roceway_reordered_packets_total", kCounter,
     "Watched packets that left behind a later one of their flow.",
     [](const GroupReport& g) { return number(g.order.reordered); }},
    {"roceway_repeated_packets_total", kCounter, "Watched packets that left more than once.",
     [](const GroupReport& g) { return number(g.order.repeated); }},
};

constexpr Row<LcoreReport> kLcoreRows[] = {
    {"roceway_lcore_busy_ratio", kGauge, "Part of the time since start spent in rounds that had packets.",
     [](const LcoreReport& l) { return l.busy_share; }},
    {"roceway_lcore_busy_seconds_total", kCounter, "Time spent in rounds that had packets.",
     [](const LcoreReport& l) { return l.busy_s; }},
    {"roceway_lcore_seconds_total", kCounter, "Time spent in rounds.",
     [](const LcoreReport& l) { return l.total_s; }},
    {"roceway_lcore_worst_round_seconds", kGauge,
     "The longest round since start, interruptions by the operating system included.",
     [](const LcoreReport& l) { return l.worst_round_us / 1e6; }},
};

constexpr Row<Report> kProgramRows[] = {
    {"roceway_uptime_seconds", kGauge, "Time since the program was set up.",
     [](const Report& r) { return r.uptime_s; }},
    {"roceway_running_seconds", kGauge, "Time spent forwarding.", [](const Report& r) { return r.seconds; }},
    {"roceway_forwarding", kGauge, "Whether packets are forwarded now.",
     [](const Report& r) { return r.forwarding ? 1.0 : 0.0; }},
    {"roceway_ledger_balanced", kGauge,
     "Whether received + generated = sent + held + dropped on every port, save for bursts on their way.",
     [](const Report& r) { return r.balanced() ? 1.0 : 0.0; }},
    {"roceway_publications_total", kCounter, "Plans given to the workers, the first included.",
     [](const Report& r) { return number(r.publications); }},
    {"roceway_publication_longest_seconds", kGauge,
     "The longest time from a verdict or a command to the published plan.",
     [](const Report& r) { return r.longest_publication_ms / 1e3; }},
    {"roceway_moved_buckets", kGauge, "Buckets that do not follow the documents' rule now.",
     [](const Report& r) { return number(r.moved.buckets); }},
    {"roceway_moved_buckets_needed", kGauge, "The least number of them that members and weights require.",
     [](const Report& r) { return number(r.moved.needed); }},
    {"roceway_pool_mbufs", kGauge, "mbufs of the packet pools.",
     [](const Report& r) { return number(r.pool_mbufs); }},
};

Labels of_port(const PortReport& port) {
  return {{"device", port.device}, {"group", port.group}};
}
Labels of_member(const MemberReport& member) {
  return {{"device", member.device}, {"group", member.group}};
}

// A metric for each word of an enumeration, for each port.
template <class Name, size_t N>
void add_counts(MetricFamily& family, const char* label, const PortReport& port,
                const std::array<uint64_t, N>& counts) {
  for (size_t i = 0; i < N; ++i) {
    Labels labels = of_port(port);
    labels.push_back({label, std::string(core::name_of(static_cast<Name>(i)))});
    add(family, std::move(labels), number(counts[i]));
  }
}

void add_ports(Families& families, const Report& report) {
  add_rows(families, kPortRows, report.ports, of_port);
  MetricFamily& speed =
      start(families, "roceway_port_speed_bytes_per_second", kGauge, "Speed of the link, where it is known.");
  for (const PortReport& port : report.ports) {
    if (port.speed_bps > 0) add(speed, of_port(port), number(port.speed_bps) / 8);
  }
  MetricFamily& dropped = start(families, "roceway_dropped_packets_total", kCounter,
                                "Packets that came in by this device and were dropped, by reason.");
  for (const PortReport& port : report.ports)
    add_counts<core::DropReason>(dropped, "reason", port, port.from_here.dropped);
  if (report.mode != "gateway") return;  // other modes do not look into packets
  MetricFamily& seen = start(families, "roceway_seen_packets_total", kCounter,
                             "Packets that came in by this device, by what they were recognised as.");
  for (const PortReport& port : report.ports)
    add_counts<core::Protocol>(seen, "protocol", port, port.from_here.seen);
}

void add_members(Families& families, const Report& report) {
  add_rows(families, kMemberRows, report.members, of_member);
  MetricFamily& state =
      start(families, "roceway_member_state_info", kGauge, "The member's state in words; always 1.");
  for (const MemberReport& member : report.members) {
    Labels labels = of_member(member);
    labels.push_back({"state", member.state});
    add(state, std::move(labels), 1);
  }
  constexpr Row<QueueReport> kQueueRows[] = {
      {"roceway_queue_transmit_packets_total", kCounter, "Packets sent by this queue of the rule.",
       [](const QueueReport& q) { return number(q.packets); }},
      {"roceway_queue_transmit_bytes_total", kCounter, "Bytes of these packets, without FCS.",
       [](const QueueReport& q) { return number(q.bytes); }},
      {"roceway_queue_dropped_packets_total", kCounter,
       "Packets for this queue that were dropped as tx_full.",
       [](const QueueReport& q) { return number(q.dropped); }},
  };
  for (const Row<QueueReport>& row : kQueueRows) {
    MetricFamily& family = start(families, row.name, row.type, row.help);
    for (const MemberReport& member : report.members) {
      for (size_t q = 0; q < member.queues.size(); ++q) {
        Labels labels = of_member(member);
        labels.push_back({"queue", std::to_string(q)});
        add(family, std::move(labels), row.value(member.queues[q]));
      }
    }
  }
}

}  // namespace

std::vector<MetricFamily> metrics_of(const Report& report) {
  Families families;
  MetricFamily& build = start(families, "roceway_build_info", kGauge, "The version that runs; always 1.");
  add(build, {{"version", ROCEWAY_VERSION}}, 1);
  MetricFamily& mode = start(families, "roceway_mode_info", kGauge, "What happens to packets; always 1.");
  add(mode, {{"mode", report.mode}}, 1);
  add_rows(families, kProgramRows, std::vector<Report>{report}, [](const Report&) { return Labels{}; });
  add_ports(families, report);
  add_members(families, report);
  add_rows(families, kGroupRows, report.groups, [](const GroupReport& group) {
    return Labels{{"group", group.group}};
  });
  add_rows(families, kLcoreRows, report.lcores, [](const LcoreReport& lcore) {
    return Labels{{"lcore", std::to_string(lcore.lcore)}};
  });
  std::erase_if(families, [](const MetricFamily& family) { return family.metric.empty(); });
  return families;
}

std::string metrics_text(const Report& report) {
  return prometheus::TextSerializer().Serialize(metrics_of(report));
}

}  // namespace console
