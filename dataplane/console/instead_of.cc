// SPDX-License-Identifier: BSD-3-Clause
// testpmd's commands that are not here, and what to use instead. Pure.
#include <algorithm>
#include <utility>

#include "console/console.h"

namespace console {
namespace {

// Words that a line begins with (* is any one word) -> answer. The first that fits counts.
constexpr std::pair<std::string_view, std::string_view> kInstead[] = {
    {"set fwd csum", "checksums are passed on as they came; set fwd io"},
    {"set fwd icmpecho", "set port PORT address answers ARP and ND; pings are passed on"},
    {"set fwd noisy", "set fwd macswap, with engine.hold_packets"},
    {"set fwd ieee1588", "time stamping is not here"},
    {"set fwd shared-rxq", "set fwd io"},
    {"set flush_rx", "what devices hold when forwarding starts is forwarded"},
    {"set fec_mode", "the driver's business; use ethtool"},
    {"show fec", "the driver's business; use ethtool"},
    {"set vf", "virtual functions are the host's business"},
    {"show vf", "virtual functions are the host's business"},
    {"set raw_encap", "frames are passed on as they came"},
    {"set vxlan", "frames are passed on as they came"},
    {"rx_vxlan_port", "VXLAN is recognised by UDP port 4789"},
    {"port config all max-pkt-len", "port config mtu PORT N"},
    {"port config all crc-strip", "frames have no FCS here"},
    {"port config all loopback", "--port-topology loop"},
    {"ptype", "show drops, show report: what packets were seen as"},
    {"tm", "traffic management is not here; weights share between NICs"},
    {"read rxd", "show port PORT rxq QUEUE desc N status"},
    {"read txd", "show port PORT txq QUEUE desc N status"},
    {"show port cap", "show port info PORT"},
    {"flow aged", "flow query PORT RULE count"},
    {"set default", "restart the program, or rollback"},
    {"set flow_ctrl", "flow control is not here yet; MAC control frames are counted and dropped"},
    {"set pfc_ctrl", "flow control is not here yet; MAC control frames are counted and dropped"},
    {"set pfc_queue_ctrl", "flow control is not here yet; MAC control frames are counted and dropped"},
    {"set burst tx delay", "what a full ring refuses is held and offered again; see engine.hold_packets"},
    {"set txsplit", "frames are made in one piece"},
    {"set txtimes", "frames leave as soon as they can"},
    {"set link_check", "links are always watched"},
    {"set stat_qmap", "counters of queues are always there: show distribution, telemetry /roceway/queues"},
    {"set xstats-hide-zero", "show port xstats PORT --json, and a filter"},
    {"set bonding", "groups do that: set distribution, set member; see show distribution"},
    {"create bonded device", "groups do that: [[port]] group in the settings file"},
    {"add bonding slave", "groups do that: [[port]] group in the settings file"},
    {"remove bonding slave", "set member NIC drain"},
    {"show bonding config", "show distribution"},
    {"port config * speed", "the link's speed is the driver's; set port PORT speed tells roceway of it"},
    {"port close", "port stop, or port detach"},
    {"csum", "checksums are passed on as they came"},
    {"tso", "frames are passed on as they came"},
    {"gso", "frames are passed on as they came"},
    {"gro", "frames are passed on as they came"},
    {"vlan set", "tags are passed on as they came; routes and keys can look at them"},
    {"rx_vlan", "tags are passed on as they came; devices are promiscuous"},
    {"tx_vlan", "tags are passed on as they came"},
    {"mac_addr", "devices are promiscuous; set port PORT next_hop_mac rewrites what leaves"},
    {"mcast_addr", "set allmulti PORT on"},
    {"dump_socket_mem", "dump_memzone, dump_physmem"},
    {"show port dcb_tc", "show port info"},
    {"show port fdir", "flow list"},
    {"E-tag", "tags are passed on as they came"},
    {"read reg", "registers are the driver's business"},
    {"write reg", "registers are the driver's business"},
    {"bpf-load", "trace add N EXPRESSION filters by pcap expressions"},
    {"ddp", "the driver's business; use testpmd"},
    {"add port tm", "traffic management is not here; weights share between NICs"},
    {"set port tm", "traffic management is not here; weights share between NICs"},
    {"show port tm", "traffic management is not here; weights share between NICs"},
    {"mtr", "metering is not here"},
    {"flow dump", "flow list"},
    {"flow indirect_action", "flow create, one rule each"},
    {"flow tunnel", "flow create, on outer headers"},
    {"set port * gro", "frames are passed on as they came"},
    {"set port * gso", "frames are passed on as they came"},
    {"set port * queue", "rates of queues are not limited; weights share between NICs"},
    {"show port * dcb_tc", "show port info"},
    {"show port * macs", "devices are promiscuous; show port info"},
    {"show port * mcast_macs", "set allmulti PORT on; show port info"},
    {"show port * flow_ctrl", "flow control is not here yet; MAC control frames are counted and dropped"},
    {"show port * fec_mode", "the driver's business; ethtool --show-fec"},
    {"show port * fec", "the driver's business; ethtool --show-fec"},
    {"show port * rx_offload", "checksums and tags are passed on as they came; show port info"},
    {"show port * tx_offload", "checksums and tags are passed on as they came; show port info"},
    {"show port * ptypes", "packets are parsed in software: hash explain frame"},
    {"show port * eeprom", "the driver's business; ethtool --eeprom-dump"},
    {"show port * module_eeprom", "the driver's business; ethtool --module-info"},
    {"show config rxoffs", "show config rxtx"},
    {"show config rxpkts", "show config rxtx"},
    {"show config rxhdrs", "show config rxtx"},
    {"show config txtimes", "frames leave as soon as they can"},
    {"clear port info", "clear port stats"},
    {"clear port fdir", "flow flush"},
    {"port config * rx_offload", "checksums and tags are passed on as they came"},
    {"port config * tx_offload", "checksums and tags are passed on as they came"},
    {"port config * rss-hash-key",
     "set distribution toeplitz_key; a device gets it in the next run, under reuse_rss_hash"},
    {"port config * dcb", "flow control is not here yet; MAC control frames are counted and dropped"},
    {"port * rxq", "port config all rxq, rxd"},
    {"port * txq", "port config all txq, txd"},
};

// The next word of `text`, which loses it; empty at its end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

bool begins_with(std::string_view line, std::string_view words) {
  for (std::string_view word; !(word = take_word(words)).empty();) {
    const std::string_view found = take_word(line);
    if (found.empty() || (word != "*" && word != found)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> instead_of(std::string_view line) {
  for (const auto& [beginning, answer] : kInstead) {
    if (begins_with(line, beginning))
      return "\"" + std::string(beginning) + "\" is testpmd's and not here; instead: " + std::string(answer);
  }
  return std::nullopt;
}

}  // namespace console
