// SPDX-License-Identifier: BSD-3-Clause
// From valid settings and what glue found of the devices: how many queues each port gets, which worker polls
// and owns which, and how many mbufs that needs. All pure; called by control/engine on the main thread, by
// tests.
//
// One owner for each queue. Every RX queue is polled by exactly one worker. owner = "per_worker": worker w of
// W sends the rule's queue q by hardware queue w * Q + q, so a port has W * Q TX queues. owner = "by_hash":
// the rule's queue q is hardware queue q, it belongs to one worker (owner_of), and a port has Q TX queues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "core/simd.h"

namespace core {

// What a driver says of its device before it is configured, and how the device hashes since.
struct PortFacts {
  uint16_t port = 0;   // DPDK's port id
  std::string device;  // name by which EAL knows it
  std::string driver;
  uint16_t max_rx_queues = 1;
  uint16_t max_tx_queues = 1;
  bool pairs_queues = false;  // its driver wants as many RX as TX queues (net_tap, net_memif and others)
  bool sends = true;     // false: it plays a capture and writes none; its driver would throw packets away
  bool receives = true;  // false: no packet ever comes in by it (net_null with no-rx=1)
  // Its driver tells a hash with each packet, by a key of 40 bytes, over addresses and ports of UDP and TCP.
  bool gives_rss_hash = false;
  // The key that it was set up with to do so, while nothing has changed that; see core/rss_reuse.
  std::optional<ToeplitzKey> hashes_by;
  bool frees_fast = false;        // its driver has MBUF_FAST_FREE
  bool attaches_buffers = false;  // its driver may receive into buffers that are not mbufs' own
  int numa_node = 0;
  MacAddress mac{};
  uint32_t preloaded_mbufs = 0;  // packets that the driver keeps in mbufs of its own (net_pcap infinite_rx)
};

// Queues of one port, in the order of settings.ports.
struct PortLayout {
  uint16_t rx_queues = 1;
  bool sends = true;
  uint16_t queues_per_nic = 1;  // Q of the rule, on this port
  // Hardware TX queues; a port that cannot send is given the one that DPDK insists on, and it stays unused.
  uint16_t tx_queues = 1;
  std::vector<uint16_t> rx_queue_worker;  // rx queue -> index of the worker that polls it
};

struct Layout {
  unsigned workers = 1;
  Simd simd = widest();  // that workers may use
  std::vector<PortLayout> ports;
  std::vector<std::string> notes;  // what was capped, for the user
  std::vector<Problem> problems;   // what makes it impossible; then nothing else counts
};
// Defaults are capped by the device and noted; explicit numbers that a device lacks are problems.
Layout lay_out_queues(const Settings& settings, const std::vector<PortFacts>& facts, unsigned workers);

// Pins whose bucket or queue is not there: known for sure only now, where Q was left to the workers and the
// devices. lay_out_queues has them among its problems; settings that change live are judged again.
std::vector<Problem> pins_beyond(const Settings& settings, const Layout& layout);

// Whether every mbuf that a driver is given comes from one pool, has no other owner and is alone: then
// drivers may give them back without a look (RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE).
bool may_free_fast(const Settings& settings, const std::vector<PortFacts>& facts);

// mbufs that one NUMA node's pool must have, term by term.
struct PoolNeed {
  int numa_node = 0;
  uint64_t rx_rings = 0, tx_rings = 0, caches = 0, in_flight = 0, held = 0, preloaded = 0, reserve = 0;
  uint64_t mbufs() const { return rx_rings + tx_rings + caches + in_flight + held + preloaded + reserve; }
};
inline constexpr uint32_t kPoolCache = 256;  // mbufs each lcore may keep aside
// Packets of moving buckets that a worker may keep for one target group; see core/bucket_moves.h.
inline constexpr uint32_t kWaitingPackets = 1024;
// Places of the ring by which one worker hands packets to another (owner = "by_hash").
inline constexpr uint32_t kHandoverSlots = 1024;
// TX rings and holds of every node count in each pool: a packet may leave by a NIC of another node.
std::vector<PoolNeed> pool_needs(const Settings& settings, const std::vector<PortFacts>& facts,
                                 const Layout& layout);

}  // namespace core
