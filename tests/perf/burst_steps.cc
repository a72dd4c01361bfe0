// SPDX-License-Identifier: BSD-3-Clause
// From frames to exits; see burst_steps.h.
#include "perf/burst_steps.h"

#include <bit>
#include <cstring>

#include "core/distribution_table.h"
#include "core/parse.h"
#include "perf/frames.h"

namespace perf {
namespace {

constexpr core::PacketBits kAll = static_cast<core::PacketBits>((uint64_t{1} << core::kBatch) - 1);
constexpr uint64_t kWatchBelow = (uint64_t{1} << 32) / 64;  // one flow in 64, the default

template <class Visit>
void for_each_packet(core::PacketBits bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(std::countr_zero(bits)));
}

core::GroupState group_of(unsigned nics, uint16_t queues) {
  core::GroupState group;
  group.queues_per_nic = queues;
  group.members.resize(nics);
  return group;
}

}  // namespace

std::string name_of(Width width) {
  return std::to_string(width ? core::bits_of(*width) / 32 : 1);
}

std::vector<Width> widths() {
  std::vector<Width> widths = {std::nullopt};
  for (const core::Simd simd : {core::Simd::portable, core::Simd::avx2, core::Simd::avx512}) {
    if (core::has(simd)) widths.push_back(simd);
  }
  return widths;
}

BurstSteps::BurstSteps(Width width, unsigned nics, uint16_t queues)
    : kernels_(width ? &core::burst_kernels(*width) : nullptr),
      mask_(fields_),
      table_(core::build_table(group_of(nics, queues))) {
  rules_ = {core::FastModulo(static_cast<uint32_t>(table_.size())), kWatchBelow};
  std::memcpy(last_.words, kGateway.data(), kGateway.size());
  std::memcpy(reinterpret_cast<uint8_t*>(last_.words) + kGateway.size(), kHost.data(), kHost.size());
}

void BurstSteps::recognise(StepBatch& batch) const {
  batch.shapes.common = 0;
  if (kernels_ != nullptr) kernels_->recognise(batch.frames, core::kBatch, last_, batch.shapes);
  batch.others = kAll & ~batch.shapes.common;
  for_each_packet(batch.others, [&](unsigned i) {
    const core::PacketView view = {batch.frames.data[i], batch.frames.window_bytes[i],
                                   batch.frames.window_bytes[i]};
    core::make_flow_key(view, core::parse(view), fields_, batch.keys[i]);
  });
}

void BurstSteps::hash(StepBatch& batch) const {
  if (kernels_ != nullptr) kernels_->hash(batch.shapes, core::kBatch, mask_, hash_.seed(), batch.hashes);
  for_each_packet(batch.others, [&](unsigned i) { batch.hashes[i] = hash_(batch.keys[i]); });
}

void BurstSteps::spread(StepBatch& batch) {
  if (kernels_ != nullptr) {
    kernels_->spread(batch.hashes, core::kBatch, rules_, meter_, batch.spread);
    for_each_packet(batch.spread.news, [&](unsigned i) { meter_.see(batch.hashes[i]); });
    return;
  }
  core::PacketBits watched = 0;
  for (unsigned i = 0; i < core::kBatch; ++i) {
    const uint32_t hash = batch.hashes[i];
    batch.spread.buckets[i] = rules_.buckets(hash);
    watched |= core::PacketBits{core::spread_hash(hash) < rules_.watch_below} << i;
    meter_.see(hash);
  }
  batch.spread.watched = watched;
}

void BurstSteps::look_up(StepBatch& batch) const {
  for (unsigned i = 0; i < core::kBatch; ++i) batch.exits[i] = table_[batch.spread.buckets[i]];
}

}  // namespace perf
