// SPDX-License-Identifier: BSD-3-Clause
// Names of RSS types; see rss_types.h.
#include "pmd_glue/rss_types.h"

#include <rte_ethdev.h>

#include <algorithm>

namespace glue {
namespace {

struct RssType {
  std::string_view name;
  uint64_t bits;
};

// In testpmd's order: groups, then single types in the order of their bits.
constexpr RssType kTypes[] = {
    {"all", RTE_ETH_RSS_ETH | RTE_ETH_RSS_VLAN | RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP |
                RTE_ETH_RSS_SCTP | RTE_ETH_RSS_L2_PAYLOAD | RTE_ETH_RSS_L2TPV3 | RTE_ETH_RSS_ESP |
                RTE_ETH_RSS_AH | RTE_ETH_RSS_PFCP | RTE_ETH_RSS_GTPU | RTE_ETH_RSS_ECPRI | RTE_ETH_RSS_MPLS |
                RTE_ETH_RSS_L2TPV2},
    {"ip", RTE_ETH_RSS_IP},
    {"udp", RTE_ETH_RSS_UDP},
    {"tcp", RTE_ETH_RSS_TCP},
    {"sctp", RTE_ETH_RSS_SCTP},
    {"tunnel", RTE_ETH_RSS_TUNNEL},
    {"vlan", RTE_ETH_RSS_VLAN},
    {"none", 0},
    {"ipv4", RTE_ETH_RSS_IPV4},
    {"ipv4-frag", RTE_ETH_RSS_FRAG_IPV4},
    {"ipv4-tcp", RTE_ETH_RSS_NONFRAG_IPV4_TCP},
    {"ipv4-udp", RTE_ETH_RSS_NONFRAG_IPV4_UDP},
    {"ipv4-sctp", RTE_ETH_RSS_NONFRAG_IPV4_SCTP},
    {"ipv4-other", RTE_ETH_RSS_NONFRAG_IPV4_OTHER},
    {"ipv6", RTE_ETH_RSS_IPV6},
    {"ipv6-frag", RTE_ETH_RSS_FRAG_IPV6},
    {"ipv6-tcp", RTE_ETH_RSS_NONFRAG_IPV6_TCP},
    {"ipv6-udp", RTE_ETH_RSS_NONFRAG_IPV6_UDP},
    {"ipv6-sctp", RTE_ETH_RSS_NONFRAG_IPV6_SCTP},
    {"ipv6-other", RTE_ETH_RSS_NONFRAG_IPV6_OTHER},
    {"l2-payload", RTE_ETH_RSS_L2_PAYLOAD},
    {"ipv6-ex", RTE_ETH_RSS_IPV6_EX},
    {"ipv6-tcp-ex", RTE_ETH_RSS_IPV6_TCP_EX},
    {"ipv6-udp-ex", RTE_ETH_RSS_IPV6_UDP_EX},
    {"port", RTE_ETH_RSS_PORT},
    {"vxlan", RTE_ETH_RSS_VXLAN},
    {"geneve", RTE_ETH_RSS_GENEVE},
    {"nvgre", RTE_ETH_RSS_NVGRE},
    {"gtpu", RTE_ETH_RSS_GTPU},
    {"eth", RTE_ETH_RSS_ETH},
    {"s-vlan", RTE_ETH_RSS_S_VLAN},
    {"c-vlan", RTE_ETH_RSS_C_VLAN},
    {"esp", RTE_ETH_RSS_ESP},
    {"ah", RTE_ETH_RSS_AH},
    {"l2tpv3", RTE_ETH_RSS_L2TPV3},
    {"pfcp", RTE_ETH_RSS_PFCP},
    {"pppoe", RTE_ETH_RSS_PPPOE},
    {"ecpri", RTE_ETH_RSS_ECPRI},
    {"mpls", RTE_ETH_RSS_MPLS},
    {"ipv4-chksum", RTE_ETH_RSS_IPV4_CHKSUM},
    {"l4-chksum", RTE_ETH_RSS_L4_CHKSUM},
    {"l2tpv2", RTE_ETH_RSS_L2TPV2},
    {"l3-pre96", RTE_ETH_RSS_L3_PRE96},
    {"l3-pre64", RTE_ETH_RSS_L3_PRE64},
    {"l3-pre56", RTE_ETH_RSS_L3_PRE56},
    {"l3-pre48", RTE_ETH_RSS_L3_PRE48},
    {"l3-pre40", RTE_ETH_RSS_L3_PRE40},
    {"l3-pre32", RTE_ETH_RSS_L3_PRE32},
    {"l2-dst-only", RTE_ETH_RSS_L2_DST_ONLY},
    {"l2-src-only", RTE_ETH_RSS_L2_SRC_ONLY},
    {"l4-dst-only", RTE_ETH_RSS_L4_DST_ONLY},
    {"l4-src-only", RTE_ETH_RSS_L4_SRC_ONLY},
    {"l3-dst-only", RTE_ETH_RSS_L3_DST_ONLY},
    {"l3-src-only", RTE_ETH_RSS_L3_SRC_ONLY}};

}  // namespace

std::vector<std::string> rss_type_names(uint64_t types) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const uint64_t type = uint64_t{1} << bit;
    if ((types & type) == 0) continue;
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const RssType& row) { return row.bits == type; });
    names.push_back(found == std::end(kTypes) ? "user-defined-" + std::to_string(bit)
                                              : std::string(found->name));
  }
  return names;
}

std::vector<std::string> rss_type_and_group_names(uint64_t types) {
  std::vector<std::string> names;
  for (const RssType& row : kTypes) {
    if (row.bits != 0 && (types & row.bits) == row.bits) names.emplace_back(row.name);
  }
  return names;
}

Outcome<uint64_t> rss_types_of(const std::vector<std::string>& names) {
  uint64_t types = 0;
  for (const std::string& name : names) {
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const RssType& row) { return row.name == name; });
    if (found == std::end(kTypes)) {
      std::string allowed;
      for (const RssType& row : kTypes) allowed += (allowed.empty() ? "" : ", ") + std::string(row.name);
      return Outcome<uint64_t>::refuse("RSS type: found \"" + name + "\"; allowed: " + allowed);
    }
    types |= found->bits;
  }
  return {.value = types};
}

}  // namespace glue
