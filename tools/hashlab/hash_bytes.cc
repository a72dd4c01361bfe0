// SPDX-License-Identifier: BSD-3-Clause
// The hash of plain bytes; see hash_bytes.h. Pure.
#include "hashlab/hash_bytes.h"

#include <algorithm>

#include "hashlab/bad_input.h"

namespace hashlab {
namespace {

constexpr size_t kIpv4Front = 12, kIpv6Front = 36;

core::FlowKey front_key(std::span<const uint8_t> bytes, uint8_t proto) {
  if (!is_front(bytes.size())) {
    throw BadInput("bond-l34: found " + std::to_string(bytes.size()) +
                   " bytes; allowed: 12 (IPv4 source, destination, ports) or 36 (IPv6)");
  }
  core::FlowKey key{};
  std::copy(bytes.begin(), bytes.end(), key.bytes);
  key.size = static_cast<uint8_t>(bytes.size());
  key.l3 = bytes.size() == kIpv4Front ? core::L3::ipv4 : core::L3::ipv6;
  key.ip_proto = proto;
  return key;
}

}  // namespace

bool is_front(size_t bytes) {
  return bytes == kIpv4Front || bytes == kIpv6Front;
}

uint32_t hash_of_bytes(const HashChoice& choice, std::span<const uint8_t> bytes, uint8_t proto) {
  switch (choice.algorithm) {
    case core::HashAlgorithm::jenkins:
      return core::jenkins_lookup3(bytes, choice.seed);
    case core::HashAlgorithm::crc32c:
      return core::crc32c_raw(bytes, choice.seed);
    case core::HashAlgorithm::crc32c_rfc:
      return ~core::crc32c_raw(bytes, ~choice.seed);
    case core::HashAlgorithm::toeplitz:
      return core::toeplitz(bytes, choice.key);
    case core::HashAlgorithm::bond_l34:
      return choice.hash()(front_key(bytes, proto));
    case core::HashAlgorithm::bond_l2:
    case core::HashAlgorithm::bond_l23:
      break;
  }
  throw BadInput(name_of(choice) + ": looks at MAC addresses, which are in no key; explain --frame tells it");
}

}  // namespace hashlab
