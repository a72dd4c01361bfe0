// SPDX-License-Identifier: BSD-3-Clause
// Hash, reduce, look up; see distribute.h. Worker lcores.
#include "path/distribute.h"

#include <bit>

namespace path {
namespace {

bool is_jenkins(const core::Plan& plan) {
  return plan.hash.algorithm() == core::HashAlgorithm::jenkins;
}

// Of common shapes by the kernels, or as the device has hashed them (path/classify sees to that).
void hash(const core::Plan& plan, const core::BurstKernels& kernels, Batch& batch) {
  if (batch.common != 0 && is_jenkins(plan)) {
    kernels.hash(batch.shapes, batch.count, core::KeyMask(plan.fields), plan.hash.seed(), batch.hashes);
  } else {
    for_each_packet(batch.common, [&](unsigned i) { batch.hashes[i] = batch.mbufs[i]->hash.rss; });
  }
  for_each_packet(batch.others, [&](unsigned i) { batch.hashes[i] = plan.hash(batch.keys[i]); });
}

// Shows flows to the meter, which wants well-mixed bits. A rival hash that collapses must not make the flows
// look fewer than they are, or the report would blame the traffic for what the hash did.
void meter(const core::Plan& plan, const core::BurstKernels& kernels, core::PacketBits packets,
           std::vector<core::FlowMeter>& flows, const Batch& batch) {
  if (is_jenkins(plan)) {
    for_each_packet(packets, [&](unsigned i) { flows[batch.mark(i).group()].see(batch.hashes[i]); });
    return;
  }
  alignas(64) uint32_t mixed[core::kBatch];
  if (batch.common != 0) kernels.hash(batch.shapes, batch.count, core::KeyMask(), 0, mixed);
  for_each_packet(batch.others, [&](unsigned i) {
    mixed[i] = core::jenkins_lookup3({batch.keys[i].bytes, batch.keys[i].size}, 0);
  });
  for_each_packet(packets, [&](unsigned i) { flows[batch.mark(i).group()].see(mixed[i]); });
}

}  // namespace

void distribute(const core::Plan& plan, const Follower& follower, std::vector<core::FlowMeter>& flows,
                uint64_t watch_below, Batch& batch) {
  const core::PacketBits going_on = batch.going_on();
  if (going_on == 0) return;
  const core::BurstKernels& kernels = core::burst_kernels(plan.simd);
  hash(plan, kernels, batch);
  const uint8_t group = batch.mark(static_cast<unsigned>(std::countr_zero(going_on))).group();
  core::BurstSpread spread;
  kernels.spread(batch.hashes, batch.count, {plan.groups[group].buckets, watch_below}, flows[group], spread);
  batch.watched = spread.watched & going_on;
  core::PacketBits news = going_on;
  if (batch.one_target && follower.one_table(group)) {
    const uint16_t* table = follower.table(group, 0);
    for (unsigned i = 0; i < batch.count; ++i) batch.marked_exits[i] |= table[spread.buckets[i]];
    if (is_jenkins(plan)) news &= spread.news;
  } else {
    for_each_packet(going_on, [&](unsigned i) {
      const core::PacketMark mark = batch.mark(i);
      const uint32_t bucket = plan.groups[mark.group()].buckets(batch.hashes[i]);
      batch.marked_exits[i] |= follower.table(mark.group(), mark.priority())[bucket];
    });
  }
  const core::PacketBits all = static_cast<core::PacketBits>((uint64_t{1} << batch.count) - 1);
  for_each_packet(all & ~going_on, [&](unsigned i) { batch.marked_exits[i] = kGone; });
  if (news != 0) meter(plan, kernels, news, flows, batch);
}

}  // namespace path
