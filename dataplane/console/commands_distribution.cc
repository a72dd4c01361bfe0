// SPDX-License-Identifier: BSD-3-Clause
// Section distribution: hash, table, members and domains. Control thread.
#include <algorithm>

#include "console/console.h"
#include "console/hash_text.h"
#include "control/settings_file.h"
#include "control/words.h"

namespace console {
namespace {

using control::grouped;
using nlohmann::json;

constexpr const char* kGatewayOnly =
    "only mode gateway distributes by hash; set fwd gateway, in a file with groups";

bool is_gateway(Console& console) {
  return console.engine().plan().mode == core::Mode::gateway;
}

const core::GroupPlan* group_of(Console& console, const std::string& name) {
  for (const core::GroupPlan& group : console.engine().plan().groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

Answer unknown_group(Console& console, const std::string& name) {
  std::string allowed;
  for (const core::GroupPlan& group : console.engine().plan().groups)
    allowed += (allowed.empty() ? "" : ", ") + group.name;
  return Answer::refuse("group: found \"" + name + "\"; allowed: " + allowed);
}

// Without a group the one that traffic from the first group goes to.
std::string group_name(const Arguments& arguments) {
  return arguments.has("group") ? arguments.text("group") : std::string(core::kUplink);
}

Answer show_hash(Console& console, const Arguments&) {
  return Answer::show(hash_text(console.settings()), hash_json(console.settings()));
}

Answer show_distribution(Console& console, const Arguments&) {
  if (!is_gateway(console)) return Answer::refuse(kGatewayOnly);
  const control::Report& report = console.engine().recent_report();
  return Answer::show(distribution_text(console.engine().plan(), report),
                      distribution_json(console.engine().plan(), report));
}

Answer show_buckets(Console& console, const Arguments& arguments) {
  if (!is_gateway(console)) return Answer::refuse(kGatewayOnly);
  const core::GroupPlan* group = group_of(console, arguments.text("group"));
  if (group == nullptr) return unknown_group(console, arguments.text("group"));
  json buckets = group->tables.front().slots;
  return Answer::show(buckets_text(console.engine().plan(), *group), buckets);
}

Answer edit(Console& console, control::EditedSettings edited, const std::string& what) {
  if (!edited.problem.empty()) return Answer::refuse(edited.problem);
  return console.change(std::move(edited.settings), what, "");
}

// set TABLE KEY VALUE: `words` is the argument that names the key.
Answer set_key(Console& console, const std::string& table, const std::string& key, const std::string& value) {
  return edit(console, control::with_key(console.settings(), table, key, value),
              "set " + table + " " + key + " " + value);
}

constexpr const char* kDistributionKeys =
    "hash|toeplitz_key|seed|fields|symmetric|port_ranges|vlan_tag|owner|queues_per_nic|buckets_per_queue";

Answer set_distribution(Console& console, const Arguments& arguments) {
  return set_key(console, "distribution", arguments.text(kDistributionKeys), arguments.text("value"));
}
Answer set_engine(Console& console, const Arguments& arguments) {
  return set_key(console, "engine", arguments.text("key"), arguments.text("value"));
}
Answer set_failover(Console& console, const Arguments& arguments) {
  return set_key(console, "failover", arguments.text("key"), arguments.text("value"));
}
Answer set_flowgen(Console& console, const Arguments& arguments) {
  return set_key(console, "flowgen", arguments.text("key"), arguments.text("value"));
}

constexpr const char* kPortKeys =
    "weight|drain|enabled|domain|liveness|address|next_hop_ip|next_hop_mac|excluded_priorities|speed|group";

Answer set_port_key(Console& console, const Arguments& arguments) {
  const std::string &port = arguments.text("port"), &key = arguments.text(kPortKeys),
                    &value = arguments.text("value");
  return edit(console, control::with_port_key(console.settings(), *console.port_of(port), key, value),
              "set port " + port + " " + key + " " + value);
}

// The rule's q names NIC and queue at once.
Answer pin_bucket(Console& console, const Arguments& arguments) {
  if (!is_gateway(console)) return Answer::refuse(kGatewayOnly);
  const core::GroupPlan* group = group_of(console, group_name(arguments));
  if (group == nullptr) return unknown_group(console, group_name(arguments));
  const core::GroupState& state = group->tables.front().state;
  const uint64_t bucket = arguments.number("bucket"), q = arguments.number("q");
  const uint64_t queues = uint64_t{state.queues_per_nic} * group->members.size();
  if (bucket >= group->tables.front().slots.size()) {
    return Answer::refuse("bucket: found " + std::to_string(bucket) + "; allowed: 0 to " +
                          std::to_string(group->tables.front().slots.size() - 1));
  }
  if (q >= queues)
    return Answer::refuse("q: found " + std::to_string(q) + "; allowed: 0 to " + std::to_string(queues - 1));
  core::Settings next = console.settings();
  std::erase_if(next.pins, [&](const core::PinSettings& pin) {
    return pin.group == group->name && pin.bucket == bucket;
  });
  const core::PortPlan& nic = console.engine().plan().ports[group->members[q / state.queues_per_nic]];
  next.pins.push_back({group->name, nic.device, static_cast<uint32_t>(bucket),
                       static_cast<uint16_t>(q % state.queues_per_nic)});
  return console.change(std::move(next),
                        "set distribution bucket " + std::to_string(bucket) + " queue " + std::to_string(q),
                        "bucket " + std::to_string(bucket) + " of " + group->name + " uses queue " +
                            std::to_string(q % state.queues_per_nic) + " of " + nic.device + "\n");
}

Answer unpin_bucket(Console& console, const Arguments& arguments) {
  core::Settings next = console.settings();
  const std::string group = group_name(arguments);
  const uint64_t bucket = arguments.number("bucket");
  const size_t gone = std::erase_if(
      next.pins, [&](const core::PinSettings& pin) { return pin.group == group && pin.bucket == bucket; });
  if (gone == 0)
    return Answer::refuse("bucket " + std::to_string(bucket) + " of " + group + " is not pinned");
  return console.change(std::move(next), "clear distribution bucket " + std::to_string(bucket), "");
}

Answer set_member(Console& console, const Arguments& arguments) {
  const std::string& state = arguments.text("up|down|drain");
  core::Settings next = console.settings();
  core::PortSettings& port = next.ports[*console.port_of(arguments.text("device"))];
  port.enabled = state != "down";
  port.drain = state == "drain";
  return console.change(std::move(next), "set member " + port.device + " " + state, "");
}

Answer set_weight(Console& console, const Arguments& arguments) {
  core::Settings next = console.settings();
  core::PortSettings& port = next.ports[*console.port_of(arguments.text("device"))];
  port.weight = static_cast<uint32_t>(arguments.number("weight"));
  return console.change(std::move(next),
                        "set member " + port.device + " weight " + std::to_string(port.weight), "");
}

Answer set_domain(Console& console, const Arguments& arguments) {
  const std::string& domain = arguments.text("domain");
  core::Settings next = console.settings();
  const auto in_domain = [&](const core::PortSettings& port) { return port.domain == domain; };
  if (std::none_of(next.ports.begin(), next.ports.end(), in_domain)) {
    std::string there;
    for (const core::PortSettings& port : next.ports) {
      if (!port.domain.empty() && there.find(port.domain) == std::string::npos)
        there += (there.empty() ? "" : ", ") + port.domain;
    }
    return Answer::refuse(
        "domain: found \"" + domain + "\"; allowed: " +
        (there.empty() ? "none, since no port names one; set port PORT domain NAME" : there));
  }
  std::erase(next.failover.domains_down, domain);
  if (arguments.text("up|down") == "down") next.failover.domains_down.push_back(domain);
  return console.change(std::move(next), "set domain " + domain + " " + arguments.text("up|down"), "");
}

uint16_t ingress_of(Console& console, const Arguments& arguments) {
  return arguments.has("port") ? static_cast<uint16_t>(*console.port_of(arguments.text("port")))
                               : console.first_access_port();
}

Answer explain_tuple(Console& console, const Arguments& arguments) {
  if (!is_gateway(console)) return Answer::refuse(kGatewayOnly);
  const ReadTuple read = read_tuple(arguments.text("src"), arguments.text("dst"), arguments.number("sport"),
                                    arguments.number("dport"), arguments.text("proto"));
  if (!read.problem.empty()) return Answer::refuse(read.problem);
  const core::Plan& plan = console.engine().plan();
  const core::Explanation explained = core::explain(plan, read.tuple, ingress_of(console, arguments));
  return Answer::show(explanation_text(plan, explained), explanation_json(plan, explained));
}

Answer explain_frame(Console& console, const Arguments& arguments) {
  if (!is_gateway(console)) return Answer::refuse(kGatewayOnly);
  const ReadFrame read = read_frame(arguments.text("frame"));
  if (!read.problem.empty()) return Answer::refuse(read.problem);
  const core::Plan& plan = console.engine().plan();
  const core::Explanation explained = core::explain(plan, read.bytes, ingress_of(console, arguments));
  return Answer::show(explanation_text(plan, explained), explanation_json(plan, explained));
}

// A try takes about a microsecond, in which nothing else is controlled: a failure must not wait for long.
constexpr uint32_t kMostTries = 4'000;

Answer craft(Console& console, const Arguments& arguments) {
  if (!is_gateway(console)) return Answer::refuse(kGatewayOnly);
  const core::Plan& plan = console.engine().plan();
  const core::GroupPlan* group = group_of(console, group_name(arguments));
  if (group == nullptr) return unknown_group(console, group_name(arguments));
  const uint64_t queues = uint64_t{group->tables.front().state.queues_per_nic} * group->members.size();
  if (arguments.number("q") >= queues) {
    return Answer::refuse("q: found " + arguments.text("q") + "; allowed: 0 to " +
                          std::to_string(queues - 1));
  }
  if (std::none_of(group->members.begin(), group->members.end(),
                   [&](uint16_t m) { return plan.ports[m].sends; }))
    return Answer::refuse("no port of " + group->name + " can send, so no flow leaves by it (no_tx)");
  core::CraftRequest request;
  request.group = static_cast<uint16_t>(group - plan.groups.data());
  request.slot = static_cast<core::Slot>(arguments.number("q"));
  request.count = arguments.has("count") ? static_cast<uint32_t>(arguments.number("count")) : 1;
  request.most_tries = kMostTries;
  core::Crafted crafted = core::craft(plan, request);
  if (crafted.tries == kMostTries && !crafted.problem.empty())
    crafted.problem += "; one command makes up to " + control::grouped(kMostTries) + " tries";
  if (crafted.tuples.empty()) return Answer::refuse(crafted.problem);
  return Answer::show(crafted_text(crafted), crafted_json(crafted));
}

}  // namespace

std::vector<Command> distribution_commands() {
  constexpr Effect kShows = Effect::shows;
  constexpr Effect kLive = Effect::live;
  static const std::string kSetDistribution =
      "set distribution " + std::string(kDistributionKeys) + " <value...>";
  static const std::string kSetPort = "set port <port:port> " + std::string(kPortKeys) + " <value...>";
  const std::string_view about = "distribution";
  return {
      {about, "show hash", "Show hash function, seed and the fields of the flow key.", kShows, show_hash},
      {about, "show distribution",
       "Show each group's table: members, their buckets, what has moved, fairness.", kShows,
       show_distribution},
      {about, "show distribution buckets <group>", "Show which NIC and queue every bucket uses.", kShows,
       show_buckets},
      {about, kSetDistribution, "Set a key of [distribution]; hash, seed and fields reorder flows once.",
       kLive, set_distribution},
      {about, "set distribution bucket <bucket:number(0,65535)> queue <q:number(0,65535)>",
       "Pin a bucket of uplink to the rule's queue q = NIC x Q + queue.", kLive, pin_bucket},
      {about, "set distribution bucket <bucket:number(0,65535)> queue <q:number(0,65535)> group <group>",
       "The same for another group.", kLive, pin_bucket},
      {about, "clear distribution bucket <bucket:number(0,65535)>", "Take a pin of uplink away.", kLive,
       unpin_bucket},
      {about, "clear distribution bucket <bucket:number(0,65535)> group <group>",
       "The same for another group.", kLive, unpin_bucket},
      {about, "set member <device:port> up|down|drain", "Use a NIC, stop it, or let its flows move away.",
       kLive, set_member},
      {about, "set member <device:port> weight <weight:number(0,1000)>",
       "Set a NIC's share; 0 keeps it empty.", kLive, set_weight},
      {about, "set domain <domain> up|down", "Take all NICs of a domain (one ToR switch) out, or in again.",
       kLive, set_domain},
      {about, kSetPort, "Set a key of a [[port]].", kLive, set_port_key},
      {about, "set engine <key> <value...>", "Set a key of [engine].", Effect::restart, set_engine},
      {about, "set failover <key> <value...>", "Set a key of [failover].", kLive, set_failover},
      {about, "set flowgen <key> <value...>", "Set a key of [flowgen].", Effect::restart, set_flowgen},
      {about, "hash explain <src> <dst> <sport:number(0,65535)> <dport:number(0,65535)> <proto>",
       "Show where packets of a flow go and why, by the code that forwards.", kShows, explain_tuple},
      {about,
       "hash explain <src> <dst> <sport:number(0,65535)> <dport:number(0,65535)> <proto> from <port:port>",
       "The same for packets that come in by a port.", kShows, explain_tuple},
      {about, "hash explain frame <frame...>",
       "The same for a frame: hexadecimal bytes, or @FILE[:N] of a capture.", kShows, explain_frame},
      {about, "hash craft queue <q:number(0,65535)>", "Find a flow to uplink that uses the rule's queue q.",
       kShows, craft},
      {about, "hash craft queue <q:number(0,65535)> group <group>", "Find a flow to another group.", kShows,
       craft},
      {about, "hash craft queue <q:number(0,65535)> count <count:number(1,200)>", "Find several.", kShows,
       craft},
      {about, "hash craft queue <q:number(0,65535)> count <count:number(1,200)> group <group>",
       "Find flows to another group.", kShows, craft},
  };
}

}  // namespace console
