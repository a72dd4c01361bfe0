// SPDX-License-Identifier: BSD-3-Clause
// What a table of MAC addresses remembers, what it forgets first, and that a reader beside the writer never
// sees a sighting that was not made.
#include "core/mac_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using core::MacAddress;
using core::MacSighting;
using core::MacTable;

// The n-th address of one vendor.
MacAddress mac(uint32_t n) {
  return {0x02,
          0x1b,
          static_cast<uint8_t>(n >> 24),
          static_cast<uint8_t>(n >> 16),
          static_cast<uint8_t>(n >> 8),
          static_cast<uint8_t>(n)};
}

bool knows(const MacTable& table, const MacAddress& address) {
  MacSighting sighting;
  return table.find(address.data(), sighting);
}

void expect_sighting(const MacTable& table, const MacAddress& address, uint16_t group, uint16_t tick) {
  MacSighting sighting;
  ASSERT_TRUE(table.find(address.data(), sighting));
  EXPECT_EQ(sighting.group, group);
  EXPECT_EQ(sighting.tick, tick);
}

// mac(0) and as many addresses as fill its set beside it and push one out, found by what is forgotten: the
// oldest of a full set.
std::vector<MacAddress> one_set() {
  std::vector<MacAddress> found;
  while (found.size() < MacTable::kWays) {
    MacTable table;
    table.learn(mac(0).data(), 0, 0);
    for (const MacAddress& address : found) table.learn(address.data(), 0, 1);
    uint32_t n = 0;
    while (knows(table, mac(0)) && n < 1'000'000) table.learn(mac(++n).data(), 0, 1);
    found.push_back(mac(n));
  }
  found.push_back(mac(0));
  return found;
}

TEST(MacTable, RemembersWhereAndWhen) {
  MacTable table;
  const MacAddress a = {2, 0, 0, 0, 0, 1}, b = {3, 0, 0, 0, 0, 1}, c = {2, 0, 0, 0, 0, 2};
  EXPECT_FALSE(knows(table, a));
  table.learn(a.data(), 15, 4095);
  table.learn(b.data(), 0, 0);
  expect_sighting(table, a, 15, 4095);
  expect_sighting(table, b, 0, 0);
  EXPECT_FALSE(knows(table, c));
  table.learn(a.data(), 3, 7);
  expect_sighting(table, a, 3, 7);
  expect_sighting(table, b, 0, 0);
}

TEST(MacTable, FreshMeansThisGroupInThisTick) {
  MacTable table;
  const MacAddress a = mac(1), b = mac(2);
  table.learn(a.data(), 2, 9);
  EXPECT_TRUE(table.is_fresh(a.data(), 2, 9));
  EXPECT_FALSE(table.is_fresh(a.data(), 2, 10));
  EXPECT_FALSE(table.is_fresh(a.data(), 2, 8));
  EXPECT_FALSE(table.is_fresh(a.data(), 3, 9));
  EXPECT_FALSE(table.is_fresh(b.data(), 2, 9));
  EXPECT_TRUE(table.is_fresh(a.data(), 2, 9 + 4096)) << "ticks are modulo 4096";
}

TEST(MacTable, AllZerosIsNoAddress) {
  MacTable table;
  const MacAddress zero{};
  EXPECT_FALSE(table.is_fresh(zero.data(), 0, 0));
  table.learn(zero.data(), 0, 0);
  table.learn(zero.data(), 5, 1);
  EXPECT_FALSE(knows(table, zero));
  EXPECT_FALSE(table.is_fresh(zero.data(), 0, 0));
  EXPECT_FALSE(table.is_fresh(zero.data(), 5, 1));
  EXPECT_FALSE(table.knows_group(5));
}

TEST(MacTable, KnowsTheGroupsItLearned) {
  MacTable table;
  for (uint16_t group = 0; group < core::kMaxGroups; ++group) EXPECT_FALSE(table.knows_group(group));
  table.learn(mac(1).data(), 0, 0);
  table.learn(mac(2).data(), 15, 0);
  table.learn(mac(1).data(), 4, 0);  // the address moves, the group stays known
  for (uint16_t group = 0; group < core::kMaxGroups; ++group) {
    EXPECT_EQ(table.knows_group(group), group == 0 || group == 4 || group == 15) << group;
  }
}

TEST(MacTable, TicksBetween) {
  EXPECT_EQ(core::ticks_between(5, 5), 0u);
  EXPECT_EQ(core::ticks_between(5, 7), 2u);
  EXPECT_EQ(core::ticks_between(4095, 0), 1u);
  EXPECT_EQ(core::ticks_between(4090, 4), 10u);
  EXPECT_EQ(core::ticks_between(0, 4095), 4095u);
}

TEST(MacTable, TheOldestOfAFullSetGivesWay) {
  const std::vector<MacAddress> macs = one_set();
  struct Row {
    const char* name;
    uint16_t ticks[MacTable::kWays];  // when the first four were learned, in this order
    uint16_t now;                     // when the fifth is
    size_t forgotten;
  };
  const Row rows[] = {
      {"first is oldest", {1, 2, 3, 4}, 5, 0},
      {"last is oldest", {4, 3, 2, 1}, 5, 3},
      {"one in the middle", {3, 1, 2, 4}, 4, 1},
      {"ticks began again", {4000, 4090, 2, 1}, 3, 0},
      {"ticks began again, last is oldest", {0, 4095, 1, 4094}, 1, 3},
      {"of equally old ones the first", {7, 7, 7, 7}, 7, 0},
      {"more than half a turn old", {10, 3000, 3001, 3002}, 3003, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    MacTable table;
    for (size_t i = 0; i < MacTable::kWays; ++i)
      table.learn(macs[i].data(), static_cast<uint16_t>(i), row.ticks[i]);
    table.learn(macs[4].data(), 9, row.now);
    for (size_t i = 0; i < MacTable::kWays; ++i) {
      EXPECT_EQ(knows(table, macs[i]), i != row.forgotten) << i;
      if (i != row.forgotten) expect_sighting(table, macs[i], static_cast<uint16_t>(i), row.ticks[i]);
    }
    expect_sighting(table, macs[4], 9, row.now);
  }
}

TEST(MacTable, KnownAddressesPushNobodyOut) {
  const std::vector<MacAddress> macs = one_set();
  MacTable table;
  for (uint16_t tick = 0; tick < 100; ++tick) {
    for (size_t i = 0; i < MacTable::kWays; ++i) {
      table.learn(macs[(i * 3 + tick) % MacTable::kWays].data(), static_cast<uint16_t>(tick % 16), tick);
    }
  }
  for (size_t i = 0; i < MacTable::kWays; ++i) expect_sighting(table, macs[i], 99 % 16, 99);
}

TEST(MacTable, AFreePlaceIsTakenBeforeAnOldOne) {
  const std::vector<MacAddress> macs = one_set();
  MacTable table;
  table.learn(macs[0].data(), 1, 4095);
  table.learn(macs[1].data(), 1, 4094);  // as old as an entry can be, at tick 4093
  table.learn(macs[2].data(), 1, 4093);
  table.learn(macs[3].data(), 1, 4093);
  for (size_t i = 0; i < MacTable::kWays; ++i) EXPECT_TRUE(knows(table, macs[i])) << i;
}

TEST(MacTable, OldEntriesExpire) {
  struct Row {
    const char* name;
    uint16_t seen, now;
    bool kept;
  };
  const Row rows[] = {
      {"this tick", 5, 5, true},
      {"just within", 5, 5 + 2047, true},
      {"just beyond", 5, 5 + 2048, false},
      {"within, ticks began again", 4000, (4000 + 2047) % 4096, true},
      {"beyond, ticks began again", 4000, (4000 + 2048) % 4096, false},
      {"about to look fresh", 5, 4, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    MacTable table;
    for (uint32_t n = 1; n <= 1000; ++n) table.learn(mac(n).data(), 1, row.seen);
    table.learn(mac(1001).data(), 2, row.now);
    for (size_t i = 0; i < MacTable::kSets / MacTable::kSetsPerExpiry; ++i) table.expire(row.now);
    for (uint32_t n = 1; n <= 1000; ++n) ASSERT_EQ(knows(table, mac(n)), row.kept) << n;
    EXPECT_TRUE(knows(table, mac(1001)));
  }
}

// Silence after a sighting, while ticks run round: it never looks just seen again.
TEST(MacTable, ASightingIsNotSeenAgain) {
  MacTable table;
  table.learn(mac(1).data(), 1, 100);
  for (unsigned elapsed = 1; elapsed < 3 * 4096; ++elapsed) {
    const auto now = static_cast<uint16_t>((100 + elapsed) % 4096);
    table.expire(now);
    MacSighting sighting;
    const bool just_seen = table.find(mac(1).data(), sighting) &&
                           core::ticks_between(sighting.tick, now) <= core::kJustSeenTicks;
    ASSERT_EQ(just_seen, elapsed <= core::kJustSeenTicks) << elapsed;
  }
}

TEST(MacTable, ThousandsOfNeighboursFit) {
  MacTable table;
  constexpr uint32_t kStations = 4096;  // half of the entries, addresses in a row
  for (uint32_t n = 1; n <= kStations; ++n) table.learn(mac(n).data(), 1, 0);
  uint32_t known = 0;
  for (uint32_t n = 1; n <= kStations; ++n) known += knows(table, mac(n)) ? 1 : 0;
  EXPECT_EQ(known, kStations);
}

// The group of every sighting that is made below follows from address and tick, so a torn or mixed one shows.
uint16_t group_at(uint32_t n, uint16_t tick) {
  return static_cast<uint16_t>((n * 7 + tick * 5 + tick / 16) % 16);
}

TEST(MacTable, AReaderSeesOnlyWhatWasLearned) {
  // Few sets' worth of stations of one set, so that entries are replaced all the time, and some of others.
  std::vector<uint32_t> stations = {1, 2, 3};
  for (const MacAddress& address : one_set())
    stations.push_back(uint32_t{address[2]} << 24 | uint32_t{address[3]} << 16 | uint32_t{address[4]} << 8 |
                       address[5]);
  MacTable table;
  std::atomic<bool> reading{false}, done{false};
  std::thread owner([&] {
    while (!reading.load(std::memory_order_relaxed)) std::this_thread::yield();
    for (uint32_t i = 0; i < 400'000; ++i) {
      const uint32_t n = stations[i % stations.size()];
      const auto tick = static_cast<uint16_t>(i / 3 % 4096);
      table.learn(mac(n).data(), group_at(n, tick), tick);
    }
    done.store(true, std::memory_order_relaxed);
  });
  uint64_t wrong = 0;
  bool last_round = false;
  while (!last_round) {
    last_round = done.load(std::memory_order_relaxed);
    for (const uint32_t n : stations) {
      MacSighting sighting;
      if (table.find(mac(n).data(), sighting) && sighting.group != group_at(n, sighting.tick)) ++wrong;
      if (table.find(mac(n + 5'000'000).data(), sighting)) ++wrong;
    }
    reading.store(true, std::memory_order_relaxed);
  }
  owner.join();
  EXPECT_EQ(wrong, 0u);
  // What the owner learned is all there now.
  size_t known = 0;
  for (const uint32_t n : stations) known += knows(table, mac(n)) ? 1 : 0;
  EXPECT_EQ(known, stations.size() - 1) << "five of one set: the oldest is gone";
}

}  // namespace
