// SPDX-License-Identifier: BSD-3-Clause
// Turns a flow key into 32 bits: Bob Jenkins' lookup3 as rte_jhash computes it, and its rivals behind the
// same call. Used by path/distribute on every worker, by the tools, and by tests that hold it against DPDK's
// own. A FlowHash is built once from settings and then only read; any number of threads may call it.
//
//   jenkins      lookup3 hashlittle (Jenkins, May 2006) = rte_jhash(key, size, seed)
//   crc32c       rte_hash_crc: register starts at the seed, no final inversion
//   crc32c-rfc   CRC-32C of RFC 3720: starts at ~seed, inverted at the end
//   toeplitz     Microsoft RSS with the Microsoft, mlx5 or symmetric (6d5a) key; the 40-byte key repeats for
//                keys longer than 36 bytes; takes no seed
//   bond-l2/l23/l34  DPDK net_bonding's XOR transmit policies before their modulo; take no seed
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/flow_key.h"

namespace core {

enum class HashAlgorithm : uint8_t { jenkins, crc32c, crc32c_rfc, toeplitz, bond_l2, bond_l23, bond_l34 };
enum class ToeplitzKey : uint8_t { microsoft, mlx5, symmetric };

std::string_view name_of(HashAlgorithm algorithm);
std::string_view name_of(ToeplitzKey key);
std::optional<HashAlgorithm> hash_algorithm_of(std::string_view name);
std::optional<ToeplitzKey> toeplitz_key_of(std::string_view name);
bool takes_seed(HashAlgorithm algorithm);
// The 40 bytes of a key, for a device that shall compute the same.
std::span<const uint8_t> bytes_of(ToeplitzKey key);

// The primitives, over plain bytes of any length and alignment.
uint32_t jenkins_lookup3(std::span<const uint8_t> bytes, uint32_t seed);
uint32_t crc32c_raw(std::span<const uint8_t> bytes, uint32_t seed);       // no inversion before or after
uint32_t crc32c_by_table(std::span<const uint8_t> bytes, uint32_t seed);  // the same on a CPU without SSE 4.2
uint32_t toeplitz(std::span<const uint8_t> bytes, ToeplitzKey key);

class FlowHash {
 public:
  FlowHash(HashAlgorithm algorithm, uint32_t seed, ToeplitzKey key = ToeplitzKey::microsoft);

  uint32_t operator()(const FlowKey& key) const;

  HashAlgorithm algorithm() const { return algorithm_; }
  uint32_t seed() const { return seed_; }

 private:
  using ToeplitzTable = std::array<std::array<uint32_t, 256>, kMaxKeyBytes>;
  using Crc32c = uint32_t (*)(std::span<const uint8_t> bytes, uint32_t seed);

  uint32_t toeplitz_of(const FlowKey& key) const;

  HashAlgorithm algorithm_;
  uint32_t seed_;
  Crc32c crc32c_;                                  // chosen once, by what this CPU can do
  std::shared_ptr<const ToeplitzTable> toeplitz_;  // 32-bit contribution of each byte value at each position
};

}  // namespace core
