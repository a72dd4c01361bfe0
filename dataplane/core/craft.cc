// SPDX-License-Identifier: BSD-3-Clause
// The search for tuples; see craft.h. Pure.
#include "core/craft.h"

#include <algorithm>

namespace core {
namespace {

constexpr size_t kEthernetBytes = 14;

// The address `steps` behind this one; carries within the last four bytes.
IpAddress counted_up(const IpAddress& address, uint32_t steps) {
  IpAddress out = address;
  uint8_t* last_word = out.bytes.data() + (address.v6 ? 12 : 0);
  store_be32(last_word, load_be32(last_word) + steps);
  return out;
}

// One frame, asked again and again with another source.
class Probe {
 public:
  Probe(const Plan& plan, const FiveTuple& tuple, uint16_t port_index)
      : plan_(plan), tuple_(tuple), port_index_(port_index), frame_(frame_of(tuple)) {}

  void set_address(const IpAddress& address) {
    tuple_.src = address;
    std::copy_n(address.bytes.begin(), address.v6 ? 16 : 4, &frame_[kEthernetBytes + (address.v6 ? 8 : 12)]);
  }
  // Only of a tuple with ports.
  void set_port(uint16_t port) {
    tuple_.src_port = port;
    store_be16(&frame_[kEthernetBytes + (tuple_.src.v6 ? 40 : 20)], port);
  }
  Explanation ask() const { return explain(plan_, frame_, port_index_); }
  const FiveTuple& tuple() const { return tuple_; }

 private:
  const Plan& plan_;
  FiveTuple tuple_;
  uint16_t port_index_;
  std::vector<uint8_t> frame_;
};

std::string why_unused(const MemberState& member) {
  if (!member.up) return "it is down";
  if (member.drained) return "it is drained";
  if (member.excluded) return "it is excluded for this priority";
  if (member.weight == 0) return "its weight is 0";
  return "all its buckets are pinned elsewhere";
}

// The port by which packets like the first one come in and go to the wanted group.
std::optional<uint16_t> find_port(const Plan& plan, const CraftRequest& request) {
  for (uint16_t i = 0; i < plan.ports.size(); ++i) {
    if (!plan.ports[i].enabled || plan.ports[i].group == kNoGroup) continue;
    if (explain(plan, request.first, i).target == request.group) return i;
  }
  return std::nullopt;
}

// What makes the search hopeless before it begins; empty when nothing does.
std::string hopeless(const Plan& plan, const CraftRequest& request, uint16_t port_index) {
  const GroupPlan& group = plan.groups[request.group];
  const Explanation first = explain(plan, request.first, port_index);
  const std::string by = " that come in by " + plan.ports[port_index].device;
  if (first.target == kNoGroup) {
    return "packets like the first one" + by +
           " are dropped: " + std::string(name_of(first.dropped.value_or(DropReason::no_route)));
  }
  if (first.target != request.group) {
    return "packets like the first one" + by + " go to group " + plan.groups[first.target].name +
           ", not to " + group.name;
  }
  const TablePlan& table = group.table(first.priority);
  const uint16_t q = table.state.queues_per_nic;
  if (std::find(table.slots.begin(), table.slots.end(), request.slot) != table.slots.end()) return {};
  const std::string& device = plan.ports[group.members[request.slot / q]].device;
  return "no bucket leads to queue " + std::to_string(request.slot) + " (" + device + ", queue " +
         std::to_string(request.slot % q) + "): " + why_unused(table.state.members[request.slot / q]);
}

void search(const Plan& plan, const CraftRequest& request, Crafted& out) {
  const bool has_ports = explain(plan, request.first, out.port_index).headers.has_ports;
  // A source that is not in the key, which a symmetric one may hide on the other side, changes nothing.
  const KeyFields& fields = plan.fields;
  const bool ports_count = has_ports && (fields.src_port || (fields.symmetric && fields.dst_port));
  const bool addresses_count = fields.src_ip || (fields.symmetric && fields.dst_ip);
  const uint32_t last_port = ports_count ? request.last_src_port : request.first.src_port;
  const uint32_t addresses = addresses_count ? request.addresses : 1;
  Probe probe(plan, request.first, out.port_index);
  for (uint32_t a = 0; a < addresses; ++a) {
    probe.set_address(counted_up(request.first.src, a));
    for (uint32_t port = request.first.src_port; port <= last_port; ++port) {
      if (out.tuples.size() == request.count || out.tries == request.most_tries) return;
      if (has_ports) probe.set_port(static_cast<uint16_t>(port));
      ++out.tries;
      const Explanation answer = probe.ask();
      if (answer.target == request.group && answer.slot == request.slot && !answer.dropped)
        out.tuples.push_back(probe.tuple());
    }
  }
}

}  // namespace

FiveTuple first_crafted() {
  return {.src = {.v6 = false, .bytes = {198, 18, 0, 1}},
          .dst = {.v6 = false, .bytes = {198, 19, 0, 1}},
          .src_port = 49152,
          .dst_port = kRoceV2Port};
}

Crafted craft(const Plan& plan, const CraftRequest& request) {
  Crafted out;
  if (request.group >= plan.groups.size()) {
    out.problem = "there is no such group";
    return out;
  }
  const GroupPlan& group = plan.groups[request.group];
  const size_t slots = group.members.size() * group.tables.front().state.queues_per_nic;
  if (request.slot >= slots) {
    out.problem = "found queue " + std::to_string(request.slot) + "; allowed for group " + group.name + " " +
                  (slots == 0 ? "none, it has no port" : "0 to " + std::to_string(slots - 1));
    return out;
  }
  const auto port_index = request.port_index ? request.port_index : find_port(plan, request);
  if (!port_index) {
    out.problem = "packets like the first one go to group " + group.name + " from no port";
    return out;
  }
  out.port_index = *port_index;
  out.problem = hopeless(plan, request, *port_index);
  if (!out.problem.empty()) return out;
  search(plan, request, out);
  if (out.tuples.size() < request.count) {
    out.problem = "found " + std::to_string(out.tuples.size()) + " of " + std::to_string(request.count) +
                  " in " + std::to_string(out.tries) +
                  " tries; the search varies source port and address as far"
                  " as they are in the key";
  }
  return out;
}

}  // namespace core
