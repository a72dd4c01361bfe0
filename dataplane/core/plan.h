// SPDX-License-Identifier: BSD-3-Clause
// From valid settings and what glue found of the devices: how many queues each port gets, who polls and owns
// which, how many mbufs that needs, and the immutable bundle that workers read. All pure; called by
// control/engine on the main thread, by tools and tests. Workers share a Plan by const reference and never
// change it.
//
// One owner for each queue: worker w of W sends the rule's queue q by hardware queue w * Q + q, so a port has
// W * Q TX queues; every RX queue is polled by exactly one worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/distribution_table.h"
#include "core/fast_modulo.h"
#include "core/flow_hash.h"
#include "core/settings.h"

namespace core {

// What a driver says of its device before it is configured.
struct PortFacts {
  uint16_t port = 0;   // DPDK's port id
  std::string device;  // name by which EAL knows it
  std::string driver;
  uint16_t max_rx_queues = 1;
  uint16_t max_tx_queues = 1;
  bool pairs_queues = false;  // its driver wants as many RX as TX queues (net_tap, net_memif and others)
  bool sends = true;  // false: it plays a capture and writes none; its driver would throw packets away
  int numa_node = 0;
  MacAddress mac{};
  uint32_t preloaded_mbufs = 0;  // packets that the driver keeps in mbufs of its own (net_pcap infinite_rx)
};

// Queues of one port, in the order of settings.ports.
struct PortLayout {
  uint16_t rx_queues = 1;
  bool sends = true;
  uint16_t queues_per_nic = 1;            // Q of the rule, on this port
  std::vector<uint16_t> rx_queue_worker;  // rx queue -> index of the worker that polls it
  // Hardware TX queues; a port that cannot send is given the one that DPDK insists on, and it stays unused.
  uint16_t tx_queues(unsigned workers) const {
    return static_cast<uint16_t>(sends ? workers * queues_per_nic : 1);
  }
};

struct Layout {
  unsigned workers = 1;
  std::vector<PortLayout> ports;
  std::vector<std::string> notes;  // what was capped, for the user
  std::vector<Problem> problems;   // what makes it impossible; then nothing else counts
};
// Defaults are capped by the device and noted; explicit numbers that a device lacks are problems.
Layout lay_out_queues(const Settings& settings, const std::vector<PortFacts>& facts, unsigned workers);

// mbufs that one NUMA node's pool must have, term by term.
struct PoolNeed {
  int numa_node = 0;
  uint64_t rx_rings = 0, tx_rings = 0, caches = 0, in_flight = 0, held = 0, preloaded = 0, reserve = 0;
  uint64_t mbufs() const { return rx_rings + tx_rings + caches + in_flight + held + preloaded + reserve; }
};
inline constexpr uint32_t kPoolCache = 256;  // mbufs each lcore may keep aside
// TX rings and holds of every node count in each pool: a packet may leave by a NIC of another node.
std::vector<PoolNeed> pool_needs(const Settings& settings, const std::vector<PortFacts>& facts,
                                 const Layout& layout);

// Exit: one (port, rule's queue) pair; every worker owns one hardware queue for each.
inline constexpr uint16_t kNoExit = 0xffff;

struct PortPlan {
  std::string device, group;
  uint16_t port = 0;
  bool sends = true;  // else what should leave here is dropped, reason no_tx
  uint16_t mtu = 1500;
  uint16_t queues_per_nic = 1;
  uint16_t first_exit = 0;  // exits of this port: first_exit + q
  uint16_t target = 0;  // gateway: index of the group packets from here go to; else index of the paired port
  uint64_t speed_bps = 0;  // by setting; 0: what the driver says
  MacAddress mac{};
  std::optional<MacAddress> next_hop;  // rewrite frames that leave here
};

struct GroupPlan {
  std::string name;
  std::vector<uint16_t> members;  // indices into Plan::ports, in the file's order
  GroupState state;
  std::vector<Slot> table;
  Moves moved;                           // against the documents' rule
  FastModulo buckets;                    // hash -> bucket
  std::vector<uint16_t> exit_of_bucket;  // the table, resolved to exits
};

struct Plan {
  Mode mode = Mode::io;
  uint16_t burst = 32;
  unsigned workers = 1;
  bool drop_link_local = true;
  bool drop_malformed = false;
  uint32_t hold_packets = 0;
  VlanTag vlan_tag = VlanTag::outer;
  KeyFields fields;
  FlowHash hash{HashAlgorithm::jenkins, 0};
  std::vector<PortPlan> ports;
  std::vector<GroupPlan> groups;  // gateway: access, uplink
  uint16_t exits = 0;
};
Plan make_plan(const Settings& settings, const std::vector<PortFacts>& facts, const Layout& layout);

}  // namespace core
