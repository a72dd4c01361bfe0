// SPDX-License-Identifier: BSD-3-Clause
// Computes the hash of flow keys, one by one; core/burst does many at once. CRC-32C uses the CPU's
// instruction where there is one; Toeplitz is a table lookup a byte. Called by path/distribute on every
// worker, by control and by the tools. Pure.
#include "core/flow_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "core/lookup3.h"
#include "core/names.h"

namespace core {

static_assert(std::endian::native == std::endian::little, "hash words are loaded as little-endian");

namespace {

constexpr std::array<std::string_view, 7> kAlgorithmNames = {"jenkins", "crc32c",   "crc32c-rfc", "toeplitz",
                                                             "bond-l2", "bond-l23", "bond-l34"};
constexpr std::array<std::string_view, 3> kToeplitzKeyNames = {"microsoft", "mlx5", "symmetric"};
constexpr size_t kIpv4KeyBytes = 12;

template <typename Word>
Word load(const uint8_t* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// --- Jenkins.

uint32_t jenkins_of(const FlowKey& key, uint32_t seed) {
  const auto word = [&key](uint32_t i) { return load<uint32_t>(key.bytes + 4 * i); };
  if (key.size == kIpv4KeyBytes) return lookup3<uint32_t>(kIpv4KeyBytes, seed, word);
  if (key.size % 4 == 0) return lookup3<uint32_t>(key.size, seed, word);
  return jenkins_lookup3({key.bytes, key.size}, seed);
}

// --- CRC-32C (Castagnoli), bits reflected.

constexpr std::array<uint32_t, 256> kCrc32cTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t value = 0; value < 256; ++value) {
    uint32_t crc = value;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
    table[value] = crc;
  }
  return table;
}();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_by_instruction(std::span<const uint8_t> bytes,
                                                                 uint32_t seed) {
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = seed;
  for (; left >= 8; left -= 8, at += 8) crc = _mm_crc32_u64(crc, load<uint64_t>(at));
  auto crc32 = static_cast<uint32_t>(crc);
  if ((left & 4) != 0) crc32 = _mm_crc32_u32(crc32, load<uint32_t>(at)), at += 4;
  for (left &= 3; left > 0; --left, ++at) crc32 = _mm_crc32_u8(crc32, *at);
  return crc32;
}
#endif

auto best_crc32c() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return crc32c_by_instruction;
#endif
  return crc32c_by_table;
}

// --- Toeplitz.

constexpr size_t kRssKeyBytes = 40;
using RssKey = std::array<uint8_t, kRssKeyBytes>;

constexpr std::array<RssKey, 3> kRssKeys = {{
    // Microsoft, "Verifying the RSS Hash Calculation"
    {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
     0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
     0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa},
    // DPDK 22.11, drivers/net/mlx5/mlx5_rxq.c
    {0x2c, 0xc6, 0x81, 0xd1, 0x5b, 0xdb, 0xf4, 0xf7, 0xfc, 0xa2, 0x83, 0x19, 0xdb, 0x1a,
     0x3e, 0x94, 0x6b, 0x9e, 0x38, 0xd9, 0x2c, 0x9c, 0x03, 0xd1, 0xad, 0x99, 0x44, 0xa7,
     0xd9, 0x56, 0x3d, 0x59, 0x06, 0x3c, 0x25, 0xf3, 0xfc, 0x1f, 0xdc, 0x2a},
    // Woo and Park, "Scalable TCP Session Monitoring with Symmetric Receive-side Scaling", 2012
    {0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a,
     0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a,
     0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a},
}};

// What a byte of the input adds: for each of its set bits, the 32 bits of the key that start at that bit.
uint32_t toeplitz_byte(const RssKey& key, size_t position, uint32_t value) {
  uint64_t window = 0;  // 40 bits of the key from this byte on; the key repeats
  for (size_t i = 0; i < 5; ++i) window = window << 8 | key[(position + i) % kRssKeyBytes];
  uint32_t sum = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((value & (0x80u >> bit)) != 0) sum ^= static_cast<uint32_t>(window >> (8 - bit));
  }
  return sum;
}

// --- DPDK 22.11 net_bonding, burst_xmit_l2_hash, l23_hash and l34_hash, before "% slave_count".

uint32_t bond_l3(const FlowKey& key) {
  const unsigned words = key.l3 == L3::ipv4 ? 2 : key.l3 == L3::ipv6 ? 8 : 0;
  uint32_t sum = 0;
  for (unsigned i = 0; i < words; ++i) sum ^= load<uint32_t>(key.bytes + 4 * i);
  return sum;
}

uint32_t bond_l4(const FlowKey& key) {
  constexpr uint8_t kTcp = 6, kUdp = 17;
  if (key.l3 == L3::none || (key.ip_proto != kTcp && key.ip_proto != kUdp)) return 0;
  const uint8_t* ports = key.bytes + (key.l3 == L3::ipv4 ? 8 : 32);
  return static_cast<uint32_t>(load<uint16_t>(ports) ^ load<uint16_t>(ports + 2));
}

uint32_t bond_of(const FlowKey& key, HashAlgorithm algorithm) {
  if (algorithm == HashAlgorithm::bond_l2) return key.mac_fold ^ (uint32_t{key.mac_fold} >> 8);
  uint32_t hash = bond_l3(key) ^ (algorithm == HashAlgorithm::bond_l23 ? key.mac_fold : bond_l4(key));
  hash ^= hash >> 16;
  return hash ^ (hash >> 8);
}

}  // namespace

std::string_view name_of(HashAlgorithm algorithm) {
  return kAlgorithmNames[static_cast<size_t>(algorithm)];
}
std::string_view name_of(ToeplitzKey key) {
  return kToeplitzKeyNames[static_cast<size_t>(key)];
}

std::optional<HashAlgorithm> hash_algorithm_of(std::string_view name) {
  return value_of<HashAlgorithm>(kAlgorithmNames, name);
}
std::optional<ToeplitzKey> toeplitz_key_of(std::string_view name) {
  return value_of<ToeplitzKey>(kToeplitzKeyNames, name);
}

std::span<const uint8_t> bytes_of(ToeplitzKey key) {
  return kRssKeys[static_cast<size_t>(key)];
}

bool takes_seed(HashAlgorithm algorithm) {
  return algorithm == HashAlgorithm::jenkins || algorithm == HashAlgorithm::crc32c ||
         algorithm == HashAlgorithm::crc32c_rfc;
}

uint32_t jenkins_lookup3(std::span<const uint8_t> bytes, uint32_t seed) {
  return lookup3<uint32_t>(static_cast<uint32_t>(bytes.size()), seed, [bytes](uint32_t i) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * i, std::min<size_t>(4, bytes.size() - 4 * i));
    return word;
  });
}

uint32_t crc32c_by_table(std::span<const uint8_t> bytes, uint32_t seed) {
  for (const uint8_t byte : bytes) seed = kCrc32cTable[(seed ^ byte) & 0xff] ^ (seed >> 8);
  return seed;
}

uint32_t crc32c_raw(std::span<const uint8_t> bytes, uint32_t seed) {
  static const auto kBest = best_crc32c();
  return kBest(bytes, seed);
}

uint32_t toeplitz(std::span<const uint8_t> bytes, ToeplitzKey key) {
  const RssKey& rss_key = kRssKeys[static_cast<size_t>(key)];
  uint32_t hash = 0;
  for (size_t i = 0; i < bytes.size(); ++i) hash ^= toeplitz_byte(rss_key, i, bytes[i]);
  return hash;
}

FlowHash::FlowHash(HashAlgorithm algorithm, uint32_t seed, ToeplitzKey key)
    : algorithm_(algorithm), seed_(seed), crc32c_(best_crc32c()) {
  if (algorithm != HashAlgorithm::toeplitz) return;
  const RssKey& rss_key = kRssKeys[static_cast<size_t>(key)];
  auto table = std::make_shared<ToeplitzTable>();
  for (size_t position = 0; position < table->size(); ++position) {
    for (uint32_t value = 0; value < 256; ++value) {
      (*table)[position][value] = toeplitz_byte(rss_key, position, value);
    }
  }
  toeplitz_ = std::move(table);
}

uint32_t FlowHash::toeplitz_of(const FlowKey& key) const {
  const ToeplitzTable& table = *toeplitz_;
  uint32_t hash = 0;
  for (size_t i = 0; i < key.size; ++i) hash ^= table[i][key.bytes[i]];
  return hash;
}

uint32_t FlowHash::operator()(const FlowKey& key) const {
  switch (algorithm_) {
    case HashAlgorithm::jenkins:
      return jenkins_of(key, seed_);
    case HashAlgorithm::crc32c:
      return crc32c_({key.bytes, key.size}, seed_);
    case HashAlgorithm::crc32c_rfc:
      return ~crc32c_({key.bytes, key.size}, ~seed_);
    case HashAlgorithm::toeplitz:
      return toeplitz_of(key);
    case HashAlgorithm::bond_l2:
    case HashAlgorithm::bond_l23:
    case HashAlgorithm::bond_l34:
      break;
  }
  return bond_of(key, algorithm_);
}

}  // namespace core
