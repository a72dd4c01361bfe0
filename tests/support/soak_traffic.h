// SPDX-License-Identifier: BSD-3-Clause
// What goes through the soak test, and what befalls the NICs meanwhile: numbered frames of many flows, and
// random changes of links, domains, drains and weights. Called by tests only.
#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/flow_maker.h"
#include "core/packet_view.h"
#include "core/settings.h"
#include "core/splitmix.h"
#include "support/frames.h"

namespace test_support::soak {

inline constexpr uint32_t kFlows = 4096;
inline constexpr unsigned kNics = 4;  // NIC n is port n + 1; 0 and 1 are domain A, 2 and 3 domain B

// Frames of RoCEv2 over IPv4 and IPv6 with the flow's number behind the BTH. The ICRC is not made again for
// every number: a gateway does not look at it.
class Frames {
 public:
  Frames() {
    const core::FlowPattern pattern{
        .flows = kFlows, .kind = core::FlowKind::roce_v2, .ip = core::IpVersion::mixed, .sizes = {128}};
    for (uint32_t flow = 0; flow < kFlows; ++flow) {
      bytes_.push_back(core::make_frame(pattern, flow, 0, kDstMac, kSrcMac));
      core::store_be32(&bytes_.back()[payload_of(bytes_.back().data())], flow);
    }
  }
  const Bytes& operator[](uint32_t flow) const { return bytes_[flow]; }

  void write(uint32_t flow, uint32_t number, rte_mbuf* mbuf) const {
    const Bytes& frame = bytes_[flow];
    auto* to = reinterpret_cast<uint8_t*>(rte_pktmbuf_append(mbuf, static_cast<uint16_t>(frame.size())));
    std::copy(frame.begin(), frame.end(), to);
    core::store_be32(to + payload_of(to) - 4, kAckRequest | number);
  }
  // False when it is none of these frames with this number, byte for byte behind the MAC addresses.
  bool read(const rte_mbuf* mbuf, uint32_t& flow, uint32_t& number) const {
    const auto* from = rte_pktmbuf_mtod(mbuf, const uint8_t*);
    const uint32_t payload = payload_of(from);
    flow = core::load_be32(from + payload);
    number = core::load_be32(from + payload - 4) & ~kAckRequest;
    if (flow >= kFlows || bytes_[flow].size() != mbuf->data_len) return false;
    const uint8_t* same = bytes_[flow].data();
    return std::memcmp(from + 12, same + 12, payload - 4 - 12) == 0 &&
           std::memcmp(from + payload, same + payload, mbuf->data_len - payload) == 0;
  }

 private:
  static constexpr uint32_t kAckRequest = 0x80000000;
  static uint32_t payload_of(const uint8_t* frame) { return frame[12] == 0x86 ? 74 : 54; }
  std::vector<Bytes> bytes_;
};

inline core::MacAddress mac_of_nic(unsigned nic) {
  return {0x02, 0xaa, 0, 0, 0, static_cast<uint8_t>(nic)};
}

// What is told of the NICs, and what happens to them next, by lot.
struct Weather {
  std::array<bool, kNics> link{true, true, true, true}, drained{};
  std::array<uint32_t, kNics> weight{1, 1, 1, 1};
  std::array<bool, 2> domain_down{};

  bool dead(unsigned nic) const { return !link[nic] || domain_down[nic / 2]; }

  // A NIC that is drained while no other takes packets is one case in which order is not kept: its flows have
  // nowhere to go, and what it holds may leave after what goes by the next NIC that returns. It is left out.
  void change(uint32_t nth, core::SplitMix& random) {
    change_something(nth, random);
    const auto takes = [this](unsigned nic) { return !dead(nic) && !drained[nic] && weight[nic] > 0; };
    if (takes(0) || takes(1) || takes(2) || takes(3)) return;
    drained.fill(false);
    weight.fill(1);
  }
  void change_something(uint32_t nth, core::SplitMix& random) {
    static constexpr uint32_t kWeights[] = {1, 1, 2, 3, 5};
    const unsigned nic = random.below(kNics);
    if (nth % 40 == 39) return link.fill(false);
    if (std::none_of(link.begin(), link.end(), [](bool up) { return up; }) || random.below(5) == 0) {
      *this = {};
      return;
    }
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2:
        link[nic] = !link[nic];
        break;
      case 3:
        for (bool& up : link) up = random.below(3) > 0;
        break;
      case 4:
      case 5:
        drained[nic] = !drained[nic];
        break;
      case 6:
        weight[nic] = nic == 0 && random.below(2) == 0 ? 0 : kWeights[random.below(5)];
        break;
      case 7:
        domain_down[nic / 2] = !domain_down[nic / 2];
        break;
      default:
        link.fill(false);
        link[nic] = true;
    }
  }
  void apply(core::Settings& settings, std::vector<bool>& up) const {
    up.assign(1 + kNics, true);
    settings.failover.domains_down.clear();
    if (domain_down[0]) settings.failover.domains_down.push_back("A");
    if (domain_down[1]) settings.failover.domains_down.push_back("B");
    for (unsigned nic = 0; nic < kNics; ++nic) {
      up[nic + 1] = link[nic];
      settings.ports[nic + 1].drain = drained[nic];
      settings.ports[nic + 1].weight = weight[nic];
    }
  }
};

}  // namespace test_support::soak
