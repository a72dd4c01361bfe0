// SPDX-License-Identifier: BSD-3-Clause
// Parse, count, drop or go on; see classify.h. Worker lcores.
#include "path/classify.h"

#include <rte_prefetch.h>

#include <algorithm>
#include <bit>

#include "core/parse.h"
#include "path/drop.h"
#include "path/frame_bytes.h"

namespace path {
namespace {

core::PacketBits hashed_by_device(const Batch& batch) {
  core::PacketBits hashed = 0;
  for (unsigned i = 0; i < batch.count; ++i) {
    hashed |= core::PacketBits{(batch.mbufs[i]->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0} << i;
  }
  return hashed;
}

}  // namespace

Classifier::Classifier(const core::Plan& plan, const MacTables& tables, unsigned worker,
                       std::vector<rte_mempool*> pool_of_port, Tracer& tracer)
    : plan_(&plan),
      tracer_(tracer),
      ports_(plan.ports.size()),
      guard_(tables, worker, plan.ports.size()),
      neighbors_(std::move(pool_of_port)) {
  take_up(plan);
}

void Classifier::take_up(const core::Plan& plan) {
  plan_ = &plan;
  kernels_ = &core::burst_kernels(plan.simd);
  const bool made_at_once =
      plan.hash.algorithm() == core::HashAlgorithm::jenkins && core::KeyMask::covers(plan.fields);
  for (uint16_t i = 0; i < plan.ports.size(); ++i) {
    const core::PortPlan& port = plan.ports[i];
    const std::optional<uint16_t> target = plan.groups[port.group].routes.constant();
    const bool at_once = target && *target != core::kNoGroup && (made_at_once || port.gives_rss_hash);
    ports_[i] = {target, L2Guard::watches(plan, i), port.speaks_ip(), port.gives_rss_hash, at_once};
  }
  guard_.forget();
}

std::optional<core::DropReason> Classifier::judge(const core::PacketView& view,
                                                  const core::PacketHeaders& headers, uint16_t port_index,
                                                  uint16_t target, core::IngressCounters& ingress,
                                                  std::vector<rte_mbuf*>& answers) {
  const PortView& port = ports_[port_index];
  if (headers.verdict != core::Verdict::forward) [[unlikely]] {
    if (const auto reason = core::reason_of(headers.verdict, *plan_)) return reason;
  }
  const bool may_be_ours =
      headers.protocol == core::Protocol::arp || headers.protocol == core::Protocol::icmp;
  if (port.speaks_ip && may_be_ours) [[unlikely]] {
    rte_mbuf* answer = nullptr;
    if (neighbors_.take(view, headers, plan_->ports[port_index], port_index, ingress, answer)) {
      if (answer != nullptr) answers.push_back(answer);
      return core::DropReason::local;
    }
  }
  if (port.guarded && !passed_before(view.data, port_index)) {
    if (const auto reason = guard_.judge(view.data, *plan_, port_index, target)) return reason;
  }
  if (target == core::kNoGroup) [[unlikely]]
    return core::DropReason::no_route;
  return std::nullopt;
}

void Classifier::trace(const rte_mbuf* mbuf, const core::PacketView& view, const core::PacketHeaders& headers,
                       uint16_t port_index, uint16_t target) {
  const core::RouteList& list = plan_->groups[plan_->ports[port_index].group].routes;
  const core::Route* route = headers.verdict == core::Verdict::runt ? nullptr : list.route_of(view, headers);
  const auto place = static_cast<uint16_t>(route == nullptr ? 0 : route - list.routes.data());
  tracer_.parsed(mbuf, {headers, target, place, core::priority_of(headers)});
}

// Notes where frames lie and how long they are, and prefetches them.
void Classifier::collect(std::span<rte_mbuf* const> mbufs, core::IngressCounters& ingress,
                         Batch& batch) const {
  for (size_t i = 0; i < mbufs.size(); ++i) {
    rte_mbuf* mbuf = mbufs[i];
    const auto* data = rte_pktmbuf_mtod(mbuf, const uint8_t*);
    rte_prefetch0(data);
    batch.frames.data[i] = data;
    batch.frames.window_bytes[i] = mbuf->data_len;
    batch.frame_bytes[i] = mbuf->pkt_len;
  }
  uint32_t bytes = 0, longest = 0;
  for (size_t i = 0; i < mbufs.size(); ++i) {
    bytes += batch.frame_bytes[i];
    longest = std::max(longest, batch.frame_bytes[i]);
  }
  batch.mbufs = mbufs.data();
  batch.count = static_cast<uint16_t>(mbufs.size());
  batch.longest_bytes = longest;
  batch.common = batch.others = 0;
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
}

// All packets of common shapes at once; where the device was to hash them, those that it has hashed. Returns
// which it has dealt with.
core::PacketBits Classifier::take_common(uint16_t port_index, core::IngressCounters& ingress, Batch& batch) {
  const PortView& port = ports_[port_index];
  core::BurstShapes& shapes = batch.shapes;
  kernels_->recognise(batch.frames, batch.count, guard_.last_passed(port_index), shapes);
  core::PacketBits taken = shapes.common;
  if (port.gives_rss_hash) taken &= hashed_by_device(batch);
  const auto count = [&](core::Protocol protocol, core::PacketBits bits) {
    if (bits == 0) return;
    ingress.seen[static_cast<size_t>(protocol)].add(static_cast<uint64_t>(std::popcount(bits)));
  };
  count(core::Protocol::tcp, shapes.tcp & taken);
  count(core::Protocol::udp, shapes.udp & taken);
  count(core::Protocol::roce_v2, shapes.roce_v2 & taken);
  count(core::Protocol::vxlan, shapes.vxlan & taken);
  count(core::Protocol::geneve, shapes.geneve & taken);
  const uint32_t group = uint32_t{*port.target} << core::PacketMark::kGroupBit;
  for (unsigned i = 0; i < core::kBatch; ++i) batch.marked_exits[i] = (shapes.marks[i] | group) << 16;
  batch.common = taken;
  for_each_packet(port.guarded ? taken & ~shapes.like_last : 0, [&](unsigned i) {
    const auto reason = guard_.judge(batch.frames.data[i], *plan_, port_index, *port.target);
    if (!reason) return;
    batch.common &= ~(1u << i);
    drop(ingress, *reason, batch.mbufs[i]);
  });
  return taken;
}

// One packet of whatever kind.
template <bool kObserved>
void Classifier::take_other(unsigned i, uint16_t port_index, core::IngressCounters& ingress, Batch& batch,
                            std::vector<rte_mbuf*>& answers) {
  const PortView& port = ports_[port_index];
  rte_mbuf* mbuf = batch.mbufs[i];
  ParseScratch scratch;
  const core::PacketView view = view_of(mbuf, scratch);
  const core::PacketHeaders headers = core::parse(view, plan_->vlan_tag);
  ingress.seen[static_cast<size_t>(headers.protocol)].add(1);
  const bool looked_at = !port.target && headers.verdict != core::Verdict::runt;
  const uint16_t target = looked_at
                              ? plan_->groups[plan_->ports[port_index].group].routes.target_of(view, headers)
                              : port.target.value_or(core::kNoGroup);
  if constexpr (kObserved) trace(mbuf, view, headers, port_index, target);
  const size_t answers_before = answers.size();
  [[maybe_unused]] const bool before =
      headers.verdict != core::Verdict::runt && passed_before(view.data, port_index);
  if (const auto reason = judge(view, headers, port_index, target, ingress, answers)) {
    if constexpr (kObserved) {
      if (answers.size() > answers_before) tracer_.note(mbuf, TraceStep::answered);
      tracer_.dropped(mbuf, *reason);
    }
    return drop(ingress, *reason, mbuf);
  }
  if constexpr (kObserved) {
    if (port.guarded) tracer_.note(mbuf, before ? TraceStep::like_before : TraceStep::guarded);
  }
  batch.others |= 1u << i;
  const auto mark = core::PacketMark::of(headers.l3_offset, core::priority_of(headers), target);
  batch.marked_exits[i] = uint32_t{mark.bits} << 16;
  core::make_flow_key(view, headers, plan_->fields, batch.keys[i]);
  if constexpr (kObserved) tracer_.keyed(mbuf, batch.keys[i]);
}

template <bool kObserved>
void Classifier::classify(std::span<rte_mbuf* const> mbufs, uint16_t port_index,
                          core::IngressCounters& ingress, Batch& batch, std::vector<rte_mbuf*>& answers) {
  collect(mbufs, ingress, batch);
  batch.one_target = ports_[port_index].target.has_value();
  // A traced packet tells what it went through one by one.
  const bool at_once = ports_[port_index].at_once && !(kObserved && tracer_.follows());
  core::PacketBits left = static_cast<core::PacketBits>((uint64_t{1} << batch.count) - 1);
  if (at_once) {
    left &= ~take_common(port_index, ingress, batch);
  }
  for_each_packet(left, [&](unsigned i) { take_other<kObserved>(i, port_index, ingress, batch, answers); });
}

template void Classifier::classify<false>(std::span<rte_mbuf* const>, uint16_t, core::IngressCounters&,
                                          Batch&, std::vector<rte_mbuf*>&);
template void Classifier::classify<true>(std::span<rte_mbuf* const>, uint16_t, core::IngressCounters&, Batch&,
                                         std::vector<rte_mbuf*>&);

}  // namespace path
