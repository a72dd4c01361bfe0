// SPDX-License-Identifier: BSD-3-Clause
// Devices from discovery to close; see ports.h. Main thread.
#include "pmd_glue/ports.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/eal_options.h"
#include "pmd_glue/captures.h"
#include "pmd_glue/lcores.h"
#include "pmd_glue/start_error.h"

namespace glue {
namespace {

constexpr int kCounterTries = 20;
constexpr uint32_t kCounterWaitUs = 500;

[[noreturn]] void fail(const std::string& device, const std::string& step, int error) {
  throw StartError(device + ": " + step + ": " + rte_strerror(error < 0 ? -error : error));
}

rte_eth_dev_info info_of(uint16_t port, const std::string& device) {
  rte_eth_dev_info info{};
  if (const int error = rte_eth_dev_info_get(port, &info); error != 0) {
    fail(device, "the driver does not describe its device", error);
  }
  return info;
}

std::string devargs_of(const rte_eth_dev_info& info) {
  const rte_devargs* devargs = info.device != nullptr ? rte_dev_devargs(info.device) : nullptr;
  return devargs != nullptr && devargs->args != nullptr ? devargs->args : "";
}

uint64_t rss_types(core::Rss rss) {
  if (rss == core::Rss::ip) return RTE_ETH_RSS_IP;
  if (rss == core::Rss::udp) return RTE_ETH_RSS_UDP;
  return RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_SCTP;
}

constexpr uint64_t kUdpAndTcp = RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_TCP |
                                RTE_ETH_RSS_NONFRAG_IPV6_UDP | RTE_ETH_RSS_NONFRAG_IPV6_TCP;

// RSS over what the settings say and the device can, when packets are to spread over several RX queues;
// chained mbufs where it can; where the driver tells changes of the link by interrupt, asking for it costs
// nothing.
rte_eth_conf configuration(const rte_eth_dev_info& info, const PortShape& shape, uint32_t mtu) {
  rte_eth_conf conf{};
  const uint64_t rss = info.flow_type_rss_offloads & rss_types(shape.rss);
  if (shape.rx_queues > 1 && rss != 0) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf = rss;
  }
  if (shape.give_rss_hash) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | kUdpAndTcp);
    const std::span<const uint8_t> key = core::bytes_of(*shape.give_rss_hash);
    conf.rx_adv_conf.rss_conf.rss_key = const_cast<uint8_t*>(key.data());  // DPDK only reads it
    conf.rx_adv_conf.rss_conf.rss_key_len = static_cast<uint8_t>(key.size());
  }
  conf.rxmode.mtu = mtu;
  conf.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
  if (shape.give_rss_hash) conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
  conf.intr_conf.lsc = *info.dev_flags & RTE_ETH_DEV_INTR_LSC ? 1 : 0;
  conf.txmode.offloads = shape.fast_free ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE
                                         : info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  return conf;
}

}  // namespace

std::vector<std::string> list_devices() {
  std::vector<std::string> devices;
  uint16_t port = 0;
  RTE_ETH_FOREACH_DEV(port) {
    char name[RTE_ETH_NAME_MAX_LEN];
    if (rte_eth_dev_get_name_by_port(port, name) == 0) devices.emplace_back(name);
  }
  return devices;
}

std::vector<std::string> devices_asked_for(const std::vector<std::string>& eal_args) {
  std::vector<std::string> devices;
  for (const char* option : {"--vdev", "-a", "--allow"}) {
    for (const std::string& value : core::option_values(eal_args, option)) {
      const std::string name = value.substr(0, value.find(','));
      const bool network = name.starts_with("net_") || name.starts_with("eth_");
      if (network || option != std::string_view("--vdev")) devices.push_back(name);
    }
  }
  return devices;
}

core::PortFacts port_facts(const std::string& device, const std::string& eal_log) {
  core::PortFacts facts;
  facts.device = device;
  if (rte_eth_dev_get_port_by_name(device.c_str(), &facts.port) != 0) {
    std::string there;
    for (const std::string& name : list_devices()) there += (there.empty() ? "" : ", ") + name;
    throw StartError(
        "port \"" + device +
        "\": EAL has no such device (it has: " + (there.empty() ? std::string("none") : there) + "); " +
        (eal_log.empty() ? "name it by --vdev or -a in eal.args, and bind a PCI device to its driver"
                         : "EAL said: " + eal_log));
  }
  const rte_eth_dev_info info = info_of(facts.port, device);
  const std::string devargs = devargs_of(info);
  facts.driver = info.driver_name;
  facts.max_rx_queues = info.max_rx_queues;
  facts.max_tx_queues = info.max_tx_queues;
  static constexpr std::array<std::string_view, 4> kPairing = {"net_tap", "net_af_xdp", "net_memif",
                                                               "net_mana"};
  facts.pairs_queues = std::find(kPairing.begin(), kPairing.end(), facts.driver) != kPairing.end();
  facts.gives_rss_hash = (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH) != 0 &&
                         info.hash_key_size == 40 && (info.flow_type_rss_offloads & kUdpAndTcp) == kUdpAndTcp;
  facts.frees_fast = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
  facts.attaches_buffers = devargs.find("mprq_en=1") != std::string::npos;
  facts.receives = facts.driver == "net_null"   ? devargs.find("no-rx=1") == std::string::npos
                   : facts.driver == "net_pcap" ? reads_capture(devargs)
                                                : true;
  facts.sends = facts.driver != "net_pcap" || writes_capture(devargs);
  facts.preloaded_mbufs = facts.driver == "net_pcap" ? preloaded_packets(devargs) : 0;
  // Without hugepages all memory is of node 0.
  facts.numa_node = rte_eal_has_hugepages() ? std::max(rte_eth_dev_socket_id(facts.port), 0) : 0;
  rte_ether_addr mac{};
  if (rte_eth_macaddr_get(facts.port, &mac) == 0)
    std::memcpy(facts.mac.data(), mac.addr_bytes, facts.mac.size());
  return facts;
}

DriverCounters DriverCounters::operator-(const DriverCounters& start) const {
  return {rx_packets - start.rx_packets, tx_packets - start.tx_packets, tx_errors - start.tx_errors,
          rx_missed - start.rx_missed,   rx_errors - start.rx_errors,   rx_nombuf - start.rx_nombuf};
}

DriverCounters DriverCounters::operator+(const DriverCounters& more) const {
  return {rx_packets + more.rx_packets, tx_packets + more.tx_packets, tx_errors + more.tx_errors,
          rx_missed + more.rx_missed,   rx_errors + more.rx_errors,   rx_nombuf + more.rx_nombuf};
}

Port::Port(const core::PortFacts& facts)
    : port_(facts.port),
      device_(facts.device),
      numa_node_(facts.numa_node),
      keeps_mbufs_(facts.driver == "net_ring") {}

void Port::set_up(const PortShape& shape) {
  const bool was_started = started_ && !paused_;
  if (started_) {
    if (!paused_) rte_eth_dev_stop(port_);
    bank();
    started_ = paused_ = false;
  }
  configure(shape);
  if (was_started) start();
}

void Port::configure(const PortShape& shape) {
  const rte_eth_dev_info info = info_of(port_, device_);
  in_software_ = std::string_view(rte_bus_name(rte_dev_bus(info.device))) == "vdev";
  if_index_ = info.if_index;
  counts_all_ = !in_software_ || shape.tx_queues <= RTE_ETHDEV_QUEUE_STAT_CNTRS;
  // A driver that cannot take the MTU would refuse the whole configuration; the engine enforces it at the
  // exit.
  const uint32_t mtu = std::clamp<uint32_t>(shape.mtu, info.min_mtu, info.max_mtu);
  const rte_eth_conf conf = configuration(info, shape, mtu);
  if (const int error = rte_eth_dev_configure(port_, shape.rx_queues, shape.tx_queues, &conf); error != 0) {
    fail(device_,
         "cannot be configured with " + std::to_string(shape.rx_queues) + " RX and " +
             std::to_string(shape.tx_queues) + " TX queues",
         error);
  }
  const auto node = static_cast<unsigned>(numa_node_);
  uint16_t rx_descriptors = shape.rx_descriptors, tx_descriptors = shape.tx_descriptors;
  if (const int error = rte_eth_dev_adjust_nb_rx_tx_desc(port_, &rx_descriptors, &tx_descriptors);
      error != 0) {
    fail(device_, "ring sizes", error);
  }
  for (uint16_t q = 0; q < shape.rx_queues; ++q) {
    const int error = rte_eth_rx_queue_setup(port_, q, rx_descriptors, node, nullptr, shape.pool);
    if (error != 0) fail(device_, "RX queue " + std::to_string(q), error);
  }
  for (uint16_t q = 0; q < shape.tx_queues; ++q) {
    const int error = rte_eth_tx_queue_setup(port_, q, tx_descriptors, node, nullptr);
    if (error != 0) fail(device_, "TX queue " + std::to_string(q), error);
  }
  shape_ = shape;
}

Port::~Port() {
  if (port_ == kNone) return;
  stop(0);
  rte_eth_dev_close(port_);
}

Port::Port(Port&& other) noexcept
    : port_(std::exchange(other.port_, kNone)),
      device_(std::move(other.device_)),
      numa_node_(other.numa_node_),
      shape_(other.shape_),
      in_software_(other.in_software_),
      counts_all_(other.counts_all_),
      keeps_mbufs_(other.keeps_mbufs_),
      started_(other.started_),
      paused_(other.paused_),
      if_index_(other.if_index_),
      before_(other.before_),
      at_start_(other.at_start_),
      at_stop_(other.at_stop_) {}

void Port::start() {
  if (started_) {
    if (const auto refused = resume()) throw StartError(device_ + ": cannot be started: " + *refused);
    return;
  }
  if (const int error = rte_eth_dev_start(port_); error != 0) fail(device_, "cannot be started", error);
  started_ = true;
  rte_eth_promiscuous_enable(port_);  // devices without a filter refuse it, which is as good
  at_start_ = read_counters();
}

// What was counted since the start is kept, whatever becomes of the device's own counters.
void Port::bank() {
  before_ = counted();
  at_start_ = at_stop_ = {};
}

void Port::pause() {
  if (!started_ || paused_) return;
  rte_eth_dev_stop(port_);
  paused_ = true;
}

std::optional<std::string> Port::resume() {
  if (!paused_) return std::nullopt;
  if (const int error = rte_eth_dev_start(port_); error != 0) return rte_strerror(-error);
  rte_eth_promiscuous_enable(port_);
  paused_ = false;
  return std::nullopt;
}

void Port::stop(uint64_t sent) {
  if (!started_) return;
  if (resume()) sent = 0;  // what rings keep is taken out of a started device
  at_stop_ = read_counters();
  // A NIC counts a packet when it leaves, a little after its driver accepted it.
  for (int tries = 0; tries < kCounterTries; ++tries) {
    const DriverCounters counted = before_ + (at_stop_ - at_start_);
    if (counted.tx_packets + counted.tx_errors >= sent) break;
    sleep_us(kCounterWaitUs);
    at_stop_ = read_counters();
  }
  if (keeps_mbufs_) free_ring_contents();
  rte_eth_dev_stop(port_);
  before_ = before_ + (at_stop_ - at_start_);
  at_start_ = at_stop_ = {};
  started_ = false;
}

// These packets were sent and are on the wire, so to speak: no ledger misses them, but the pool would.
void Port::free_ring_contents() {
  rte_mbuf* mbufs[core::kBatch];
  for (uint16_t q = 0; q < shape_.rx_queues; ++q) {
    while (const uint16_t left = rte_eth_rx_burst(port_, q, mbufs, core::kBatch))
      rte_pktmbuf_free_bulk(mbufs, left);
  }
}

DriverCounters Port::counted() const {
  return before_ + ((started_ ? read_counters() : at_stop_) - at_start_);
}

DriverCounters Port::read_counters() const {
  rte_eth_stats stats{};
  if (rte_eth_stats_get(port_, &stats) != 0) return {};
  if (!counts_all_) stats.opackets = stats.oerrors = 0;
  return {stats.ipackets, stats.opackets, stats.oerrors, stats.imissed, stats.ierrors, stats.rx_nombuf};
}

LinkState Port::link() const {
  rte_eth_link link{};
  if (paused_ || rte_eth_link_get_nowait(port_, &link) != 0) return {};
  const bool known = !in_software_ && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;
  return {link.link_status == RTE_ETH_LINK_UP, known ? uint64_t{link.link_speed} * 1'000'000 : 0};
}

}  // namespace glue
