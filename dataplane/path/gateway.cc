// SPDX-License-Identifier: BSD-3-Clause
// Mode gateway; see gateway.h. Worker lcores.
#include "path/gateway.h"

#include <algorithm>
#include <bit>

#include "path/admit.h"
#include "path/drop.h"

namespace path {

Gateway::Gateway(const core::Plan& plan, unsigned worker, Plane& plane, Sender& sender,
                 std::span<core::IngressCounters> ingress, const std::vector<rte_mempool*>& pool_of_port,
                 Instruments& instruments)
    : plan_(&plan),
      sender_(sender),
      ingress_(ingress),
      instruments_(instruments),
      classifier_(plan, plane.mac_tables, worker, pool_of_port, instruments.tracer()),
      follower_(plan, worker, sender, plane.handover, ingress, plane.exits_of_workers(),
                instruments.tracer()),
      flows_(plan.groups.size()) {
  answers_.reserve(core::kBatch);
}

void Gateway::take_up(const core::Plan& plan) {
  plan_ = &plan;
  classifier_.take_up(plan);
  follower_.take_up(plan);
}

void Gateway::trace_hashes() {
  if (!instruments_.tracer().follows()) return;
  for_each_packet(batch_.going_on(), [&](unsigned i) {
    const uint32_t bucket = plan_->groups[batch_.mark(i).group()].buckets(batch_.hashes[i]);
    instruments_.tracer().hashed(batch_.mbufs[i], {batch_.hashes[i], bucket, batch_.exit(i)});
  });
}

// When the last packet before it was one too many to wait, all that waited have gone by their old exits, and
// this one must follow them.
void Gateway::look_up_again(unsigned i) {
  const core::PacketMark mark = batch_.mark(i);
  const uint32_t bucket = plan_->groups[mark.group()].buckets(batch_.hashes[i]);
  const uint16_t exit = follower_.table(mark.group(), mark.priority())[bucket];
  batch_.marked_exits[i] = uint32_t{mark.bits} << 16 | exit;
}

// A packet without an exit, or whose exit asks something of it. Whether it is to be put in line.
template <bool kObserved>
bool Gateway::passes(unsigned i, uint16_t port_index) {
  [[maybe_unused]] Tracer& tracer = instruments_.tracer();
  rte_mbuf* mbuf = batch_.mbufs[i];
  const uint16_t exit = batch_.exit(i);
  const auto drop_here = [&](core::DropReason reason) {
    if constexpr (kObserved) tracer.dropped(mbuf, reason);
    drop(ingress_[port_index], reason, mbuf);
    return false;
  };
  if (exit == core::kNoExit) return drop_here(core::DropReason::no_member);
  if (exit == core::kWaitExit) {
    follower_.wait(mbuf, port_index);
    return false;
  }
  const core::PortPlan& to = plan_->ports[plan_->port_of_exit[exit]];
  if (const auto reason = admit(mbuf, to, batch_.mark(i).l3_offset())) return drop_here(*reason);
  if constexpr (kObserved) {
    tracer.note(mbuf, to.next_hop ? TraceStep::rewritten : TraceStep::admitted, exit);
    tracer.note(mbuf, TraceStep::staged, exit);
  }
  return true;
}

// One by one: some have no exit, some are to be asked whether theirs takes them.
template <bool kObserved>
void Gateway::stage_each(uint16_t port_index) {
  for (unsigned i = 0; i < batch_.count; ++i) {
    if (batch_.exit(i) == kGone) continue;
    if (batch_.exit(i) == core::kWaitExit) look_up_again(i);
    write_note(batch_.mbufs[i], batch_.hashes[i], batch_.marked_exits[i]);
    if (!passes<kObserved>(i, port_index)) continue;
    sender_.stage(batch_.exit(i), batch_.mbufs[i]);
    if ((batch_.watched >> i & 1) != 0) sender_.watch(batch_.exit(i));
  }
}

// Whether all exits take all packets as they are.
bool Gateway::goes_as_it_is() const {
  if (!batch_.one_target) return false;
  bool some_without = false;
  for (unsigned i = 0; i < batch_.count; ++i) some_without |= (batch_.marked_exits[i] & 0xffff) >= kGone;
  return !some_without && batch_.longest_bytes <= plan_->groups[batch_.mark(0).group()].takes_as_is;
}

template <bool kObserved>
void Gateway::forward_batch(uint16_t port_index) {
  if (batch_.going_on() == 0) return;
  if (kObserved || !goes_as_it_is()) [[unlikely]]
    return stage_each<kObserved>(port_index);
  sender_.stage_all({batch_.mbufs, batch_.count}, batch_.hashes, batch_.marked_exits);
  for_each_packet(batch_.watched, [&](unsigned i) { sender_.watch(batch_.exit(i)); });
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

template <bool kObserved>
void Gateway::forward(uint16_t port_index, std::span<rte_mbuf* const> mbufs) {
  while (!mbufs.empty()) {
    const size_t size = std::min<size_t>(mbufs.size(), core::kBatch);
    classifier_.classify<kObserved>(mbufs.first(size), port_index, ingress_[port_index], batch_, answers_);
    if constexpr (kObserved) instruments_.lap(core::Step::classify, size);
    distribute(*plan_, follower_, flows_, sender_.watch_below(), batch_);
    if constexpr (kObserved) {
      instruments_.lap(core::Step::distribute, going_on());
      trace_hashes();
    }
    forward_batch<kObserved>(port_index);
    if (!answers_.empty()) [[unlikely]]
      send_answers(port_index);
    if constexpr (kObserved) instruments_.lap(core::Step::stage, going_on());
    mbufs = mbufs.subspan(size);
  }
}

template void Gateway::forward<false>(uint16_t, std::span<rte_mbuf* const>);
template void Gateway::forward<true>(uint16_t, std::span<rte_mbuf* const>);

}  // namespace path
