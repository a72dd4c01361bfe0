// SPDX-License-Identifier: BSD-3-Clause
// Flow rules; see flow_rules.h. Control thread.
#include "pmd_glue/flow_rules.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <numeric>

#include "pmd_glue/rss_types.h"

namespace glue {
namespace {

// DPDK's items begin with the header as it is on the wire; what follows it stays zero.
static_assert(sizeof(rte_ether_hdr) == 14 && sizeof(rte_vlan_hdr) == 4 && sizeof(rte_ipv4_hdr) == 20 &&
              sizeof(rte_ipv6_hdr) == 40 && sizeof(rte_udp_hdr) == 8 && sizeof(rte_tcp_hdr) == 20);

constexpr std::array<rte_flow_item_type, static_cast<size_t>(core::FlowItemType::kCount)> kItems = {
    RTE_FLOW_ITEM_TYPE_ETH,  RTE_FLOW_ITEM_TYPE_VLAN, RTE_FLOW_ITEM_TYPE_IPV4,
    RTE_FLOW_ITEM_TYPE_IPV6, RTE_FLOW_ITEM_TYPE_UDP,  RTE_FLOW_ITEM_TYPE_TCP};

struct alignas(8) ItemBytes {
  static constexpr size_t kRoom = 64;
  std::array<uint8_t, kRoom> bytes{};
};
static_assert(sizeof(rte_flow_item_ipv6) <= ItemBytes::kRoom);

struct ActionConf {
  rte_flow_action_queue queue{};
  rte_flow_action_mark mark{};
  rte_flow_action_count count{};
  rte_flow_action_rss rss{};
  std::vector<uint16_t> queues;
};

// A rule as DPDK takes it. What its pointers point to lies in the deques, which do not move it.
struct Translated {
  rte_flow_attr attr{};
  std::vector<rte_flow_item> pattern;
  std::vector<rte_flow_action> actions;
  std::deque<ItemBytes> headers;
  std::deque<ActionConf> confs;
  std::optional<std::string> problem;
};

const void* header_of(Translated& into, bool there, core::FlowItemType type,
                      const core::FlowItem::Bytes& bytes) {
  if (!there) return nullptr;
  ItemBytes& header = into.headers.emplace_back();
  std::memcpy(header.bytes.data(), bytes.data(), core::header_bytes(type));
  return header.bytes.data();
}

void check_queue(Translated& into, unsigned queue, uint16_t queues) {
  if (queue < queues || into.problem) return;
  into.problem = "flow rule, queue: found " + std::to_string(queue) + "; allowed: " +
                 (queues == 0 ? "none, the port has no RX queue" : "0 to " + std::to_string(queues - 1));
}

void translate_rss(Translated& into, const core::FlowAction& action, uint16_t queues, ActionConf& conf) {
  static_assert(static_cast<int>(core::RssFunction::symmetric_toeplitz) ==
                static_cast<int>(RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ));
  constexpr size_t kMostQueues = 128;
  conf.queues = action.queues;
  if (conf.queues.empty()) {
    conf.queues.resize(std::min<size_t>(queues, kMostQueues));
    std::iota(conf.queues.begin(), conf.queues.end(), uint16_t{0});
  }
  for (const uint16_t queue : conf.queues) check_queue(into, queue, queues);
  const Outcome<uint64_t> types = rss_types_of(action.types);
  if (!types) into.problem = types.problem;
  conf.rss.func = static_cast<rte_eth_hash_function>(action.function);
  conf.rss.level = action.level;
  conf.rss.types = action.types.empty() ? RTE_ETH_RSS_IP : types.value;
  conf.rss.queue_num = static_cast<uint32_t>(conf.queues.size());
  conf.rss.queue = conf.queues.data();
}

rte_flow_action translate_action(Translated& into, const core::FlowAction& action, uint16_t queues) {
  ActionConf& conf = into.confs.emplace_back();
  switch (action.type) {
    case core::FlowActionType::queue:
      check_queue(into, action.number, queues);
      conf.queue.index = static_cast<uint16_t>(action.number);
      return {RTE_FLOW_ACTION_TYPE_QUEUE, &conf.queue};
    case core::FlowActionType::rss:
      translate_rss(into, action, queues, conf);
      return {RTE_FLOW_ACTION_TYPE_RSS, &conf.rss};
    case core::FlowActionType::count:
      return {RTE_FLOW_ACTION_TYPE_COUNT, &conf.count};
    case core::FlowActionType::mark:
      conf.mark.id = action.number;
      return {RTE_FLOW_ACTION_TYPE_MARK, &conf.mark};
    case core::FlowActionType::passthru:
      return {RTE_FLOW_ACTION_TYPE_PASSTHRU, nullptr};
    default:
      return {RTE_FLOW_ACTION_TYPE_DROP, nullptr};
  }
}

Translated translate(uint16_t port, const core::FlowRule& rule) {
  Translated made;
  rte_eth_dev_info info{};
  if (const int error = rte_eth_dev_info_get(port, &info); error != 0) {
    made.problem = refusal(port, "flow rule", error);
    return made;
  }
  made.attr.group = rule.group;
  made.attr.priority = rule.priority;
  made.attr.ingress = rule.ingress;
  made.attr.egress = rule.egress;
  made.attr.transfer = rule.transfer;
  for (const core::FlowItem& item : rule.pattern) {
    made.pattern.push_back({kItems[static_cast<size_t>(item.type)],
                            header_of(made, item.has_spec, item.type, item.spec),
                            header_of(made, item.has_last, item.type, item.last),
                            header_of(made, item.has_mask, item.type, item.mask)});
  }
  made.pattern.push_back({RTE_FLOW_ITEM_TYPE_END, nullptr, nullptr, nullptr});
  for (const core::FlowAction& action : rule.actions)
    made.actions.push_back(translate_action(made, action, info.nb_rx_queues));
  made.actions.push_back({RTE_FLOW_ACTION_TYPE_END, nullptr});
  return made;
}

// What part of a rule the driver points at; empty when it does not say.
std::string_view part_of_rule(rte_flow_error_type type) {
  switch (type) {
    case RTE_FLOW_ERROR_TYPE_ATTR_GROUP:
      return ", about the group";
    case RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY:
      return ", about the priority";
    case RTE_FLOW_ERROR_TYPE_ATTR_INGRESS:
      return ", about ingress";
    case RTE_FLOW_ERROR_TYPE_ATTR_EGRESS:
      return ", about egress";
    case RTE_FLOW_ERROR_TYPE_ATTR_TRANSFER:
      return ", about transfer";
    case RTE_FLOW_ERROR_TYPE_ITEM_NUM:
      return ", about the number of items";
    case RTE_FLOW_ERROR_TYPE_ITEM_SPEC:
    case RTE_FLOW_ERROR_TYPE_ITEM_LAST:
    case RTE_FLOW_ERROR_TYPE_ITEM_MASK:
    case RTE_FLOW_ERROR_TYPE_ITEM:
      return ", about an item";
    case RTE_FLOW_ERROR_TYPE_ACTION_NUM:
      return ", about the number of actions";
    case RTE_FLOW_ERROR_TYPE_ACTION_CONF:
    case RTE_FLOW_ERROR_TYPE_ACTION:
      return ", about an action";
    default:
      return "";
  }
}

// `code` is what the call returned or what it left in rte_errno.
std::string driver_said(uint16_t port, const std::string& step, int code, const rte_flow_error& error) {
  std::string said = refusal(port, step + std::string(part_of_rule(error.type)), code);
  if (error.message != nullptr && !said.ends_with(error.message))
    said += " (" + std::string(error.message) + ")";
  return said;
}

}  // namespace

FlowRules::~FlowRules() {
  for (const auto& [port, rules] : ports_) {
    if (!rules.empty()) rte_flow_flush(port, nullptr);
  }
}

std::optional<std::string> FlowRules::validate(uint16_t port, const core::FlowRule& rule) {
  const Translated made = translate(port, rule);
  if (made.problem) return made.problem;
  rte_flow_error error{};
  const int code = rte_flow_validate(port, &made.attr, made.pattern.data(), made.actions.data(), &error);
  if (code == 0) return std::nullopt;
  return driver_said(port, "flow rule", code, error);
}

Outcome<uint32_t> FlowRules::create(uint16_t port, const core::FlowRule& rule) {
  const Translated made = translate(port, rule);
  if (made.problem) return Outcome<uint32_t>::refuse(*made.problem);
  rte_flow_error error{};
  rte_flow* handle = rte_flow_create(port, &made.attr, made.pattern.data(), made.actions.data(), &error);
  if (handle == nullptr) return Outcome<uint32_t>::refuse(driver_said(port, "flow rule", rte_errno, error));
  std::map<uint32_t, Installed>& rules = ports_[port];
  const uint32_t id = rules.empty() ? 0 : rules.rbegin()->first + 1;
  rules.emplace(id, Installed{rule, handle});
  return {.value = id};
}

std::optional<std::string> FlowRules::destroy(uint16_t port, uint32_t id) {
  std::map<uint32_t, Installed>& rules = ports_[port];
  const auto found = rules.find(id);
  if (found == rules.end()) return no_such_rule(port, id);
  rte_flow_error error{};
  if (const int code = rte_flow_destroy(port, found->second.handle, &error); code != 0)
    return driver_said(port, "flow rule " + std::to_string(id), code, error);
  rules.erase(found);
  return std::nullopt;
}

std::optional<std::string> FlowRules::flush(uint16_t port) {
  rte_flow_error error{};
  if (const int code = rte_flow_flush(port, &error); code != 0)
    return driver_said(port, "flow rules", code, error);
  ports_.erase(port);
  return std::nullopt;
}

Outcome<FlowCount> FlowRules::query(uint16_t port, uint32_t id) const {
  const std::map<uint32_t, Installed>& rules = rules_of(port);
  const auto found = rules.find(id);
  if (found == rules.end()) return Outcome<FlowCount>::refuse(no_such_rule(port, id));
  const std::vector<core::FlowAction>& actions = found->second.rule.actions;
  const std::string name = "flow rule " + std::to_string(id);
  if (std::none_of(actions.begin(), actions.end(), [](const core::FlowAction& action) {
        return action.type == core::FlowActionType::count;
      })) {
    return Outcome<FlowCount>::refuse(name + ": has no action count");
  }
  const rte_flow_action_count conf{};
  const rte_flow_action wanted[] = {{RTE_FLOW_ACTION_TYPE_COUNT, &conf}, {RTE_FLOW_ACTION_TYPE_END, nullptr}};
  rte_flow_query_count count{};
  rte_flow_error error{};
  if (const int code = rte_flow_query(port, found->second.handle, wanted, &count, &error); code != 0)
    return Outcome<FlowCount>::refuse(driver_said(port, name, code, error));
  FlowCount told;
  if (count.hits_set) told.packets = count.hits;
  if (count.bytes_set) told.bytes = count.bytes;
  return {.value = told};
}

std::optional<std::string> FlowRules::isolate(uint16_t port, bool on) {
  rte_flow_error error{};
  const int code = rte_flow_isolate(port, on ? 1 : 0, &error);
  if (code == 0) return std::nullopt;
  return driver_said(port, on ? "isolated mode on" : "isolated mode off", code, error);
}

const std::map<uint32_t, FlowRules::Installed>& FlowRules::rules_of(uint16_t port) const {
  static const std::map<uint32_t, Installed> kNone;
  const auto found = ports_.find(port);
  return found == ports_.end() ? kNone : found->second;
}

std::string FlowRules::no_such_rule(uint16_t port, uint32_t id) const {
  std::string there;
  for (const auto& [number, rule] : rules_of(port))
    there += (there.empty() ? "" : ", ") + std::to_string(number);
  return "flow rule: found " + std::to_string(id) +
         "; allowed: " + (there.empty() ? "nothing, the port has no rule" : there);
}

}  // namespace glue
