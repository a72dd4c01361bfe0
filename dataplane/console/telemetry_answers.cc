// SPDX-License-Identifier: BSD-3-Clause
// Answers for DPDK's telemetry; see telemetry_answers.h.
#include "console/telemetry_answers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace console {
namespace {

using control::Report;
using Json = nlohmann::ordered_json;

// Entries of the longest names and numbers, times these, stay below 16 KB.
constexpr size_t kPortsInPage = 20;
constexpr size_t kMembersInPage = 40;
constexpr size_t kQueuesInPage = 64;
constexpr size_t kLcoresInPage = 64;

uint64_t whole(double value) {
  return value > 0 ? static_cast<uint64_t>(std::llround(value)) : 0;
}

uint64_t rate(uint64_t count, double seconds) {
  return seconds > 0 ? whole(static_cast<double>(count) / seconds) : 0;
}

// Entry by entry under its number from 0: DPDK 22.11 nests dictionaries, but no lists of them.
void number_entries(Json& to, const std::vector<Json>& entries, size_t first, size_t end) {
  to = Json::object();
  for (size_t i = first; i < end; ++i) to[std::to_string(i)] = entries[i];
}

// `entries` of page `parameter` (none: 0) under `name`, behind what `answer` has already.
Json page_of(Json answer, const char* name, const std::vector<Json>& entries, size_t in_page,
             const std::string& parameter) {
  const size_t pages = std::max<size_t>((entries.size() + in_page - 1) / in_page, 1);
  size_t page = 0;
  const char* const end = parameter.data() + parameter.size();
  const auto [rest, error] = std::from_chars(parameter.data(), end, page);
  if (!parameter.empty() && (error != std::errc() || rest != end || page >= pages)) {
    return {{"error",
             "page: found \"" + parameter.substr(0, 40) + "\"; allowed: 0 to " + std::to_string(pages - 1)}};
  }
  answer["page"] = page;
  answer["pages"] = pages;
  number_entries(answer[name], entries, page * in_page, std::min((page + 1) * in_page, entries.size()));
  return answer;
}

Json refuse_parameter(const std::string& parameter) {
  return {{"error", "found \"" + parameter.substr(0, 40) + "\"; it takes no parameter"}};
}

uint64_t grown(uint64_t now, uint64_t before) {
  return now > before ? now - before : 0;
}

Json port_entry(const control::PortReport& before, const control::PortReport& now, double seconds) {
  control::PortReport during;  // what happened since `before`
  during.speed_bps = now.speed_bps;
  during.rx_packets = grown(now.rx_packets, before.rx_packets);
  during.rx_bytes = grown(now.rx_bytes, before.rx_bytes);
  during.tx_packets = grown(now.tx_packets, before.tx_packets);
  during.tx_bytes = grown(now.tx_bytes, before.tx_bytes);
  return {{"device", now.device},
          {"group", now.group},
          {"link_up", now.link_up},
          {"speed_bps", now.speed_bps},
          {"use_percent", whole(during.use(seconds) * 100)},
          {"rx_pps", rate(during.rx_packets, seconds)},
          {"rx_bps", rate(during.rx_bytes, seconds) * 8},
          {"tx_pps", rate(during.tx_packets, seconds)},
          {"tx_bps", rate(during.tx_bytes, seconds) * 8},
          {"rx_packets", now.rx_packets},
          {"rx_bytes", now.rx_bytes},
          {"tx_packets", now.tx_packets},
          {"tx_bytes", now.tx_bytes},
          {"rx_missed", now.driver.rx_missed},
          {"held", now.from_here.held_in_all()},
          {"dropped", now.from_here.dropped_in_all()}};
}

Json ports(const Report& before, const Report& now, const std::string& parameter) {
  const double seconds = now.uptime_s - before.uptime_s;
  std::vector<Json> entries;
  for (const control::PortReport& port : now.ports) {
    const auto was = std::find_if(before.ports.begin(), before.ports.end(),
                                  [&](const control::PortReport& one) { return one.device == port.device; });
    entries.push_back(port_entry(was == before.ports.end() ? control::PortReport{} : *was, port, seconds));
  }
  return page_of({{"rates_over_ms", whole(seconds * 1000)}}, "ports", entries, kPortsInPage, parameter);
}

Json members(const Report&, const Report& now, const std::string& parameter) {
  std::vector<Json> entries;
  for (const control::MemberReport& member : now.members) {
    uint64_t in_group = 0;
    for (const control::GroupReport& group : now.groups)
      in_group += group.group == member.group ? group.packets : 0;
    const double share =
        in_group > 0 ? static_cast<double>(member.packets) / static_cast<double>(in_group) : 0;
    entries.push_back({{"device", member.device},
                       {"group", member.group},
                       {"state", member.state},
                       {"link_up", member.up},
                       {"weight", member.weight},
                       {"queues", member.queues.size()},
                       {"packets", member.packets},
                       {"bytes", member.bytes},
                       {"share_per_mille", whole(share * 1000)}});
  }
  return page_of(Json::object(), "members", entries, kMembersInPage, parameter);
}

Json queues(const Report&, const Report& now, const std::string& parameter) {
  std::vector<Json> entries;
  for (const control::MemberReport& member : now.members) {
    for (size_t q = 0; q < member.queues.size(); ++q) {
      entries.push_back({{"device", member.device},
                         {"group", member.group},
                         {"queue", q},
                         {"packets", member.queues[q].packets},
                         {"bytes", member.queues[q].bytes}});
    }
  }
  return page_of(Json::object(), "queues", entries, kQueuesInPage, parameter);
}

Json distribution(const Report&, const Report& now, const std::string& parameter) {
  if (!parameter.empty()) return refuse_parameter(parameter);
  std::vector<Json> groups;
  for (const control::GroupReport& group : now.groups) {
    groups.push_back({{"group", group.group},
                      {"packets", group.packets},
                      {"flows", group.flows},
                      {"queues", group.queues},
                      {"max_over_mean_per_mille", whole(group.fairness.max_over_mean * 1000)},
                      {"jain_per_mille", whole(group.fairness.jain * 1000)},
                      {"steady", group.steady},
                      {"reordered", group.order.reordered}});
  }
  Json answer = {{"publications", now.publications},
                 {"moved_buckets", now.moved.buckets},
                 {"moved_buckets_needed", now.moved.needed}};
  number_entries(answer["groups"], groups, 0, groups.size());
  return answer;
}

Json ledger(const Report&, const Report& now, const std::string& parameter) {
  if (!parameter.empty()) return refuse_parameter(parameter);
  const core::Ledger books = now.ledger();
  return {{"received", books.received}, {"generated", books.generated}, {"sent", books.sent},
          {"held", books.held},         {"dropped", books.dropped},     {"unaccounted", books.unaccounted()},
          {"balanced", now.balanced()}};
}

Json by_reason(const core::IngressTotals& totals, bool with_zeros) {
  Json counts = Json::object();
  for (size_t reason = 0; reason < core::kDropReasons; ++reason) {
    if (with_zeros || totals.dropped[reason] > 0)
      counts[std::string(core::name_of(static_cast<core::DropReason>(reason)))] = totals.dropped[reason];
  }
  return counts;
}

Json drops(const Report&, const Report& now, const std::string& parameter) {
  std::vector<Json> entries;
  for (const control::PortReport& port : now.ports)
    entries.push_back({{"device", port.device}, {"dropped", by_reason(port.from_here, false)}});
  return page_of({{"dropped", by_reason(now.totals(), true)}}, "ports", entries, kPortsInPage, parameter);
}

Json lcores(const Report& before, const Report& now, const std::string& parameter) {
  std::vector<Json> entries;
  for (size_t i = 0; i < now.lcores.size(); ++i) {
    const control::LcoreReport from = i < before.lcores.size() ? before.lcores[i] : control::LcoreReport{};
    const control::LcoreReport& to = now.lcores[i];
    const double rounds_s = to.total_s - from.total_s;
    entries.push_back({{"lcore", to.lcore},
                       {"busy_percent", rounds_s > 0 ? whole((to.busy_s - from.busy_s) / rounds_s * 100) : 0},
                       {"worst_round_us", whole(to.worst_round_us)}});
  }
  return page_of({{"busy_over_ms", whole((now.uptime_s - before.uptime_s) * 1000)}}, "lcores", entries,
                 kLcoresInPage, parameter);
}

}  // namespace

const std::vector<TelemetryCommand>& telemetry_commands() {
  static const std::vector<TelemetryCommand> kCommands = {
      {"/roceway/ports", "Rates, use and totals of ports. Parameter: int page", ports},
      {"/roceway/members", "State and share of members. Parameter: int page", members},
      {"/roceway/queues", "Packets of each queue of the rule. Parameter: int page", queues},
      {"/roceway/distribution", "Evenness of each group, moved buckets. No parameters", distribution},
      {"/roceway/ledger", "Received, sent, held, dropped packets. No parameters", ledger},
      {"/roceway/drops", "Dropped packets by reason and port. Parameter: int page", drops},
      {"/roceway/lcores", "Busy share and worst round of lcores. Parameter: int page", lcores},
  };
  return kCommands;
}

std::vector<std::string> words_of_tuple(const std::string& parameter) {
  std::vector<std::string> words;
  std::istringstream in(parameter);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

Json hash_answer(const HashExplained& explained) {
  if (!explained.problem.empty()) return {{"error", explained.problem}};
  return {{"key", explained.key_hex},
          {"hash", explained.hash},
          {"bucket", explained.bucket},
          {"device", explained.device},
          {"queue", explained.queue}};
}

control::Report RateStart::before(const control::Report& now) {
  if (now.uptime_s - recent_.uptime_s >= 1) {
    start_ = std::move(recent_);
    recent_ = now;
  }
  return start_;
}

}  // namespace console
