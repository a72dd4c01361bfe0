// SPDX-License-Identifier: BSD-3-Clause
// Says where a packet would go and why, by the functions that forward: parse, routes, key, hash, table.
// Called by control for `hash explain`, by craft and by tests. Pure: what depends on packets before this one
// (which stations were seen where, buckets that do not follow the plan yet, questions for the gateway's own
// addresses) is not told; a trace tells that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ip_address.h"
#include "core/plan.h"

namespace core {

struct FiveTuple {
  IpAddress src, dst;  // of one IP version
  uint16_t src_port = 0;
  uint16_t dst_port = 0;
  uint8_t proto = 17;
  friend bool operator==(const FiveTuple&, const FiveTuple&) = default;
};

// Members from `route` on are set as far as the packet gets; `dropped` says why it gets no further.
struct Explanation {
  PacketHeaders headers;
  uint8_t priority = 0;
  const Route* route = nullptr;  // of the plan; null: none takes it
  uint16_t target = kNoGroup;
  FlowKey key{};
  uint32_t hash = 0;
  uint32_t bucket = 0;
  Slot slot = kNoSlot;  // nic * Q + queue, the q of the rule
  uint16_t exit = kNoExit;
  uint16_t port_index = kNoPort;  // in plan.ports
  uint16_t queue = 0;             // of the rule, on that port
  std::optional<DropReason> dropped;
};

// Of a frame (without FCS) that comes in by a port, an index in plan.ports. The plan is one of mode gateway
// and outlives the answer.
Explanation explain(const Plan& plan, std::span<const uint8_t> frame, uint16_t port_index);
// Of the shortest frame with this tuple: untagged, DSCP 0, without a payload.
Explanation explain(const Plan& plan, const FiveTuple& tuple, uint16_t port_index);

// That frame, padded to 60 bytes, checksums zero. Ports are written for TCP, UDP, UDP-Lite, DCCP and SCTP;
// elsewhere there are none. It is for asking, not for sending.
std::vector<uint8_t> frame_of(const FiveTuple& tuple);

}  // namespace core
