// SPDX-License-Identifier: BSD-3-Clause
// Names of drop reasons and protocols, as reports print them.
#include "core/types.h"

namespace core {

std::string_view name_of(DropReason reason) {
  static constexpr std::array<std::string_view, kDropReasons> kNames = {
      "runt",    "mac_control", "link_local", "malformed",   "too_big", "no_member", "no_tx",
      "tx_full", "no_route",    "looped",     "not_elected", "local",   "rx_only",   "stopped"};
  return kNames[static_cast<size_t>(reason)];
}

std::string_view name_of(Protocol protocol) {
  static constexpr std::array<std::string_view, kProtocols> kNames = {
      "other", "arp",    "icmp", "tcp",      "udp",  "sctp",     "roce_v2", "roce_v1",
      "vxlan", "geneve", "gre",  "ip_in_ip", "mpls", "ip_other", "control", "malformed"};
  return kNames[static_cast<size_t>(protocol)];
}

}  // namespace core
