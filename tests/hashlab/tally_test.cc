// SPDX-License-Identifier: BSD-3-Clause
// Loads by slot, keys that flows share, hashes that collide, and many seeds: against sums made one by one.
#include "hashlab/tally.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "hashlab/listed_traffic.h"
#include "hashlab/pattern.h"
#include "hashlab/seeds.h"

namespace {

using namespace hashlab;
using test_support::flows_of;

std::unique_ptr<Traffic> clos() {
  return make_traffic({.kind = PatternKind::clos, .hosts = 40, .qps = 4, .packets = 5});
}

core::GroupState group(size_t nics, uint16_t queues) {
  return {.queues_per_nic = queues, .members = std::vector<core::MemberState>(nics)};
}

TEST(Tally, LoadsAreTheSumsOfTheirFlows) {
  const auto traffic = clos();
  const Spreader spreader(Reduction::resilient, group(3, 2));
  const std::vector<HashChoice> hashes = all_hashes();
  const core::KeyFields fields;
  const Tally sums = tally(*traffic, fields, hashes, spreader);
  ASSERT_EQ(sums.loads.size(), hashes.size());
  EXPECT_EQ(sums.flows, 40u * 39 * 4);
  for (size_t h = 0; h < hashes.size(); ++h) {
    SCOPED_TRACE(name_of(hashes[h]));
    Loads expected(6);
    for (const Flow& flow : flows_of(*traffic)) {
      const core::Slot slot = spreader(hashes[h].hash()(key_of(flow.material, fields)));
      ++expected.flows[slot];
      expected.packets[slot] += flow.packets;
      expected.bytes[slot] += flow.bytes;
    }
    EXPECT_EQ(sums.loads[h].flows, expected.flows);
    EXPECT_EQ(sums.loads[h].packets, expected.packets);
    EXPECT_EQ(sums.loads[h].bytes, expected.bytes);
  }
}

TEST(Tally, UnitsAreKeysWithAllThatSharesThem) {
  const auto traffic = clos();
  const core::KeyFields addresses{.src_port = false, .dst_port = false};
  std::map<std::string, Flow> by_key;
  for (const Flow& flow : flows_of(*traffic)) {
    const core::FlowKey key = key_of(flow.material, addresses);
    Flow& sum = by_key.try_emplace({reinterpret_cast<const char*>(key.bytes), key.size}, Flow{.packets = 0})
                    .first->second;
    sum.packets += flow.packets;
    sum.bytes += flow.bytes;
  }
  const Units units = units_of(*traffic, addresses);
  EXPECT_EQ(units.keys, 40u * 39);
  EXPECT_EQ(units.keys, by_key.size());
  ASSERT_EQ(units.by_flows.size(), 1u);
  EXPECT_EQ(units.by_flows[0].weight, 4u);
  std::map<uint64_t, uint64_t> packets, found;
  for (const auto& [key, sum] : by_key) ++packets[sum.packets];
  for (const WeightClass& one : units.by_packets) found[one.weight] = one.count;
  EXPECT_EQ(found, packets);
}

uint64_t keys_of(const Traffic& traffic, const core::KeyFields& fields) {
  return units_of(traffic, fields).keys;
}

TEST(Tally, KeysAreWhatTheFieldsTellApart) {
  std::vector<Flow> flows;
  for (uint16_t host = 0; host < 50; ++host) {
    for (uint16_t port = 0; port < 200; ++port) {
      flows.push_back(
          test_support::ipv4_flow(0x0a000000 + host, 0x0a010000, static_cast<uint16_t>(1000 + port), 80));
      flows.push_back(
          test_support::ipv4_flow(0x0a010000, 0x0a000000 + host, 80, static_cast<uint16_t>(1000 + port)));
    }
  }
  const test_support::ListedTraffic traffic(std::move(flows));
  struct Row {
    const char* fields;
    uint64_t expected;
  };
  const Row rows[] = {{"src_ip,dst_ip,src_port,dst_port", 20'000},
                      {"src_ip,dst_ip,src_port,dst_port,symmetric", 10'000},
                      {"src_ip,dst_ip", 100},
                      {"src_port,dst_port", 400},
                      {"src_port", 201},
                      {"proto", 1}};
  for (const Row& row : rows) EXPECT_EQ(keys_of(traffic, key_fields_of(row.fields)), row.expected);
  EXPECT_EQ(keys_of(test_support::random_traffic(100'000), {}), 100'000u);
  EXPECT_EQ(keys_of(test_support::ListedTraffic({}), {}), 0u);
}

TEST(Tally, CollisionsAreKeysWithoutAHashOfTheirOwn) {
  const auto traffic = make_traffic({.kind = PatternKind::counting, .flows = 1000});
  const auto collisions = [&](core::HashAlgorithm algorithm) {
    return collisions_of(*traffic, {}, {.algorithm = algorithm}, 1000);
  };
  EXPECT_EQ(collisions(core::HashAlgorithm::jenkins), 0u);
  EXPECT_EQ(collisions(core::HashAlgorithm::bond_l34), 999u);
}

TEST(Tally, NicsCarryWhatTheirQueuesDo) {
  const std::vector<uint64_t> queues = {1, 2, 30, 40, 500, 600};
  EXPECT_EQ(by_nic(queues, 2), (std::vector<uint64_t>{3, 70, 1100}));
  EXPECT_EQ(by_nic(queues, 3), (std::vector<uint64_t>{33, 1140}));
}

TEST(Seeds, EachSeedIsTheHashWithThatSeed) {
  const auto traffic = clos();
  const Spreader spreader(Reduction::modulo, group(4, 1));
  const std::vector<double> shares = shares_of(group(4, 1));
  for (const LoadBy by : {LoadBy::flows, LoadBy::packets, LoadBy::bytes}) {
    const std::vector<double> figures = max_over_mean_by_seed(*traffic, {}, {}, 20, spreader, shares, by);
    ASSERT_EQ(figures.size(), 20u);
    for (const uint32_t seed : {0u, 7u, 19u}) {
      const std::vector<HashChoice> hash = {{.seed = seed}};
      const Loads loads = tally(*traffic, {}, hash, spreader).loads[0];
      EXPECT_EQ(figures[seed], evenness_of(loads.by(by), shares).max_over_mean) << seed;
    }
    EXPECT_GT(std::set<double>(figures.begin(), figures.end()).size(), 10u);
  }
}

}  // namespace
