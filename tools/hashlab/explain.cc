// SPDX-License-Identifier: BSD-3-Clause
// One packet step by step; see explain.h. Pure.
#include "hashlab/explain.h"

#include <algorithm>

#include "hashlab/tuple.h"

namespace hashlab {
namespace {

// Cuts a key up, front to end.
class Cutter {
 public:
  explicit Cutter(const core::FlowKey& key) : key_(key) {}

  const uint8_t* next() const { return key_.bytes + at_; }
  void cut(std::string field, unsigned bytes, std::string meaning) {
    parts_.push_back({std::move(field), at_, {next(), next() + bytes}, std::move(meaning)});
    at_ += bytes;
  }
  std::vector<KeyPart> done() { return std::move(parts_); }

 private:
  const core::FlowKey& key_;
  unsigned at_ = 0;
  std::vector<KeyPart> parts_;
};

std::string address_meaning(const uint8_t* bytes, bool v6, bool chosen) {
  if (!chosen) return "not chosen: zero";
  core::IpAddress address{.v6 = v6};
  std::copy_n(bytes, v6 ? 16 : 4, address.bytes.begin());
  return text_of(address);
}

std::string port_meaning(const uint8_t* bytes, bool chosen, bool has_ports) {
  if (!chosen) return "not chosen: zero";
  return has_ports ? std::to_string(core::load_be16(bytes)) : "no ports: zero";
}

void cut_front(const core::PacketHeaders& headers, const core::KeyFields& fields, Cutter& cutter) {
  if (headers.l3 == core::L3::none) {
    const char* const names[] = {fields.symmetric ? "smaller_mac" : "dst_mac",
                                 fields.symmetric ? "larger_mac" : "src_mac"};
    for (const char* name : names) cutter.cut(name, 6, "always, without IP");
    return;
  }
  const bool v6 = headers.l3 == core::L3::ipv6;
  const unsigned address_bytes = v6 ? 16 : 4;
  cutter.cut("src_ip", address_bytes, address_meaning(cutter.next(), v6, fields.src_ip));
  cutter.cut("dst_ip", address_bytes, address_meaning(cutter.next(), v6, fields.dst_ip));
  cutter.cut("src_port", 2, port_meaning(cutter.next(), fields.src_port, headers.has_ports));
  cutter.cut("dst_port", 2, port_meaning(cutter.next(), fields.dst_port, headers.has_ports));
}

void cut_further(const core::PacketHeaders& headers, const core::KeyFields& fields, Cutter& cutter) {
  const auto number = [&cutter] { return std::to_string(core::load_be32(cutter.next())); };
  const bool ip = headers.l3 != core::L3::none;
  if (fields.proto) cutter.cut("proto", 4, ip ? proto_name(headers.ip_proto) : "no IP: zero");
  if (fields.vlan) cutter.cut("vlan", 4, number());
  if (fields.dest_qp) cutter.cut("dest_qp", 4, headers.has_dest_qp ? number() : "no RoCE: zero");
  if (fields.packet_length) cutter.cut("packet_length", 4, number() + " bytes");
  if (fields.port_range) {
    const bool none = core::load_be32(cutter.next()) == 0;
    cutter.cut("port_range", 4, none ? "in no range: zero" : "range " + number());
  }
}

}  // namespace

bool ParsedPacket::dropped() const {
  return headers.verdict != core::Verdict::forward && headers.verdict != core::Verdict::malformed;
}

ParsedPacket parse_packet(std::span<const uint8_t> frame, uint32_t frame_bytes, core::VlanTag tag,
                          const core::KeyFields& fields) {
  const auto window = static_cast<uint32_t>(std::min<size_t>(frame.size(), core::kParseWindowBytes));
  const core::PacketView view{frame.data(), window, frame_bytes};
  ParsedPacket packet{.headers = core::parse(view, tag)};
  if (packet.dropped()) return packet;
  core::make_flow_key(view, packet.headers, fields, packet.key);
  Cutter cutter(packet.key);
  cut_front(packet.headers, fields, cutter);
  cut_further(packet.headers, fields, cutter);
  packet.parts = cutter.done();
  return packet;
}

WayOfKey way_of(const core::FlowKey& key, const core::FlowHash& hash, const Spreader& spreader,
                uint16_t queues_per_nic) {
  const uint32_t word = hash(key);
  const core::Slot slot = spreader(word);
  return {word, spreader.bucket_of(word), slot, uint64_t{slot} / queues_per_nic,
          uint64_t{slot} % queues_per_nic};
}

}  // namespace hashlab
