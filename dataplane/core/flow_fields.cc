// SPDX-License-Identifier: BSD-3-Clause
// Fields of headers in flow rules; see flow_fields.h. Pure.
#include "core/flow_fields.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

namespace core {
namespace {

using Kind = FieldKind;

constexpr FlowField kEth[] = {
    {"dst", Kind::mac, 0, 6, 0, 48}, {"src", Kind::mac, 6, 6, 0, 48}, {"type", Kind::number, 12, 2, 0, 16}};
constexpr FlowField kVlan[] = {{"vid", Kind::number, 0, 2, 0, 12},
                               {"dei", Kind::number, 0, 2, 12, 1},
                               {"pcp", Kind::number, 0, 2, 13, 3},
                               {"tci", Kind::number, 0, 2, 0, 16},
                               {"inner_type", Kind::number, 2, 2, 0, 16}};
constexpr FlowField kIpv4[] = {{"src", Kind::ipv4, 12, 4, 0, 32},
                               {"dst", Kind::ipv4, 16, 4, 0, 32},
                               {"proto", Kind::number, 9, 1, 0, 8},
                               {"tos", Kind::number, 1, 1, 0, 8},
                               {"ttl", Kind::number, 8, 1, 0, 8}};
constexpr FlowField kIpv6[] = {{"src", Kind::ipv6, 8, 16, 0, 128},  {"dst", Kind::ipv6, 24, 16, 0, 128},
                               {"proto", Kind::number, 6, 1, 0, 8}, {"tc", Kind::number, 0, 4, 20, 8},
                               {"flow", Kind::number, 0, 4, 0, 20}, {"hop", Kind::number, 7, 1, 0, 8}};
constexpr FlowField kPorts[] = {{"src", Kind::number, 0, 2, 0, 16}, {"dst", Kind::number, 2, 2, 0, 16}};

// Into the bits of a number's field, in network order.
void write_number(const FlowField& field, uint64_t value, FlowItem::Bytes& header) {
  const uint64_t places = ((uint64_t{1} << field.bits) - 1) << field.shift;
  uint64_t whole = 0;
  for (unsigned i = 0; i < field.bytes; ++i) whole = whole << 8 | header[field.offset + i];
  whole = (whole & ~places) | value << field.shift;
  for (unsigned i = field.bytes; i-- > 0; whole >>= 8) header[field.offset + i] = static_cast<uint8_t>(whole);
}

bool write_mac(std::string_view word, uint8_t* bytes) {
  constexpr size_t kText = 17;  // 02:00:00:00:00:01
  if (word.size() != kText) return false;
  for (size_t i = 0; i < 6; ++i) {
    const char* at = word.data() + 3 * i;
    if (std::from_chars(at, at + 2, bytes[i], 16).ptr != at + 2) return false;
    if (i < 5 && at[2] != ':') return false;
  }
  return true;
}

bool write_address(int family, std::string_view word, uint8_t* bytes) {
  if (word.find('\0') != std::string_view::npos) return false;  // inet_pton would stop there
  return inet_pton(family, std::string(word).c_str(), bytes) == 1;
}

}  // namespace

std::span<const FlowField> fields_of(FlowItemType type) {
  switch (type) {
    case FlowItemType::eth:
      return kEth;
    case FlowItemType::vlan:
      return kVlan;
    case FlowItemType::ipv4:
      return kIpv4;
    case FlowItemType::ipv6:
      return kIpv6;
    default:
      return kPorts;
  }
}

bool write_field(const FlowField& field, std::string_view word, FlowItem::Bytes& header) {
  FlowItem::Bytes written{};
  switch (field.kind) {
    case Kind::number: {
      const auto value = flow_number(word, (uint64_t{1} << field.bits) - 1);
      if (value) write_number(field, *value, header);
      return value.has_value();
    }
    case Kind::mac:
      if (!write_mac(word, written.data())) return false;
      break;
    case Kind::ipv4:
    case Kind::ipv6:
      if (!write_address(field.kind == Kind::ipv6 ? AF_INET6 : AF_INET, word, written.data())) return false;
      break;
  }
  std::memcpy(header.data() + field.offset, written.data(), field.bytes);
  return true;
}

std::string allowed_in(const FlowField& field) {
  switch (field.kind) {
    case Kind::mac:
      return "a MAC address as in 02:00:00:00:00:01";
    case Kind::ipv4:
      return "an IPv4 address as in 192.0.2.1";
    case Kind::ipv6:
      return "an IPv6 address as in 2001:db8::1";
    default:
      return "0 to " + std::to_string((uint64_t{1} << field.bits) - 1) + ", or the same as 0x and hex digits";
  }
}

void write_prefix(const FlowField& field, unsigned ones, FlowItem::Bytes& header) {
  if (field.kind == Kind::number) {
    const uint64_t all = (uint64_t{1} << field.bits) - 1;
    return write_number(field, all & ~(all >> ones), header);
  }
  for (unsigned bit = 0; bit < field.bits; ++bit) {
    const auto place = static_cast<uint8_t>(0x80 >> bit % 8);
    uint8_t& byte = header[field.offset + bit / 8];
    byte = static_cast<uint8_t>(bit < ones ? byte | place : byte & ~place);
  }
}

std::optional<uint64_t> flow_number(std::string_view word, uint64_t most) {
  const bool hex = word.starts_with("0x");
  if (hex) word.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != word.data() + word.size() || value > most) return std::nullopt;
  return value;
}

}  // namespace core
