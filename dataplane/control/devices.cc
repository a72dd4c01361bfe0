// SPDX-License-Identifier: BSD-3-Clause
// Devices and pools of the program; see devices.h. Control thread.
#include "control/devices.h"

#include <algorithm>
#include <utility>

#include "core/rss_reuse.h"
#include "pmd_glue/port_controls.h"
#include "pmd_glue/start_error.h"

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
  pools_.emplace_back(needs, mbuf_bytes, pools_made_++);
  needs_ = needs;
}

// Pools that no device is fed from any more, and that have all their mbufs back.
void Devices::drop_idle_pools() {
  for (size_t i = 0; i + 1 < pools_.size();) {
    const bool feeds = std::any_of(ports_.begin(), ports_.end(),
                                   [&](const glue::Port& port) { return pools_[i].has(port.shape().pool); });
    if (feeds || pools_[i].available() != pools_[i].size()) {
      ++i;
    } else {
      pools_.erase(pools_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

void Devices::set_up(size_t port, const glue::PortShape& shape) {
  ports_[port].set_up(shape);
  facts_[port].hashes_by = shape.give_rss_hash;
}

void Devices::fit(const core::Settings& settings, const core::Layout& layout) {
  make_room(core::pool_needs(settings, facts_, layout), settings.engine.mbuf_bytes);
  while (ports_.size() < facts_.size()) ports_.emplace_back(facts_[ports_.size()]);
  // A larger pool beside an old one, whose mbufs still move about, is two pools.
  const bool fast_free = pools_.size() == 1 && core::may_free_fast(settings, facts_);
  const std::optional<core::ToeplitzKey> key = core::key_to_reuse(settings);
  std::vector<glue::PortShape> before, wanted;
  for (size_t port = 0; port < ports_.size(); ++port) {
    before.push_back(ports_[port].shape());
    const core::PortSettings& of_port = settings.ports[port];
    wanted.push_back({.rx_queues = layout.ports[port].rx_queues,
                      .tx_queues = layout.ports[port].tx_queues,
                      .rx_descriptors = of_port.rx_descriptors,
                      .tx_descriptors = of_port.tx_descriptors,
                      .mtu = of_port.mtu,
                      .rss = settings.engine.rss,
                      .give_rss_hash = facts_[port].gives_rss_hash ? key : std::nullopt,
                      .fast_free = fast_free && facts_[port].frees_fast,
                      .pool = before[port].pool});
    // It cannot be set up again, and plans know how it hashes.
    if (facts_[port].preloaded_mbufs > 0 && before[port].rx_queues > 0)
      wanted.back().give_rss_hash = before[port].give_rss_hash;
    // The driver would read the capture on from where it ended.
    const bool again = before[port].rx_queues > 0 && wanted[port] != before[port];
    if (again && facts_[port].preloaded_mbufs > 0) {
      throw glue::StartError(
          facts_[port].device +
          ": plays a capture without end (infinite_rx=1) and cannot be given other queues, descriptors or "
          "MTU; that needs a new start of the program");
    }
  }
  size_t port = 0;
  try {
    for (; port < ports_.size(); ++port) {
      if (wanted[port] == before[port]) continue;
      wanted[port].pool = pool_of(port);
      set_up(port, wanted[port]);
    }
  } catch (...) {
    for (size_t i = 0; i <= port; ++i) {
      const bool touched = i == port || before[i] != ports_[i].shape();
      if (before[i].rx_queues > 0 && touched) set_up(i, before[i]);
    }
    throw;
  }
  drop_idle_pools();
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
  if (!refused) {
    ports_[port].forget_shape();
    facts_[port].hashes_by.reset();
  }
  return refused;
}

void Devices::hashes_otherwise(size_t port, bool rules) {
  ports_[port].forget_hash();
  facts_[port].hashes_by.reset();
  if (rules) facts_[port].gives_rss_hash = false;
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
  uint32_t sum = 0;
  for (const glue::Pools& pools : pools_) sum += pools.available();
  return sum;
}

}  // namespace control
