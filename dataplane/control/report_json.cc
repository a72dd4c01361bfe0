// SPDX-License-Identifier: BSD-3-Clause
// The report for programs; its shape is documented in docs/guide.md and only grows. Control thread.
#include <nlohmann/json.hpp>

#include "control/report.h"
#include "core/flow_key.h"

namespace control {
namespace {

using Json = nlohmann::ordered_json;

template <size_t N, class Name>
Json by_name(const std::array<uint64_t, N>& counts) {
  Json out = Json::object();
  for (size_t i = 0; i < N; ++i) {
    if (counts[i] > 0) out[std::string(core::name_of(static_cast<Name>(i)))] = counts[i];
  }
  return out;
}

Json ledger_json(const core::Ledger& ledger, bool balanced) {
  return {{"received", ledger.received}, {"generated", ledger.generated}, {"sent", ledger.sent},
          {"held", ledger.held},         {"dropped", ledger.dropped},     {"balanced", balanced}};
}

Json port_json(const PortReport& port, double seconds, uint64_t slack) {
  return {{"device", port.device},
          {"group", port.group},
          {"rx_packets", port.rx_packets},
          {"rx_bytes", port.rx_bytes},
          {"tx_packets", port.tx_packets},
          {"tx_bytes", port.tx_bytes},
          {"link_up", port.link_up},
          {"speed_bps", port.speed_bps},
          {"use", port.use(seconds)},
          {"dropped", by_name<core::kDropReasons, core::DropReason>(port.from_here.dropped)},
          {"ledger", ledger_json(port.ledger(), port.ledger().balanced(slack))},
          {"driver",
           {{"rx_packets", port.driver.rx_packets},
            {"tx_packets", port.driver.tx_packets},
            {"tx_errors", port.driver.tx_errors},
            {"rx_missed", port.driver.rx_missed},
            {"rx_errors", port.driver.rx_errors},
            {"rx_nombuf", port.driver.rx_nombuf},
            {"agrees", port.driver_agrees()}}}};
}

Json member_json(const MemberReport& member) {
  Json queues = Json::array();
  for (size_t q = 0; q < member.queues.size(); ++q) {
    queues.push_back(
        {{"queue", q}, {"packets", member.queues[q].packets}, {"bytes", member.queues[q].bytes}});
  }
  return {{"device", member.device}, {"group", member.group},   {"up", member.up},
          {"state", member.state},   {"weight", member.weight}, {"packets", member.packets},
          {"bytes", member.bytes},   {"queues", queues}};
}

Json fairness_json(const GroupReport& group) {
  return {{"group", group.group},
          {"flows", group.flows},
          {"queues", group.queues},
          {"max_over_mean", group.fairness.max_over_mean},
          {"jain", group.fairness.jain},
          {"ideal_random_max_over_mean", group.ideal.mean},
          {"ideal_random_p95", group.ideal.p95}};
}

Json group_json(const GroupReport& group) {
  Json out = fairness_json(group);
  out["packets"] = group.packets;
  out["equal_shares"] = group.equal_shares;
  out["steady"] = group.steady;
  out["order"] = {{"packets", group.order.packets},     {"flows", group.order.flows},
                  {"reordered", group.order.reordered}, {"repeated", group.order.repeated},
                  {"farthest", group.order.farthest},   {"evicted", group.order.evicted}};
  return out;
}

}  // namespace

std::string to_json(const Report& report) {
  Json out;
  out["version"] = ROCEWAY_VERSION;
  out["mode"] = report.mode;
  out["key_layout"] = core::kKeyLayoutVersion;
  out["seconds"] = report.seconds;
  out["uptime_seconds"] = report.uptime_s;
  out["forwarding"] = report.forwarding;
  out["ports"] = Json::array();
  for (const PortReport& port : report.ports)
    out["ports"].push_back(port_json(port, report.seconds, report.slack_packets()));
  out["members"] = Json::array();
  for (const MemberReport& member : report.members) out["members"].push_back(member_json(member));
  const GroupReport* busiest = report.busiest();
  out["fairness"] = fairness_json(busiest ? *busiest : GroupReport{});
  out["groups"] = Json::array();
  for (const GroupReport& group : report.groups) out["groups"].push_back(group_json(group));
  const core::IngressTotals totals = report.totals();
  out["seen"] = by_name<core::kProtocols, core::Protocol>(totals.seen);
  out["dropped"] = by_name<core::kDropReasons, core::DropReason>(totals.dropped);
  out["ledger"] = ledger_json(report.ledger(), report.balanced());
  out["moved"] = {{"buckets", report.moved.buckets}, {"needed", report.moved.needed}};
  out["reorder_sample"] = report.reorder_sample;
  out["publications"] = {{"count", report.publications}, {"longest_ms", report.longest_publication_ms}};
  out["events"] = Json::array();
  for (const EventReport& event : report.events) {
    out["events"].push_back({{"seconds", event.at_s}, {"text", event.text}});
  }
  out["lcores"] = Json::array();
  for (const LcoreReport& lcore : report.lcores) {
    out["lcores"].push_back({{"lcore", lcore.lcore},
                             {"busy_share", lcore.busy_share},
                             {"worst_round_us", lcore.worst_round_us},
                             {"busy_seconds", lcore.busy_s},
                             {"seconds", lcore.total_s}});
  }
  out["pool"] = {{"mbufs", report.pool_mbufs}, {"back", report.pool_back}};
  // Device names are whatever the user gave EAL; bytes that are not UTF-8 must not cost the report.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace control
