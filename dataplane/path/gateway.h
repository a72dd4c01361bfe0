// SPDX-License-Identifier: BSD-3-Clause
// What mode gateway does with a burst: classify, distribute, put in line; and how it turns to another plan.
// One a worker, used by its loop only; control reads the flow meters.
#pragma once

#include <rte_mempool.h>

#include <bit>
#include <span>
#include <vector>

#include "core/flow_meter.h"
#include "core/plan.h"
#include "path/batch.h"
#include "path/classify.h"
#include "path/distribute.h"
#include "path/follow.h"
#include "path/instruments.h"
#include "path/plane.h"
#include "path/send.h"

namespace path {

class Gateway {
 public:
  Gateway(const core::Plan& plan, unsigned worker, Plane& plane, Sender& sender,
          std::span<core::IngressCounters> ingress, const std::vector<rte_mempool*>& pool_of_port,
          Instruments& instruments);

  void take_up(const core::Plan& plan);
  // Once a round, before the first burst: `tick` in units of core::kMacTickMs.
  void begin_round(uint64_t now_tsc, uint64_t tick) {
    classifier_.set_tick(tick);
    if (follower_.moving() > 0) [[unlikely]]
      follower_.advance(now_tsc);
  }
  // A burst that came in by one port; the caller flushes for it. kObserved: the instruments are on.
  template <bool kObserved>
  void forward(uint16_t port_index, std::span<rte_mbuf* const> mbufs);

  Follower& follower() { return follower_; }
  const core::FlowMeter& flows(size_t group) const { return flows_[group]; }

 private:
  template <bool kObserved>
  void forward_batch(uint16_t port_index);
  bool goes_as_it_is() const;
  void look_up_again(unsigned i);
  template <bool kObserved>
  void stage_each(uint16_t port_index);
  template <bool kObserved>
  bool passes(unsigned i, uint16_t port_index);
  uint64_t going_on() const { return static_cast<uint64_t>(std::popcount(batch_.going_on())); }
  void trace_hashes();
  void send_answers(uint16_t port_index);

  const core::Plan* plan_;
  Sender& sender_;
  std::span<core::IngressCounters> ingress_;
  Instruments& instruments_;
  Classifier classifier_;
  Follower follower_;
  std::vector<core::FlowMeter> flows_;  // by target group
  Batch batch_{};
  std::vector<rte_mbuf*> answers_;
};

}  // namespace path
