// SPDX-License-Identifier: BSD-3-Clause
// What of a flow rule reaches DPDK. No device in software here has rte_flow, so this program brings calls of
// its own in place of DPDK's: they note what they are given.
#define ALLOW_EXPERIMENTAL_API  // names of items
#include "pmd_glue/flow_rules.h"

#include <gtest/gtest.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "pmd_glue/port_controls.h"

namespace {

// The device that the calls below play.
struct Noted {
  int refuse_with = 0;  // errno of the next calls
  rte_flow_attr attr{};
  std::vector<std::string> seen;  // each item and action, its bytes as hex
  std::vector<const rte_flow*> destroyed;
  int flushes = 0, isolated = -1;
};
Noted noted;

std::string hex(const void* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const uint8_t*>(bytes)[i]);
    text += digits;
  }
  return text;
}

std::string part(const char* name, const void* bytes, size_t count) {
  return bytes == nullptr ? "" : std::string(" ") + name + ' ' + hex(bytes, count);
}

void note(const rte_flow_item& item) {
  const char* name = nullptr;
  rte_flow_conv(RTE_FLOW_CONV_OP_ITEM_NAME_PTR, &name, sizeof name, reinterpret_cast<void*>(item.type),
                nullptr);
  const int size = rte_flow_conv(RTE_FLOW_CONV_OP_ITEM, nullptr, 0, &item, nullptr);
  ASSERT_GT(size, 0);  // DPDK accepts the type
  const size_t bytes = item.type == RTE_FLOW_ITEM_TYPE_UDP    ? 8
                       : item.type == RTE_FLOW_ITEM_TYPE_IPV4 ? 20
                                                              : 14;
  noted.seen.push_back(name + part("spec", item.spec, bytes) + part("last", item.last, bytes) +
                       part("mask", item.mask, bytes));
}

void note(const rte_flow_action& action) {
  switch (action.type) {
    case RTE_FLOW_ACTION_TYPE_QUEUE:
      noted.seen.push_back("queue " +
                           std::to_string(static_cast<const rte_flow_action_queue*>(action.conf)->index));
      break;
    case RTE_FLOW_ACTION_TYPE_MARK:
      noted.seen.push_back("mark " +
                           std::to_string(static_cast<const rte_flow_action_mark*>(action.conf)->id));
      break;
    case RTE_FLOW_ACTION_TYPE_RSS: {
      const auto& rss = *static_cast<const rte_flow_action_rss*>(action.conf);
      std::string text = "rss func " + std::to_string(rss.func) + " level " + std::to_string(rss.level) +
                         " types " + std::to_string(rss.types == RTE_ETH_RSS_IP) + " queues";
      for (uint32_t i = 0; i < rss.queue_num; ++i) text += ' ' + std::to_string(rss.queue[i]);
      noted.seen.push_back(text);
      break;
    }
    default:
      noted.seen.push_back("action " + std::to_string(action.type));
  }
}

int answer(rte_flow_error* error) {
  if (noted.refuse_with == 0) return 0;
  return rte_flow_error_set(error, noted.refuse_with, RTE_FLOW_ERROR_TYPE_ITEM, nullptr, "no such match");
}

void note(const rte_flow_attr* attr, const rte_flow_item* item, const rte_flow_action* action) {
  noted.attr = *attr;
  noted.seen.clear();
  for (; item->type != RTE_FLOW_ITEM_TYPE_END; ++item) note(*item);
  for (; action->type != RTE_FLOW_ACTION_TYPE_END; ++action) note(*action);
}

}  // namespace

// In place of DPDK's.
extern "C" {
int rte_flow_validate(uint16_t, const rte_flow_attr* attr, const rte_flow_item pattern[],
                      const rte_flow_action actions[], rte_flow_error* error) {
  note(attr, pattern, actions);
  return answer(error);
}
rte_flow* rte_flow_create(uint16_t, const rte_flow_attr* attr, const rte_flow_item pattern[],
                          const rte_flow_action actions[], rte_flow_error* error) {
  note(attr, pattern, actions);
  static uintptr_t handle = 0;
  return answer(error) == 0 ? reinterpret_cast<rte_flow*>(++handle) : nullptr;
}
int rte_flow_destroy(uint16_t, rte_flow* flow, rte_flow_error* error) {
  if (noted.refuse_with == 0) noted.destroyed.push_back(flow);
  return answer(error);
}
int rte_flow_flush(uint16_t, rte_flow_error* error) {
  ++noted.flushes;
  return answer(error);
}
int rte_flow_query(uint16_t, rte_flow*, const rte_flow_action* action, void* data, rte_flow_error* error) {
  EXPECT_EQ(action->type, RTE_FLOW_ACTION_TYPE_COUNT);
  auto& count = *static_cast<rte_flow_query_count*>(data);
  count.hits_set = 1;
  count.hits = 42;
  return answer(error);
}
int rte_flow_isolate(uint16_t, int on, rte_flow_error* error) {
  noted.isolated = on;
  return answer(error);
}
}

namespace {

class FlowRules : public testing::Test {
 protected:
  void SetUp() override {
    noted = {};
    const auto attached = glue::attach("net_null8");
    ASSERT_TRUE(attached) << *attached.problem;
    port_ = attached.value.front();
    const rte_eth_conf conf{};
    ASSERT_EQ(rte_eth_dev_configure(port_, 2, 2, &conf), 0);
  }
  void TearDown() override { EXPECT_EQ(glue::detach("net_null8"), std::nullopt); }

  static core::FlowRule rule(const std::string& words) {
    const core::ReadFlowRule read = core::read_flow_rule(words);
    EXPECT_EQ(read.problem, "");
    return read.rule;
  }

  uint16_t port_ = 0;
};

TEST_F(FlowRules, ReachDpdkWhole) {
  struct Row {
    std::string words;
    std::vector<std::string> expected;
  };
  const std::string zero4(8, '0'), zero12(24, '0');
  for (const Row& row : {
           Row{"ingress pattern eth / ipv4 dst spec 192.0.2.0 dst prefix 24 / udp dst is 4791 / end "
               "actions mark id 3 / queue index 1 / end",
               {"ETH", "IPV4 spec " + zero12 + zero4 + "c0000200 mask " + zero12 + zero4 + "ffffff00",
                "UDP spec 000012b700000000 mask 0000ffff00000000", "mark 3", "queue 1"}},
           Row{"ingress pattern udp src spec 1 src last 9 src mask 0xffff / end actions drop / end",
               {"UDP spec 0001000000000000 last 0009000000000000 mask ffff000000000000",
                "action " + std::to_string(RTE_FLOW_ACTION_TYPE_DROP)}},
           Row{"ingress pattern eth type is 0x8915 / end actions rss / end",
               {"ETH spec " + zero12 + "8915 mask " + zero12 + "ffff",
                "rss func 0 level 0 types 1 queues 0 1"}},
           Row{"ingress pattern eth / end actions rss queues 1 end types ipv4-udp end func "
               "symmetric_toeplitz level 2 "
               "/ count / passthru / end",
               {"ETH",
                "rss func " + std::to_string(RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ) +
                    " level 2 types 0 queues 1",
                "action " + std::to_string(RTE_FLOW_ACTION_TYPE_COUNT),
                "action " + std::to_string(RTE_FLOW_ACTION_TYPE_PASSTHRU)}},
       }) {
    SCOPED_TRACE(row.words);
    EXPECT_EQ(glue::FlowRules::validate(port_, rule(row.words)), std::nullopt);
    EXPECT_EQ(noted.seen, row.expected);
  }
  EXPECT_EQ(glue::FlowRules::validate(
                port_, rule("group 2 priority 3 egress transfer pattern eth / end actions drop / end")),
            std::nullopt);
  EXPECT_EQ(noted.attr.group, 2u);
  EXPECT_EQ(noted.attr.priority, 3u);
  EXPECT_TRUE(noted.attr.egress && noted.attr.transfer && !noted.attr.ingress);
}

TEST_F(FlowRules, AreKeptByNumber) {
  const core::FlowRule counted = rule("ingress pattern eth / end actions count / drop / end");
  const core::FlowRule plain = rule("ingress pattern eth / end actions drop / end");
  {
    glue::FlowRules rules;
    EXPECT_EQ(rules.create(port_, counted).value, 0u);
    EXPECT_EQ(rules.create(port_, plain).value, 1u);
    EXPECT_EQ(rules.create(port_, plain).value, 2u);
    EXPECT_EQ(rules.destroy(port_, 1), std::nullopt);
    EXPECT_EQ(noted.destroyed.size(), 1u);
    EXPECT_EQ(rules.create(port_, plain).value, 3u);
    EXPECT_EQ(rules.rules_of(port_).size(), 3u);
    EXPECT_EQ(rules.destroy(port_, 1), "flow rule: found 1; allowed: 0, 2, 3");
    EXPECT_EQ(rules.query(port_, 0).value.packets, 42u);
    EXPECT_EQ(rules.query(port_, 0).value.bytes, std::nullopt);
    EXPECT_EQ(rules.query(port_, 2).problem, "flow rule 2: has no action count");
    EXPECT_EQ(rules.query(port_, 9).problem, "flow rule: found 9; allowed: 0, 2, 3");
    EXPECT_EQ(rules.flush(port_), std::nullopt);
    EXPECT_TRUE(rules.rules_of(port_).empty());
    EXPECT_EQ(rules.destroy(port_, 0), "flow rule: found 0; allowed: nothing, the port has no rule");
    EXPECT_EQ(rules.create(port_, plain).value, 0u);
  }
  EXPECT_EQ(noted.flushes, 2);  // what is left goes with the object
}

TEST_F(FlowRules, RefusalsChangeNothing) {
  const core::FlowRule plain = rule("ingress pattern eth / end actions drop / end");
  glue::FlowRules rules;
  ASSERT_TRUE(rules.create(port_, plain));
  noted.refuse_with = ENOTSUP;
  const std::string why = "Operation not supported (no such match)";
  EXPECT_EQ(rules.create(port_, plain).problem, "net_null8: flow rule, about an item: " + why);
  EXPECT_EQ(glue::FlowRules::validate(port_, plain), "net_null8: flow rule, about an item: " + why);
  EXPECT_EQ(rules.destroy(port_, 0), "net_null8: flow rule 0, about an item: " + why);
  EXPECT_EQ(rules.flush(port_), "net_null8: flow rules, about an item: " + why);
  EXPECT_EQ(glue::FlowRules::isolate(port_, true), "net_null8: isolated mode on, about an item: " + why);
  EXPECT_EQ(noted.isolated, 1);
  EXPECT_EQ(rules.rules_of(port_).size(), 1u);
  noted.refuse_with = 0;

  struct Row {
    const char *actions, *says;
  };
  for (const Row& row : {Row{"queue index 2", "flow rule, queue: found 2; allowed: 0 to 1"},
                         Row{"rss queues 0 7 end", "flow rule, queue: found 7; allowed: 0 to 1"},
                         Row{"rss types ipv5 end", "RSS type: found \"ipv5\"; allowed: all, ip"}}) {
    SCOPED_TRACE(row.actions);
    const auto problem = glue::FlowRules::validate(
        port_, rule(std::string("ingress pattern eth / end actions ") + row.actions + " / end"));
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->find(row.says), 0u) << *problem;
  }
  EXPECT_EQ(glue::FlowRules::validate(31, plain), "port 31: flow rule: EAL has no such port");
}

}  // namespace
