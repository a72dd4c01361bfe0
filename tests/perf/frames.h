// SPDX-License-Identifier: BSD-3-Clause
// The frames that the programs of tests/perf measure with: mixes of shapes by name, as bytes, and as bursts
// in memory for kernels of core. Plain values, made before anything is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/burst.h"
#include "core/flow_maker.h"

namespace perf {

using Frame = std::vector<uint8_t>;

inline constexpr uint32_t kFlows = 2048;
inline constexpr core::MacAddress kHost = {0x02, 0, 0, 0, 0, 1}, kGateway = {0x02, 0, 0, 0, 0, 2};

// Frames of 64 bytes with FCS, or the shortest that there are of a kind. Of these, in turn: `six` in a
// hundred are IPv6, `tagged` in a hundred carry a VLAN tag, `fragments` in a hundred are fragments (IPv4
// only).
struct Mix {
  core::FlowKind kind = core::FlowKind::udp;
  unsigned six = 0, tagged = 0, fragments = 0;
};
std::vector<Frame> frames_of(const Mix& mix, uint32_t flows = kFlows);

struct NamedMix {
  std::string_view name;  // in tables and options
  Mix mix;
};
inline constexpr NamedMix kMixes[] = {
    {"ipv4-udp", {}},
    {"rocev2", {.kind = core::FlowKind::roce_v2}},
    {"ipv6-udp", {.six = 100}},
    {"vlan", {.tagged = 100}},
    {"half-six-half-tagged", {.six = 50, .tagged = 50}},
    {"tenth-fragments", {.fragments = 10}},
};
// The mix of that name, or null.
const NamedMix* find_mix(std::string_view name);

// The frames of a mix in memory, 128 bytes apart, in bursts of core::kBatch. There are so many that no
// predictor of branches learns their order.
class FrameBursts {
 public:
  explicit FrameBursts(const Mix& mix);
  size_t size() const { return bursts_.size(); }
  const core::BurstFrames& operator[](size_t i) const { return bursts_[i]; }

 private:
  static constexpr size_t kApart = 128;
  struct alignas(kApart) Place {
    uint8_t bytes[kApart];
  };
  std::vector<Place> memory_;
  std::vector<core::BurstFrames> bursts_;
};

}  // namespace perf
