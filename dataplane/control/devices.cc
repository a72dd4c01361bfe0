// SPDX-License-Identifier: BSD-3-Clause
// Devices and pools of the program; see devices.h. Control thread.
#include "control/devices.h"

#include <algorithm>
#include <utility>

#include "pmd_glue/port_controls.h"

namespace control {

Devices::Devices(const core::Settings& settings, const glue::Eal& eal) {
  for (const core::PortSettings& port : settings.ports) {
    facts_.push_back(glue::port_facts(port.device, eal.log_about(port.device)));
  }
}

// A pool that is large enough serves on: its mbufs may lie in devices.
void Devices::make_room(const std::vector<core::PoolNeed>& needs, uint16_t mbuf_bytes) {
  const auto enough = [this](const core::PoolNeed& need) {
    const auto has = std::find_if(needs_.begin(), needs_.end(),
                                  [&](const core::PoolNeed& old) { return old.numa_node == need.numa_node; });
    return has != needs_.end() && has->mbufs() >= need.mbufs();
  };
  if (!pools_.empty() && std::all_of(needs.begin(), needs.end(), enough)) return;
  pools_.emplace_back(needs, mbuf_bytes, static_cast<unsigned>(pools_.size()));
  needs_ = needs;
}

void Devices::set_up(size_t port, const glue::PortShape& shape) {
  if (ports_[port].shape().rx_queues > 0) left_in_drivers_ += facts_[port].preloaded_mbufs;
  ports_[port].set_up(shape);
}

void Devices::fit(const core::Settings& settings, const core::Layout& layout) {
  make_room(core::pool_needs(settings, facts_, layout), settings.engine.mbuf_bytes);
  while (ports_.size() < facts_.size()) ports_.emplace_back(facts_[ports_.size()]);
  std::vector<glue::PortShape> before;
  for (const glue::Port& port : ports_) before.push_back(port.shape());
  size_t port = 0;
  try {
    for (; port < ports_.size(); ++port) {
      const core::PortSettings& wanted = settings.ports[port];
      glue::PortShape shape{.rx_queues = layout.ports[port].rx_queues,
                            .tx_queues = layout.ports[port].tx_queues,
                            .rx_descriptors = wanted.rx_descriptors,
                            .tx_descriptors = wanted.tx_descriptors,
                            .mtu = wanted.mtu,
                            .rss = settings.engine.rss,
                            .pool = before[port].pool};
      if (shape == before[port]) continue;
      shape.pool = pool_of(port);
      set_up(port, shape);
    }
  } catch (...) {
    for (size_t i = 0; i <= port; ++i) {
      const bool touched = i == port || before[i] != ports_[i].shape();
      if (before[i].rx_queues > 0 && touched) set_up(i, before[i]);
    }
    throw;
  }
}

void Devices::start(const core::Settings& settings) {
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (settings.ports[i].enabled || !ports_[i].is_started()) ports_[i].start();
    if (!settings.ports[i].enabled) ports_[i].pause();
  }
}

void Devices::add(const std::string& device) {
  facts_.push_back(glue::port_facts(device, ""));
}

std::optional<std::string> Devices::remove(size_t port) {
  std::vector<glue::Port> left;
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (i != port) left.push_back(std::move(ports_[i]));
  }
  ports_ = std::move(left);  // and the one that is not among them closes
  const std::string device = facts_[port].device;
  facts_.erase(facts_.begin() + static_cast<std::ptrdiff_t>(port));
  return glue::detach(device);
}

std::optional<std::string> Devices::reset(size_t port) {
  ports_[port].stop(0);
  const auto refused = glue::reset(facts_[port].port);
  if (!refused) ports_[port].forget_shape();
  return refused;
}

void Devices::close() {
  ports_.clear();
}

uint32_t Devices::mbufs() const {
  uint32_t sum = 0;
  for (const glue::Pools& pools : pools_) sum += pools.size();
  return sum;
}

uint32_t Devices::mbufs_back() const {
  uint32_t sum = left_in_drivers_;
  for (const glue::Pools& pools : pools_) sum += pools.available();
  return sum;
}

}  // namespace control
