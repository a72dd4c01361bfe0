// SPDX-License-Identifier: BSD-3-Clause
// Parse, count, drop or go on; see classify.h. Worker lcores.
#include "path/classify.h"

#include <rte_prefetch.h>

#include "core/parse.h"
#include "path/drop.h"
#include "path/frame_bytes.h"

namespace path {
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
  for (uint16_t i = 0; i < plan.ports.size(); ++i) {
    const core::PortPlan& port = plan.ports[i];
    const std::optional<uint16_t> target = plan.groups[port.group].routes.constant();
    const bool plain = !port.speaks_ip() && target && *target != core::kNoGroup;
    ports_[i] = {target, L2Guard::watches(plan, i), port.speaks_ip(), plain};
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
  if (port.guarded) {
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

template <bool kObserved>
void Classifier::classify(std::span<rte_mbuf* const> mbufs, uint16_t port_index,
                          core::IngressCounters& ingress, Batch& batch, std::vector<rte_mbuf*>& answers) {
  ParseScratch scratch;
  for (rte_mbuf* mbuf : mbufs) rte_prefetch0(rte_pktmbuf_mtod(mbuf, const void*));
  const PortView& port = ports_[port_index];
  const core::RouteList& routes = plan_->groups[plan_->ports[port_index].group].routes;
  uint64_t bytes = 0;
  uint16_t kept = 0;
  for (rte_mbuf* mbuf : mbufs) {
    bytes += mbuf->pkt_len;
    const core::PacketView view = view_of(mbuf, scratch);
    const core::PacketHeaders headers = core::parse(view, plan_->vlan_tag);
    ingress.seen[static_cast<size_t>(headers.protocol)].add(1);
    const bool looked_at = !port.target && headers.verdict != core::Verdict::runt;
    const uint16_t target =
        looked_at ? routes.target_of(view, headers) : port.target.value_or(core::kNoGroup);
    if constexpr (kObserved) trace(mbuf, view, headers, port_index, target);
    const bool passes = headers.verdict == core::Verdict::forward && port.plain &&
                        (!port.guarded || guard_.is_like_the_last(view.data, port_index));
    if (!passes) [[unlikely]] {
      const size_t answers_before = answers.size();
      if (const auto reason = judge(view, headers, port_index, target, ingress, answers)) {
        if constexpr (kObserved) {
          if (answers.size() > answers_before) tracer_.note(mbuf, TraceStep::answered);
          tracer_.dropped(mbuf, *reason);
        }
        drop(ingress, *reason, mbuf);
        continue;
      }
    }
    if constexpr (kObserved) {
      if (port.guarded) tracer_.note(mbuf, passes ? TraceStep::like_before : TraceStep::guarded);
    }
    batch.mbufs[kept] = mbuf;
    PacketMark& mark = batch.marks[kept];
    mark.l3_offset = headers.l3_offset & 0x7f;
    mark.metered = 0;
    mark.priority = core::priority_of(headers) & 0x7;
    mark.group = target & 0x1f;
    core::make_flow_key(view, headers, plan_->fields, batch.keys[kept]);
    if constexpr (kObserved) tracer_.keyed(mbuf, batch.keys[kept]);
    ++kept;
  }
  batch.count = kept;
  batch.one_target = port.target.has_value();
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
}

template void Classifier::classify<false>(std::span<rte_mbuf* const>, uint16_t, core::IngressCounters&,
                                          Batch&, std::vector<rte_mbuf*>&);
template void Classifier::classify<true>(std::span<rte_mbuf* const>, uint16_t, core::IngressCounters&, Batch&,
                                         std::vector<rte_mbuf*>&);

}  // namespace path
