// SPDX-License-Identifier: BSD-3-Clause
// A rule for a NIC's own steering (rte_flow), as words in testpmd's flow language and as values: the
// attributes, items and actions that a RoCE gateway needs. Words are read for console, values taken by
// pmd_glue/flow_rules, on the control thread. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class FlowItemType : uint8_t { eth, vlan, ipv4, ipv6, udp, tcp, kCount };

// Longest header of an item, IPv6's.
inline constexpr size_t kMaxItemBytes = 40;

// One header to match. The bytes are those of the header on the wire; of a vlan, those behind the ethertype
// 8100.
struct FlowItem {
  using Bytes = std::array<uint8_t, kMaxItemBytes>;
  FlowItemType type = FlowItemType::eth;
  bool has_spec = false;  // without: any header of this type
  bool has_last = false;  // without: `spec` alone, not the range from `spec` to `last`
  bool has_mask = false;  // without: the mask that DPDK has for the type
  Bytes spec{}, last{}, mask{};
};

enum class FlowActionType : uint8_t { drop, queue, rss, count, mark, passthru, kCount };
enum class RssFunction : uint8_t { standard, toeplitz, simple_xor, symmetric_toeplitz };

struct FlowAction {
  FlowActionType type = FlowActionType::drop;
  uint32_t number = 0;  // of queue and mark
  // Of rss.
  RssFunction function = RssFunction::standard;
  uint32_t level = 0;
  std::vector<std::string> types;  // by testpmd's names, not checked here; none: IP addresses
  std::vector<uint16_t> queues;    // none: all queues of the port
};

struct FlowRule {
  uint32_t group = 0, priority = 0;
  bool ingress = false, egress = false, transfer = false;
  std::vector<FlowItem> pattern;
  std::vector<FlowAction> actions;
};

struct ReadFlowRule {
  FlowRule rule;
  std::string problem;  // empty: none; else what was found and what is allowed there
};

// "ingress pattern eth / ipv4 / udp dst is 4791 / end actions queue index 3 / end": what follows a port in
// testpmd's `flow create`.
ReadFlowRule read_flow_rule(std::string_view words);

// "ETH IPV4 UDP => QUEUE", as `flow list` shows a rule.
std::string outline_of(const FlowRule& rule);

// The bytes of a type's header that an item matches on.
size_t header_bytes(FlowItemType type);

}  // namespace core
