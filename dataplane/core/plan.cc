// SPDX-License-Identifier: BSD-3-Clause
// Queues, pools and the workers' bundle from settings and device facts; see plan.h. Pure.
#include "core/plan.h"

#include <algorithm>
#include <map>

namespace core {
namespace {

std::string key_of(size_t port, const char* name) {
  return "port[" + std::to_string(port) + "]." + name;
}

// Call when the port's Q is known.
uint16_t rx_queues_of(const PortSettings& port, const PortFacts& facts, size_t index, Layout& layout) {
  const unsigned tx_queues = layout.ports[index].tx_queues(layout.workers);
  if (port.rx_queues) {
    if (*port.rx_queues > facts.max_rx_queues) {
      layout.problems.push_back(
          {key_of(index, "rx_queues"), facts.device + " has " + std::to_string(facts.max_rx_queues) +
                                           " RX queue(s), asked for " + std::to_string(*port.rx_queues) +
                                           "; lower it, or leave it out to take what there is"});
    } else if (facts.pairs_queues && *port.rx_queues != tx_queues) {
      layout.problems.push_back({key_of(index, "rx_queues"),
                                 facts.driver + " wants as many RX as TX queues, and the workers need " +
                                     std::to_string(tx_queues) + " TX queue(s); asked for " +
                                     std::to_string(*port.rx_queues) + "; set it to " +
                                     std::to_string(tx_queues) + ", or leave it out"});
    }
    return *port.rx_queues;
  }
  const unsigned wanted = 2 * layout.workers;
  const unsigned given = facts.pairs_queues ? tx_queues : std::min<unsigned>(wanted, facts.max_rx_queues);
  if (given != wanted) {
    layout.notes.push_back(
        facts.device + ": " + std::to_string(given) + " RX queue(s) instead of " + std::to_string(wanted) +
        " (2 x lcores): " +
        (facts.pairs_queues ? facts.driver + " wants as many as TX queues" : "the device has no more"));
  }
  return static_cast<uint16_t>(given);
}

// The largest Q this device can carry with W workers; problems when not even one each.
unsigned possible_q(const PortFacts& facts, unsigned workers, size_t index, Layout& layout) {
  const unsigned possible = facts.max_tx_queues / workers;
  if (possible == 0) {
    layout.problems.push_back(
        {key_of(index, "device"), facts.device + " has " + std::to_string(facts.max_tx_queues) +
                                      " TX queue(s) for " + std::to_string(workers) +
                                      " workers, and each needs one of its own; use fewer lcores"});
  }
  return std::max(possible, 1u);
}

// One Q for each set of ports that take the same packets: a group in mode gateway, else the port itself.
// Ports that cannot send have no say in it.
void choose_queues_per_nic(const Settings& settings, const std::vector<PortFacts>& facts, Layout& layout) {
  const unsigned workers = layout.workers;
  const auto& asked = settings.distribution.queues_per_nic;
  const unsigned wanted = asked.value_or(static_cast<uint16_t>(workers));
  std::map<std::string, unsigned> given;
  const auto set_of = [&](size_t i) {
    return settings.engine.mode == Mode::gateway ? settings.ports[i].group : facts[i].device;
  };
  for (size_t i = 0; i < facts.size(); ++i) {
    unsigned& q = given.try_emplace(set_of(i), wanted).first->second;
    if (!facts[i].sends) continue;
    const unsigned possible = possible_q(facts[i], workers, i, layout);
    if (possible >= q) continue;
    if (asked) {
      layout.problems.push_back({"distribution.queues_per_nic",
                                 facts[i].device + " has " + std::to_string(facts[i].max_tx_queues) +
                                     " TX queue(s); " + std::to_string(wanted) + " for each of " +
                                     std::to_string(workers) + " worker(s) was asked for; lower it to " +
                                     std::to_string(possible) + ", or leave it out"});
    } else {
      layout.notes.push_back(set_of(i) + ": queues_per_nic is " + std::to_string(possible) + " instead of " +
                             std::to_string(wanted) + " there: " + facts[i].device +
                             " has no more TX queues");
    }
    q = possible;
  }
  std::map<std::string, uint64_t> queues;
  for (size_t i = 0; i < facts.size(); ++i) {
    layout.ports[i].queues_per_nic = static_cast<uint16_t>(given.at(set_of(i)));
    queues[set_of(i)] += given.at(set_of(i));
  }
  if (settings.engine.mode != Mode::gateway) return;
  for (const auto& [group, count] : queues) {
    const uint64_t buckets = count * settings.distribution.buckets_per_queue;
    if (buckets <= kMaxBuckets) continue;
    layout.problems.push_back(
        {"distribution.buckets_per_queue",
         std::to_string(settings.distribution.buckets_per_queue) + " for each of " + std::to_string(count) +
             " queues of " + group + " are " + std::to_string(buckets) +
             " buckets; allowed: " + std::to_string(kMaxBuckets) + "; lower it, or queues_per_nic"});
  }
}

uint16_t target_of_port(const Settings& settings, const std::vector<GroupPlan>& groups, size_t index) {
  if (settings.engine.mode == Mode::gateway) {
    const std::string_view target = target_of(settings.ports[index].group);
    for (uint16_t g = 0; g < groups.size(); ++g) {
      if (groups[g].name == target) return g;
    }
    return 0;
  }
  // testpmd's paired topology: 0-1, 2-3; an odd last port sends to itself.
  const size_t pair = index ^ 1;
  return static_cast<uint16_t>(pair < settings.ports.size() ? pair : index);
}

GroupPlan make_group(std::string_view name, const Settings& settings, const std::vector<PortPlan>& ports) {
  GroupPlan group;
  group.name = name;
  for (uint16_t i = 0; i < ports.size(); ++i) {
    if (ports[i].group != name) continue;
    group.members.push_back(i);
    group.state.members.push_back({.weight = settings.ports[i].weight});
    group.state.queues_per_nic = ports[i].queues_per_nic;
  }
  group.state.buckets_per_queue = settings.distribution.buckets_per_queue;
  group.table = build_table(group.state);
  group.moved = moves_between(documents_rule(group.state), group.table, group.state);
  group.buckets = FastModulo(static_cast<uint32_t>(group.table.size()));
  for (const Slot slot : group.table) {
    const uint16_t q = group.state.queues_per_nic;
    group.exit_of_bucket.push_back(
        slot == kNoSlot ? kNoExit
                        : static_cast<uint16_t>(ports[group.members[slot / q]].first_exit + slot % q));
  }
  return group;
}

}  // namespace

Layout lay_out_queues(const Settings& settings, const std::vector<PortFacts>& facts, unsigned workers) {
  Layout layout;
  layout.workers = workers;
  layout.ports.resize(facts.size());
  choose_queues_per_nic(settings, facts, layout);
  unsigned next_worker = 0;  // runs on over all ports, so that single-queue ports do not all meet on worker 0
  for (size_t i = 0; i < facts.size(); ++i) {
    PortLayout& port = layout.ports[i];
    port.sends = facts[i].sends;
    port.rx_queues = rx_queues_of(settings.ports[i], facts[i], i, layout);
    for (uint16_t r = 0; r < port.rx_queues; ++r) {
      port.rx_queue_worker.push_back(static_cast<uint16_t>(next_worker++ % workers));
    }
  }
  return layout;
}

std::vector<PoolNeed> pool_needs(const Settings& settings, const std::vector<PortFacts>& facts,
                                 const Layout& layout) {
  uint64_t tx_rings = 0, held = 0;
  std::map<int, PoolNeed> nodes;
  for (size_t i = 0; i < facts.size(); ++i) {
    const uint64_t tx_queues = layout.ports[i].tx_queues(layout.workers);
    tx_rings += tx_queues * settings.ports[i].tx_descriptors;
    held += tx_queues * settings.engine.hold_packets;
    PoolNeed& need = nodes[facts[i].numa_node];
    need.rx_rings += uint64_t{layout.ports[i].rx_queues} * settings.ports[i].rx_descriptors;
    need.preloaded += facts[i].preloaded_mbufs;
  }
  std::vector<PoolNeed> needs;
  for (auto& [node, need] : nodes) {
    need.numa_node = node;
    need.tx_rings = tx_rings;
    need.held = held;
    need.caches =
        uint64_t{layout.workers + 1} * kPoolCache * 3 / 2;  // a cache is flushed at one and a half its size
    need.in_flight = uint64_t{layout.workers} * settings.engine.burst;
    need.reserve = settings.engine.reserve_mbufs;
    needs.push_back(need);
  }
  return needs;
}

Plan make_plan(const Settings& settings, const std::vector<PortFacts>& facts, const Layout& layout) {
  Plan plan;
  plan.mode = settings.engine.mode;
  plan.burst = settings.engine.burst;
  plan.workers = layout.workers;
  plan.drop_link_local = settings.engine.link_local == Treatment::drop;
  plan.drop_malformed = settings.engine.malformed == Treatment::drop;
  plan.hold_packets = settings.engine.hold_packets;
  plan.vlan_tag = settings.distribution.vlan_tag;
  plan.fields = settings.distribution.fields;
  plan.hash =
      FlowHash(settings.distribution.hash, settings.distribution.seed, settings.distribution.toeplitz_key);
  for (size_t i = 0; i < facts.size(); ++i) {
    const PortSettings& port = settings.ports[i];
    PortPlan out;
    out.device = facts[i].device;
    out.group = port.group;
    out.port = facts[i].port;
    out.sends = facts[i].sends;
    out.mtu = port.mtu;
    out.queues_per_nic = layout.ports[i].queues_per_nic;
    out.first_exit = plan.exits;
    out.speed_bps = port.speed_bps;
    out.mac = facts[i].mac;
    out.next_hop = port.next_hop_mac;
    plan.exits = static_cast<uint16_t>(plan.exits + out.queues_per_nic);
    plan.ports.push_back(std::move(out));
  }
  if (plan.mode == Mode::gateway) {
    for (std::string_view name : {kAccess, kUplink})
      plan.groups.push_back(make_group(name, settings, plan.ports));
  }
  for (size_t i = 0; i < plan.ports.size(); ++i)
    plan.ports[i].target = target_of_port(settings, plan.groups, i);
  return plan;
}

}  // namespace core
