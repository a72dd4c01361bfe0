// SPDX-License-Identifier: BSD-3-Clause
// Crafted tuples, held against hashing every tuple of the space by the primitives and plain remainders.
#include "hashlab/craft.h"

#include <gtest/gtest.h>

#include "hashlab/run_command.h"
#include "hashlab/tuple.h"

namespace hashlab {
namespace {

using test_support::cell;
using test_support::fact;
using test_support::refusal_of;
using test_support::run_command;
using test_support::table_of;
using Arguments = std::vector<std::string>;

constexpr Range kDynamic = {49152, 65535};

core::GroupState group_of_shape(size_t nics, uint16_t queues, std::vector<uint32_t> weights = {}) {
  core::GroupState group;
  group.members.resize(nics);
  group.queues_per_nic = queues;
  for (size_t i = 0; i < weights.size(); ++i) group.members[i].weight = weights[i];
  return group;
}

CraftSpace port_space(Range ports, bool v6 = false) {
  const std::vector<std::string> words = {v6 ? "2001:db8::1" : "192.0.2.1",
                                          v6 ? "2001:db8::2" : "198.51.100.2", std::to_string(ports.first),
                                          "4791"};
  CraftSpace space{.base = tuple_of(words), .src_port = ports};
  const uint32_t end = core::load_be32(space.base.src.bytes.data() + (v6 ? 12 : 0));
  space.src_end = {end, end};
  space.dst_port = {4791, 4791};
  return space;
}

// All of the space by the hash itself, in order.
std::vector<core::FiveTuple> tried(const CraftRequest& request, const Spreader& spreader) {
  std::vector<core::FiveTuple> found;
  const core::FlowHash hash = request.hash.hash();
  for (auto x = std::optional(request.space.first()); x; x = request.space.at_least(*x + 1)) {
    core::FlowKey key;
    core::make_flow_key(material_of(request.space.tuple(*x)), request.fields, key);
    if (request.goal.met_by(hash(key), spreader)) found.push_back(request.space.tuple(*x));
  }
  return found;
}

TEST(Craft, FindsAllThatThereAre) {
  struct Row {
    const char* hash;
    Reduction reduction;
    core::GroupState group;
    Range ports;
    bool solved;
  };
  const core::GroupState even = group_of_shape(4, 2), odd = group_of_shape(3, 1),
                         weighted = group_of_shape(2, 2, {3, 1});
  const Row rows[] = {
      {"jenkins", Reduction::resilient, even, kDynamic, false},
      {"toeplitz-microsoft", Reduction::resilient, even, kDynamic, true},
      {"toeplitz-mlx5", Reduction::modulo, even, kDynamic, true},
      {"toeplitz-mlx5", Reduction::modulo, even, {1000, 40000}, true},  // no aligned range
      {"toeplitz-symmetric", Reduction::multiply_shift, even, kDynamic, true},
      {"toeplitz-microsoft", Reduction::resilient, weighted, kDynamic, true},  // many patterns
      {"toeplitz-microsoft", Reduction::modulo, odd, kDynamic, false},
      {"toeplitz-microsoft", Reduction::maglev, even, kDynamic, false},
      {"crc32c", Reduction::modulo, even, kDynamic, true},
      {"crc32c-rfc", Reduction::resilient, even, kDynamic, true},
      {"bond-l34", Reduction::modulo, even, kDynamic, true}};
  for (const Row& row : rows) {
    for (const bool v6 : {false, true}) {
      SCOPED_TRACE(std::string(row.hash) + " " + std::string(name_of(row.reduction)) + (v6 ? " IPv6" : ""));
      const Spreader spreader(row.reduction, row.group);
      const CraftRequest request{.space = port_space(row.ports, v6),
                                 .fields = {},
                                 .hash = hash_choice_of(row.hash),
                                 .reduction = row.reduction,
                                 .goal = {.hash = {}, .slot = 2},
                                 .count = 100'000};
      const CraftResult result = craft(request, spreader);
      const std::vector<core::FiveTuple> expected = tried(request, spreader);
      EXPECT_GT(expected.size(), 500u);
      EXPECT_TRUE(result.tuples == expected) << result.tuples.size() << " of " << expected.size();
      EXPECT_EQ(result.solved, row.solved);
      EXPECT_TRUE(result.complete);
      EXPECT_EQ(result.tries, row.solved ? 0u : 16384u);
    }
  }
}

TEST(Craft, LeadsToTheQueueByThePlainRule) {
  const Report report = run_command(
      kCraft, {"--nic", "2", "--queue", "1", "--src", "192.0.2.1", "--dst", "198.51.100.2", "--count", "50"});
  const Table& tuples = table_of(report, "tuples");
  ASSERT_EQ(tuples.rows.size(), 50u);
  EXPECT_EQ(fact(report, "how"), Value("searched"));
  for (size_t i = 0; i < tuples.rows.size(); ++i) {
    const auto port = std::get<uint64_t>(cell(tuples, i, "src_port"));
    EXPECT_GE(port, 49152u);  // RoCEv2
    std::vector<uint8_t> key = bytes_of_hex("",
                                            "c0000201c63364020000"
                                            "12b7");
    core::store_be16(&key[8], static_cast<uint16_t>(port));
    EXPECT_EQ(core::jenkins_lookup3(key, 0) % 8, 5u) << port;
    EXPECT_EQ(cell(tuples, i, "word"), Value(uint64_t{core::jenkins_lookup3(key, 0)}));
  }
}

TEST(Craft, GivesAWantedHash) {
  for (const char* hash : {"toeplitz-microsoft", "toeplitz-mlx5", "crc32c", "crc32c-rfc"}) {
    const Report report = run_command(
        kCraft, {"--hash-value", "0xdeadbeef", "--hash", hash, "--src", "10.0.0.0/8", "--count", "5"});
    const Table& tuples = table_of(report, "tuples");
    ASSERT_EQ(tuples.rows.size(), 5u) << hash;
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(cell(tuples, i, "word"), Value(uint64_t{0xdeadbeef})) << hash;
      EXPECT_TRUE(std::get<std::string>(cell(tuples, i, "src")).starts_with("10."));
      EXPECT_GE(std::get<uint64_t>(cell(tuples, i, "src_port")), 49152u);
    }
    EXPECT_EQ(fact(report, "how"), Value("solved"));
  }
}

TEST(Craft, GoesOnWithAddressesBehindPorts) {
  // One source port: every tuple has another address of the prefix, without its first and last.
  const Report report = run_command(kCraft, {"--slot", "3", "--hash", "jenkins", "--src", "10.0.0.0/24",
                                             "--sport", "50000", "--count", "1000"});
  const size_t found = table_of(report, "tuples").rows.size();
  EXPECT_GT(found, 10u);
  EXPECT_LT(found, 70u);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0], std::to_string(found) + " of 1,000 wanted: all 254 tuples were tried");
}

TEST(Craft, SaysWhyItCannot) {
  struct Row {
    Arguments arguments;
    const char* expected;
  };
  const Row rows[] = {
      // Both halves of its hash are equal, so this one does not exist.
      {{"--hash-value", "0x00010002", "--hash", "toeplitz-symmetric", "--src", "10.0.0.0/8"},
       "no source port of 49152 to 65535, source address of 10.0.0.0/8 gives hash 0x00010002 under "
       "toeplitz-symmetric: what may vary reaches 65,536 hashes of a linear function, none of them with the "
       "bits "
       "that are wanted"},
      {{"--slot", "0", "--fields", "dst_ip,dst_port"},
       "no source port of 49152 to 65535 gives NIC 0 queue 0 under jenkins: nothing that may vary is in the "
       "key"},
      {{"--slot", "0", "--sport", "10000", "--src", "192.0.2.1", "--dst", "198.51.100.2"},
       "the tuple 192.0.2.1 198.51.100.2 10000 4791 udp does not give NIC 0 queue 0 under jenkins: it was "
       "the "
       "only one"},
      {{"--hash-value", "1", "--src", "10.0.0.0/8", "--tries", "1000"},
       "found no tuple that gives hash 0x00000001 under jenkins: 1,000 of 274,877,874,176 tuples were tried; "
       "--tries N allows for more"},
      {{"--slot", "3", "--hash", "bond-l2"},
       "no source port of 49152 to 65535 gives NIC 1 queue 1 under bond-l2: nothing that may vary changes "
       "bond-l2, which reads MAC addresses only, and a tuple has none"},
      {{"--slot", "1", "--hash", "bond-l2", "--nics", "3", "--symmetric"},
       "no source port of 49152 to 65535 gives NIC 0 queue 1 under bond-l2: nothing that may vary changes "
       "bond-l2, which reads MAC addresses only, and a tuple has none"},
      {{"--slot", "3", "--hash", "bond-l23"},
       "no source port of 49152 to 65535 gives NIC 1 queue 1 under bond-l23: nothing that may vary changes "
       "bond-l23"},
      {{"--slot", "1", "--hash", "all"}, "--hash all: one hash only"},
      {{"--nic", "1", "--down", "1"}, "NIC 1 queue 0: no bucket leads there, the NIC is down"},
      {{"--nic", "1", "--weights", "1,0,1,1"},
       "NIC 1 queue 0: no bucket leads there, the weight of the NIC is 0"},
      {{}, "one of --nic N --queue Q, --slot Q, --hash-value WORD must be given"},
      {{"--slot", "8"}, "--slot 8: out of range; allowed: 0 to 7"},
      {{"--slot", "1", "--sport", "9-8"}, "--sport 9-8: ends before it begins"},
      {{"--slot", "1", "--hash", "jenkins,crc32c"}, "--hash jenkins,crc32c: one hash only"},
      {{"--slot", "1", "--proto", "icmp", "--sport", "1"},
       "--proto icmp: has no ports; leave out --sport and --dport"},
      {{"--slot", "1", "--dst", "2001:db8::1"},
       "198.18.0.1 and 2001:db8::1: one is IPv4, the other IPv6; allowed: two alike"}};
  for (const Row& row : rows)
    EXPECT_EQ(refusal_of([&] { run_command(kCraft, row.arguments); }), row.expected);
}

TEST(CraftSpace, CountsThroughPortsAddressesAndPorts) {
  CraftSpace space = port_space({10, 12});
  space.src_end = {7, 8};
  space.dst_port = {80, 81};
  EXPECT_EQ(space.size(), 12);
  std::vector<std::string> all;
  for (auto x = std::optional(space.first()); x; x = space.at_least(*x + 1)) {
    const core::FiveTuple tuple = space.tuple(*x);
    all.push_back(text_of(tuple.src) + " " + std::to_string(tuple.src_port) + " " +
                  std::to_string(tuple.dst_port));
  }
  const std::vector<std::string> expected = {
      "0.0.0.7 10 80", "0.0.0.7 11 80", "0.0.0.7 12 80", "0.0.0.8 10 80", "0.0.0.8 11 80", "0.0.0.8 12 80",
      "0.0.0.7 10 81", "0.0.0.7 11 81", "0.0.0.7 12 81", "0.0.0.8 10 81", "0.0.0.8 11 81", "0.0.0.8 12 81"};
  EXPECT_EQ(all, expected);
  EXPECT_EQ(space.at_least(0), space.first());
  EXPECT_EQ(space.at_least(UINT64_MAX), std::nullopt);
}

TEST(Patterns, AreTheBitsThatDecide) {
  const core::GroupState even = group_of_shape(4, 2);
  const auto of = [](Reduction reduction, const core::GroupState& group, core::Slot slot) {
    return patterns_of(Spreader(reduction, group), reduction, slot);
  };
  using Patterns = std::vector<BitPattern>;
  EXPECT_EQ(of(Reduction::modulo, even, 5), (Patterns{{0x7, 5}}));
  EXPECT_EQ(of(Reduction::resilient, even, 5), (Patterns{{0x7, 5}}));  // 512 buckets repeat after 8
  EXPECT_EQ(of(Reduction::multiply_shift, even, 5), (Patterns{{0xe0000000, 0xa0000000}}));
  EXPECT_EQ(of(Reduction::modulo, group_of_shape(1, 1), 0), (Patterns{{0, 0}}));
  EXPECT_EQ(of(Reduction::modulo, group_of_shape(3, 2), 5), std::nullopt);
  EXPECT_EQ(of(Reduction::maglev, even, 5), std::nullopt);
}

}  // namespace
}  // namespace hashlab
