// SPDX-License-Identifier: BSD-3-Clause
// Names of hashes and fields both ways, what is refused and how, and the count of keys.
#include "hashlab/hashing.h"

#include <gtest/gtest.h>

#include <string>

#include "hashlab/bad_input.h"
#include "hashlab/listed_traffic.h"

namespace hashlab {
namespace {

using test_support::ipv4_flow;
using test_support::ListedTraffic;

template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "taken";
}

TEST(HashNames, AreNineAndReadBack) {
  const char* const expected[] = {
      "jenkins", "crc32c",   "crc32c-rfc", "toeplitz-microsoft", "toeplitz-mlx5", "toeplitz-symmetric",
      "bond-l2", "bond-l23", "bond-l34"};
  const auto all = all_hashes();
  ASSERT_EQ(all.size(), std::size(expected));
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(expected[i]);
    EXPECT_EQ(name_of(all[i]), expected[i]);
    const HashChoice read = hash_choice_of(expected[i]);
    EXPECT_EQ(read.algorithm, all[i].algorithm);
    EXPECT_EQ(read.key, all[i].key);
  }
  EXPECT_EQ(name_of(hash_choice_of("toeplitz")), "toeplitz-microsoft");
}

// 192.0.2.1:10000 to 198.51.100.2:4791, as docs/hashing.md works it out.
TEST(HashNames, HashAsDocumented) {
  struct Row {
    const char* hash;
    uint32_t seed;
    const char* fields;
    uint32_t expected;
  };
  constexpr const char* kDefault = "src_ip,dst_ip,src_port,dst_port";
  const Row rows[] = {{"jenkins", 0, kDefault, 0xdaa7b5a5},
                      {"jenkins", 1, kDefault, 0x6f2c9118},
                      {"crc32c", 0, kDefault, 0xc7097dde},
                      {"crc32c-rfc", 0, kDefault, 0xec69c883},
                      {"toeplitz", 0, kDefault, 0xf828010f},
                      {"toeplitz-mlx5", 0, kDefault, 0xe416ef96},
                      {"toeplitz-symmetric", 0, kDefault, 0xdf4bdf4b},
                      {"jenkins", 0, "proto,dst_port,src_port,dst_ip,src_ip", 0xce5b6861},
                      {"jenkins", 0, "src_ip,dst_ip", 0x1b44cd6a}};
  const Flow flow = ipv4_flow(0xc0000201, 0xc6336402, 10000, 4791);
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << row.hash << " of " << row.fields);
    HashChoice choice = hash_choice_of(row.hash);
    choice.seed = row.seed;
    core::FlowKey key;
    core::make_flow_key(flow.material, key_fields_of(row.fields), key);
    EXPECT_EQ(choice.hash()(key), row.expected);
  }
}

TEST(FieldNames, ReadBackInTheOrderOfTheKey) {
  struct Row {
    const char *names, *expected;
  };
  const Row rows[] = {
      {"src_ip,dst_ip", "src_ip,dst_ip"},
      {"dst_port,src_ip", "src_ip,dst_port"},
      {"symmetric,src_ip,dst_ip", "src_ip,dst_ip,symmetric"},
      {"port_range,packet_length,dest_qp,vlan,proto", "proto,vlan,dest_qp,packet_length,port_range"}};
  for (const Row& row : rows) EXPECT_EQ(name_of(key_fields_of(row.names)), row.expected);
  EXPECT_EQ(key_fields_of(name_of(core::KeyFields{})), core::KeyFields{});
  ASSERT_EQ(usual_fields().size(), 6u);
  EXPECT_EQ(usual_fields()[2], core::KeyFields{});
}

TEST(Names, RefusedWithWhatIsAllowed) {
  const std::string fields =
      "src_ip, dst_ip, src_port, dst_port, proto, vlan, dest_qp, packet_length, port_range, symmetric";
  const std::string hashes =
      "jenkins, crc32c, crc32c-rfc, toeplitz-microsoft, toeplitz-mlx5, toeplitz-symmetric, bond-l2, "
      "bond-l23, "
      "bond-l34";
  struct Row {
    std::string found, expected;
  };
  const Row rows[] = {
      {refusal_of([] { hash_choice_of("jhash"); }), "hash jhash: unknown; allowed: " + hashes},
      {refusal_of([] { hash_choice_of(""); }), "hash \"\": unknown; allowed: " + hashes},
      {refusal_of([] { hash_choice_of("toeplitz-"); }), "hash toeplitz-: unknown; allowed: " + hashes},
      {refusal_of([] { key_fields_of("src_ip,sport"); }), "field sport: unknown; allowed: " + fields},
      {refusal_of([] { key_fields_of("src_ip,"); }), "field \"\": unknown; allowed: " + fields},
      {refusal_of([] { key_fields_of(""); }), "field \"\": unknown; allowed: " + fields},
      {refusal_of([] { key_fields_of("symmetric"); }),
       "field symmetric: needs another beside it, say src_ip,dst_ip"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.found, row.expected);
}

}  // namespace
}  // namespace hashlab
