// SPDX-License-Identifier: BSD-3-Clause
// Where packets go, in words; see hash_text.h.
#include "console/hash_text.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "control/describe.h"
#include "control/settings_values.h"
#include "control/words.h"
#include "pmd_glue/captures.h"

namespace console {
namespace {

using control::fields_of;
using control::fixed;
using control::grouped;
using control::padded;
using nlohmann::json;

constexpr std::pair<std::string_view, uint8_t> kProtocols[] = {{"icmp", 1},  {"tcp", 6},     {"udp", 17},
                                                               {"dccp", 33}, {"icmpv6", 58}, {"sctp", 132}};

std::string hex(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

std::string hex_word(uint32_t word) {
  const uint8_t bytes[] = {static_cast<uint8_t>(word >> 24), static_cast<uint8_t>(word >> 16),
                           static_cast<uint8_t>(word >> 8), static_cast<uint8_t>(word)};
  return "0x" + hex(bytes);
}

std::string proto_name(uint8_t proto) {
  for (const auto& [name, number] : kProtocols) {
    if (number == proto) return std::string(name);
  }
  return std::to_string(proto);
}

std::string line(const std::string& name, const std::string& value) {
  return padded(name, -10) + value + "\n";
}

const control::GroupReport* report_of(const control::Report& report, const std::string& group) {
  for (const control::GroupReport& candidate : report.groups) {
    if (candidate.group == group) return &candidate;
  }
  return nullptr;
}

uint64_t buckets_of(const core::GroupPlan& group, size_t member) {
  const core::TablePlan& table = group.tables.front();
  return static_cast<uint64_t>(std::count_if(table.slots.begin(), table.slots.end(), [&](core::Slot slot) {
    return slot != core::kNoSlot && slot / table.state.queues_per_nic == member;
  }));
}

const control::MemberReport* member_of(const control::Report& report, const std::string& device) {
  for (const control::MemberReport& member : report.members) {
    if (member.device == device) return &member;
  }
  return nullptr;
}

}  // namespace

ReadTuple read_tuple(const std::string& src, const std::string& dst, uint64_t src_port, uint64_t dst_port,
                     const std::string& proto) {
  ReadTuple read;
  const auto from = control::address_in(src), to = control::address_in(dst);
  if (!from || !to) {
    read.problem =
        (from ? "dst: found \"" + dst : "src: found \"" + src) + "\"; allowed: an IPv4 or IPv6 address";
  } else if (from->v6 != to->v6) {
    read.problem = "src and dst: one is IPv4, the other IPv6";
  }
  const auto named = std::find_if(std::begin(kProtocols), std::end(kProtocols),
                                  [&](const auto& known) { return known.first == proto; });
  uint8_t number = named == std::end(kProtocols) ? uint8_t{0} : named->second;
  if (named == std::end(kProtocols)) {
    const auto [end, error] = std::from_chars(proto.data(), proto.data() + proto.size(), number);
    if (error != std::errc{} || end != proto.data() + proto.size())
      read.problem = "proto: found \"" + proto + "\"; allowed: udp, tcp, sctp, icmp or a number 0 to 255";
  }
  if (read.problem.empty()) {
    read.tuple = {*from, *to, static_cast<uint16_t>(src_port), static_cast<uint16_t>(dst_port), number};
  }
  return read;
}

ReadFrame read_frame(const std::string& text) {
  if (text.starts_with('@')) {
    const size_t colon = text.rfind(':');
    uint64_t number = 1;
    std::string file = text.substr(1);
    if (colon != std::string::npos) {
      const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
      if (error == std::errc{} && end == text.data() + text.size()) file = text.substr(1, colon - 1);
    }
    auto frame = glue::frame_of_capture(file, number);
    return frame ? ReadFrame{std::move(frame.value), ""} : ReadFrame{{}, *frame.problem};
  }
  std::string digits;
  for (const char c : text) {
    if (c != ' ' && c != ':') digits += c;
  }
  ReadFrame read;
  for (size_t at = 0; at + 1 < digits.size(); at += 2) {
    uint8_t byte = 0;
    const char* const two = digits.data() + at;
    const auto [end, error] = std::from_chars(two, two + 2, byte, 16);
    if (error != std::errc{} || end != two + 2) break;
    read.bytes.push_back(byte);
  }
  if (read.bytes.empty() || read.bytes.size() * 2 != digits.size())
    read.problem = "frame: not hexadecimal bytes behind byte " + std::to_string(read.bytes.size()) +
                   "; allowed: two digits a byte, or @FILE[:N] of a capture";
  return read;
}

std::string hash_text(const core::Settings& settings) {
  const core::DistributionSettings& distribution = settings.distribution;
  std::string text = line("hash", std::string(core::name_of(distribution.hash)));
  if (distribution.hash == core::HashAlgorithm::toeplitz)
    text += line("key", std::string(core::name_of(distribution.toeplitz_key)));
  return text + line("seed", std::to_string(distribution.seed) + " (" + hex_word(distribution.seed) + ")") +
         line("fields",
              fields_of(distribution.fields) + (distribution.fields.symmetric ? ", symmetric" : "")) +
         line("rule", "q = hash % (queues x NICs), nic = q / queues; buckets per queue " +
                          std::to_string(distribution.buckets_per_queue)) +
         line("layout", "key layout version " + std::to_string(core::kKeyLayoutVersion));
}

json hash_json(const core::Settings& settings) {
  const core::DistributionSettings& distribution = settings.distribution;
  json fields = json::array();
  for (const core::KeyFieldName& field : core::kKeyFieldNames) {
    if (distribution.fields.*field.chosen) fields.push_back(field.name);
  }
  return {{"hash", core::name_of(distribution.hash)},
          {"toeplitz_key", core::name_of(distribution.toeplitz_key)},
          {"seed", distribution.seed},
          {"fields", fields},
          {"symmetric", distribution.fields.symmetric},
          {"buckets_per_queue", distribution.buckets_per_queue},
          {"key_layout", core::kKeyLayoutVersion}};
}

std::string explanation_text(const core::Plan& plan, const core::Explanation& explained) {
  std::string text = line("packet", std::string(core::name_of(explained.headers.protocol)) + ", priority " +
                                        std::to_string(explained.priority) +
                                        (explained.headers.fragment ? ", a fragment: no ports" : ""));
  const bool has_target = explained.target != core::kNoGroup;
  if (has_target) {
    text += line("to", plan.groups[explained.target].name) +
            line("key", hex({explained.key.bytes, explained.key.size}) + " (" + fields_of(plan.fields) +
                            ", " + std::to_string(explained.key.size) + " bytes)") +
            line("hash", hex_word(explained.hash)) +
            line("bucket", grouped(explained.bucket) + " of " +
                               grouped(plan.groups[explained.target].tables.front().slots.size()));
  }
  if (explained.dropped) return text + line("dropped", std::string(core::name_of(*explained.dropped)));
  return text + line("queue", "q = " + std::to_string(explained.slot) + ": queue " +
                                  std::to_string(explained.queue) + " of " +
                                  plan.ports[explained.port_index].device);
}

json explanation_json(const core::Plan& plan, const core::Explanation& explained) {
  json out = {{"protocol", core::name_of(explained.headers.protocol)}, {"priority", explained.priority}};
  if (explained.target != core::kNoGroup) {
    out["group"] = plan.groups[explained.target].name;
    out["key"] = hex({explained.key.bytes, explained.key.size});
    out["hash"] = explained.hash;
    out["bucket"] = explained.bucket;
  }
  if (explained.dropped) {
    out["dropped"] = core::name_of(*explained.dropped);
  } else {
    out["q"] = explained.slot;
    out["queue"] = explained.queue;
    out["device"] = plan.ports[explained.port_index].device;
  }
  return out;
}

HashExplained explained_in_short(const core::Plan& plan, const core::Explanation& explained) {
  if (explained.dropped) return {.problem = "dropped: " + std::string(core::name_of(*explained.dropped))};
  return {.key_hex = hex({explained.key.bytes, explained.key.size}),
          .hash = explained.hash,
          .bucket = explained.bucket,
          .device = plan.ports[explained.port_index].device,
          .queue = explained.queue};
}

std::string crafted_text(const core::Crafted& crafted) {
  std::string text;
  for (const core::FiveTuple& tuple : crafted.tuples) {
    text += control::bare_text(tuple.src) + " " + control::bare_text(tuple.dst) + " " +
            std::to_string(tuple.src_port) + " " + std::to_string(tuple.dst_port) + " " +
            proto_name(tuple.proto) + "\n";
  }
  return text + grouped(crafted.tuples.size()) + " found in " + grouped(crafted.tries) + " tries\n" +
         (crafted.problem.empty() ? "" : crafted.problem + "\n");
}

json crafted_json(const core::Crafted& crafted) {
  json tuples = json::array();
  for (const core::FiveTuple& tuple : crafted.tuples) {
    tuples.push_back({{"src", control::bare_text(tuple.src)},
                      {"dst", control::bare_text(tuple.dst)},
                      {"src_port", tuple.src_port},
                      {"dst_port", tuple.dst_port},
                      {"proto", tuple.proto}});
  }
  return {{"tuples", tuples}, {"tries", crafted.tries}, {"problem", crafted.problem}};
}

std::string distribution_text(const core::Plan& plan, const control::Report& report) {
  std::string text;
  for (const core::GroupPlan& group : plan.groups) {
    const core::TablePlan& table = group.tables.front();
    text += "to " + group.name + ": " + grouped(table.slots.size()) +
            " buckets, Q = " + std::to_string(table.state.queues_per_nic) +
            ", N = " + std::to_string(group.members.size()) + "; " + grouped(table.from_rule.buckets) +
            " are not where the rule has them, " + grouped(table.from_rule.needed) + " had to move\n  " +
            padded("NIC", -18) + padded("state", -16) + padded("weight", 7) + padded("buckets", 9) +
            padded("share", 9) + padded("TX packets", 16) + "\n";
    for (size_t m = 0; m < group.members.size(); ++m) {
      const std::string& device = plan.ports[group.members[m]].device;
      const control::MemberReport* member = member_of(report, device);
      const uint64_t buckets = buckets_of(group, m);
      text +=
          "  " + padded(device, -18) + padded(member ? member->state : "?", -16) +
          padded(std::to_string(table.state.members[m].weight), 7) + padded(grouped(buckets), 9) +
          padded(
              fixed(100.0 * static_cast<double>(buckets) / static_cast<double>(table.slots.size()), 2) + " %",
              9) +
          padded(member ? grouped(member->packets) : "0", 16) + "\n";
    }
    const control::GroupReport* counted = report_of(report, group.name);
    if (counted != nullptr && counted->packets > 0) {
      text += "  fairness over " + std::to_string(counted->queues) + " queues: max/mean " +
              fixed(counted->fairness.max_over_mean, 3) + ", Jain " + fixed(counted->fairness.jain, 4) +
              ", about " + grouped(counted->flows) + " flows\n";
    }
  }
  return text;
}

json distribution_json(const core::Plan& plan, const control::Report& report) {
  json groups = json::array();
  for (const core::GroupPlan& group : plan.groups) {
    const core::TablePlan& table = group.tables.front();
    json members = json::array();
    for (size_t m = 0; m < group.members.size(); ++m) {
      const std::string& device = plan.ports[group.members[m]].device;
      const control::MemberReport* member = member_of(report, device);
      members.push_back({{"device", device},
                         {"state", member ? member->state : ""},
                         {"weight", table.state.members[m].weight},
                         {"buckets", buckets_of(group, m)},
                         {"packets", member ? member->packets : 0}});
    }
    const control::GroupReport* counted = report_of(report, group.name);
    groups.push_back({{"group", group.name},
                      {"buckets", table.slots.size()},
                      {"queues_per_nic", table.state.queues_per_nic},
                      {"moved", table.from_rule.buckets},
                      {"needed", table.from_rule.needed},
                      {"flows", counted ? counted->flows : 0},
                      {"max_over_mean", counted ? counted->fairness.max_over_mean : 0},
                      {"jain", counted ? counted->fairness.jain : 0},
                      {"members", members}});
  }
  return groups;
}

std::string buckets_text(const core::Plan& plan, const core::GroupPlan& group) {
  constexpr size_t kInALine = 16;
  const core::TablePlan& table = group.tables.front();
  std::string text = "q of each bucket to " + group.name + " (q = NIC x " +
                     std::to_string(table.state.queues_per_nic) + " + queue; - : nobody)\n";
  for (size_t m = 0; m < group.members.size(); ++m) {
    text += "  NIC " + std::to_string(m) + " is " + plan.ports[group.members[m]].device + "\n";
  }
  for (size_t bucket = 0; bucket < table.slots.size(); ++bucket) {
    if (bucket % kInALine == 0) text += padded(std::to_string(bucket), 6) + ":";
    const core::Slot slot = table.slots[bucket];
    text += padded(slot == core::kNoSlot ? "-" : std::to_string(slot), 5);
    if (bucket % kInALine == kInALine - 1 || bucket + 1 == table.slots.size()) text += "\n";
  }
  return text;
}

}  // namespace console
