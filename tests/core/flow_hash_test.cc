// SPDX-License-Identifier: BSD-3-Clause
// Known answers of every hash, and the agreement of the ways to compute it. Sources: Bob Jenkins' lookup3.c
// (driver5), DPDK app/test/test_hash_functions.c and test_thash.c, RFC 3720 B.4.
#include "core/flow_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace core {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

Bytes from_text(std::string_view text) {
  return Bytes(text.begin(), text.end());
}

Bytes counting(size_t length) {
  Bytes bytes(length);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  return bytes;
}

FlowKey make_key(const Bytes& bytes, L3 l3 = L3::none, uint8_t ip_proto = 0, uint16_t mac_fold = 0) {
  FlowKey key{};
  std::copy(bytes.begin(), bytes.end(), key.bytes);
  key.size = static_cast<uint8_t>(bytes.size());
  key.l3 = l3;
  key.ip_proto = ip_proto;
  key.mac_fold = mac_fold;
  return key;
}

TEST(Jenkins, KnownAnswers) {
  struct Row {
    const char* name;
    Bytes input;
    uint32_t seed, expected;
  };
  const Bytes gettysburg = from_text("Four score and seven years ago");
  const Row rows[] = {
      {"empty", {}, 0, 0xdeadbeef},
      {"empty, seeded", {}, 0xdeadbeef, 0xbd5b7dde},
      {"driver5", gettysburg, 0, 0x17770551},
      {"driver5, seeded", gettysburg, 1, 0xcd628161},
      {"1", counting(1), 0, 0x8ba9414b},
      {"2", counting(2), 0, 0xdf0d39c9},
      {"3", counting(3), 0, 0x6b12f277},
      {"4", counting(4), 0, 0xe4cf1d42},
      {"5", counting(5), 0, 0x1d4833cc},
      {"6", counting(6), 0, 0x5229ee9e},
      {"7", counting(7), 0, 0x589511d8},
      {"8", counting(8), 0, 0xd4ccb93c},
      {"9", counting(9), 0, 0xeca51474},
      {"10", counting(10), 0, 0x610fc1e3},
      {"11", counting(11), 0, 0x2ca6817a},
      {"12", counting(12), 0, 0x5e4aa593},
      {"13", counting(13), 0, 0xbc9d6816},
      {"14", counting(14), 0, 0x9609e9d3},
      {"15", counting(15), 0, 0x63a6e503},
      {"16", counting(16), 0, 0x5e84eafc},
      {"17", counting(17), 0, 0x8c3532cb},
      {"23", counting(23), 0, 0xa5ff3c58},
      {"24", counting(24), 0, 0x9c0add53},
      {"25", counting(25), 0, 0x3a882244},
      {"32", counting(32), 0, 0x21362cfe},
      {"37", counting(37), 0, 0x12926a31},
      {"40", counting(40), 0, 0x1c9fa888},
      {"48", counting(48), 0, 0x2f4775ab},
      {"64", counting(64), 0, 0x9ff036cc},
      {"IPv4 flow with protocol", from_hex("420995bba18e64500aea06e606"), 0, 0x8454f5dd},
      {"192.0.2.1:10000 to 198.51.100.2:4791", from_hex("c0000201c6336402271012b7"), 0, 0xdaa7b5a5},
      {"and back", from_hex("c6336402c000020112b72710"), 0, 0xc3b68ac2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(jenkins_lookup3(row.input, row.seed), row.expected);
    if (row.input.size() <= kMaxKeyBytes) {
      EXPECT_EQ(FlowHash(HashAlgorithm::jenkins, row.seed)(make_key(row.input)), row.expected);
    }
  }
}

TEST(Jenkins, AnyAlignmentAndNothingPastTheEnd) {
  for (size_t length = 0; length <= 60; ++length) {
    const uint32_t expected = jenkins_lookup3(counting(length), 7);
    for (size_t offset = 0; offset < 4; ++offset) {
      Bytes exact(offset + length);  // ends with the key: a sanitizer sees a read past it
      std::iota(exact.begin() + static_cast<long>(offset), exact.end(), uint8_t{0});
      EXPECT_EQ(jenkins_lookup3(std::span(exact).subspan(offset), 7), expected) << length << " at " << offset;
      exact.insert(exact.end(), 8, 0xa5);
      EXPECT_EQ(jenkins_lookup3(std::span(exact).subspan(offset, length), 7), expected);
    }
  }
}

TEST(Crc32c, KnownAnswers) {
  struct Row {
    const char* name;
    Bytes input;
    bool rfc;
    uint32_t expected;
  };
  const Bytes up = counting(32);
  const Row rows[] = {
      {"32 x 00", Bytes(32, 0x00), true, 0x8a9136aa},
      {"32 x ff", Bytes(32, 0xff), true, 0x62a8ab43},
      {"00 to 1f", up, true, 0x46dd794e},
      {"1f to 00", Bytes(up.rbegin(), up.rend()), true, 0x113fdb5c},
      {"check value", from_text("123456789"), true, 0xe3069283},
      {"rte_hash_crc 1", counting(1), false, 0x00000000},
      {"rte_hash_crc 2", counting(2), false, 0xf26b8303},
      {"rte_hash_crc 4", counting(4), false, 0x91545164},
      {"rte_hash_crc 8", counting(8), false, 0x06040eb1},
      {"rte_hash_crc 9", counting(9), false, 0xcaa1ad0b},
      {"rte_hash_crc 13", counting(13), false, 0x7ac1e03e},
      {"rte_hash_crc 16", counting(16), false, 0x9bb99201},
      {"rte_hash_crc 32", counting(32), false, 0xcc4c4fe4},
      {"rte_hash_crc 37", counting(37), false, 0x43f44466},
      {"rte_hash_crc 40", counting(40), false, 0x4a11475e},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const HashAlgorithm algorithm = row.rfc ? HashAlgorithm::crc32c_rfc : HashAlgorithm::crc32c;
    EXPECT_EQ(FlowHash(algorithm, 0)(make_key(row.input)), row.expected);
    const uint32_t flip = row.rfc ? ~0u : 0;
    EXPECT_EQ(crc32c_raw(row.input, flip) ^ flip, row.expected);
  }
}

TEST(Crc32c, TableAndInstructionAgree) {
  std::mt19937 random(1);
  Bytes bytes(80);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (const uint32_t seed : {0u, 1u, 0xffffffffu, 0x12345678u}) {
    for (size_t offset = 0; offset < 8; ++offset) {
      for (size_t length = 0; length + offset <= bytes.size(); ++length) {
        const auto part = std::span<const uint8_t>(bytes).subspan(offset, length);
        ASSERT_EQ(crc32c_raw(part, seed), crc32c_by_table(part, seed)) << length << " at " << offset;
      }
    }
  }
}

TEST(Crc32c, SeedIsTheStartOfTheRegister) {
  const Bytes bytes = counting(24);
  const std::span<const uint8_t> all(bytes);
  EXPECT_EQ(crc32c_raw(all.subspan(8), crc32c_raw(all.first(8), 99)), crc32c_raw(all, 99));
  EXPECT_EQ(FlowHash(HashAlgorithm::crc32c, 99)(make_key(bytes)), crc32c_raw(all, 99));
  EXPECT_EQ(FlowHash(HashAlgorithm::crc32c_rfc, 99)(make_key(bytes)), ~crc32c_raw(all, ~99u));
}

TEST(Toeplitz, KnownAnswers) {
  struct Row {
    const char* name;
    Bytes input;
    ToeplitzKey key;
    uint32_t expected;
  };
  using enum ToeplitzKey;
  const Bytes v6_addresses = from_hex("3ffe250102001fff00000000000000073ffe2501020000030000000000000001");
  Bytes v6_ports = v6_addresses;
  for (const uint8_t byte : from_hex("0aea06e6")) v6_ports.push_back(byte);
  const Row rows[] = {
      {"addresses", from_hex("420995bba18e6450"), microsoft, 0x323e8fc2},
      {"66.9.149.187", from_hex("420995bba18e64500aea06e6"), microsoft, 0x51ccc178},
      {"199.92.111.2", from_hex("c75c6f0241458c5337961283"), microsoft, 0xc626b0ea},
      {"24.19.198.95", from_hex("1813c65f0c16cfb832629488"), microsoft, 0x5c2b394a},
      {"38.27.205.30", from_hex("261bcd1ed18ea306bc6408a9"), microsoft, 0xafc7327f},
      {"IPv6 addresses", v6_addresses, microsoft, 0x2cc18cd5},
      {"IPv6", v6_ports, microsoft, 0x40207d3d},
      {"symmetric", from_hex("420995bba18e64500aea06e6"), symmetric, 0x9fcc9fcc},
      {"symmetric, back", from_hex("a18e6450420995bb06e60aea"), symmetric, 0x9fcc9fcc},
      {"symmetric IPv6", v6_ports, symmetric, 0x13eb13eb},
      {"mlx5, first bit", from_hex("80"), mlx5, 0x2cc681d1},
      {"mlx5, last bit of the first byte", from_hex("01"), mlx5, 0x6340e8ad},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(toeplitz(row.input, row.key), row.expected);
    EXPECT_EQ(FlowHash(HashAlgorithm::toeplitz, 0, row.key)(make_key(row.input)), row.expected);
  }
}

TEST(Toeplitz, TheKeyRepeatsAfterFortyBytes) {
  for (const ToeplitzKey key : {ToeplitzKey::microsoft, ToeplitzKey::mlx5, ToeplitzKey::symmetric}) {
    Bytes early(56), late(56);
    early[3] = late[43] = 0xb7;
    EXPECT_EQ(toeplitz(late, key), toeplitz(early, key));
    EXPECT_NE(toeplitz(late, key), 0u);
    EXPECT_EQ(FlowHash(HashAlgorithm::toeplitz, 0, key)(make_key(late)), toeplitz(late, key));
  }
}

// Worked out by hand from burst_xmit_l2_hash, l23_hash and l34_hash of DPDK 22.11, words as loaded from the
// wire.
TEST(Bond, KnownAnswers) {
  struct Row {
    const char* name;
    HashAlgorithm algorithm;
    FlowKey key;
    uint32_t expected;
  };
  using enum HashAlgorithm;
  const Bytes v4 = from_hex("0a0000010a00000203e807d0");  // XOR of addresses: bytes 00 00 00 03
  Bytes v6(36);
  v6[0] = 0x11, v6[4] = 0x22, v6[31] = 0x40, v6[33] = 0x05, v6[35] = 0x06;
  const Row rows[] = {
      {"l2", bond_l2, make_key(v4, L3::ipv4, 17, 0x1234), 0x1234 ^ 0x12},
      // 03000000 ^ 1234; ^ >> 16 gives 03001134; ^ >> 8
      {"l23", bond_l23, make_key(v4, L3::ipv4, 17, 0x1234), 0x03001134 ^ 0x00030011},
      {"l23 without IP", bond_l23, make_key(v4, L3::none, 0, 0x1234), 0x1234 ^ 0x12},
      // ports e803 ^ d007 = 3804 as loaded; 03003804 -> 03003b04 -> ^ 0003003b
      {"l34 UDP", bond_l34, make_key(v4, L3::ipv4, 17, 0x1234), 0x03003b04 ^ 0x0003003b},
      {"l34 TCP", bond_l34, make_key(v4, L3::ipv4, 6), 0x03003b04 ^ 0x0003003b},
      {"l34 SCTP has no ports", bond_l34, make_key(v4, L3::ipv4, 132), 0x03000300 ^ 0x00030003},
      {"l34 without IP", bond_l34, make_key(v4, L3::none, 17, 0x1234), 0},
      // words 11, 22 and 40000000 -> 40000033; ports 0500 ^ 0600 = 0300 -> 40000333
      {"l34 IPv6", bond_l34, make_key(v6, L3::ipv6, 6), 0x40004333 ^ 0x00400043},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(FlowHash(row.algorithm, 5)(row.key), row.expected);
  }
}

TEST(FlowHash, NamesReadBack) {
  for (const char* name :
       {"jenkins", "crc32c", "crc32c-rfc", "toeplitz", "bond-l2", "bond-l23", "bond-l34"}) {
    const auto algorithm = hash_algorithm_of(name);
    ASSERT_TRUE(algorithm) << name;
    EXPECT_EQ(name_of(*algorithm), name);
  }
  for (const char* name : {"microsoft", "mlx5", "symmetric"}) {
    const auto key = toeplitz_key_of(name);
    ASSERT_TRUE(key) << name;
    EXPECT_EQ(name_of(*key), name);
  }
  EXPECT_EQ(hash_algorithm_of("Jenkins"), std::nullopt);
  EXPECT_EQ(hash_algorithm_of(""), std::nullopt);
  EXPECT_EQ(toeplitz_key_of("intel"), std::nullopt);
}

TEST(FlowHash, SeedMattersWhereItIsTaken) {
  using enum HashAlgorithm;
  for (const HashAlgorithm algorithm : {jenkins, crc32c, crc32c_rfc, toeplitz, bond_l2, bond_l23, bond_l34}) {
    const FlowKey key = make_key(counting(12), L3::ipv4, 17, 0x4321);
    EXPECT_EQ(FlowHash(algorithm, 1)(key) != FlowHash(algorithm, 2)(key), takes_seed(algorithm))
        << name_of(algorithm);
  }
}

}  // namespace
}  // namespace core
