// SPDX-License-Identifier: BSD-3-Clause
// Traffic without end in which every packet has its place: a capture of RoCEv2 flows whose PSNs go once round
// the circle of 24 bits in equal steps, so that a player that begins anew goes on where it ended, and what
// roceway's reorder meters say of it. Used by system tests, on the test's own thread.
#pragma once

#include <algorithm>
#include <utility>

#include "core/flow_maker.h"
#include "support/pcap_file.h"
#include "system/commands.h"

namespace system_test {

// A packet is behind its flow's last one when it is less than half a circle behind: 1,024 packets of a flow,
// as many as wait for a moving bucket of all flows at most (core::kWaitingPackets).
inline constexpr uint32_t kNumberedFlows = 16, kCircle = 2048, kPsnStep = (1u << 24) / kCircle;

// Of each row of frames in the capture a fifth is dropped as `link_local`: it leaves a NIC that takes a burst
// a round time to send what is held for it.
inline constexpr uint32_t kRow = kNumberedFlows + 4;

inline std::vector<uint8_t> frame_that_ends_here() {
  return core::make_frame({.kind = core::FlowKind::udp}, 0, 0, {0x01, 0x80, 0xc2, 0, 0, 0}, {});
}

inline std::vector<std::vector<uint8_t>> numbered_frames() {
  const core::FlowPattern pattern{.flows = kNumberedFlows, .kind = core::FlowKind::roce_v2, .sizes = {64}};
  std::vector<std::vector<uint8_t>> frames;
  for (uint32_t packet = 0; packet < kCircle; ++packet) {
    for (uint32_t flow = 0; flow < kNumberedFlows; ++flow)
      frames.push_back(core::make_frame(pattern, flow, packet * kPsnStep, {}, {}));
    frames.resize(size_t{packet + 1} * kRow, frame_that_ends_here());
  }
  return frames;
}

// Packets without a number beside them: in turn so many that a NIC must refuse some, and none, so that what
// is held can leave.
inline std::vector<std::vector<uint8_t>> unnumbered_frames() {
  constexpr uint32_t kFlows = 4, kFrames = 4096;
  const core::FlowPattern pattern{.flows = kFlows, .kind = core::FlowKind::udp, .seed = 2};
  std::vector<std::vector<uint8_t>> frames(2 * kFrames, frame_that_ends_here());
  for (uint32_t i = 0; i < kFrames; ++i) frames[i] = core::make_frame(pattern, i % kFlows, 0, {}, {});
  return frames;
}

// What the meters of `uplink` have seen. A packet that another of its flow has overtaken is kPsnStep or more
// behind, farther than a meter remembers gaps: it counts as `repeated`. Nothing else does here, for no number
// comes twice within half a circle.
struct Order {
  uint64_t packets = 0, overtaken = 0, evicted = 0;
  explicit Order(const Json& report) {
    for (const Json& group : report.at("groups")) {
      if (group.at("group") != "uplink") continue;
      const Json& order = group.at("order");
      packets = order.at("packets");
      overtaken = order.at("reordered").get<uint64_t>() + order.at("repeated").get<uint64_t>();
      evicted = order.at("evicted");
    }
  }
};

}  // namespace system_test
