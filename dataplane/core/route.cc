// SPDX-License-Identifier: BSD-3-Clause
// Resolves the routes of the settings to groups by index, and finds the target group of a packet; see
// route.h. Lists are made on the control thread when a plan is built; route_of runs on a worker for every
// packet of a group whose choice depends on the packet.
#include "core/route.h"

#include <algorithm>
#include <cstring>

namespace core {
namespace {

// Where an IP header has its destination: RFC 791 section 3.1, RFC 8200 section 3.
constexpr uint32_t kIpv4Destination = 16, kIpv6Destination = 24;

bool goes_into(const IpPrefix& prefix, const PacketView& view, const PacketHeaders& headers) {
  if (headers.l3 != (prefix.address.v6 ? L3::ipv6 : L3::ipv4)) return false;
  return holds(prefix,
               view.data + headers.l3_offset + (prefix.address.v6 ? kIpv6Destination : kIpv4Destination));
}

uint16_t index_of(const std::vector<std::string>& groups, std::string_view name) {
  const auto found = std::find(groups.begin(), groups.end(), name);
  return found == groups.end() ? kNoGroup : static_cast<uint16_t>(found - groups.begin());
}

// What stands for [[route]] when there is none.
std::vector<RouteSettings> exchange() {
  return {{.from = std::string(kAccess), .to = std::string(kUplink)},
          {.from = std::string(kUplink), .to = std::string(kAccess)}};
}

Route resolved(const RouteSettings& settings, const std::vector<std::string>& groups,
               const std::vector<bool>& usable) {
  const uint16_t to = index_of(groups, settings.to), fallback = index_of(groups, settings.fallback);
  const auto is_usable = [&](uint16_t group) { return group < usable.size() && usable[group]; };
  return {.to = !is_usable(to) && is_usable(fallback) ? fallback : to,
          .dst = settings.dst,
          .dst_mac = settings.dst_mac,
          .priority = settings.priority};
}

}  // namespace

std::optional<uint16_t> RouteList::constant() const {
  if (routes.empty()) return kNoGroup;
  if (routes.front().takes_all()) return routes.front().to;
  return std::nullopt;
}

const Route* RouteList::route_of(const PacketView& view, const PacketHeaders& headers) const {
  for (const Route& route : routes) {
    if (route.priority && *route.priority != priority_of(headers)) continue;
    if (route.dst_mac && std::memcmp(view.data, route.dst_mac->data(), route.dst_mac->size()) != 0) continue;
    if (route.dst && !goes_into(*route.dst, view, headers)) continue;
    return &route;
  }
  return nullptr;
}

std::vector<std::string> group_names(const Settings& settings) {
  if (settings.engine.mode == Mode::gateway && settings.routes.empty()) {
    return {std::string(kAccess), std::string(kUplink)};
  }
  const auto named = [&](std::string_view group) {
    return std::any_of(settings.ports.begin(), settings.ports.end(),
                       [&](const PortSettings& port) { return port.group == group; });
  };
  std::vector<std::string> names;
  for (const std::string_view group : {kAccess, kUplink}) {
    if (named(group)) names.emplace_back(group);
  }
  for (const PortSettings& port : settings.ports) {
    if (!port.group.empty() && index_of(names, port.group) == kNoGroup) names.push_back(port.group);
  }
  return names;
}

std::vector<RouteList> make_routes(const Settings& settings, const std::vector<std::string>& groups,
                                   const std::vector<bool>& usable) {
  std::vector<RouteList> lists(groups.size());
  for (const RouteSettings& route : settings.routes.empty() ? exchange() : settings.routes) {
    const uint16_t from = index_of(groups, route.from);
    if (from == kNoGroup) continue;
    std::vector<Route>& routes = lists[from].routes;
    if (routes.empty() || !routes.back().takes_all()) routes.push_back(resolved(route, groups, usable));
  }
  return lists;
}

}  // namespace core
