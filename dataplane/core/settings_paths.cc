// SPDX-License-Identifier: BSD-3-Clause
// Decides whether the groups of mode gateway can be used: who their members are, what they may be used for,
// what fails together, how a next hop is probed. Called by validate() and warnings() of core/settings.h, on
// the control thread. Pure.
#include <algorithm>
#include <tuple>

#include "core/distribution_table.h"
#include "core/route.h"
#include "core/settings_checks.h"

namespace core {
namespace {

static_assert(limits::kPorts.most <= kMaxMembers, "a group has no more members than there are ports");

bool is_unspecified(const IpAddress& ip) {
  return ip.bytes == decltype(ip.bytes){};
}

// RFC 5771 (224.0.0.0/4), RFC 4291 section 2.7 (ff00::/8).
bool is_multicast(const IpAddress& ip) {
  return ip.v6 ? ip.bytes[0] == 0xff : ip.bytes[0] >> 4 == 0xe;
}

bool is_broadcast(const IpAddress& ip) {
  return !ip.v6 && std::all_of(ip.bytes.begin(), ip.bytes.begin() + 4, [](uint8_t b) { return b == 0xff; });
}

void check_station(const std::string& where, const IpAddress& ip, Findings& findings) {
  const std::string_view kind = is_unspecified(ip) ? "the unspecified"
                                : is_multicast(ip) ? "a multicast"
                                : is_broadcast(ip) ? "the broadcast"
                                                   : "";
  if (kind.empty()) return;
  findings.add(where, "found " + std::string(kind) + " address; allowed: the address of one station");
}

void check_liveness(const PortSettings& port, size_t index, Findings& findings) {
  const std::string address = port_key(index, "address"), next_hop = port_key(index, "next_hop_ip");
  if (port.address) check_station(address, *port.address, findings);
  if (port.next_hop_ip) check_station(next_hop, *port.next_hop_ip, findings);
  if (port.address && port.address == port.next_hop_ip) {
    findings.add(next_hop, "found the port's own address; allowed: the address of another station");
  }
  if (port.liveness != Liveness::probe) return;
  if (!port.address) findings.add(address, "missing; liveness \"probe\" sends its questions from it");
  if (!port.next_hop_ip) findings.add(next_hop, "missing; liveness \"probe\" asks it");
  if (port.address && port.next_hop_ip && port.address->v6 != port.next_hop_ip->v6) {
    const auto version = [](const IpAddress& ip) { return ip.v6 ? "IPv6" : "IPv4"; };
    findings.add(next_hop, std::string("found ") + version(*port.next_hop_ip) + ", and address is " +
                               version(*port.address) + "; liveness \"probe\" needs one version");
  }
}

void check_failover_numbers(const FailoverSettings& failover, Findings& findings) {
  findings.number("failover.hold_down_ms", failover.hold_down_ms, limits::kHoldDownMs);
  findings.number("failover.settle_us", failover.settle_us, limits::kSettleUs);
  findings.number("failover.probe_interval_ms", failover.probe_interval_ms, limits::kProbeIntervalMs);
  findings.number("failover.probes", failover.probes, limits::kProbes);
}

// Without [[route]]: access and uplink, and nothing else.
void check_exchange(const Settings& settings, const Groups& groups, Findings& findings) {
  for (size_t i = 0; i < settings.ports.size(); ++i) {
    const std::string& group = settings.ports[i].group;
    if (!target_of(group).empty()) continue;
    findings.add(port_key(i, "group"),
                 group.empty() ? "missing; mode gateway needs it, allowed: \"access\", \"uplink\""
                               : "a group called " + quoted(group) +
                                     " has no partner; groups that exchange traffic without [[route]]: " +
                                     listed(groups.names) + "; others need [[route]]");
  }
  for (const std::string& group : groups.names) {
    // A port whose group is refused was most likely meant for the one that seems empty.
    if (!groups.complete || !members_of(settings, group).empty()) continue;
    findings.add("port", "mode gateway needs at least one port in group " + group + "; found none");
  }
}

// With [[route]]: any names.
void check_free_groups(const Settings& settings, const Groups& groups, Findings& findings) {
  if (settings.ports.empty()) findings.add("port", "mode gateway needs ports, each in a group; found none");
  for (size_t i = 0; i < settings.ports.size(); ++i) {
    if (!settings.ports[i].group.empty()) continue;
    findings.add(port_key(i, "group"), "missing; mode gateway needs it: a name that a [[route]] uses");
  }
  if (groups.names.size() <= kMaxGroups) return;
  const std::string& first_beyond = groups.names[kMaxGroups];
  findings.add(port_key(members_of(settings, first_beyond).front(), "group"),
               quoted(first_beyond) + " is one of " + std::to_string(groups.names.size()) +
                   " groups; allowed at most " + std::to_string(kMaxGroups));
}

void check_group_tables(const Settings& settings, const Groups& groups, Findings& findings) {
  for (size_t i = 0; i < settings.groups.size(); ++i) {
    const std::string where = item_key("group", i, "name"), &name = settings.groups[i].name;
    check_group_name(where, name, "the group that these settings are of", groups, findings);
    const auto begin = settings.groups.begin(), end = begin + static_cast<ptrdiff_t>(i);
    const auto earlier = std::find_if(begin, end, [&](const GroupSettings& g) { return g.name == name; });
    if (name.empty() || earlier == end) continue;
    findings.add(where, quoted(name) + " is already " + item("group", static_cast<size_t>(earlier - begin)));
  }
}

void check_buckets(const Settings& settings, const std::string& group, size_t members, Findings& findings) {
  const auto& queues = settings.distribution.queues_per_nic;
  if (!queues) return;  // the number of workers, which the plan knows and checks
  const size_t buckets = size_t{settings.distribution.buckets_per_queue} * *queues * members;
  if (buckets <= kMaxBuckets) return;
  findings.add("distribution.buckets_per_queue",
               "found " + std::to_string(settings.distribution.buckets_per_queue) + " x " +
                   std::to_string(*queues) + " queues x " + std::to_string(members) + " ports of group " +
                   group + " = " + std::to_string(buckets) + " buckets; allowed at most " +
                   std::to_string(kMaxBuckets));
}

bool is_taken_down(const Settings& settings, const std::string& domain) {
  const auto& down = settings.failover.domains_down;
  return !domain.empty() && std::find(down.begin(), down.end(), domain) != down.end();
}

// Two members or more are there so that the loss of one is not the loss of all.
void check_domains(const Settings& settings, const std::string& group, const std::vector<size_t>& members,
                   Findings& findings) {
  if (members.size() < 2) return;
  const auto domain = [&](size_t i) -> const std::string& { return settings.ports[i].domain; };
  const std::string& first = domain(members.front());
  if (!first.empty() &&
      std::all_of(members.begin(), members.end(), [&](size_t i) { return domain(i) == first; })) {
    findings.add(port_key(members.front(), "domain"),
                 "every port of group " + group + " is in domain " + quoted(first) +
                     ": losing it loses the group; name the domains apart, or leave them out");
  }
  if (std::all_of(members.begin(), members.end(),
                  [&](size_t i) { return is_taken_down(settings, domain(i)); })) {
    findings.add("failover.domains_down",
                 "takes down every port of group " + group + "; leave at least one of its domains up");
  }
}

void check_priorities(const Settings& settings, const std::string& group, const std::vector<size_t>& members,
                      Findings& findings) {
  unsigned excluded = 0xff;
  for (const size_t i : members) excluded &= settings.ports[i].excluded_priorities;
  for (unsigned priority = 0; priority < kPriorities; ++priority) {
    if ((excluded >> priority & 1) == 0) continue;
    findings.add(port_key(members.front(), "excluded_priorities"),
                 "priority " + std::to_string(priority) + " is excluded on every port of group " + group +
                     "; leave it to at least one");
  }
}

void check_members(const Settings& settings, const std::string& group, Findings& findings) {
  const std::vector<size_t> members = members_of(settings, group);
  if (members.empty()) return;
  if (std::all_of(members.begin(), members.end(), [&](size_t i) { return settings.ports[i].weight == 0; })) {
    findings.add(port_key(members.front(), "weight"),
                 "every port of group " + group + " has weight 0; at least one needs more");
  }
  check_domains(settings, group, members, findings);
  check_priorities(settings, group, members, findings);
  check_buckets(settings, group, members.size(), findings);
}

void check_domains_down(const Settings& settings, Findings& findings) {
  std::vector<std::string> domains;
  for (const PortSettings& port : settings.ports) {
    if (port.domain.empty() || std::find(domains.begin(), domains.end(), port.domain) != domains.end())
      continue;
    domains.push_back(port.domain);
  }
  const auto& down = settings.failover.domains_down;
  for (size_t i = 0; i < down.size(); ++i) {
    if (std::find(domains.begin(), domains.end(), down[i]) != domains.end()) continue;
    findings.add(item("failover.domains_down", i),
                 "no port is in domain " + quoted(down[i]) + "; domains: " + listed(domains));
  }
}

void warn_of_weights(const Settings& settings, const std::string& group, Findings& findings) {
  const std::vector<size_t> members = members_of(settings, group);
  const auto differs = [&](size_t i) {
    return settings.ports[i].weight != settings.ports[members.front()].weight;
  };
  if (std::none_of(members.begin(), members.end(), differs)) return;
  std::vector<std::string> named;
  size_t first = members.back();
  for (const size_t i : members) {
    if (settings.ports[i].weight == 1) continue;
    named.push_back(settings.ports[i].device + " has " + std::to_string(settings.ports[i].weight));
    first = std::min(first, i);
  }
  findings.add(port_key(first, "weight"),
               "weights of group " + group + " differ (" + listed(named) +
                   "): the rule hash % (queues_per_nic * ports) holds only for equal weights");
}

// The key that keeps a port from carrying traffic, whatever its link says; empty when none does.
std::string_view obstacle_of(const Settings& settings, const PortSettings& port) {
  if (!port.enabled) return "enabled";
  if (port.drain) return "drain";
  if (port.weight == 0) return "weight";
  return is_taken_down(settings, port.domain) ? "domain" : "";
}

// May be what an operator wants, so it is no problem.
void warn_of_idle_group(const Settings& settings, const std::string& group, Findings& findings) {
  const std::vector<size_t> members = members_of(settings, group);
  const auto obstacle = [&](size_t i) { return obstacle_of(settings, settings.ports[i]); };
  if (std::any_of(members.begin(), members.end(), [&](size_t i) { return obstacle(i).empty(); })) return;
  if (members.empty()) return;
  findings.add(
      port_key(members.front(), obstacle(members.front())),
      "every port of group " + group +
          " is drained, stopped, of weight 0 or in a domain that is down: what goes there is dropped" +
          (settings.routes.empty() ? "" : " where its route has no fallback"));
}

// Settings of mode gateway in another mode.
void warn_of_no_effect(const Settings& settings, Findings& findings) {
  const auto values = [](const FailoverSettings& f) {
    return std::tie(f.hold_down_ms, f.settle_us, f.probe_interval_ms, f.probes, f.domains_down);
  };
  const FailoverSettings defaults;
  const std::pair<std::string_view, bool> tables[] = {
      {"group", !settings.groups.empty()},
      {"route", !settings.routes.empty()},
      {"pin", !settings.pins.empty()},
      {"failover", values(settings.failover) != values(defaults)}};
  for (const auto& [table, set] : tables) {
    if (!set) continue;
    findings.add(std::string(table), "has no effect in mode " + std::string(name_of(settings.engine.mode)));
  }
}

}  // namespace

Groups groups_of(const Settings& settings) {
  const bool any_name = !settings.routes.empty();
  const auto is_named = [&](const PortSettings& port) {
    return any_name ? !port.group.empty() : !target_of(port.group).empty();
  };
  return {.names = group_names(settings),
          .complete = !(any_name && settings.ports.empty()) &&
                      std::all_of(settings.ports.begin(), settings.ports.end(), is_named)};
}

void check_group_name(const std::string& where, const std::string& name, std::string_view meaning,
                      const Groups& groups, Findings& findings) {
  if (name.empty()) {
    findings.add(where, "missing; " + std::string(meaning) + "; groups: " + listed(groups.names));
    return;
  }
  const bool known = std::find(groups.names.begin(), groups.names.end(), name) != groups.names.end();
  if (known || !groups.complete) return;
  findings.add(where, "no port is in group " + quoted(name) + "; groups: " + listed(groups.names));
}

void check_paths(const Settings& settings, Findings& findings) {
  for (size_t i = 0; i < settings.ports.size(); ++i) check_liveness(settings.ports[i], i, findings);
  check_failover_numbers(settings.failover, findings);
  if (settings.engine.mode != Mode::gateway) return;
  const Groups groups = groups_of(settings);
  if (settings.routes.empty()) {
    check_exchange(settings, groups, findings);
  } else {
    check_free_groups(settings, groups, findings);
  }
  check_group_tables(settings, groups, findings);
  for (const std::string& group : groups.names) check_members(settings, group, findings);
  check_routes(settings, groups, findings);
  check_pins(settings, groups, findings);
  check_domains_down(settings, findings);
}

void warn_of_paths(const Settings& settings, Findings& findings) {
  if (settings.engine.mode != Mode::gateway) {
    warn_of_no_effect(settings, findings);
    return;
  }
  const Groups groups = groups_of(settings);
  for (const std::string& group : groups.names) {
    warn_of_weights(settings, group, findings);
    warn_of_idle_group(settings, group, findings);
  }
  for (size_t i = 0; i < settings.ports.size(); ++i) {
    if (!settings.ports[i].next_hop_ip || settings.ports[i].liveness == Liveness::probe) continue;
    findings.add(port_key(i, "next_hop_ip"), "has no effect without liveness \"probe\"");
  }
  warn_of_routes(settings, groups, findings);
}

}  // namespace core
