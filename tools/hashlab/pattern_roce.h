// SPDX-License-Identifier: BSD-3-Clause
// The patterns of RoCEv2 flows: who sends to whom, and by which queue pairs. Made by pattern.cc, called by
// any thread. Pure.
#pragma once

#include <cstdint>

#include "hashlab/pattern.h"

namespace hashlab {

// Queue pair numbers have 24 bits; those below are for management and the driver itself.
inline constexpr uint32_t kFirstQp = 16, kQps = (1 << 24) - kFirstQp;

// How many flows a RoCE pattern has, and how many queue pairs the busiest of its hosts.
struct RoceSize {
  uint64_t flows = 0, qps_of_host = 0;
};
RoceSize size_of(PatternKind kind, uint32_t hosts, uint32_t qps);

class RoceFlows {
 public:
  explicit RoceFlows(const Pattern& pattern);
  Flow operator()(uint64_t number) const;

 private:
  // The ends of a flow: host, and which of its queue pairs, in the order it made them.
  struct Ends {
    uint32_t src_host, src_qp, dst_host, dst_qp;
  };
  Ends many_to_one(uint32_t number) const;
  Ends each_to_next(uint32_t number) const;
  Ends each_to_each(uint32_t number) const;
  Ends ends_of(uint32_t number) const;
  uint32_t qp_number(uint32_t host, uint32_t index) const;

  const PatternKind kind_;
  const uint32_t hosts_, qps_;
  const uint64_t packets_;
  const Flow shape_;
  const uint64_t start_;
};

}  // namespace hashlab
