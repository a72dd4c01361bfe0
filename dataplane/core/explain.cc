// SPDX-License-Identifier: BSD-3-Clause
// Where a packet would go; see explain.h. Pure.
#include "core/explain.h"

#include <algorithm>

namespace core {
namespace {

constexpr size_t kEthernetBytes = 14;
constexpr uint16_t kIpv4Type = 0x0800, kIpv6Type = 0x86dd;
constexpr uint8_t kTcp = 6, kUdp = 17, kDccp = 33, kSctp = 132, kUdpLite = 136;

// Bytes of the transport header, 0 where there are no ports.
uint16_t transport_bytes(uint8_t proto) {
  switch (proto) {
    case kUdp:
    case kUdpLite:
      return 8;
    case kSctp:
    case kDccp:
      return 12;
    case kTcp:
      return 20;
    default:
      return 0;
  }
}

void write_ipv4(const FiveTuple& tuple, uint16_t payload_bytes, uint8_t* header) {
  header[0] = 0x45;
  store_be16(header + 2, static_cast<uint16_t>(20 + payload_bytes));
  header[8] = 64;
  header[9] = tuple.proto;
  std::copy_n(tuple.src.bytes.begin(), 4, header + 12);
  std::copy_n(tuple.dst.bytes.begin(), 4, header + 16);
}

void write_ipv6(const FiveTuple& tuple, uint16_t payload_bytes, uint8_t* header) {
  header[0] = 0x60;
  store_be16(header + 4, payload_bytes);
  header[6] = tuple.proto;
  header[7] = 64;
  std::copy_n(tuple.src.bytes.begin(), 16, header + 8);
  std::copy_n(tuple.dst.bytes.begin(), 16, header + 24);
}

// The slot that the table of its group has for the packet, and what it means.
void look_up(const Plan& plan, uint32_t frame_bytes, Explanation& out) {
  const GroupPlan& group = plan.groups[out.target];
  const TablePlan& table = group.table(out.priority);
  out.bucket = group.buckets(out.hash);
  out.slot = table.slots[out.bucket];
  out.exit = table.exit_of_bucket[out.bucket];
  if (out.exit == kNoExit) {
    out.dropped = DropReason::no_member;
    return;
  }
  out.port_index = plan.port_of_exit[out.exit];
  const PortPlan& port = plan.ports[out.port_index];
  out.queue = static_cast<uint16_t>(out.exit - port.first_exit);
  out.dropped = reason_to_stay(port, frame_bytes, out.headers.l3_offset);
}

}  // namespace

Explanation explain(const Plan& plan, std::span<const uint8_t> frame, uint16_t port_index) {
  Explanation out;
  const auto frame_bytes = static_cast<uint32_t>(frame.size());
  const PacketView view{frame.data(), std::min(frame_bytes, kParseWindowBytes), frame_bytes};
  out.headers = parse(view, plan.vlan_tag);
  out.priority = priority_of(out.headers);
  out.dropped = reason_of(out.headers.verdict, plan);
  if (out.dropped) return out;
  const GroupPlan& from = plan.groups[plan.ports[port_index].group];
  out.route = from.routes.route_of(view, out.headers);
  if (out.route == nullptr || out.route->to == kNoGroup) {
    out.dropped = DropReason::no_route;
    return out;
  }
  out.target = out.route->to;
  make_flow_key(view, out.headers, plan.fields, out.key);
  out.hash = plan.hash(out.key);
  look_up(plan, frame_bytes, out);
  return out;
}

Explanation explain(const Plan& plan, const FiveTuple& tuple, uint16_t port_index) {
  return explain(plan, frame_of(tuple), port_index);
}

std::vector<uint8_t> frame_of(const FiveTuple& tuple) {
  const bool v6 = tuple.src.v6;
  const size_t l3_bytes = v6 ? 40 : 20;
  const uint16_t payload_bytes = transport_bytes(tuple.proto);
  std::vector<uint8_t> frame(std::max<size_t>(kEthernetBytes + l3_bytes + payload_bytes, 60));
  frame[0] = frame[6] = 0x02;  // two stations
  frame[11] = 1;
  store_be16(&frame[12], v6 ? kIpv6Type : kIpv4Type);
  uint8_t* l3 = &frame[kEthernetBytes];
  v6 ? write_ipv6(tuple, payload_bytes, l3) : write_ipv4(tuple, payload_bytes, l3);
  uint8_t* l4 = l3 + l3_bytes;
  if (payload_bytes == 0) return frame;
  store_be16(l4, tuple.src_port);
  store_be16(l4 + 2, tuple.dst_port);
  if (tuple.proto == kUdp) store_be16(l4 + 4, payload_bytes);
  if (tuple.proto == kTcp) l4[12] = 0x50;
  return frame;
}

}  // namespace core
