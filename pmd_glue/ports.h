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
  DriverCounters operator+(const DriverCounters& more) const;
};

struct LinkState {
  bool up = false;
  uint64_t speed_bps = 0;  // 0 when unknown; devices in software state one that means nothing
};

// What a device is set up with.
struct PortShape {
  uint16_t rx_queues = 0, tx_queues = 0;
  uint16_t rx_descriptors = 0, tx_descriptors = 0;  // wanted; the driver may round them
  uint16_t mtu = 0;
  core::Rss rss = core::Rss::all;
  std::optional<core::ToeplitzKey> give_rss_hash;  // by this key, with each packet
  bool fast_free = false;                          // core::may_free_fast
  rte_mempool* pool = nullptr;                     // feeds the RX queues
  friend bool operator==(const PortShape&, const PortShape&) = default;
};

// One device. Closes it when destroyed.
class Port {
 public:
  explicit Port(const core::PortFacts& facts);
  ~Port();
  Port(Port&& other) noexcept;
  Port& operator=(Port&&) = delete;

  // Configures queues and MTU, the first time or again; a started device is stopped for it and started after.
  // Its counters go on. Throws StartError with device, step and reason.
  void set_up(const PortShape& shape);
  // The device was reset and knows nothing of its set-up.
  void forget_shape() { shape_ = {}; }
  // The device's own RSS was changed since.
  void forget_hash() { shape_.give_rss_hash.reset(); }
  const PortShape& shape() const { return shape_; }  // no queues: not set up yet
  void start();  // when it is not started; promiscuous, since frames are not addressed to the gateway;
                 // counters are taken as the zero point
  bool is_started() const { return started_; }  // stopped for a while or not
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
  DriverCounters read_counters() const;
  void bank();
  void free_ring_contents();
  void configure(const PortShape& shape);

  static constexpr uint16_t kNone = 0xffff;
  uint16_t port_ = kNone;
  std::string device_;
  int numa_node_ = 0;
  PortShape shape_;
  bool in_software_ = false;
  bool counts_all_ =
      true;  // software drivers add up their first 16 TX queues only: then they count nothing for us
  bool keeps_mbufs_ = false;  // net_ring: closing it leaves in its rings what nobody read
  bool started_ = false;
  bool paused_ = false;
  unsigned if_index_ = 0;
  DriverCounters before_;  // counted by earlier set-ups
  DriverCounters at_start_, at_stop_;
};

}  // namespace glue
