// SPDX-License-Identifier: BSD-3-Clause
// Makes the frames of numbered flows: RoCEv2, UDP or TCP over IPv4 or IPv6, with addresses, ports and queue
// pairs that vary from flow to flow, right checksums and ICRC. The same pattern and number always give the
// same bytes, so a capture can be made again anywhere. Used by modes txonly and flowgen (frames are made
// before the first burst), by tools/roceway-flows and by tests. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace core {

enum class FlowKind : uint8_t { roce_v2, udp, tcp, mixed };  // mixed: the three in turn
enum class IpVersion : uint8_t { v4, v6, mixed };            // mixed: the two in turn

// The words of settings and options: "rocev2", "udp", "tcp", "mixed"; "4", "6", "mixed".
std::string_view name_of(FlowKind kind);
std::string_view name_of(IpVersion version);
std::optional<FlowKind> flow_kind_of(std::string_view name);
std::optional<IpVersion> ip_version_of(std::string_view name);

struct FlowPattern {
  uint32_t flows = 1024;  // 1 to 1,000,000
  FlowKind kind = FlowKind::mixed;
  IpVersion ip = IpVersion::v4;
  // Frame lengths in bytes with FCS, taken in turn by flow number; each shortest_frame to kMaxFrameBytes.
  // When kind or ip is mixed, every turn starts one later, so that all of them get all sizes.
  std::vector<uint16_t> sizes = {64};
  uint32_t seed = 1;  // another seed, other addresses, ports and queue pairs
  friend bool operator==(const FlowPattern&, const FlowPattern&) = default;
};

inline constexpr uint32_t kMaxFlows = 1'000'000;
inline constexpr uint16_t kMaxFrameBytes = 9216 + 4;  // with FCS

// Shortest frame, FCS included, that holds every header (and the ICRC) of this pattern.
uint16_t shortest_frame(FlowKind kind, IpVersion ip);

// Frame of flow `index` (0 to flows - 1) without FCS; `packet` is the number within the flow: it becomes the
// PSN, the TCP sequence number or, where there is room, the first four payload bytes of UDP. Destination and
// source MAC as given. The pattern must be valid: its sizes are relied upon. No two flows of a pattern have
// the same addresses.
std::vector<uint8_t> make_frame(const FlowPattern& pattern, uint32_t index, uint32_t packet,
                                const MacAddress& dst, const MacAddress& src);

// UDP source port as Linux derives it from two queue pair numbers (rdma_get_udp_sport, flow label 0).
uint16_t roce_source_port(uint32_t local_qp, uint32_t remote_qp);

}  // namespace core
