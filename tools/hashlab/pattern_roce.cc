// SPDX-License-Identifier: BSD-3-Clause
// RoCEv2 flows by number; see pattern_roce.h. A connection has a queue pair at each end, which send to each
// other; between the same two queue pairs the source port is the same both ways.
#include "hashlab/pattern_roce.h"

#include "core/flow_maker.h"
#include "core/splitmix.h"
#include "hashlab/pattern_flows.h"
#include "hashlab/pattern_material.h"

namespace hashlab {
namespace {

constexpr uint32_t kUdpAndBthBytes = 8 + 12 + 4;  // and the ICRC

// 10.0.0.1 onward, or 2001:db8::1 (RFC 3849).
void set_hosts(core::KeyMaterial& material, uint32_t src, uint32_t dst) {
  constexpr uint64_t kDocumentation = 0x20010db800000000;
  if (material.l3 == core::L3::ipv6) {
    set_ipv6(material, {kDocumentation, 1 + src}, {kDocumentation, 1 + dst});
  } else {
    set_ipv4(material, 0x0a000001 + src, 0x0a000001 + dst);
  }
}

}  // namespace

RoceSize size_of(PatternKind kind, uint32_t hosts, uint32_t qps) {
  const uint64_t to_one = uint64_t{hosts} * qps;
  if (kind == PatternKind::roce_qps) return {to_one, to_one};
  if (kind == PatternKind::all_reduce) return {to_one, 2 * uint64_t{qps}};
  return {to_one * (hosts - 1), uint64_t{hosts - 1} * qps};
}

RoceFlows::RoceFlows(const Pattern& pattern)
    : kind_(pattern.kind),
      hosts_(pattern.hosts),
      qps_(pattern.qps),
      packets_(pattern.packets),
      shape_(shape_of(pattern, kUdp, kUdpAndBthBytes)),
      start_(core::SplitMix(pattern.seed).next()) {}

// The one is host `hosts`; senders connect one after the other.
RoceFlows::Ends RoceFlows::many_to_one(uint32_t number) const {
  return {number / qps_, number % qps_, hosts_, number};
}

// A host makes its queue pairs to the next one first, then those from the one before.
RoceFlows::Ends RoceFlows::each_to_next(uint32_t number) const {
  const uint32_t host = number / qps_, index = number % qps_;
  return {host, index, (host + 1) % hosts_, qps_ + index};
}

// A host makes its queue pairs in the order of the others' numbers, leaving itself out.
RoceFlows::Ends RoceFlows::each_to_each(uint32_t number) const {
  const uint32_t pair = number / qps_, index = number % qps_;
  const uint32_t src = pair / (hosts_ - 1), place = pair % (hosts_ - 1);
  const uint32_t dst = place < src ? place : place + 1;
  const uint32_t place_of_src = src < dst ? src : src - 1;
  return {src, place * qps_ + index, dst, place_of_src * qps_ + index};
}

RoceFlows::Ends RoceFlows::ends_of(uint32_t number) const {
  if (kind_ == PatternKind::roce_qps) return many_to_one(number);
  if (kind_ == PatternKind::all_reduce) return each_to_next(number);
  return each_to_each(number);
}

uint32_t RoceFlows::qp_number(uint32_t host, uint32_t index) const {
  core::SplitMix random(start_ + host);
  return kFirstQp + (random.below(kQps) + index) % kQps;
}

Flow RoceFlows::operator()(uint64_t number) const {
  const Ends ends = ends_of(static_cast<uint32_t>(number));
  const uint32_t local_qp = qp_number(ends.src_host, ends.src_qp);
  const uint32_t remote_qp = qp_number(ends.dst_host, ends.dst_qp);
  Flow flow = shape_;
  set_hosts(flow.material, ends.src_host, ends.dst_host);
  set_ports(flow.material, core::roce_source_port(local_qp, remote_qp), core::kRoceV2Port);
  flow.material.dest_qp = remote_qp;
  if (kind_ == PatternKind::clos) {  // 1 to twice the mean less 1
    core::SplitMix random(~start_ + number);
    flow.packets = 1 + random.below(static_cast<uint32_t>(2 * packets_ - 1));
    flow.bytes = flow.packets * (flow.material.length_bytes + kEthernetBytes);
  }
  return flow;
}

}  // namespace hashlab
