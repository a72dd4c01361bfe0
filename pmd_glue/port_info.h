// SPDX-License-Identifier: BSD-3-Clause
// What DPDK knows of a device, as plain values: everything that testpmd's `show port`, `show device`, `show
// rxq` and `show txq` tell. Reading changes nothing and disturbs no worker. Control thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/types.h"
#include "pmd_glue/outcome.h"
#include "pmd_glue/ports.h"

namespace glue {

struct DescriptorLimits {
  uint16_t most = 0, least = 0, alignment = 0;
};

struct OffloadNames {                    // as DPDK names them: "SCATTER", "MULTI_SEGS"
  std::vector<std::string> port, queue;  // all of the port; of them, those that a queue can have for itself
};

struct VlanOffload {
  bool strip = false, filter = false, extend = false, qinq_strip = false;
};

struct SwitchInfo {
  std::string name;  // empty: it has none
  uint16_t domain = 0, port = 0;
  std::optional<uint16_t> rx_domain;  // of devices whose ports can share RX queues
};

struct BurstHint {  // what a driver recommends; 0: nothing
  uint16_t burst = 0, ring = 0, queues = 0;
};

struct PortInfo {
  uint16_t port = 0;
  std::string device, driver, bus, bus_info, devargs;
  std::string firmware;  // empty: the driver does not say
  core::MacAddress mac{};
  int socket = -1;
  unsigned if_index = 0;  // of the kernel interface; 0: none

  bool link_up = false, full_duplex = false, autoneg = false;
  uint32_t link_speed_mbps = 0;     // 0: none, 2^32-1: unknown
  std::string link_speed;           // in DPDK's words: "10 Gbps"
  std::vector<std::string> speeds;  // that it can have; empty: it negotiates whatever there is

  uint16_t mtu = 0, least_mtu = 0, most_mtu = 0;
  bool promiscuous = false, allmulticast = false;
  uint32_t most_macs = 0, most_hash_macs = 0;
  std::optional<VlanOffload> vlan;

  uint8_t hash_key_bytes = 0;
  uint16_t reta_size = 0;
  std::vector<std::string> rss_types;
  OffloadNames rx_offloads, tx_offloads;

  uint32_t least_rx_buffer = 0, most_rx_packet = 0, most_lro_packet = 0;
  uint16_t most_vfs = 0, most_vmdq_pools = 0;
  uint16_t rx_queues = 0, tx_queues = 0, most_rx_queues = 0, most_tx_queues = 0;
  DescriptorLimits rx_descriptors, tx_descriptors;
  uint16_t most_segments = 0, most_segments_per_mtu = 0;
  BurstHint rx_hint, tx_hint;

  uint64_t capabilities = 0;
  std::vector<std::string> capability_names;
  std::optional<SwitchInfo> switch_info;
  std::string error_handling;  // none, passive, proactive
};

// Refused for a port that EAL does not have, or whose driver does not describe it.
Outcome<PortInfo> port_info(uint16_t port);

// A device as its bus has it, and the ports it carries; also one that carries none.
struct DeviceInfo {
  std::string name, bus, bus_info, driver, devargs;
  int socket = -1;
  std::vector<PortInfo> ports;
};
// All of them, or those of this name.
std::vector<DeviceInfo> devices(const std::string& name = "");

struct QueueInfo {
  std::string pool;                               // of an RX queue
  uint8_t prefetch = 0, host = 0, writeback = 0;  // threshold registers
  uint16_t free_threshold = 0, rs_threshold = 0;
  bool drops = false, scatters = false;  // of an RX queue
  bool deferred_start = false;
  std::string state;          // stopped, started, hairpin
  uint16_t buffer_bytes = 0;  // of an RX queue; 0: unknown
  uint16_t descriptors = 0;
  std::string burst_mode;  // empty: the driver does not say
  bool burst_mode_per_queue = false;
  std::vector<std::string> offloads;
};
Outcome<QueueInfo> rx_queue_info(uint16_t port, uint16_t queue);
Outcome<QueueInfo> tx_queue_info(uint16_t port, uint16_t queue);

// State of one descriptor, counted from the next one that software looks at; in testpmd's words: AVAILABLE,
// DONE, UNAVAILABLE, FULL. A look at a ring that a worker uses meanwhile: true of one moment.
Outcome<std::string> rx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor);
Outcome<std::string> tx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor);
// RX descriptors that hold a packet nobody has taken yet.
Outcome<uint32_t> rx_descriptors_used(uint16_t port, uint16_t queue);

// Since the device was started. Nobody sets a device's counters to zero: the books count from them, so
// whoever wants to count from now takes a difference.
struct PortStatistics {
  DriverCounters packets;
  uint64_t rx_bytes = 0, tx_bytes = 0;
  PortStatistics operator-(const PortStatistics& start) const;
};
Outcome<PortStatistics> port_statistics(uint16_t port);
using ExtendedStatistics = std::vector<std::pair<std::string, uint64_t>>;
Outcome<ExtendedStatistics> extended_statistics(uint16_t port);

}  // namespace glue
