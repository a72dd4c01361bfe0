// SPDX-License-Identifier: BSD-3-Clause
// Decides whether the rows of [[route]] and [[pin]] can be used: each names groups and ports that are there,
// leads somewhere else, and is reached. Called by core/settings_paths, in mode gateway, on the control
// thread. Pure.
#include <algorithm>
#include <map>

#include "core/distribution_table.h"
#include "core/settings_checks.h"

namespace core {
namespace {

std::string route_key(size_t index, std::string_view key) {
  return item_key("route", index, key);
}
std::string pin_key(size_t index, std::string_view key) {
  return item_key("pin", index, key);
}

Range bits_of(const IpPrefix& prefix) {
  return {0, prefix.address.v6 ? 128u : 32u};
}

// A packet is routed once, so a route is a loop only when it leads back to where the packet came in.
void check_route(const RouteSettings& route, size_t index, const Groups& groups, Findings& findings) {
  check_group_name(route_key(index, "from"), route.from, "the group that packets come in by", groups,
                   findings);
  check_group_name(route_key(index, "to"), route.to, "the group that packets go to", groups, findings);
  const auto refuse_back = [&](std::string_view key, const std::string& group) {
    if (group.empty() || group != route.from) return;
    findings.add(route_key(index, key),
                 "sends packets back to where they come from; allowed: another group than " + quoted(group));
  };
  refuse_back("to", route.to);
  if (!route.fallback.empty()) {
    const std::string where = route_key(index, "fallback");
    check_group_name(where, route.fallback, "", groups, findings);
    refuse_back("fallback", route.fallback);
    if (route.fallback == route.to)
      findings.add(where, "a fallback to itself; name another group, or leave it out");
  }
  if (route.dst && !bits_of(*route.dst).holds(route.dst->bits)) {
    findings.add(route_key(index, "dst"),
                 found_outside('/' + std::to_string(route.dst->bits), bits_of(*route.dst)));
  }
  if (route.priority) findings.number(route_key(index, "priority"), *route.priority, limits::kPriority);
}

// Whether every packet that `later` could take is one that `earlier` takes.
bool covers(const RouteSettings& earlier, const RouteSettings& later) {
  return earlier.from == later.from &&
         (!earlier.dst ||
          (later.dst && bits_of(*later.dst).holds(later.dst->bits) && holds(*earlier.dst, *later.dst))) &&
         (!earlier.dst_mac || earlier.dst_mac == later.dst_mac) &&
         (!earlier.priority || earlier.priority == later.priority);
}

void warn_of_unreached(const std::vector<RouteSettings>& routes, size_t index, Findings& findings) {
  const RouteSettings& later = routes[index];
  for (size_t i = 0; i < index; ++i) {
    const RouteSettings& earlier = routes[i];
    if (!covers(earlier, later)) continue;
    const std::string_view advice = covers(later, earlier) ? "leave one of them out"
                                    : earlier.dst && earlier.dst != later.dst
                                        ? "put the longer prefix first"
                                        : "put the one with more conditions first";
    findings.add(
        later.dst ? route_key(index, "dst") : item("route", index),
        "never reached: " + item("route", i) + " takes all of its packets first; " + std::string(advice));
    return;
  }
}

void check_pinned_port(const Settings& settings, const PinSettings& pin, size_t index, Findings& findings) {
  const std::vector<size_t> members = members_of(settings, pin.group);
  if (members.empty()) return;  // told of the group
  std::vector<std::string> devices;
  for (const size_t i : members) devices.push_back(settings.ports[i].device);
  const bool known = std::any_of(devices.begin(), devices.end(), [&](const std::string& device) {
    return full_device_name(device) == full_device_name(pin.device);
  });
  if (known && !pin.device.empty()) return;
  findings.add(pin_key(index, "device"), (pin.device.empty() ? "missing" : "found " + quoted(pin.device)) +
                                             "; ports of group " + pin.group + ": " + listed(devices));
}

// What is 0 or too large is told where it stands.
void check_pinned_numbers(const Settings& settings, const PinSettings& pin, size_t index,
                          Findings& findings) {
  const uint64_t queues = settings.distribution.queues_per_nic.value_or(0);
  const uint64_t buckets =
      queues * settings.distribution.buckets_per_queue * members_of(settings, pin.group).size();
  findings.number(pin_key(index, "queue"), pin.queue, {0, (queues == 0 ? kMaxQueuesPerNic : queues) - 1});
  findings.number(pin_key(index, "bucket"), pin.bucket,
                  {0, (buckets == 0 ? kMaxBuckets : std::min<uint64_t>(buckets, kMaxBuckets)) - 1});
}

}  // namespace

void check_routes(const Settings& settings, const Groups& groups, Findings& findings) {
  if (!limits::kRoutes.holds(settings.routes.size())) {
    findings.add("route", "found " + std::to_string(settings.routes.size()) + " routes; allowed " +
                              text_of(limits::kRoutes));
  }
  for (size_t i = 0; i < settings.routes.size(); ++i) check_route(settings.routes[i], i, groups, findings);
}

void check_pins(const Settings& settings, const Groups& groups, Findings& findings) {
  if (!limits::kPins.holds(settings.pins.size())) {
    findings.add(
        "pin", "found " + std::to_string(settings.pins.size()) + " pins; allowed " + text_of(limits::kPins));
  }
  std::map<std::pair<std::string, uint32_t>, size_t> pin_of;
  for (size_t i = 0; i < settings.pins.size(); ++i) {
    const PinSettings& pin = settings.pins[i];
    check_group_name(pin_key(i, "group"), pin.group, "the group whose table has the bucket", groups,
                     findings);
    if (pin.group.empty()) continue;
    check_pinned_port(settings, pin, i, findings);
    check_pinned_numbers(settings, pin, i, findings);
    const auto [earlier, is_first] = pin_of.try_emplace({pin.group, pin.bucket}, i);
    if (is_first) continue;
    findings.add(pin_key(i, "bucket"), "bucket " + std::to_string(pin.bucket) + " of group " + pin.group +
                                           " is already " + item("pin", earlier->second));
  }
}

void warn_of_routes(const Settings& settings, const Groups& groups, Findings& findings) {
  const auto& routes = settings.routes;
  if (routes.empty()) return;
  for (const std::string& group : groups.names) {
    if (std::any_of(routes.begin(), routes.end(), [&](const RouteSettings& r) { return r.from == group; }))
      continue;
    findings.add(port_key(members_of(settings, group).front(), "group"),
                 "what comes in by group " + group + " has no route and is dropped (no_route)");
  }
  for (size_t i = 0; i < routes.size(); ++i) warn_of_unreached(routes, i, findings);
}

}  // namespace core
