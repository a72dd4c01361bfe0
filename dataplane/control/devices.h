// SPDX-License-Identifier: BSD-3-Clause
// The devices of the settings and the packet pools behind them, for as long as the program lives: found once,
// set up again whenever a run of forwarding needs other queues, closed at the end. Control thread; what
// changes a device never while a worker may use it.
#pragma once

#include <rte_mempool.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/layout.h"
#include "core/settings.h"
#include "pmd_glue/eal.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/ports.h"

namespace control {

class Devices {
 public:
  // Finds them. Throws StartError when EAL lacks one.
  Devices(const core::Settings& settings, const glue::Eal& eal);

  const std::vector<core::PortFacts>& facts() const { return facts_; }
  std::vector<glue::Port>& ports() { return ports_; }
  const std::vector<glue::Port>& ports() const { return ports_; }
  rte_mempool* pool_of(size_t port) const { return pools_.back().on_node(facts_[port].numa_node); }

  // Sets up what these settings need; a device that is already so is left alone. Throws StartError, and then
  // everything is as it was.
  void fit(const core::Settings& settings, const core::Layout& layout);
  // Starts devices that are not started yet, then stops those that are not enabled. Throws StartError.
  void start(const core::Settings& settings);
  // Takes in a device that was attached. Throws StartError.
  void add(const std::string& device);
  // Takes a device away from here and from EAL. What EAL said when it refused; then the device is gone from
  // here all the same.
  std::optional<std::string> remove(size_t port);
  // Resets a device; the next fit() sets it up again.
  std::optional<std::string> reset(size_t port);
  // A device's own RSS was changed by command: its hash is not the rule's until fit() sets it up again;
  // `rules`: by rules in its steering, which may outlast that, so never again.
  void hashes_otherwise(size_t port, bool rules);
  // Closes all of them; rings give their mbufs back.
  void close();

  const std::vector<core::PoolNeed>& needs() const { return needs_; }
  uint32_t mbufs() const;
  // Not in use: exact when nothing runs.
  uint32_t mbufs_back() const;

 private:
  void make_room(const std::vector<core::PoolNeed>& needs, uint16_t mbuf_bytes);
  void drop_idle_pools();
  void set_up(size_t port, const glue::PortShape& shape);

  std::vector<core::PortFacts> facts_;
  std::vector<core::PoolNeed> needs_;
  // The last one is in use. Drivers may keep mbufs of earlier ones until they are closed.
  std::deque<glue::Pools> pools_;
  std::vector<glue::Port> ports_;
  unsigned pools_made_ = 0;
};

}  // namespace control
