// SPDX-License-Identifier: BSD-3-Clause
// Capture filters: what matches, and what libpcap says of an expression it refuses.
#include "pmd_glue/packet_filter.h"

#include <gtest/gtest.h>

#include "support/frames.h"

namespace {

using test_support::Bytes;

const Bytes kUdp53 = test_support::padded(
    test_support::ethernet(test_support::kIpv4, test_support::ipv4({}, test_support::udp(1000, 53))));
const Bytes kArpFrame = test_support::padded(test_support::ethernet(test_support::kArp, Bytes(28, 1)));

TEST(PacketFilter, MatchesAsPcapFilterSays) {
  struct Row {
    const char* expression;
    Bytes frame;
    bool matches;
  };
  const Row rows[] = {
      {"", kArpFrame, true},
      {"udp", kUdp53, true},
      {"udp port 53", kUdp53, true},
      {"udp port 54", kUdp53, false},
      {"src host 192.0.2.1 and dst net 198.51.100.0/24", kUdp53, true},
      {"not arp", kArpFrame, false},
      {"ether src 02:00:00:00:00:51", kArpFrame, true},
      {"greater 61", kUdp53, false},
      {"udp", test_support::cut(kUdp53, 20), false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.expression);
    std::string error;
    const auto filter = glue::PacketFilter::compile(row.expression, error);
    ASSERT_NE(filter, nullptr) << error;
    EXPECT_EQ(filter->expression(), row.expression);
    EXPECT_EQ(filter->matches(row.frame, static_cast<uint32_t>(row.frame.size())), row.matches);
  }
}

TEST(PacketFilter, LengthIsThatOfTheFrameNotOfItsFront) {
  std::string error;
  const auto filter = glue::PacketFilter::compile("greater 1000", error);
  ASSERT_NE(filter, nullptr) << error;
  EXPECT_TRUE(filter->matches(kUdp53, 1000));
  EXPECT_FALSE(filter->matches(kUdp53, 999));
}

TEST(PacketFilter, RefusesWithASentence) {
  for (const char* expression : {"udp prot 53", "((", "port 70000", "vlan 5000 and"}) {
    std::string error;
    EXPECT_EQ(glue::PacketFilter::compile(expression, error), nullptr) << expression;
    EXPECT_NE(error, "") << expression;
  }
}

}  // namespace
