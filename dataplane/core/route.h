// SPDX-License-Identifier: BSD-3-Clause
// Decides which group a packet goes to, before the table chooses inside the group. Built with a plan on the
// control thread; read by workers for packets of groups whose choice depends on the packet. Pure.
//
// Routes of the settings file, first match wins, in the file's order. Without any, access and uplink exchange
// traffic. A route whose target has no usable member leads to its fallback while that has one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/parse.h"
#include "core/settings.h"

namespace core {

inline constexpr uint16_t kNoGroup = 0xffff;

// One [[route]] with names resolved: groups by index, `to` already the fallback when that is in use.
struct Route {
  uint16_t to = kNoGroup;
  std::optional<IpPrefix> dst;        // needs an IP destination of the prefix's version inside it
  std::optional<MacAddress> dst_mac;  // needs this destination MAC
  std::optional<uint8_t> priority;    // needs this priority (priority_of)
  bool takes_all() const { return !dst && !dst_mac && !priority; }
};

// What comes in by one group: its routes in order, up to and including the first that takes all.
struct RouteList {
  std::vector<Route> routes;
  // The target of every packet when no route looks at packets: that of routes.front(), kNoGroup when there is
  // none. Nothing when packets must be looked at.
  std::optional<uint16_t> constant() const;
  // The route that takes one packet; null when none does. `view` holds at least an Ethernet header.
  const Route* route_of(const PacketView& view, const PacketHeaders& headers) const;
  uint16_t target_of(const PacketView& view, const PacketHeaders& headers) const {
    const Route* route = route_of(view, headers);
    return route == nullptr ? kNoGroup : route->to;
  }
};

// The names of all groups: access and uplink first (without [[route]] always, else when ports name them),
// then the others in the order in which ports name them. They stay the same when routes come and go.
std::vector<std::string> group_names(const Settings& settings);

// The list of every group, by index in `groups`. `usable[g]`: group g has a usable member.
std::vector<RouteList> make_routes(const Settings& settings, const std::vector<std::string>& groups,
                                   const std::vector<bool>& usable);

}  // namespace core
