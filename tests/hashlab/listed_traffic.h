// SPDX-License-Identifier: BSD-3-Clause
// Traffic for tests: a list of flows, and makers of flows whose addresses and ports are known. Used by tests
// only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/packet_view.h"
#include "core/splitmix.h"
#include "hashlab/pattern.h"
#include "hashlab/traffic.h"

namespace test_support {

class ListedTraffic : public hashlab::Traffic {
 public:
  explicit ListedTraffic(std::vector<hashlab::Flow> flows) : flows_(std::move(flows)) {}
  std::string name() const override { return "listed flows"; }
  uint64_t flows() const override { return flows_.size(); }
  void fill(uint64_t first, std::span<hashlab::Flow> into) const override {
    for (hashlab::Flow& flow : into) flow = flows_[first++];
  }

 private:
  std::vector<hashlab::Flow> flows_;
};

inline hashlab::Flow ipv4_flow(uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport,
                               uint64_t packets = 1) {
  hashlab::Flow flow;
  core::store_be32(flow.material.front, src);
  core::store_be32(flow.material.front + 4, dst);
  core::store_be16(flow.material.front + 8, sport);
  core::store_be16(flow.material.front + 10, dport);
  flow.material.l3 = core::L3::ipv4;
  flow.material.ip_proto = 17;
  flow.material.has_ports = true;
  flow.packets = packets;
  return flow;
}

// Addresses and ports at random.
inline ListedTraffic random_traffic(uint64_t flows, uint64_t seed = 1) {
  core::SplitMix random(seed);
  std::vector<hashlab::Flow> list;
  for (uint64_t n = 0; n < flows; ++n) {
    const uint64_t addresses = random.next(), ports = random.next();
    list.push_back(ipv4_flow(static_cast<uint32_t>(addresses), static_cast<uint32_t>(addresses >> 32),
                             static_cast<uint16_t>(ports), static_cast<uint16_t>(ports >> 16)));
  }
  return ListedTraffic(std::move(list));
}

inline std::vector<hashlab::Flow> flows_of(const hashlab::Traffic& traffic) {
  std::vector<hashlab::Flow> flows(traffic.flows());
  traffic.fill(0, flows);
  return flows;
}
inline std::vector<hashlab::Flow> flows_of(const hashlab::Pattern& pattern) {
  return flows_of(*hashlab::make_traffic(pattern));
}

}  // namespace test_support
