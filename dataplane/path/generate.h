// SPDX-License-Identifier: BSD-3-Clause
// Makes packets for modes txonly and flowgen: the flows of a pattern, built once before the first burst and
// then copied into fresh mbufs, flow after flow. Worker w of W makes the flows w, w + W, w + 2W ..., so that
// each flow has one sender and stays in order. Built by control, used by its worker only.
#pragma once

#include <rte_mbuf.h>

#include <span>
#include <vector>

#include "core/plan.h"

namespace path {

class Generator {
 public:
  // txonly sends flow 0 only, from every worker, as testpmd does; flowgen all flows of the pattern.
  Generator(const core::FlowPattern& pattern, core::Mode mode, unsigned worker, unsigned workers);

  bool has_flows() const { return !frames_.empty(); }
  // Fills `mbufs` with the next packets and `flows` with their flow numbers; MAC addresses are those of
  // `from` and its peer. Returns how many there are: fewer than asked when the pool is empty.
  uint16_t make(std::span<rte_mbuf*> mbufs, std::span<uint32_t> flows, rte_mempool* pool,
                const core::PortPlan& from);

 private:
  struct Frame {
    size_t offset;  // in bytes_
    uint32_t size;
    uint32_t flow;
  };
  std::vector<uint8_t> bytes_;
  std::vector<Frame> frames_;
  size_t next_ = 0;
};

// testpmd's default peer of a port: 02:00:00:00:00:<port>.
core::MacAddress peer_of(const core::PortPlan& port);

}  // namespace path
