// SPDX-License-Identifier: BSD-3-Clause
// testpmd's flow language: what is read, and what is said about what cannot be read.
#include "core/flow_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using core::FlowItemType;
using Bytes = std::vector<uint8_t>;

// `count` bytes of a header from `offset`.
Bytes part(const core::FlowItem::Bytes& header, size_t offset, size_t count) {
  return {header.begin() + static_cast<long>(offset), header.begin() + static_cast<long>(offset + count)};
}

// The first item of "ingress pattern ITEM / end actions drop / end".
core::FlowItem item_of(const std::string& words) {
  const core::ReadFlowRule read =
      core::read_flow_rule("ingress pattern " + words + " / end actions drop / end");
  EXPECT_EQ(read.problem, "");
  return read.rule.pattern.empty() ? core::FlowItem{} : read.rule.pattern.front();
}

TEST(FlowRule, FieldsBecomeBytesOfTheHeader) {
  struct Row {
    std::string words;
    FlowItemType type;
    size_t offset;
    Bytes spec, mask;
  };
  for (const Row& row : {
           Row{"eth dst is 02:00:5e:00:53:FF",
               FlowItemType::eth,
               0,
               {2, 0, 0x5e, 0, 0x53, 255},
               Bytes(6, 255)},
           Row{"eth src spec 02:00:00:00:00:01 src mask ff:ff:ff:00:00:00",
               FlowItemType::eth,
               6,
               {2, 0, 0, 0, 0, 1},
               {255, 255, 255, 0, 0, 0}},
           Row{"eth src is 02:00:00:00:00:01 src prefix 24",
               FlowItemType::eth,
               6,
               {2, 0, 0, 0, 0, 1},
               {255, 255, 255, 0, 0, 0}},
           Row{"eth type is 0x8915", FlowItemType::eth, 12, {0x89, 0x15}, {255, 255}},
           Row{"vlan vid is 4095", FlowItemType::vlan, 0, {0x0f, 0xff}, {0x0f, 0xff}},
           Row{"vlan pcp is 3", FlowItemType::vlan, 0, {0x60, 0}, {0xe0, 0}},
           Row{"vlan vid is 5 pcp is 7", FlowItemType::vlan, 0, {0xe0, 5}, {0xef, 0xff}},
           Row{"vlan vid spec 256 vid prefix 4", FlowItemType::vlan, 0, {1, 0}, {0x0f, 0}},
           Row{"ipv4 src is 192.0.2.1", FlowItemType::ipv4, 12, {192, 0, 2, 1}, {255, 255, 255, 255}},
           Row{"ipv4 dst spec 192.0.2.0 dst prefix 23",
               FlowItemType::ipv4,
               16,
               {192, 0, 2, 0},
               {255, 255, 254, 0}},
           Row{"ipv4 dst spec 192.0.2.0 dst prefix 0", FlowItemType::ipv4, 16, {192, 0, 2, 0}, {0, 0, 0, 0}},
           Row{"ipv4 proto is 17", FlowItemType::ipv4, 9, {17}, {255}},
           Row{"ipv4 tos spec 0x68 tos mask 0xfc", FlowItemType::ipv4, 1, {0x68}, {0xfc}},
           Row{"ipv4 ttl is 64", FlowItemType::ipv4, 8, {64}, {255}},
           Row{"ipv6 src is 2001:db8::1",
               FlowItemType::ipv6,
               8,
               {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
               Bytes(16, 255)},
           Row{"ipv6 dst spec fe80:: dst prefix 10", FlowItemType::ipv6, 24, {0xfe, 0x80}, {255, 0xc0}},
           Row{"ipv6 proto is 6", FlowItemType::ipv6, 6, {6}, {255}},
           Row{"ipv6 tc is 0xab", FlowItemType::ipv6, 0, {0x0a, 0xb0, 0, 0}, {0x0f, 0xf0, 0, 0}},
           Row{"udp dst is 4791", FlowItemType::udp, 2, {0x12, 0xb7}, {255, 255}},
           Row{"tcp src is 65535", FlowItemType::tcp, 0, {255, 255}, {255, 255}},
       }) {
    SCOPED_TRACE(row.words);
    const core::FlowItem item = item_of(row.words);
    EXPECT_EQ(item.type, row.type);
    EXPECT_TRUE(item.has_spec && item.has_mask);
    EXPECT_FALSE(item.has_last);
    EXPECT_EQ(part(item.spec, row.offset, row.spec.size()), row.spec);
    EXPECT_EQ(part(item.mask, row.offset, row.mask.size()), row.mask);
    // Nothing beside the field.
    EXPECT_EQ(part(item.mask, 0, row.offset), Bytes(row.offset, 0));
    EXPECT_LE(row.offset + row.spec.size(), core::header_bytes(row.type));
  }
}

TEST(FlowRule, WhatIsNotSaidIsNotSet) {
  const core::FlowItem any = item_of("ipv4");
  EXPECT_FALSE(any.has_spec || any.has_last || any.has_mask);
  const core::FlowItem value = item_of("udp dst spec 4791");  // with DPDK's own mask
  EXPECT_TRUE(value.has_spec);
  EXPECT_FALSE(value.has_last || value.has_mask);
  const core::FlowItem range = item_of("udp src spec 49152 src last 49159 src mask 0xffff");
  EXPECT_TRUE(range.has_spec && range.has_last && range.has_mask);
  EXPECT_EQ(part(range.last, 0, 2), (Bytes{0xc0, 7}));
}

TEST(FlowRule, AWholeRule) {
  const core::ReadFlowRule read = core::read_flow_rule(
      "  group 1 priority 0x2 ingress transfer pattern eth / vlan vid is 7 / ipv4 / udp dst is 4791 / end "
      "actions mark id 9 / count / rss types ipv4-udp ipv6-udp end queues 0 1 2 end func toeplitz level 1 / "
      "end ");
  ASSERT_EQ(read.problem, "");
  const core::FlowRule& rule = read.rule;
  EXPECT_EQ(rule.group, 1u);
  EXPECT_EQ(rule.priority, 2u);
  EXPECT_TRUE(rule.ingress && rule.transfer);
  EXPECT_FALSE(rule.egress);
  EXPECT_EQ(core::outline_of(rule), "ETH VLAN IPV4 UDP => MARK COUNT RSS");
  EXPECT_EQ(rule.actions[0].number, 9u);
  const core::FlowAction& rss = rule.actions[2];
  EXPECT_EQ(rss.types, (std::vector<std::string>{"ipv4-udp", "ipv6-udp"}));
  EXPECT_EQ(rss.queues, (std::vector<uint16_t>{0, 1, 2}));
  EXPECT_EQ(rss.function, core::RssFunction::toeplitz);
  EXPECT_EQ(rss.level, 1u);

  const core::ReadFlowRule plain =
      core::read_flow_rule("egress pattern tcp / end actions queue index 65535 / passthru / end");
  ASSERT_EQ(plain.problem, "");
  EXPECT_EQ(core::outline_of(plain.rule), "TCP => QUEUE PASSTHRU");
  EXPECT_EQ(plain.rule.actions[0].number, 65535u);
}

TEST(FlowRule, ProblemsSayWhatWasFoundAndWhatIsAllowed) {
  struct Row {
    std::string words, says;
  };
  const std::string drop = " / end actions drop / end", eth = "ingress pattern eth / end actions ";
  for (const Row& row : {
           Row{"", "flow rule: found the end of the line; allowed: group N, priority N"},
           Row{"ingres", "flow rule: found \"ingres\"; allowed: group N"},
           Row{"group x", "group: found \"x\"; allowed: 0 to 4294967295"},
           Row{"group -1", "group: found \"-1\""},
           Row{"priority 4294967296", "priority: found \"4294967296\""},
           Row{"pattern eth" + drop, "flow rule: has no direction"},
           Row{"ingress pattern",
               "pattern: found the end of the line; allowed: eth, vlan, ipv4, ipv6, udp, tcp, or end"},
           Row{"ingress pattern bth" + drop, "pattern: found \"bth\"; allowed: eth, vlan"},
           Row{"ingress pattern end actions drop / end", "pattern: has no item"},
           Row{"ingress pattern eth", "eth: found the end of the line; allowed: dst, src, type, or /"},
           Row{"ingress pattern eth dest" + drop, "eth: found \"dest\"; allowed: dst, src, type, or /"},
           Row{"ingress pattern eth / end", "flow rule: found the end of the line; allowed: actions"},
           Row{"ingress pattern eth dst" + drop,
               "eth dst: found \"/\"; allowed: is, spec, last, mask, prefix"},
           Row{"ingress pattern eth dst is" + drop, "eth dst is: found \"/\"; allowed: a MAC address"},
           Row{"ingress pattern eth dst is 02:00:00:00:00:0g" + drop,
               "eth dst is: found \"02:00:00:00:00:0g\""},
           Row{"ingress pattern eth dst is 02-00-00-00-00-01" + drop, "allowed: a MAC address"},
           Row{"ingress pattern eth dst prefix 49" + drop, "eth dst prefix: found \"49\"; allowed: 0 to 48"},
           Row{"ingress pattern vlan vid is 4096" + drop, "vlan vid is: found \"4096\"; allowed: 0 to 4095"},
           Row{"ingress pattern vlan pcp is 8" + drop, "vlan pcp is: found \"8\"; allowed: 0 to 7"},
           Row{"ingress pattern ipv4 src is 192.0.2" + drop,
               "ipv4 src is: found \"192.0.2\"; allowed: an IPv4"},
           Row{"ingress pattern ipv4 src is ::1" + drop, "allowed: an IPv4 address"},
           Row{"ingress pattern ipv6 src is 1.2.3.4" + drop, "allowed: an IPv6 address"},
           Row{"ingress pattern udp dst is 65536" + drop, "udp dst is: found \"65536\"; allowed: 0 to 65535"},
           Row{"ingress pattern udp dst is 0x" + drop, "udp dst is: found \"0x\""},
           Row{"ingress pattern udp dst mask 0xffff" + drop,
               "udp: has a mask, prefix or last value but no value"},
           Row{eth, "actions: found the end of the line; allowed: drop, queue"},
           Row{eth + "end", "actions: there is none; allowed: drop, queue"},
           Row{eth + "jump / end",
               "actions: found \"jump\"; allowed: drop, queue, rss, count, mark, passthru, or end"},
           Row{eth + "drop end", "drop: found \"end\"; allowed: /"},
           Row{eth + "drop /", "actions: found the end of the line"},
           Row{eth + "queue / end", "queue: found \"/\"; allowed: index N"},
           Row{eth + "queue index 65536 / end", "queue index: found \"65536\"; allowed: 0 to 65535"},
           Row{eth + "mark id / end", "mark id: found \"/\"; allowed: 0 to 4294967295"},
           Row{eth + "rss types ipv4 / end", "rss types: found \"/\"; allowed: names of RSS types, then end"},
           Row{eth + "rss queues 0 1 / end", "rss queues: found \"/\"; allowed: 0 to 65535"},
           Row{eth + "rss func xor / end", "rss func: found \"xor\"; allowed: default, toeplitz, simple_xor"},
           Row{eth + "rss fun / end", "rss: found \"fun\"; allowed: types ... end"},
           Row{eth + "drop / end drop", "flow rule: found \"drop\"; allowed: nothing behind the end"},
       }) {
    SCOPED_TRACE(row.words);
    const std::string problem = core::read_flow_rule(row.words).problem;
    EXPECT_NE(problem.find(row.says), std::string::npos) << problem;
  }
}

TEST(FlowRule, ListsOfQueuesEnd) {
  std::string queues;
  for (int i = 0; i < 129; ++i) queues += std::to_string(i) + ' ';
  EXPECT_EQ(
      core::read_flow_rule("ingress pattern eth / end actions rss queues " + queues + "end / end").problem,
      "rss queues: more than 128");
}

}  // namespace
