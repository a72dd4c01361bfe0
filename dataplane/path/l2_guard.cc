// SPDX-License-Identifier: BSD-3-Clause
// Loops and doubles; see l2_guard.h. Worker lcores.
#include "path/l2_guard.h"

#include <algorithm>
#include <cstring>

namespace path {
namespace {

bool is_station(const uint8_t* mac) {
  static constexpr uint8_t kZero[6] = {};
  return (mac[0] & 1) == 0 && std::memcmp(mac, kZero, 6) != 0;
}

bool is_own(const uint8_t* mac, const core::Plan& plan) {
  return std::any_of(plan.ports.begin(), plan.ports.end(),
                     [mac](const core::PortPlan& port) { return std::memcmp(port.mac.data(), mac, 6) == 0; });
}

}  // namespace

bool L2Guard::watches(const core::Plan& plan, uint16_t port_index) {
  if (plan.ports[port_index].group == core::kNoGroup) return false;
  return std::any_of(plan.groups.begin(), plan.groups.end(), [](const core::GroupPlan& group) {
    return group.loop_guard || group.elected != core::kNoPort;
  });
}

std::optional<core::DropReason> L2Guard::judge(const uint8_t* frame, const core::Plan& plan,
                                               uint16_t port_index, uint16_t target) {
  const uint16_t here = plan.ports[port_index].group;
  const uint8_t* source = frame + 6;
  if (!own_.is_fresh(source, here, tick_) && is_back(source, plan, port_index))
    return core::DropReason::looped;
  const uint16_t elected = plan.groups[here].elected;
  const bool takes_flooded = elected == core::kNoPort || elected == port_index;
  if (!takes_flooded && is_flooded(frame, plan, port_index, target)) return core::DropReason::not_elected;
  std::memcpy(passed_[port_index].words, frame, sizeof(core::MacPair));
  return std::nullopt;
}

// Our own frame comes back, or the source was just seen on another group; otherwise it is learned here.
bool L2Guard::is_back(const uint8_t* source, const core::Plan& plan, uint16_t port_index) {
  if (!is_station(source)) return false;
  const uint16_t here = plan.ports[port_index].group;
  if (plan.groups[here].loop_guard) {
    if (is_own(source, plan)) return true;
    for (const auto& table : tables_) {
      core::MacSighting seen;
      if (!table->find(source, seen) || seen.group == here) continue;
      if (core::is_just_seen(seen.tick, tick_)) return true;
    }
  }
  own_.learn(source, here, tick_);
  return false;
}

// To a group address, or to a station that is not known on the target group although others there are. A
// group that never sends anything (a sink) teaches nothing, and unicast to it is not called flooded. Nor is
// what is addressed to this very port, or what gets another destination anyway.
bool L2Guard::is_flooded(const uint8_t* destination, const core::Plan& plan, uint16_t port_index,
                         uint16_t target) const {
  if ((destination[0] & 1) != 0) return true;
  if (target == core::kNoGroup || std::memcmp(plan.ports[port_index].mac.data(), destination, 6) == 0)
    return false;
  const auto& members = plan.groups[target].members;
  if (std::all_of(members.begin(), members.end(),
                  [&](uint16_t i) { return plan.ports[i].next_hop.has_value(); })) {
    return false;
  }
  const auto speaks = [target](const auto& table) { return table->knows_group(target); };
  if (std::none_of(tables_.begin(), tables_.end(), speaks)) return false;
  const auto knows = [&](const auto& table) {
    core::MacSighting seen;
    return table->find(destination, seen) && seen.group == target;
  };
  return std::none_of(tables_.begin(), tables_.end(), knows);
}

}  // namespace path
