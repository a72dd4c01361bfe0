// SPDX-License-Identifier: BSD-3-Clause
// Parses a frame that lies whole in the window, and compares all that parse says with what a test row
// expects.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/parse.h"

namespace test_support {

inline core::PacketView whole_view(const std::vector<uint8_t>& frame) {
  const auto bytes = static_cast<uint32_t>(frame.size());
  return {frame.data(), bytes, bytes};
}

inline core::PacketHeaders parse_whole(const std::vector<uint8_t>& frame,
                                       core::VlanTag tag = core::VlanTag::outer) {
  return core::parse(whole_view(frame), tag);
}

inline void expect_headers(const core::PacketHeaders& got, const core::PacketHeaders& want) {
  EXPECT_EQ(static_cast<int>(got.verdict), static_cast<int>(want.verdict)) << "verdict";
  EXPECT_EQ(core::name_of(got.protocol), core::name_of(want.protocol));
  EXPECT_EQ(static_cast<int>(got.l3), static_cast<int>(want.l3)) << "l3";
  EXPECT_EQ(got.fragment, want.fragment);
  EXPECT_EQ(got.has_ports, want.has_ports);
  EXPECT_EQ(got.has_dest_qp, want.has_dest_qp);
  EXPECT_EQ(int{got.ip_proto}, int{want.ip_proto});
  EXPECT_EQ(int{got.traffic_class}, int{want.traffic_class});
  EXPECT_EQ(int{got.pcp}, int{want.pcp});
  EXPECT_EQ(got.vlan_id, want.vlan_id);
  EXPECT_EQ(got.l3_offset, want.l3_offset);
  EXPECT_EQ(got.l4_offset, want.l4_offset);
  EXPECT_EQ(got.l3_bytes, want.l3_bytes);
  EXPECT_EQ(got.dest_qp, want.dest_qp);
}

}  // namespace test_support
