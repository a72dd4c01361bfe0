// SPDX-License-Identifier: BSD-3-Clause
// Devices described; see port_info.h. Control thread.
#define ALLOW_EXPERIMENTAL_API  // names of capabilities
#include "pmd_glue/port_info.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "pmd_glue/rss_types.h"

namespace glue {
namespace {

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

std::string devargs_of(const rte_device* device) {
  const rte_devargs* devargs = rte_dev_devargs(device);
  return devargs != nullptr ? text_of(devargs->args) : "";
}

// The names of the bits that are set, lowest first.
std::vector<std::string> names_of(uint64_t bits, const char* (*name_of)(uint64_t)) {
  std::vector<std::string> names;
  for (; bits != 0; bits &= bits - 1) names.emplace_back(name_of(bits & -bits));
  return names;
}

std::vector<std::string> speeds_of(uint32_t capabilities) {
  struct Speed {
    uint32_t bit;
    std::string_view name;
  };
  static constexpr std::array<Speed, 15> kSpeeds = {{{RTE_ETH_LINK_SPEED_10M_HD, "10 Mbps half-duplex"},
                                                     {RTE_ETH_LINK_SPEED_10M, "10 Mbps full-duplex"},
                                                     {RTE_ETH_LINK_SPEED_100M_HD, "100 Mbps half-duplex"},
                                                     {RTE_ETH_LINK_SPEED_100M, "100 Mbps full-duplex"},
                                                     {RTE_ETH_LINK_SPEED_1G, "1 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_2_5G, "2.5 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_5G, "5 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_10G, "10 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_20G, "20 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_25G, "25 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_40G, "40 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_50G, "50 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_56G, "56 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_100G, "100 Gbps"},
                                                     {RTE_ETH_LINK_SPEED_200G, "200 Gbps"}}};
  std::vector<std::string> names;
  for (const Speed& speed : kSpeeds) {
    if ((capabilities & speed.bit) != 0) names.emplace_back(speed.name);
  }
  return names;
}

void describe_device(const rte_eth_dev_info& info, PortInfo& into) {
  into.driver = text_of(info.driver_name);
  into.if_index = info.if_index;
  if (info.device != nullptr) {
    into.bus = text_of(rte_bus_name(rte_dev_bus(info.device)));
    into.bus_info = text_of(rte_dev_bus_info(info.device));
    into.devargs = devargs_of(info.device);
  }
  into.speeds = speeds_of(info.speed_capa);
  into.capabilities = info.dev_capa;
  into.capability_names = names_of(info.dev_capa, rte_eth_dev_capability_name);
  if (info.switch_info.domain_id != RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID) {
    into.switch_info = {
        text_of(info.switch_info.name), info.switch_info.domain_id, info.switch_info.port_id, {}};
    if ((info.dev_capa & RTE_ETH_DEV_CAPA_RXQ_SHARE) != 0)
      into.switch_info->rx_domain = info.switch_info.rx_domain;
  }
  static constexpr std::array<std::string_view, 3> kModes = {"none", "passive", "proactive"};
  const auto mode = static_cast<size_t>(info.err_handle_mode);
  into.error_handling = mode < kModes.size() ? kModes[mode] : "unknown";
}

void describe_queues(const rte_eth_dev_info& info, PortInfo& into) {
  into.rx_queues = info.nb_rx_queues;
  into.tx_queues = info.nb_tx_queues;
  into.most_rx_queues = info.max_rx_queues;
  into.most_tx_queues = info.max_tx_queues;
  into.rx_descriptors = {info.rx_desc_lim.nb_max, info.rx_desc_lim.nb_min, info.rx_desc_lim.nb_align};
  into.tx_descriptors = {info.tx_desc_lim.nb_max, info.tx_desc_lim.nb_min, info.tx_desc_lim.nb_align};
  into.most_segments = info.tx_desc_lim.nb_seg_max;
  into.most_segments_per_mtu = info.tx_desc_lim.nb_mtu_seg_max;
  const rte_eth_dev_portconf &rx = info.default_rxportconf, &tx = info.default_txportconf;
  into.rx_hint = {rx.burst_size, rx.ring_size, rx.nb_queues};
  into.tx_hint = {tx.burst_size, tx.ring_size, tx.nb_queues};
}

void describe_packets(const rte_eth_dev_info& info, PortInfo& into) {
  into.least_mtu = info.min_mtu;
  into.most_mtu = info.max_mtu;
  into.most_macs = info.max_mac_addrs;
  into.most_hash_macs = info.max_hash_mac_addrs;
  into.hash_key_bytes = info.hash_key_size;
  into.reta_size = info.reta_size;
  into.rss_types = rss_type_names(info.flow_type_rss_offloads);
  into.rx_offloads = {names_of(info.rx_offload_capa, rte_eth_dev_rx_offload_name),
                      names_of(info.rx_queue_offload_capa, rte_eth_dev_rx_offload_name)};
  into.tx_offloads = {names_of(info.tx_offload_capa, rte_eth_dev_tx_offload_name),
                      names_of(info.tx_queue_offload_capa, rte_eth_dev_tx_offload_name)};
  into.least_rx_buffer = info.min_rx_bufsize;
  into.most_rx_packet = info.max_rx_pktlen;
  into.most_lro_packet = info.max_lro_pkt_size;
  into.most_vfs = info.max_vfs;
  into.most_vmdq_pools = info.max_vmdq_pools;
}

// What has a call of its own. A driver that does not answer one leaves the default.
void ask(uint16_t port, PortInfo& into) {
  char name[RTE_ETH_NAME_MAX_LEN];
  if (rte_eth_dev_get_name_by_port(port, name) == 0) into.device = name;
  constexpr size_t kFirmwareBytes = 128;
  char firmware[kFirmwareBytes] = "";
  if (rte_eth_dev_fw_version_get(port, firmware, sizeof firmware) == 0) into.firmware = firmware;
  rte_ether_addr mac{};
  if (rte_eth_macaddr_get(port, &mac) == 0) std::memcpy(into.mac.data(), mac.addr_bytes, into.mac.size());
  into.socket = rte_eth_dev_socket_id(port);
  rte_eth_link link{};
  if (rte_eth_link_get_nowait(port, &link) == 0) {
    into.link_up = link.link_status == RTE_ETH_LINK_UP;
    into.full_duplex = link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX;
    into.autoneg = link.link_autoneg == RTE_ETH_LINK_AUTONEG;
    into.link_speed_mbps = link.link_speed;
    into.link_speed = rte_eth_link_speed_to_str(link.link_speed);
  }
  rte_eth_dev_get_mtu(port, &into.mtu);
  into.promiscuous = rte_eth_promiscuous_get(port) == 1;
  into.allmulticast = rte_eth_allmulticast_get(port) == 1;
  const int vlan = rte_eth_dev_get_vlan_offload(port);
  if (vlan >= 0) {
    into.vlan = {(vlan & RTE_ETH_VLAN_STRIP_OFFLOAD) != 0, (vlan & RTE_ETH_VLAN_FILTER_OFFLOAD) != 0,
                 (vlan & RTE_ETH_VLAN_EXTEND_OFFLOAD) != 0, (vlan & RTE_ETH_QINQ_STRIP_OFFLOAD) != 0};
  }
}

std::string state_of(uint8_t state) {
  static constexpr std::array<std::string_view, 3> kStates = {"stopped", "started", "hairpin"};
  return std::string(state < kStates.size() ? kStates[state] : "unknown");
}

// DPDK's inline calls do not look whether there is such a queue.
std::optional<std::string> no_such_queue(uint16_t port, bool rx, uint16_t queue) {
  rte_eth_dev_info info{};
  if (const int error = rte_eth_dev_info_get(port, &info); error != 0) return refusal(port, "queues", error);
  const uint16_t queues = rx ? info.nb_rx_queues : info.nb_tx_queues;
  if (queue < queues) return std::nullopt;
  return std::string(rx ? "RX" : "TX") + " queue: found " + std::to_string(queue) + "; allowed: " +
         (queues == 0 ? "none, the port has no such queues" : "0 to " + std::to_string(queues - 1));
}

Outcome<std::string> descriptor_status(uint16_t port, bool rx, uint16_t queue, uint16_t descriptor) {
  if (auto problem = no_such_queue(port, rx, queue)) return Outcome<std::string>::refuse(*problem);
  const int status = rx ? rte_eth_rx_descriptor_status(port, queue, descriptor)
                        : rte_eth_tx_descriptor_status(port, queue, descriptor);
  static constexpr std::array<std::string_view, 3> kRx = {"AVAILABLE", "DONE", "UNAVAILABLE"},
                                                   kTx = {"FULL", "DONE", "UNAVAILABLE"};
  if (status >= 0 && status < 3) return {.value = std::string((rx ? kRx : kTx)[static_cast<size_t>(status)])};
  return Outcome<std::string>::refuse(
      refusal(port, std::string(rx ? "RX" : "TX") + " descriptor " + std::to_string(descriptor), status));
}

}  // namespace

Outcome<PortInfo> port_info(uint16_t port) {
  rte_eth_dev_info info{};
  if (const int error = rte_eth_dev_info_get(port, &info); error != 0)
    return Outcome<PortInfo>::refuse(refusal(port, "the driver does not describe it", error));
  PortInfo told{.port = port};
  describe_device(info, told);
  describe_queues(info, told);
  describe_packets(info, told);
  ask(port, told);
  return {.value = std::move(told)};
}

std::vector<DeviceInfo> devices(const std::string& name) {
  std::vector<DeviceInfo> found;
  const auto any = [](const rte_bus*, const void*) { return 0; };
  for (const rte_bus* bus = nullptr; (bus = rte_bus_find(bus, any, nullptr)) != nullptr;) {
    const std::string filter = "bus=" + text_of(rte_bus_name(bus));
    rte_dev_iterator iterator;
    rte_device* device = nullptr;
    RTE_DEV_FOREACH(device, filter.c_str(), &iterator) {
      if (rte_dev_driver(device) == nullptr || (!name.empty() && name != rte_dev_name(device))) continue;
      DeviceInfo& told = found.emplace_back();
      told.name = text_of(rte_dev_name(device));
      told.bus = text_of(rte_bus_name(bus));
      told.bus_info = text_of(rte_dev_bus_info(device));
      told.driver = text_of(rte_driver_name(rte_dev_driver(device)));
      told.devargs = devargs_of(device);
      told.socket = rte_dev_numa_node(device);
      uint16_t port = 0;
      RTE_ETH_FOREACH_DEV_OF(port, device) {
        if (auto info = port_info(port)) told.ports.push_back(std::move(info.value));
      }
    }
  }
  return found;
}

Outcome<QueueInfo> rx_queue_info(uint16_t port, uint16_t queue) {
  rte_eth_rxq_info info{};
  if (const int error = rte_eth_rx_queue_info_get(port, queue, &info); error != 0)
    return Outcome<QueueInfo>::refuse(refusal(port, "RX queue " + std::to_string(queue), error));
  QueueInfo told;
  told.pool = info.mp != nullptr ? info.mp->name : "";
  told.prefetch = info.conf.rx_thresh.pthresh;
  told.host = info.conf.rx_thresh.hthresh;
  told.writeback = info.conf.rx_thresh.wthresh;
  told.free_threshold = info.conf.rx_free_thresh;
  told.drops = info.conf.rx_drop_en != 0;
  told.deferred_start = info.conf.rx_deferred_start != 0;
  told.scatters = info.scattered_rx != 0;
  told.state = state_of(info.queue_state);
  told.buffer_bytes = info.rx_buf_size;
  told.descriptors = info.nb_desc;
  told.offloads = names_of(info.conf.offloads, rte_eth_dev_rx_offload_name);
  rte_eth_burst_mode mode{};
  if (rte_eth_rx_burst_mode_get(port, queue, &mode) == 0) {
    told.burst_mode = mode.info;
    told.burst_mode_per_queue = (mode.flags & RTE_ETH_BURST_FLAG_PER_QUEUE) != 0;
  }
  return {.value = std::move(told)};
}

Outcome<QueueInfo> tx_queue_info(uint16_t port, uint16_t queue) {
  rte_eth_txq_info info{};
  if (const int error = rte_eth_tx_queue_info_get(port, queue, &info); error != 0)
    return Outcome<QueueInfo>::refuse(refusal(port, "TX queue " + std::to_string(queue), error));
  QueueInfo told;
  told.prefetch = info.conf.tx_thresh.pthresh;
  told.host = info.conf.tx_thresh.hthresh;
  told.writeback = info.conf.tx_thresh.wthresh;
  told.rs_threshold = info.conf.tx_rs_thresh;
  told.free_threshold = info.conf.tx_free_thresh;
  told.deferred_start = info.conf.tx_deferred_start != 0;
  told.state = state_of(info.queue_state);
  told.descriptors = info.nb_desc;
  told.offloads = names_of(info.conf.offloads, rte_eth_dev_tx_offload_name);
  rte_eth_burst_mode mode{};
  if (rte_eth_tx_burst_mode_get(port, queue, &mode) == 0) {
    told.burst_mode = mode.info;
    told.burst_mode_per_queue = (mode.flags & RTE_ETH_BURST_FLAG_PER_QUEUE) != 0;
  }
  return {.value = std::move(told)};
}

Outcome<std::string> rx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor) {
  return descriptor_status(port, true, queue, descriptor);
}

Outcome<std::string> tx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor) {
  return descriptor_status(port, false, queue, descriptor);
}

Outcome<uint32_t> rx_descriptors_used(uint16_t port, uint16_t queue) {
  if (auto problem = no_such_queue(port, true, queue)) return Outcome<uint32_t>::refuse(*problem);
  const int used = rte_eth_rx_queue_count(port, queue);
  if (used >= 0) return {.value = static_cast<uint32_t>(used)};
  return Outcome<uint32_t>::refuse(
      refusal(port, "used descriptors of RX queue " + std::to_string(queue), used));
}

PortStatistics PortStatistics::operator-(const PortStatistics& start) const {
  return {packets - start.packets, rx_bytes - start.rx_bytes, tx_bytes - start.tx_bytes};
}

Outcome<PortStatistics> port_statistics(uint16_t port) {
  rte_eth_stats stats{};
  if (const int error = rte_eth_stats_get(port, &stats); error != 0)
    return Outcome<PortStatistics>::refuse(refusal(port, "statistics", error));
  const DriverCounters packets = {stats.ipackets, stats.opackets, stats.oerrors,
                                  stats.imissed,  stats.ierrors,  stats.rx_nombuf};
  return {.value = {packets, stats.ibytes, stats.obytes}};
}

Outcome<ExtendedStatistics> extended_statistics(uint16_t port) {
  const int count = rte_eth_xstats_get_names(port, nullptr, 0);
  std::vector<rte_eth_xstat_name> names(static_cast<size_t>(std::max(count, 0)));
  std::vector<rte_eth_xstat> values(names.size());
  const auto room = static_cast<unsigned>(names.size());
  const int named = count < 0 ? count : rte_eth_xstats_get_names(port, names.data(), room);
  const int read = named < 0 ? named : rte_eth_xstats_get(port, values.data(), room);
  if (read < 0) return Outcome<ExtendedStatistics>::refuse(refusal(port, "extended statistics", read));
  ExtendedStatistics told;
  for (size_t i = 0; i < std::min(names.size(), static_cast<size_t>(read)); ++i) {
    if (values[i].id < names.size()) told.emplace_back(names[values[i].id].name, values[i].value);
  }
  return {.value = std::move(told)};
}

}  // namespace glue
