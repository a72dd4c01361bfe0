// SPDX-License-Identifier: BSD-3-Clause
// Our hashes against DPDK's own code, on the same bytes: rte_jhash, rte_hash_crc, rte_softrss.
#include <gtest/gtest.h>
#include <rte_hash_crc.h>
#include <rte_jhash.h>
#include <rte_thash.h>

#include <cstring>
#include <random>
#include <vector>

#include "core/flow_hash.h"

namespace {

constexpr size_t kLongest = 60;
constexpr uint32_t kSeeds[] = {0, 1, 0xdeadbeef, 0xffffffff, 0x5bd1e995};

// Random bytes with room behind: rte_jhash reads up to three bytes past an odd key.
std::vector<uint8_t> random_bytes() {
  std::mt19937 random(22);
  std::vector<uint8_t> bytes(kLongest + 16);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST(FlowHashDpdk, JenkinsIsRteJhash) {
  const auto bytes = random_bytes();
  for (const uint32_t seed : kSeeds) {
    for (size_t offset = 0; offset < 4; ++offset) {
      for (size_t length = 0; length <= kLongest; ++length) {
        const uint8_t* key = bytes.data() + offset;
        ASSERT_EQ(core::jenkins_lookup3({key, length}, seed),
                  rte_jhash(key, static_cast<uint32_t>(length), seed))
            << length << " bytes at " << offset << ", seed " << seed;
      }
    }
  }
}

TEST(FlowHashDpdk, JenkinsOfAnIpv4KeyIsRteJhash3Words) {
  std::mt19937 random(23);
  for (int i = 0; i < 1000; ++i) {
    const uint32_t words[3] = {static_cast<uint32_t>(random()), static_cast<uint32_t>(random()),
                               static_cast<uint32_t>(random())};
    core::FlowKey key{};
    std::memcpy(key.bytes, words, sizeof words);
    key.size = sizeof words;
    const core::FlowHash hash(core::HashAlgorithm::jenkins, 77);
    ASSERT_EQ(hash(key), rte_jhash_3words(words[0], words[1], words[2], 77));
  }
}

TEST(FlowHashDpdk, Crc32cIsRteHashCrc) {
  const auto bytes = random_bytes();
  for (const uint8_t algorithm : {CRC32_SW, CRC32_SSE42_x64}) {
    rte_hash_crc_set_alg(algorithm);
    for (const uint32_t seed : kSeeds) {
      for (size_t offset = 0; offset < 4; ++offset) {
        for (size_t length = 0; length <= kLongest; ++length) {
          const uint8_t* key = bytes.data() + offset;
          const uint32_t expected = rte_hash_crc(key, static_cast<uint32_t>(length), seed);
          ASSERT_EQ(core::crc32c_raw({key, length}, seed), expected) << length << " bytes at " << offset;
          ASSERT_EQ(core::crc32c_by_table({key, length}, seed), expected) << length << " bytes at " << offset;
        }
      }
    }
  }
}

TEST(FlowHashDpdk, ToeplitzIsRteSoftrss) {
  struct Row {
    const char* name;
    core::ToeplitzKey key;
    uint8_t bytes[40];
  };
  const Row rows[] = {
      {"microsoft",
       core::ToeplitzKey::microsoft,
       {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
        0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
        0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa}},
      {"mlx5", core::ToeplitzKey::mlx5, {0x2c, 0xc6, 0x81, 0xd1, 0x5b, 0xdb, 0xf4, 0xf7, 0xfc, 0xa2,
                                         0x83, 0x19, 0xdb, 0x1a, 0x3e, 0x94, 0x6b, 0x9e, 0x38, 0xd9,
                                         0x2c, 0x9c, 0x03, 0xd1, 0xad, 0x99, 0x44, 0xa7, 0xd9, 0x56,
                                         0x3d, 0x59, 0x06, 0x3c, 0x25, 0xf3, 0xfc, 0x1f, 0xdc, 0x2a}},
      {"symmetric",
       core::ToeplitzKey::symmetric,
       {0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a,
        0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a,
        0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a, 0x6d, 0x5a}},
  };
  std::mt19937 random(24);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const core::FlowHash hash(core::HashAlgorithm::toeplitz, 0, row.key);
    for (const uint8_t words : {2, 3, 8, 9}) {  // IPv4 and IPv6, without and with ports
      for (int i = 0; i < 200; ++i) {
        core::FlowKey key{};
        key.size = static_cast<uint8_t>(4 * words);
        uint32_t tuple[9];  // rte_softrss wants words in host order
        for (unsigned word = 0; word < words; ++word) {
          tuple[word] = static_cast<uint32_t>(random());
          const uint32_t wire = rte_cpu_to_be_32(tuple[word]);
          std::memcpy(key.bytes + 4 * word, &wire, sizeof wire);
        }
        const uint32_t expected = rte_softrss(tuple, words, row.bytes);
        ASSERT_EQ(core::toeplitz({key.bytes, key.size}, row.key), expected) << +words << " words";
        ASSERT_EQ(hash(key), expected) << +words << " words";
      }
    }
  }
}

}  // namespace
