// SPDX-License-Identifier: BSD-3-Clause
// Flows as people write them; see tuple.h. Pure.
#include "hashlab/tuple.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "hashlab/options.h"

namespace hashlab {
namespace {

constexpr std::pair<std::string_view, uint8_t> kProtocols[] = {{"icmp", 1},  {"tcp", 6},     {"udp", 17},
                                                               {"dccp", 33}, {"icmpv6", 58}, {"sctp", 132}};

// `of` may be a word without an option in front, which refuse of options.h does not know.
[[noreturn]] void reject(const std::string& of, std::string_view text, const std::string& why) {
  throw BadInput(of + " " + (text.empty() ? "\"\"" : std::string(text)) + ": " + why);
}

core::IpAddress address_at(const uint8_t* bytes, bool v6) {
  core::IpAddress address{.v6 = v6};
  std::copy_n(bytes, v6 ? 16 : 4, address.bytes.begin());
  return address;
}

std::string mac_text(const uint8_t* mac) {
  std::string text;
  for (int i = 0; i < 6; ++i) text += (i == 0 ? "" : ":") + hex_of({mac + i, 1});
  return text;
}

// Bits behind the first `bits` cleared, as core::IpPrefix wants them.
void clear_host_bits(core::IpPrefix& prefix) {
  for (unsigned bit = prefix.bits; bit < 128; ++bit) {
    uint8_t& byte = prefix.address.bytes[bit / 8];
    byte = static_cast<uint8_t>(byte & ~(0x80 >> bit % 8));
  }
}

}  // namespace

core::IpAddress address_of(const std::string& of, std::string_view text) {
  core::IpAddress address{.v6 = text.find(':') != std::string_view::npos};
  const std::string whole(text);
  const bool cut = text.find('\0') != std::string_view::npos;  // inet_pton would stop there
  if (cut || inet_pton(address.v6 ? AF_INET6 : AF_INET, whole.c_str(), address.bytes.data()) != 1)
    reject(of, text, "not an address; allowed: IPv4 as in 192.0.2.1 or IPv6 as in 2001:db8::1");
  return address;
}

core::IpPrefix prefix_of(const std::string& of, std::string_view text) {
  const size_t slash = text.find('/');
  core::IpPrefix prefix{.address = address_of(of, text.substr(0, slash))};
  const uint8_t most = prefix.address.v6 ? 128 : 32;
  prefix.bits = most;
  if (slash == std::string_view::npos) return prefix;
  prefix.bits = static_cast<uint8_t>(whole_number(of + " (prefix length)", text.substr(slash + 1), 0, most));
  clear_host_bits(prefix);
  return prefix;
}

uint8_t proto_of(const std::string& of, std::string_view text) {
  for (const auto& [name, number] : kProtocols) {
    if (name == text) return number;
  }
  uint8_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    reject(of, text, "unknown protocol; allowed: udp, tcp, sctp, dccp, icmp, icmpv6 or a number 0 to 255");
  return number;
}

std::vector<uint8_t> bytes_of_hex(const std::string& of, std::string_view text) {
  std::string digits;
  for (size_t at = text.starts_with("0x") || text.starts_with("0X") ? 2 : 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ' || c == ':') continue;
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!digit)
      reject(of, text,
             "\"" + std::string(1, c) + "\" at position " + std::to_string(at + 1) +
                 " is no hexadecimal digit; allowed: two digits a byte, blanks and colons between");
    digits += c;
  }
  if (digits.size() % 2 != 0)
    reject(of, text, std::to_string(digits.size()) + " digits; allowed: an even number, two a byte");
  std::vector<uint8_t> bytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, bytes[i], 16);
  return bytes;
}

void check_one_version(const core::IpAddress& src, const core::IpAddress& dst) {
  if (src.v6 != dst.v6)
    throw BadInput(text_of(src) + " and " + text_of(dst) +
                   ": one is IPv4, the other IPv6; allowed: two alike");
}

core::FiveTuple tuple_of(std::span<const std::string> words) {
  if (words.size() < 4 || words.size() > 5)
    throw BadInput("found " + std::to_string(words.size()) + " words; allowed: SRC DST SPORT DPORT [PROTO]");
  core::FiveTuple tuple{.src = address_of("SRC", words[0]),
                        .dst = address_of("DST", words[1]),
                        .src_port = static_cast<uint16_t>(whole_number("SPORT", words[2], 0, 65535)),
                        .dst_port = static_cast<uint16_t>(whole_number("DPORT", words[3], 0, 65535))};
  if (words.size() == 5) tuple.proto = proto_of("PROTO", words[4]);
  check_one_version(tuple.src, tuple.dst);
  return tuple;
}

core::KeyMaterial material_of(const core::FiveTuple& tuple) {
  const std::vector<uint8_t> frame = core::frame_of(tuple);
  const auto bytes = static_cast<uint32_t>(frame.size());
  const core::PacketView view{frame.data(), bytes, bytes};
  return core::key_material_of(view, core::parse(view));
}

std::string text_of(const core::IpAddress& address) {
  char buffer[INET6_ADDRSTRLEN];
  return inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), buffer, sizeof buffer);
}

std::string proto_name(uint8_t proto) {
  for (const auto& [name, number] : kProtocols) {
    if (number == proto) return std::string(name);
  }
  return std::to_string(proto);
}

std::string hex_of(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

std::string words_of(const core::FiveTuple& tuple) {
  return text_of(tuple.src) + " " + text_of(tuple.dst) + " " + std::to_string(tuple.src_port) + " " +
         std::to_string(tuple.dst_port) + " " + proto_name(tuple.proto);
}

void set_src_port(core::KeyMaterial& material, uint16_t port) {
  core::store_be16(material.front + (material.l3 == core::L3::ipv6 ? 32 : 8), port);
}

uint16_t src_port_of(const core::KeyMaterial& material) {
  return core::load_be16(material.front + (material.l3 == core::L3::ipv6 ? 32 : 8));
}

std::string words_of(const core::KeyMaterial& material) {
  std::string text;
  if (material.l3 == core::L3::none) {
    text = "MAC " + mac_text(material.front + 6) + " to " + mac_text(material.front);
  } else {
    const bool v6 = material.l3 == core::L3::ipv6;
    const unsigned address_bytes = v6 ? 16 : 4;
    const uint8_t* const ports = material.front + 2 * address_bytes;
    text = words_of({.src = address_at(material.front, v6),
                     .dst = address_at(material.front + address_bytes, v6),
                     .src_port = core::load_be16(ports),
                     .dst_port = core::load_be16(ports + 2),
                     .proto = material.ip_proto});
    if (!material.has_ports) text += " without ports";
  }
  char qp[16];
  std::snprintf(qp, sizeof qp, " qp 0x%x", material.dest_qp);
  if (material.dest_qp != 0) text += qp;
  if (material.vlan_id != 0) text += " vlan " + std::to_string(material.vlan_id);
  return text;
}

}  // namespace hashlab
