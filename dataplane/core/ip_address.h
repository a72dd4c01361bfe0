// SPDX-License-Identifier: BSD-3-Clause
// IPv4 and IPv6 addresses and prefixes as plain values. Made by control from the settings file, compared by
// route and neighbor on a worker. Text is control's business.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace core {

// In network order; an IPv4 address takes the first four bytes, the rest are zero.
struct IpAddress {
  bool v6 = false;
  std::array<uint8_t, 16> bytes{};
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

// Addresses whose first `bits` bits are those of `address`: 0 to 32 for IPv4, 0 to 128 for IPv6. The other
// bits of `address` are zero.
struct IpPrefix {
  IpAddress address;
  uint8_t bits = 0;
  friend bool operator==(const IpPrefix&, const IpPrefix&) = default;
};

// Whether an address of the prefix's IP version (4 or 16 bytes at `bytes`) belongs to it.
inline bool holds(const IpPrefix& prefix, const uint8_t* bytes) {
  const unsigned whole = prefix.bits / 8, rest = prefix.bits % 8;
  if (std::memcmp(prefix.address.bytes.data(), bytes, whole) != 0) return false;
  return rest == 0 || ((prefix.address.bytes[whole] ^ bytes[whole]) >> (8 - rest)) == 0;
}

// Whether every address of `inner` belongs to `outer`.
inline bool holds(const IpPrefix& outer, const IpPrefix& inner) {
  return outer.address.v6 == inner.address.v6 && outer.bits <= inner.bits &&
         holds(outer, inner.address.bytes.data());
}

}  // namespace core
