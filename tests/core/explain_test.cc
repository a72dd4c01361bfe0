// SPDX-License-Identifier: BSD-3-Clause
// Where a packet would go, told without sending it: headers, group, key, hash, bucket, queue, and why it
// would go nowhere.
#include "core/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/frames.h"
#include "support/small_plan.h"

namespace {

using core::DropReason;
using test_support::Bytes;
using test_support::plan_of;
using test_support::small_settings;

core::IpAddress v4(std::array<uint8_t, 4> address) {
  core::IpAddress out;
  std::copy(address.begin(), address.end(), out.bytes.begin());
  return out;
}
const core::FiveTuple kTuple = {v4({192, 0, 2, 1}), v4({198, 51, 100, 2}), 10000, 4791, 17};

Bytes bytes_of(const core::FlowKey& key) {
  return {key.bytes, key.bytes + key.size};
}

TEST(Explain, TellsEveryStepOfThePublishedVector) {
  const core::Plan plan = plan_of(small_settings());
  const core::Explanation told = core::explain(plan, kTuple, 0);
  EXPECT_EQ(told.headers.protocol, core::Protocol::roce_v2);
  EXPECT_EQ(told.priority, 0);
  ASSERT_NE(told.route, nullptr);
  EXPECT_EQ(plan.groups[told.target].name, "uplink");
  EXPECT_EQ(bytes_of(told.key), test_support::from_hex("c0000201 c6336402 2710 12b7"));
  EXPECT_EQ(told.hash, 0xdaa7b5a5u);  // rte_jhash_3words of the wire's words, seed 0
  EXPECT_EQ(told.bucket, 0xdaa7b5a5u % 384);
  const unsigned q = 0xdaa7b5a5u % 6;  // the documents' rule: 2 queues x 3 NICs
  EXPECT_EQ(told.slot, q);
  EXPECT_EQ(told.port_index, 1 + q / 2);
  EXPECT_EQ(told.queue, q % 2);
  EXPECT_EQ(told.exit, plan.ports[told.port_index].first_exit + told.queue);
  EXPECT_EQ(told.dropped, std::nullopt);
}

TEST(Explain, TupleAndFrameAgree) {
  const core::Plan plan = plan_of(small_settings());
  core::FiveTuple v6{.src_port = 1, .dst_port = 2, .proto = 6};
  v6.src = {.v6 = true, .bytes = {0x20, 0x01, 0x0d, 0xb8, 1}};
  v6.dst = {.v6 = true, .bytes = {0x20, 0x01, 0x0d, 0xb8, 2}};
  test_support::Ipv6 header{.next = test_support::kTcp, .src = v6.src.bytes, .dst = v6.dst.bytes};
  const core::Explanation of_tuple = core::explain(plan, v6, 0);
  const core::Explanation of_frame = core::explain(
      plan, test_support::ethernet(test_support::kIpv6, test_support::ipv6(header, test_support::tcp(1, 2))),
      0);
  EXPECT_EQ(bytes_of(of_tuple.key), bytes_of(of_frame.key));
  EXPECT_EQ(of_tuple.key.size, 36);
  EXPECT_EQ(of_tuple.hash, of_frame.hash);
  EXPECT_EQ(of_tuple.exit, of_frame.exit);
  const core::Explanation no_ports = core::explain(plan, {kTuple.src, kTuple.dst, 7, 8, 47}, 0);
  EXPECT_FALSE(no_ports.headers.has_ports);
  EXPECT_EQ(bytes_of(no_ports.key), test_support::from_hex("c0000201 c6336402 0000 0000"));
}

TEST(Explain, SaysWhyAPacketGoesNowhere) {
  core::Settings routed = small_settings();
  routed.routes = {{.from = "access", .to = "uplink", .dst_mac = core::MacAddress{2, 0, 0, 0, 7, 7}}};
  core::Settings drops_malformed = small_settings();
  drops_malformed.engine.malformed = core::Treatment::drop;
  core::Settings drained = small_settings();
  for (core::PortSettings& port : drained.ports) port.drain = port.group == "uplink";
  const Bytes udp = test_support::ethernet(test_support::kIpv4,
                                           test_support::ipv4({}, test_support::udp(1, 2, Bytes(1473))));
  const Bytes lying = test_support::padded(
      test_support::ethernet(test_support::kIpv4, test_support::ipv4({.total_length = uint16_t{5}})));
  struct Row {
    const char* name;
    core::Settings settings;
    Bytes frame;
    DropReason reason;
  };
  const Row rows[] = {
      {"runt", small_settings(), Bytes(13), DropReason::runt},
      {"PFC", small_settings(), test_support::pfc(1, {}), DropReason::mac_control},
      {"malformed", drops_malformed, lying, DropReason::malformed},
      {"no route", routed, udp, DropReason::no_route},
      {"all drained", drained, udp, DropReason::no_member},
      {"one byte longer than the MTU", small_settings(), udp, DropReason::too_big},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const core::Plan plan = plan_of(row.settings);
    EXPECT_EQ(core::explain(plan, row.frame, 0).dropped, row.reason);
  }
  const core::Plan plan = plan_of(small_settings());
  EXPECT_EQ(core::explain(plan, lying, 0).dropped, std::nullopt);  // malformed = "pass"
}

}  // namespace
