// SPDX-License-Identifier: BSD-3-Clause
// What must hold for every input of parse and make_flow_key, whatever the bytes. Shared by the fuzz target,
// which aborts on an answer, and by the test that replays captures. Each check returns what is broken, or
// nullptr.
#pragma once

#include <algorithm>

#include "core/flow_key.h"
#include "core/parse.h"

namespace test_support {

inline const char* broken_network(const core::PacketView& view, const core::PacketHeaders& h,
                                  uint32_t window) {
  using namespace core;
  if (h.l3 == L3::none) {
    if (h.has_ports || h.has_dest_qp || h.fragment || h.l4_offset != 0) return "transport facts without IP";
    if (h.ip_proto != 0 || h.traffic_class != 0) return "IP fields without IP";
    return h.l3_bytes == view.frame_bytes - h.l3_offset ? nullptr : "length without IP is not the frame's";
  }
  const uint32_t header_bytes = h.l3 == L3::ipv4 ? 20 : 40;
  if (h.verdict != Verdict::forward) return "IP in a frame that is not forwarded";
  if (h.l3_offset + header_bytes > window) return "IP header outside the window";
  if (h.l3_bytes < header_bytes) return "IP length below its header";
  if (view.data[h.l3_offset] >> 4 != (h.l3 == L3::ipv4 ? 4 : 6)) return "IP version";
  if (h.l4_offset != 0 && h.l4_offset < h.l3_offset + header_bytes) return "transport inside the IP header";
  return nullptr;
}

inline const char* broken_transport(const core::PacketHeaders& h, uint32_t window) {
  using namespace core;
  if (h.l4_offset >= std::max(window, 1u)) return "transport header outside the window";
  if (h.fragment && (h.has_ports || h.has_dest_qp || h.l4_offset != 0))
    return "transport header of a fragment";
  if (h.has_ports && (h.l4_offset == 0 || h.l4_offset + 4u > window)) return "ports outside the window";
  const bool needs_ports =
      h.protocol == Protocol::roce_v2 || h.protocol == Protocol::vxlan || h.protocol == Protocol::geneve;
  if (needs_ports && !h.has_ports) return "recognised by a port that was not read";
  if (!h.has_dest_qp) return h.dest_qp == 0 ? nullptr : "queue pair without a BTH";
  if (h.protocol != Protocol::roce_v2 && h.protocol != Protocol::roce_v1) return "queue pair outside RoCE";
  const uint32_t bth = h.l4_offset + (h.protocol == Protocol::roce_v2 ? 8u : 0u);
  if (h.l4_offset == 0 || bth + 8 > window) return "BTH outside the window";
  return h.dest_qp <= 0xffffff ? nullptr : "queue pair of more than 24 bits";
}

inline const char* broken_headers(const core::PacketView& view, const core::PacketHeaders& h) {
  using namespace core;
  const uint32_t window = std::min({view.window_bytes, view.frame_bytes, kParseWindowBytes});
  if ((h.verdict == Verdict::runt) != (view.frame_bytes < 14)) return "runt";
  const bool control = h.verdict == Verdict::mac_control || h.verdict == Verdict::link_local;
  if (control != (h.protocol == Protocol::control)) return "control frame";
  if ((h.verdict == Verdict::malformed) != (h.protocol == Protocol::malformed)) return "malformed";
  if (h.pcp > 7 || h.vlan_id > 0x0fff) return "VLAN tag";
  if (window < 14) {
    if (h.l3_offset != 0 || h.l3 != L3::none) return "headers in a window without any";
  } else {
    if (h.l3_offset < 14 || h.l3_offset > window || (h.l3_offset - 14) % 4 != 0) return "l3_offset";
    if (h.l3_offset > 14 + 4 * kMaxVlanTags) return "too many tags";
    if (!control && load_be32(view.data) == 0x0180c200 && load_be16(view.data + 4) < 16)
      return "link-local passed";
  }
  if (const char* broken = broken_network(view, h, window)) return broken;
  return broken_transport(h, window);
}

inline const char* broken_key(const core::PacketHeaders& h, const core::KeyFields& fields,
                              const core::FlowKey& key) {
  const unsigned words =
      fields.proto + fields.vlan + fields.dest_qp + fields.packet_length + fields.port_range;
  if (key.size != (h.l3 == core::L3::ipv6 ? 36 : 12) + 4 * words) return "size of the key";
  for (unsigned i = key.size; i % 8 != 0; ++i)
    if (key.bytes[i] != 0) return "bytes behind the key";
  return key.l3 == h.l3 && key.ip_proto == h.ip_proto ? nullptr : "facts beside the key";
}

}  // namespace test_support
