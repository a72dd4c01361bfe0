// SPDX-License-Identifier: BSD-3-Clause
// Links and probes; see monitor.h. Control thread.
#include "control/monitor.h"

namespace control {
namespace {

std::vector<unsigned> interfaces_of(const std::vector<glue::Port>& ports) {
  std::vector<unsigned> indices;
  for (const glue::Port& port : ports) indices.push_back(port.if_index());
  return indices;
}

core::HealthPolicy policy_of(const core::Settings& settings, size_t port) {
  constexpr uint64_t kNsPerMs = 1'000'000;
  core::HealthPolicy policy;
  policy.probe = settings.ports[port].liveness == core::Liveness::probe;
  policy.hold_down_ns = settings.failover.hold_down_ms * kNsPerMs;
  policy.probe_interval_ns = settings.failover.probe_interval_ms * kNsPerMs;
  policy.probes = settings.failover.probes;
  return policy;
}

}  // namespace

Monitor::Monitor(const core::Settings& settings, const std::vector<glue::Port>& ports, uint64_t now_ns)
    : ports_(ports), kernel_links_(interfaces_of(ports)) {
  kernel_links_.poll();
  for (size_t i = 0; i < ports.size(); ++i) {
    health_.emplace_back(policy_of(settings, i));
    health_.back().judge({now_ns, link_up(i), 0});
  }
}

// Both must say so; netlink only where it knows the interface.
bool Monitor::link_up(size_t port) const {
  return ports_[port].link().up && kernel_links_.running(port).value_or(true);
}

std::vector<Monitor::Verdict> Monitor::tick(uint64_t now_ns, const std::vector<uint64_t>& answers) {
  kernel_links_.poll();
  std::vector<Verdict> changed;
  for (uint16_t i = 0; i < health_.size(); ++i) {
    const core::DownCause before = health_[i].cause();
    const core::DownCause now = health_[i].judge({now_ns, link_up(i), answers[i]});
    if ((before == core::DownCause::none) != (now == core::DownCause::none)) changed.push_back({i, now});
  }
  return changed;
}

std::vector<bool> Monitor::up() const {
  std::vector<bool> up;
  for (const core::MemberHealth& health : health_) up.push_back(health.up());
  return up;
}

void Monitor::set_policies(const core::Settings& settings) {
  for (size_t i = 0; i < health_.size(); ++i) health_[i].set_policy(policy_of(settings, i));
}

}  // namespace control
