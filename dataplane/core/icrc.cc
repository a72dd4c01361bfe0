// SPDX-License-Identifier: BSD-3-Clause
// Computes the invariant CRC of RoCE packets: masks a copy of the headers, then runs a byte-wise table over
// it and over the rest. Called by flow_maker before traffic starts, by tools and by tests; any thread, never
// per packet of the forwarding path.
#include "core/icrc.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace core {
namespace {

constexpr uint32_t kReflectedPolynomial = 0xedb88320;  // 04c11db7 bit by bit from the other end
constexpr size_t kUdpBytes = 8;
constexpr size_t kUdpChecksum = 6;    // offset within UDP
constexpr size_t kBthCongestion = 4;  // offset within BTH of FECN, BECN and six reserved bits

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kReflectedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

// Longest prefix that holds a masked field: an IPv4 header with all options, UDP and five bytes of BTH.
constexpr size_t kMaskedBytes = 60 + kUdpBytes + kBthCongestion + 1;

}  // namespace

uint32_t crc32_update(uint32_t state, std::span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) state = state >> 8 ^ kTable[(state ^ byte) & 0xff];
  return state;
}

uint32_t roce_icrc(std::span<const uint8_t> packet, L3 l3, bool roce_v1) {
  std::array<uint8_t, kMaskedBytes> headers{};
  const size_t copied = std::min(packet.size(), headers.size());
  if (copied > 0) std::memcpy(headers.data(), packet.data(), copied);

  size_t l3_bytes = 40;
  if (l3 == L3::ipv4) {
    l3_bytes = std::max<size_t>(size_t{headers[0] & 0x0fu} * 4, 20);
    headers[1] = 0xff;                 // type of service
    headers[8] = 0xff;                 // time to live
    headers[10] = headers[11] = 0xff;  // header checksum
  } else {
    headers[0] |= 0x0f;  // the version stays; traffic class and flow label follow
    headers[1] = headers[2] = headers[3] = 0xff;
    headers[7] = 0xff;  // hop limit
  }
  size_t bth = l3_bytes;
  if (!roce_v1) {
    headers[l3_bytes + kUdpChecksum] = headers[l3_bytes + kUdpChecksum + 1] = 0xff;
    bth += kUdpBytes;
  }
  headers[bth + kBthCongestion] = 0xff;

  // Eight bytes of ones stand for the LRH that only InfiniBand links have.
  static constexpr std::array<uint8_t, 8> kOnes = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  uint32_t state = crc32_update(0xffffffff, kOnes);
  state = crc32_update(state, {headers.data(), copied});
  state = crc32_update(state, packet.subspan(copied));
  return ~state;
}

}  // namespace core
