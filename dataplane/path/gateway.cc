// SPDX-License-Identifier: BSD-3-Clause
// Mode gateway; see gateway.h. Worker lcores.
#include "path/gateway.h"

#include <algorithm>

#include "path/admit.h"
#include "path/drop.h"

namespace path {

Gateway::Gateway(const core::Plan& plan, unsigned worker, Plane& plane, Sender& sender,
                 std::span<core::IngressCounters> ingress, const std::vector<rte_mempool*>& pool_of_port)
    : plan_(&plan),
      sender_(sender),
      ingress_(ingress),
      classifier_(plan, plane.mac_tables, worker, pool_of_port),
      follower_(plan, worker, sender, plane.handover, ingress, plane.exits_of_workers()),
      flows_(plan.groups.size()) {
  answers_.reserve(core::kBatch);
}

void Gateway::take_up(const core::Plan& plan) {
  plan_ = &plan;
  classifier_.take_up(plan);
  follower_.take_up(plan);
}

void Gateway::forward(uint16_t port_index, std::span<rte_mbuf* const> mbufs) {
  while (!mbufs.empty()) {
    const size_t size = std::min<size_t>(mbufs.size(), core::kBatch);
    classifier_.classify(mbufs.first(size), port_index, ingress_[port_index], batch_, answers_);
    distribute(*plan_, follower_, flows_, batch_);
    forward_batch(port_index);
    if (!answers_.empty()) [[unlikely]]
      send_answers(port_index);
    mbufs = mbufs.subspan(size);
  }
}

void Gateway::forward_batch(uint16_t port_index) {
  for (uint16_t i = 0; i < batch_.count; ++i) {
    rte_mbuf* mbuf = batch_.mbufs[i];
    const uint16_t exit = batch_.exits[i];
    if (exit >= core::kWaitExit) [[unlikely]] {
      if (exit == core::kNoExit) {
        drop(ingress_[port_index], core::DropReason::no_member, mbuf);
      } else {
        follower_.wait(mbuf, port_index);
      }
      continue;
    }
    if (const auto reason = admit(mbuf, plan_->ports[plan_->port_of_exit[exit]], batch_.marks[i].l3_offset))
        [[unlikely]] {
      drop(ingress_[port_index], *reason, mbuf);
      continue;
    }
    sender_.stage_noted(exit, mbuf, batch_.hashes[i]);
  }
}

void Gateway::send_answers(uint16_t port_index) {
  const core::PortPlan& port = plan_->ports[port_index];
  for (rte_mbuf* answer : answers_) {
    ingress_[port_index].generated.add(1);
    if (port.sends) {
      note_exit(answer, port.first_exit);
      sender_.stage(port.first_exit, answer);
    } else {
      drop(ingress_[port_index], core::DropReason::no_tx, answer);
    }
  }
  answers_.clear();
}

}  // namespace path
