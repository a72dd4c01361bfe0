// SPDX-License-Identifier: BSD-3-Clause
// Devices in testpmd's shape; see port_text.h. Pure.
#include "console/port_text.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "control/words.h"

namespace console {
namespace {

constexpr std::string_view kStars = "*********************";
constexpr size_t kRssLine = 64;  // characters of a line of RSS types

std::string left(const std::string& text, int width) {
  return control::padded(text, -width);
}
std::string left(uint64_t number, int width) {
  return left(std::to_string(number), width);
}

std::string line(std::string_view label, const std::string& value) {
  return std::string(label) + ": " + value + '\n';
}
std::string line(std::string_view label, uint64_t value) {
  return line(label, std::to_string(value));
}

std::string title(const std::string& what) {
  return '\n' + std::string(kStars) + " Infos for " + what + ' ' + std::string(kStars) + '\n';
}

std::string on_off(bool on) {
  return on ? "on" : "off";
}

std::string hex_bytes(const auto& bytes, std::string_view between) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const uint8_t byte : bytes) {
    if (!text.empty()) text += between;
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string hex(uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[number & 15]);
  while ((number >>= 4) != 0);
  return "0x" + text;
}

// Of a port: memory for a device that does not say where it is comes from node 0.
std::string socket_text(int socket) {
  return std::to_string(std::max(socket, 0));
}

// Names two spaces apart; a line has at most `most` characters.
std::string wrapped(const std::vector<std::string>& names, size_t most) {
  std::string text;
  size_t used = 0;
  for (const std::string& name : names) {
    if (used + name.size() + 2 > most) {
      text += '\n';
      used = 0;
    }
    text += "  " + name;
    used += name.size() + 2;
  }
  return text + '\n';
}

std::string link_lines(const glue::PortInfo& info) {
  return line("Link status", info.link_up ? "up" : "down") + line("Link speed", info.link_speed) +
         line("Link duplex", info.full_duplex ? "full-duplex" : "half-duplex") +
         line("Autoneg status", info.autoneg ? "On" : "Off");
}

std::string vlan_lines(const glue::VlanOffload& vlan) {
  return "VLAN offload: \n  strip " + on_off(vlan.strip) + ", filter " + on_off(vlan.filter) + ", extend " +
         on_off(vlan.extend) + ", qinq strip " + on_off(vlan.qinq_strip) + '\n';
}

std::string rss_lines(const glue::PortInfo& info) {
  std::string text;
  if (info.hash_key_bytes > 0) text += line("Hash key size in bytes", info.hash_key_bytes);
  if (info.reta_size > 0) text += line("Redirection table size", info.reta_size);
  if (info.rss_types.empty()) return text + "No RSS offload flow type is supported.\n";
  return text + "Supported RSS offload flow types:\n" + wrapped(info.rss_types, kRssLine - 1);
}

std::string packet_lines(const glue::PortInfo& info) {
  std::string text = line("Minimum size of RX buffer", info.least_rx_buffer) +
                     line("Maximum configurable length of RX packet", info.most_rx_packet) +
                     line("Maximum configurable size of LRO aggregated packet", info.most_lro_packet);
  if (info.most_vfs > 0) text += line("Maximum number of VFs", info.most_vfs);
  if (info.most_vmdq_pools > 0) text += line("Maximum number of VMDq pools", info.most_vmdq_pools);
  return text;
}

std::string queue_lines(std::string_view direction, uint16_t queues, uint16_t most,
                        const glue::DescriptorLimits& limits) {
  const std::string dir(direction);
  return line("Current number of " + dir + " queues", queues) +
         line("Max possible " + dir + " queues", most) +
         line("Max possible number of " + dir + "Ds per queue", limits.most) +
         line("Min possible number of " + dir + "Ds per queue", limits.least) +
         line(dir + "Ds number alignment", limits.alignment);
}

std::string switch_lines(const glue::SwitchInfo& info) {
  std::string text;
  if (!info.name.empty()) text += line("Switch name", info.name);
  text += line("Switch domain Id", info.domain) + line("Switch Port Id", info.port);
  if (info.rx_domain) text += line("Switch Rx domain", *info.rx_domain);
  return text;
}

std::string burst_mode_line(const glue::QueueInfo& info) {
  if (info.burst_mode.empty()) return "";
  return line("Burst mode", info.burst_mode + (info.burst_mode_per_queue ? " (per queue)" : ""));
}

std::string threshold_lines(const std::string& direction, const glue::QueueInfo& info) {
  return line(direction + " prefetch threshold", info.prefetch) +
         line(direction + " host threshold", info.host) +
         line(direction + " writeback threshold", info.writeback);
}

std::string queue_title(std::string_view direction, uint16_t port, uint16_t queue) {
  return title("port " + left(port, 2) + ", " + std::string(direction) + " queue " + left(queue, 2));
}

std::string optional_number(const std::optional<uint64_t>& number) {
  return std::to_string(number.value_or(0));
}

}  // namespace

std::string mac_text(const core::MacAddress& mac) {
  return hex_bytes(mac, ":");
}

std::string port_info_text(const glue::PortInfo& info) {
  std::string text = title("port " + left(info.port, 2)) + line("MAC address", mac_text(info.mac)) +
                     line("Device name", info.device) + line("Driver name", info.driver) +
                     line("Firmware-version", info.firmware.empty() ? "not available" : info.firmware) +
                     line("Devargs", info.devargs) + line("Connect to socket", socket_text(info.socket)) +
                     line("memory allocation on the socket", socket_text(info.socket)) + link_lines(info) +
                     line("MTU", info.mtu) +
                     line("Promiscuous mode", info.promiscuous ? "enabled" : "disabled") +
                     line("Allmulticast mode", info.allmulticast ? "enabled" : "disabled") +
                     line("Maximum number of MAC addresses", info.most_macs) +
                     line("Maximum number of MAC addresses of hash filtering", info.most_hash_macs);
  if (info.vlan) text += vlan_lines(*info.vlan);
  text += rss_lines(info) + packet_lines(info) +
          queue_lines("RX", info.rx_queues, info.most_rx_queues, info.rx_descriptors) +
          queue_lines("TX", info.tx_queues, info.most_tx_queues, info.tx_descriptors) +
          line("Max segment number per packet", info.most_segments) +
          line("Max segment number per MTU/TSO", info.most_segments_per_mtu);
  text += "Device capabilities: " + hex(info.capabilities) + '(';
  for (const std::string& name : info.capability_names) text += ' ' + name;
  text += " )\n";
  if (info.switch_info) text += switch_lines(*info.switch_info);
  return text + line("Device error handling mode", info.error_handling);
}

std::string port_summary_text(const std::vector<glue::PortInfo>& ports, size_t available) {
  std::string text = line("Number of available ports", available) + left("Port", 4) + ' ' +
                     left("MAC Address", 17) + ' ' + left("Name", 12) + ' ' + left("Driver", 14) + ' ' +
                     left("Status", 8) + " Link\n";
  for (const glue::PortInfo& port : ports) {
    text += left(port.port, 4) + ' ' + mac_text(port.mac) + ' ' + left(port.device, 12) + ' ' +
            left(port.driver, 14) + ' ' + left(port.link_up ? "up" : "down", 8) + ' ' + port.link_speed +
            '\n';
  }
  return text;
}

std::string device_info_text(const std::vector<glue::DeviceInfo>& devices) {
  std::string text;
  for (const glue::DeviceInfo& device : devices) {
    text += title("device " + device.name) + line("Bus name", device.bus) +
            line("Bus information", device.bus_info) + line("Driver name", device.driver) +
            line("Devargs", device.devargs) + line("Connect to socket", std::to_string(device.socket));
    for (const glue::PortInfo& port : device.ports) {
      text += "\n\t" + line("Port id", left(port.port, 2)) + '\t' + line("MAC address", mac_text(port.mac)) +
              '\t' + line("Device name", port.device) + "\tDevice speed capability:";
      if (port.speeds.empty()) text += " Autonegotiate (all speeds)";
      for (const std::string& speed : port.speeds) text += ' ' + speed + "  ";
      text += '\n';
    }
  }
  return text;
}

std::string rx_queue_text(uint16_t port, uint16_t queue, const glue::QueueInfo& info) {
  std::string text =
      queue_title("RX", port, queue) + line("Mempool", info.pool.empty() ? "NULL" : info.pool) +
      threshold_lines("RX", info) + line("RX free threshold", info.free_threshold) +
      line("RX drop packets", on_off(info.drops)) + line("RX deferred start", on_off(info.deferred_start)) +
      line("RX scattered packets", on_off(info.scatters)) + line("Rx queue state", info.state);
  if (info.buffer_bytes != 0) text += line("RX buffer size", info.buffer_bytes);
  return text + line("Number of RXDs", info.descriptors) + burst_mode_line(info);
}

std::string tx_queue_text(uint16_t port, uint16_t queue, const glue::QueueInfo& info) {
  return queue_title("TX", port, queue) + threshold_lines("TX", info) +
         line("TX RS threshold", info.rs_threshold) + line("TX free threshold", info.free_threshold) +
         line("TX deferred start", on_off(info.deferred_start)) + line("Number of TXDs", info.descriptors) +
         line("Tx queue state", info.state) + burst_mode_line(info);
}

std::string rss_hash_text(const glue::RssHash& hash, bool with_key) {
  if (hash.types.empty()) return "RSS disabled\n";
  std::string text = "RSS functions:\n" + wrapped(hash.types, kRssLine);
  if (with_key) text += "RSS key:\n" + hex_bytes(hash.key, "") + '\n';
  return text;
}

std::string reta_text(const std::vector<uint16_t>& queues, const std::vector<uint64_t>& masks) {
  std::string text;
  for (size_t i = 0; i < std::min(queues.size(), masks.size() * 64); ++i) {
    if ((masks[i / 64] >> i % 64 & 1) == 0) continue;
    text += "RSS RETA configuration: hash index=" + std::to_string(i) +
            ", queue=" + std::to_string(queues[i]) + '\n';
  }
  return text;
}

std::string flow_list_text(const std::map<uint32_t, glue::FlowRules::Installed>& rules,
                           const std::vector<uint32_t>& groups) {
  std::vector<std::pair<uint32_t, const core::FlowRule*>> shown;
  for (const auto& [id, installed] : rules) {
    const bool wanted =
        groups.empty() || std::find(groups.begin(), groups.end(), installed.rule.group) != groups.end();
    if (wanted) shown.emplace_back(id, &installed.rule);
  }
  const auto order = [](const auto& row) {
    return std::tuple(row.second->group, row.second->priority, row.first);
  };
  std::sort(shown.begin(), shown.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  if (rules.empty()) return "";
  std::string text = "ID\tGroup\tPrio\tAttr\tRule\n";
  for (const auto& [id, rule] : shown) {
    text += std::to_string(id) + '\t' + std::to_string(rule->group) + '\t' + std::to_string(rule->priority) +
            '\t' + (rule->ingress ? 'i' : '-') + (rule->egress ? 'e' : '-') + (rule->transfer ? 't' : '-') +
            '\t' + core::outline_of(*rule) + '\n';
  }
  return text;
}

std::string flow_count_text(const glue::FlowCount& count) {
  return "COUNT:\n hits_set: " + std::to_string(count.packets.has_value()) +
         "\n bytes_set: " + std::to_string(count.bytes.has_value()) +
         "\n hits: " + optional_number(count.packets) + "\n bytes: " + optional_number(count.bytes) + '\n';
}

}  // namespace console
