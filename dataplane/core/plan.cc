// SPDX-License-Identifier: BSD-3-Clause
// The workers' bundle from settings, facts and health; see plan.h. Pure.
#include "core/plan.h"

#include <algorithm>

#include "core/rss_reuse.h"

namespace core {
namespace {

bool is_up(const std::vector<bool>& up, size_t port) {
  return up.empty() || up[port];
}

bool domain_is_down(const Settings& settings, const std::string& domain) {
  const auto& down = settings.failover.domains_down;
  return !domain.empty() && std::find(down.begin(), down.end(), domain) != down.end();
}

PortPlan make_port(const Settings& settings, size_t index, const PortFacts& facts, const PortLayout& layout) {
  const PortSettings& port = settings.ports[index];
  PortPlan out;
  out.device = facts.device;
  out.port = facts.port;
  out.enabled = port.enabled;
  out.sends = facts.sends;
  out.mtu = port.mtu;
  out.queues_per_nic = layout.queues_per_nic;
  out.gives_rss_hash = reuses_hash_of(facts, settings);
  out.speed_bps = port.speed_bps;
  out.mac = facts.mac;
  out.next_hop = port.next_hop_mac;
  out.address = port.address;
  if (port.liveness == Liveness::probe) out.next_hop_ip = port.next_hop_ip;
  out.paired = static_cast<uint16_t>(index);
  return out;
}

std::vector<PinnedBucket> pins_of(const Settings& settings, const GroupPlan& group,
                                  const std::vector<PortPlan>& ports, uint16_t queues_per_nic) {
  std::vector<PinnedBucket> pinned;
  for (const PinSettings& pin : settings.pins) {
    if (pin.group != group.name) continue;
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (ports[group.members[m]].device != pin.device || pin.queue >= queues_per_nic) continue;
      pinned.push_back({pin.bucket, static_cast<Slot>(m * queues_per_nic + pin.queue)});
    }
  }
  return pinned;
}

// The state of a group for packets of one priority.
GroupState state_of(const Settings& settings, const GroupPlan& group, const std::vector<PortPlan>& ports,
                    const std::vector<bool>& up, unsigned priority) {
  GroupState state;
  state.buckets_per_queue = settings.distribution.buckets_per_queue;
  for (const uint16_t i : group.members) {
    const PortSettings& port = settings.ports[i];
    MemberState member;
    member.up = is_up(up, i) && port.enabled && !domain_is_down(settings, port.domain);
    member.drained = port.drain;
    member.excluded = (port.excluded_priorities >> priority & 1) != 0;
    member.weight = port.weight;
    state.members.push_back(member);
    state.queues_per_nic = ports[i].queues_per_nic;
  }
  state.pinned = pins_of(settings, group, ports, state.queues_per_nic);
  return state;
}

TablePlan make_table(GroupState state, const GroupPlan& group, const Plan& plan) {
  TablePlan table;
  table.state = std::move(state);
  table.slots = build_table(table.state);
  table.from_rule = moves_between(documents_rule(table.state), table.slots, table.state);
  table.gone.resize(plan.exits);
  const uint16_t q = table.state.queues_per_nic;
  for (size_t m = 0; m < group.members.size(); ++m) {
    const MemberState& member = table.state.members[m];
    const uint16_t first = plan.ports[group.members[m]].first_exit;
    if (!member.up || member.excluded) std::fill_n(table.gone.begin() + first, q, uint8_t{1});
  }
  table.exit_of_bucket.reserve(table.slots.size());
  for (const Slot slot : table.slots) {
    table.exit_of_bucket.push_back(
        slot == kNoSlot ? kNoExit
                        : static_cast<uint16_t>(plan.ports[group.members[slot / q]].first_exit + slot % q));
  }
  return table;
}

// One table for all priorities that see the group alike.
void make_tables(const Settings& settings, const Plan& plan, const std::vector<bool>& up, GroupPlan& group) {
  for (unsigned priority = 0; priority < kPriorities; ++priority) {
    GroupState state = state_of(settings, group, plan.ports, up, priority);
    const auto same = std::find_if(group.tables.begin(), group.tables.end(),
                                   [&](const TablePlan& table) { return table.state == state; });
    group.table_of_priority[priority] = static_cast<uint8_t>(same - group.tables.begin());
    if (same == group.tables.end()) group.tables.push_back(make_table(std::move(state), group, plan));
  }
  group.buckets = FastModulo(static_cast<uint32_t>(group.tables.front().slots.size()));
}

// The first member that carries traffic, else the first that is up; alone it needs no election.
uint16_t elect(const GroupPlan& group) {
  if (group.members.size() < 2) return kNoPort;
  uint16_t first_up = kNoPort;
  const std::vector<MemberState>& members = group.tables.front().state.members;
  for (size_t m = 0; m < members.size(); ++m) {
    if (members[m].usable()) return group.members[m];
    if (members[m].up && first_up == kNoPort) first_up = group.members[m];
  }
  return first_up;
}

uint32_t takes_as_is(const GroupPlan& group, const Plan& plan) {
  constexpr uint32_t kEthernetBytes = 14;
  uint32_t bytes = UINT32_MAX;
  for (const uint16_t i : group.members) {
    const PortPlan& port = plan.ports[i];
    bytes = std::min(bytes, port.sends && !port.next_hop ? port.mtu + kEthernetBytes : 0);
  }
  return bytes;
}

GroupSettings settings_of(const Settings& settings, const std::string& group) {
  for (const GroupSettings& candidate : settings.groups) {
    if (candidate.name == group) return candidate;
  }
  return {};
}

void make_groups(const Settings& settings, const std::vector<bool>& up, Plan& plan) {
  const std::vector<std::string> names = group_names(settings);
  std::vector<bool> usable;
  for (uint16_t g = 0; g < names.size(); ++g) {
    GroupPlan& group = plan.groups.emplace_back();
    group.name = names[g];
    for (uint16_t i = 0; i < plan.ports.size(); ++i) {
      if (settings.ports[i].group != names[g]) continue;
      group.members.push_back(i);
      plan.ports[i].group = g;
    }
    make_tables(settings, plan, up, group);
    const GroupSettings own = settings_of(settings, names[g]);
    group.takes_as_is = takes_as_is(group, plan);
    group.loop_guard = own.loop_guard;
    if (own.broadcast == Broadcast::one) group.elected = elect(group);
    usable.push_back(group.usable());
  }
  std::vector<RouteList> routes = make_routes(settings, names, usable);
  for (size_t g = 0; g < names.size(); ++g) plan.groups[g].routes = std::move(routes[g]);
}

}  // namespace

bool GroupPlan::usable() const {
  return std::any_of(tables.begin(), tables.end(), [](const TablePlan& table) {
    return std::any_of(table.state.members.begin(), table.state.members.end(),
                       [](const MemberState& member) { return member.usable(); });
  });
}

namespace {

// A port that is not in the list is left alone, though its device stays started.
void choose_pairs(const Settings& settings, std::vector<PortPlan>& ports) {
  const std::vector<std::string>& names = settings.engine.forwarding_ports;
  std::vector<uint16_t> list;
  for (uint16_t i = 0; names.empty() && i < ports.size(); ++i) list.push_back(i);
  for (const std::string& name : names) {
    for (uint16_t i = 0; i < ports.size(); ++i) {
      if (ports[i].device == name) list.push_back(i);
    }
  }
  for (uint16_t i = 0; i < ports.size(); ++i) {
    ports[i].enabled &= std::find(list.begin(), list.end(), i) != list.end();
  }
  for (size_t at = 0; at < list.size(); ++at) {
    size_t to = at;
    if (settings.engine.port_topology == PortTopology::chained) to = (at + 1) % list.size();
    if (settings.engine.port_topology == PortTopology::paired) to = at ^ 1;
    ports[list[at]].paired = list[to < list.size() ? to : at];  // an odd last port sends to itself
  }
}

}  // namespace

std::optional<DropReason> reason_of(Verdict verdict, const Plan& plan) {
  switch (verdict) {
    case Verdict::forward:
      return std::nullopt;
    case Verdict::runt:
      return DropReason::runt;
    case Verdict::mac_control:
      return DropReason::mac_control;
    case Verdict::link_local:
      if (plan.drop_link_local) return DropReason::link_local;
      return std::nullopt;
    case Verdict::malformed:
      if (plan.drop_malformed) return DropReason::malformed;
      return std::nullopt;
  }
  return std::nullopt;
}

Plan make_plan(const Settings& settings, const std::vector<PortFacts>& facts, const Layout& layout,
               const std::vector<bool>& up) {
  Plan plan;
  plan.mode = settings.engine.mode;
  plan.burst = settings.engine.burst;
  plan.workers = layout.workers;
  plan.owner = settings.distribution.owner;
  plan.drop_link_local = settings.engine.link_local == Treatment::drop;
  plan.drop_malformed = settings.engine.malformed == Treatment::drop;
  plan.hold_packets = settings.engine.hold_packets;
  plan.settle_us = settings.failover.settle_us;
  plan.reorder_sample = settings.engine.reorder_sample;
  plan.record_cycles = settings.engine.record_core_cycles;
  plan.record_bursts = settings.engine.record_burst_stats;
  plan.simd = layout.simd;
  plan.vlan_tag = settings.distribution.vlan_tag;
  plan.fields = settings.distribution.fields;
  plan.hash =
      FlowHash(settings.distribution.hash, settings.distribution.seed, settings.distribution.toeplitz_key);
  for (uint16_t i = 0; i < facts.size(); ++i) {
    plan.ports.push_back(make_port(settings, i, facts[i], layout.ports[i]));
    PortPlan& port = plan.ports.back();
    port.first_exit = plan.exits;
    plan.exits = static_cast<uint16_t>(plan.exits + port.queues_per_nic);
    plan.port_of_exit.insert(plan.port_of_exit.end(), port.queues_per_nic, i);
  }
  if (plan.mode == Mode::gateway) {
    make_groups(settings, up, plan);
  } else {
    choose_pairs(settings, plan.ports);
  }
  return plan;
}

}  // namespace core
