// SPDX-License-Identifier: BSD-3-Clause
// Everything that touches a device outside a burst: finding it, asking what it can do, setting up its queues,
// starting, stopping and closing it, reading its link and its own counters. Called by control on the main
// thread; what configures, starts or stops never while a worker may poll the port or send by it.
#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"

namespace glue {

// Names of all ports that EAL has, in the order of their ids.
std::vector<std::string> list_devices();

// Names of the vdevs (net_*, eth_*) and the addresses of PCI devices (-a) that EAL's arguments ask for.
std::vector<std::string> devices_asked_for(const std::vector<std::string>& eal_args);

// Facts of one device; throws StartError when EAL has no such port. `eal_log` is what EAL said of it, for the
// message.
core::PortFacts port_facts(const std::string& device, const std::string& eal_log);

// What the driver counted, as rte_eth_stats does.
struct DriverCounters {
  uint64_t rx_packets = 0, tx_packets = 0, tx_errors = 0;
  uint64_t rx_missed = 0, rx_errors = 0, rx_nombuf = 0;  // lost before reception
  DriverCounters operator-(const DriverCounters& start) const;
};

struct LinkState {
  bool up = false;
  uint64_t speed_bps = 0;  // 0 when unknown; devices in software state one that means nothing
};

// One configured device. Closes it when destroyed.
class Port {
 public:
  // Configures queues and MTU. `pool` feeds the RX queues. Throws StartError with device, step and reason.
  Port(const core::PortFacts& facts, const core::PortSettings& settings, const core::PortLayout& layout,
       rte_mempool* pool);
  ~Port();
  Port(Port&& other) noexcept;
  Port& operator=(Port&&) = delete;

  void start();  // promiscuous, since frames are not addressed to the gateway; counters are taken as the zero
                 // point
  // Stops the device for a while and starts it again; its counters go on. What a driver says when it refuses,
  // else nothing.
  void pause();
  std::optional<std::string> resume();
  // After the workers have stopped. Waits some milliseconds for the driver to count the `sent` packets it
  // accepted, then reads its last counters. Does nothing to a port that was not started.
  void stop(uint64_t sent);
  DriverCounters counted() const;  // since start
  LinkState link() const;
  unsigned if_index() const { return if_index_; }  // of the kernel interface it works on; 0: none

 private:
  explicit Port(const core::PortFacts& facts);
  DriverCounters read_counters() const;
  void free_ring_contents();
  void configure(const core::PortFacts& facts, const core::PortSettings& settings,
                 const core::PortLayout& layout, rte_mempool* pool);

  static constexpr uint16_t kNone = 0xffff;
  uint16_t port_ = kNone;
  std::string device_;
  uint16_t rx_queues_ = 0;
  bool in_software_ = false;
  bool counts_all_ =
      true;  // software drivers add up their first 16 TX queues only: then they count nothing for us
  bool keeps_mbufs_ = false;  // net_ring: closing it leaves in its rings what nobody read
  bool started_ = false;
  bool paused_ = false;
  unsigned if_index_ = 0;
  DriverCounters at_start_, at_stop_;
};

}  // namespace glue
