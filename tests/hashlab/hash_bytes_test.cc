// SPDX-License-Identifier: BSD-3-Clause
// Known answers, published ones, through the command that gives them: lookup3.c, DPDK's test_hash_functions.c
// and test_thash.c, Microsoft's RSS verification suite, RFC 3720.
#include "hashlab/hash_bytes.h"

#include <gtest/gtest.h>

#include "hashlab/run_command.h"
#include "hashlab/tuple.h"

namespace hashlab {
namespace {

using test_support::cell;
using test_support::refusal_of;
using test_support::run_command;
using test_support::table_of;

std::string counting_up(unsigned bytes) {
  std::vector<uint8_t> list;
  for (unsigned i = 0; i < bytes; ++i) list.push_back(static_cast<uint8_t>(i));
  return hex_of(list);
}

TEST(Hash, GivesKnownAnswers) {
  struct Row {
    std::vector<std::string> arguments;
    uint64_t expected;
  };
  const std::string score = "Four score and seven years ago", suite = "420995bba18e64500aea06e6";
  const Row rows[] = {
      {{"--algo", "jenkins", "--text", ""}, 0xdeadbeef},
      {{"--algo", "jenkins", "--hex", "", "--seed", "0xdeadbeef"}, 0xbd5b7dde},
      {{"--algo", "jenkins", "--text", score}, 0x17770551},
      {{"--algo", "jenkins", "--text", score, "--seed", "1"}, 0xcd628161},
      {{"--algo", "jenkins", "--hex", "0x0100000002000000 03000000"}, 0xa46158f5},
      {{"--algo", "jenkins", "--hex", "0100000002000000 03000000", "--seed", "0x1"}, 0x0e3bbaf2},
      {{"--algo", "jenkins", "--hex", "c0000201c6336402271012b7"}, 0xdaa7b5a5},
      {{"--algo", "jenkins", "--hex", "c0000201c6336402271012b711"}, 0x677d47e9},
      {{"--algo", "jenkins", "--hex", counting_up(48)}, 0x2f4775ab},
      {{"--algo", "jenkins", "--hex", counting_up(37)}, 0x12926a31},
      {{"--algo", "crc32c", "--hex", counting_up(1)}, 0x00000000},
      {{"--algo", "crc32c", "--hex", counting_up(13)}, 0x7ac1e03e},
      {{"--algo", "crc32c", "--hex", counting_up(64)}, 0xf8a5dd8c},
      {{"--algo", "crc32c-rfc", "--text", "123456789"}, 0xe3069283},
      {{"--algo", "crc32c-rfc", "--hex", counting_up(32)}, 0x46dd794e},
      {{"--algo", "toeplitz", "--key", "microsoft", "--hex", suite}, 0x51ccc178},
      {{"--algo", "toeplitz", "--key", "microsoft", "--hex", "420995bba18e6450"}, 0x323e8fc2},
      {{"--algo", "toeplitz", "--key", "symmetric", "--hex", suite}, 0x9fcc9fcc},
      {{"--algo", "toeplitz", "--key", "mlx5", "--hex", "c0000201c6336402271012b7"}, 0xe416ef96},
      {{"--algo", "toeplitz", "--key", "microsoft", "--hex",
        "3ffe25010200 1fff00000000000000073ffe250102000003000000000000000 10aea06e6"},
       0x40207d3d}};
  for (const Row& row : rows) {
    const Report report = run_command(kHash, row.arguments);
    SCOPED_TRACE(report.title + " " + row.arguments[1]);
    ASSERT_EQ(table_of(report, "hashes").rows.size(), 1u);
    EXPECT_EQ(cell(report.tables[0], 0, "word"), Value(row.expected));
    EXPECT_EQ(cell(report.tables[0], 0, "decimal"), Value(std::to_string(row.expected)));
  }
}

// net_bonding's l34 by hand: XOR of addresses and, for TCP and UDP, of ports, as loaded from the wire;
// folded.
TEST(Hash, BondingLooksAtTheProtocol) {
  struct Row {
    const char* proto;
    uint64_t expected;
  };
  const uint32_t addresses = 0x010200c0u ^ 0x026433c6u, ports = 0x1027u ^ 0xb712u;
  const auto folded = [](uint32_t hash) {
    hash ^= hash >> 16;
    return uint64_t{hash ^ hash >> 8};
  };
  const Row rows[] = {{"udp", folded(addresses ^ ports)},
                      {"6", folded(addresses ^ ports)},
                      {"icmp", folded(addresses)},
                      {"132", folded(addresses)}};
  for (const Row& row : rows) {
    const Report report =
        run_command(kHash, {"--algo", "bond-l34", "--hex", "c0000201c6336402271012b7", "--proto", row.proto});
    EXPECT_EQ(cell(report.tables[0], 0, "word"), Value(row.expected)) << row.proto;
  }
}

TEST(Hash, GivesAllThatCanBe) {
  struct Row {
    std::vector<std::string> arguments;
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {{"--hex", "c0000201c6336402271012b7"},
       {"jenkins", "crc32c", "crc32c-rfc", "toeplitz-microsoft", "toeplitz-mlx5", "toeplitz-symmetric",
        "bond-l34"}},
      {{"--text", "abc", "--key", "mlx5"}, {"jenkins", "crc32c", "crc32c-rfc", "toeplitz-mlx5"}},
      {{"--text", "abc", "--algo", "toeplitz"},
       {"toeplitz-microsoft", "toeplitz-mlx5", "toeplitz-symmetric"}}};
  for (const Row& row : rows) {
    const Report report = run_command(kHash, row.arguments);
    std::vector<std::string> names;
    for (const auto& line : table_of(report, "hashes").rows) names.push_back(std::get<std::string>(line[0]));
    EXPECT_EQ(names, row.expected);
  }
}

TEST(Hash, RefusesWhatMakesNoSense) {
  struct Row {
    std::vector<std::string> arguments;
    const char* expected;
  };
  const Row rows[] = {
      {{}, "--hex BYTES or --text STRING: one of the two"},
      {{"--hex", "00", "--text", "a"}, "--hex BYTES or --text STRING: one of the two"},
      {{"c000"}, "c000: write --hex c000 or --text"},
      {{"--hex", "0001020", "--algo", "jenkins"},
       "--hex 0001020: 7 digits; allowed: an even number, two a byte"},
      {{"--hex", "00", "--algo", "md5"},
       "--algo md5: unknown; allowed: jenkins, crc32c, crc32c-rfc, toeplitz or bond-l34"},
      {{"--hex", "00", "--algo", "jenkins", "--key", "mlx5"}, "--key mlx5: only of --algo toeplitz"},
      {{"--hex", "00", "--algo", "toeplitz", "--seed", "3"},
       "--seed 3: only of --algo jenkins, crc32c or crc32c-rfc"},
      {{"--hex", "00", "--algo", "jenkins", "--proto", "tcp"}, "--proto tcp: only of --algo bond-l34"},
      {{"--hex", "00", "--seed", "0x100000000"},
       "--seed 0x100000000: out of range; allowed: 0 to 4294967295"},
      {{"--hex", counting_up(13).c_str(), "--algo", "bond-l34"},
       "bond-l34: found 13 bytes; allowed: 12 (IPv4 source, destination, ports) or 36 (IPv6)"}};
  for (const Row& row : rows) EXPECT_EQ(refusal_of([&] { run_command(kHash, row.arguments); }), row.expected);
  EXPECT_EQ(refusal_of([] { hash_of_bytes(hash_choice_of("bond-l2"), {}, 17); }),
            "bond-l2: looks at MAC addresses, which are in no key; explain --frame tells it");
}

}  // namespace
}  // namespace hashlab
