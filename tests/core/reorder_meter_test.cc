// SPDX-License-Identifier: BSD-3-Clause
// Checks how the reorder meter counts orders that can be worked out by hand, and that it agrees with models
// that keep every number they saw.
#include "core/reorder_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/splitmix.h"

namespace {

using namespace core;

struct Counts {
  uint64_t packets = 0, reordered = 0, repeated = 0, flows = 0, evicted = 0, farthest = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << c.packets << " packets, " << c.reordered << " reordered, " << c.repeated << " repeated, "
               << c.flows << " flows, " << c.evicted << " evicted, farthest " << c.farthest;
  }
};

Counts counts_of(const ReorderMeter& meter) {
  const ReorderCounters& c = meter.counters();
  return {c.packets.read(), c.reordered.read(), c.repeated.read(),
          c.flows.read(),   c.evicted.read(),   c.farthest.read()};
}

Counts counts_of(const std::vector<SequenceSample>& samples) {
  ReorderMeter meter;
  for (const SequenceSample& sample : samples) meter.see(sample);
  return counts_of(meter);
}

SequenceSample psn(uint32_t number, uint64_t flow = 1) {
  return {.flow = flow, .number = number & 0xffffff, .length = 1};
}

std::vector<uint32_t> late_by(uint32_t packets) {
  std::vector<uint32_t> numbers = {0};
  for (uint32_t n = 2; n < packets + 2; ++n) numbers.push_back(n);
  numbers.push_back(1);
  return numbers;
}

// Numbers are relative to a start; the same must come out wherever the 24 bits wrap.
TEST(ReorderMeter, CountsQueuePairs) {
  struct Row {
    const char* name;
    std::vector<uint32_t> numbers;
    uint64_t reordered, repeated, farthest;
  };
  const uint32_t below = 0xffffff;
  const Row rows[] = {
      {"in order", {0, 1, 2, 3, 4}, 0, 0, 0},
      {"neighbours changed places", {0, 2, 1, 3}, 1, 0, 1},
      {"two pairs did", {0, 2, 1, 4, 3, 5}, 2, 0, 1},
      {"three turned round", {0, 3, 2, 1, 4}, 2, 0, 2},
      {"late by 5", late_by(5), 1, 0, 5},
      {"late by 63", late_by(63), 1, 0, 63},
      {"late by 64: no longer remembered", late_by(64), 0, 1, 0},
      {"the last is repeated", {0, 1, 1, 2}, 0, 1, 0},
      {"an early one is repeated", {0, 1, 2, 3, 0, 4}, 0, 1, 0},
      {"the late one is repeated", {0, 2, 1, 1, 3}, 1, 1, 1},
      {"lost for good", {0, 2, 3, 4}, 0, 0, 0},
      {"go-back-N, nothing was lost here", {0, 1, 2, 3, 4, 2, 3, 4, 5}, 0, 3, 0},
      {"go-back-N, one was lost before", {0, 2, 3, 1, 2, 3, 4}, 1, 2, 2},
      {"below the first", {0, below, 1}, 0, 1, 0},
      {"behind a jump", {0, 1000, 999, 1001}, 1, 0, 1},
      {"jump of 63", {0, 63, 0, 1}, 1, 1, 62},
      {"jump of 64", {0, 64, 0, 1}, 1, 1, 63},
      {"jump of 65", {0, 65, 0, 1, 2}, 1, 2, 63},
      {"long before a jump", {0, 1000, 500, 1, 1001}, 0, 2, 0},
      {"as far ahead as can be", {0, 0x800000, 0x800001, 0x800000}, 0, 1, 0},
      {"farther is older", {0, 0x800001, 1, 2}, 0, 1, 0},
      {"once around", {0, 0x700000, 0xe00000, 0xffffff, 0, 2, 1}, 1, 0, 1},
  };
  for (const Row& row : rows)
    for (const uint32_t start : {0u, 1u, 0x7fffffu, 0x800000u, 0xfffffcu, 0xfffffeu, 0xffffffu}) {
      SCOPED_TRACE(std::string(row.name) + " from " + std::to_string(start));
      std::vector<SequenceSample> samples;
      for (const uint32_t number : row.numbers) samples.push_back(psn(start + number));
      EXPECT_EQ(counts_of(samples),
                (Counts{row.numbers.size(), row.reordered, row.repeated, 1, 0, row.farthest}));
    }
}

struct Segment {
  uint32_t number, length;
  bool syn = false;
};

TEST(ReorderMeter, CountsConnections) {
  struct Row {
    const char* name;
    std::vector<Segment> segments;
    uint64_t reordered, repeated, farthest;
  };
  const Row rows[] = {
      {"in order", {{0, 100}, {100, 1448}, {1548, 1}}, 0, 0, 0},
      {"a connection from SYN to FIN", {{0, 1, true}, {1, 100}, {101, 101}, {202, 1}}, 0, 0, 0},
      {"SYN with data", {{0, 51, true}, {51, 10}}, 0, 0, 0},
      {"SYN is sent again", {{0, 1, true}, {0, 1, true}, {1, 10}}, 0, 1, 0},
      {"new connection ahead", {{0, 100}, {5000, 1, true}, {100, 100}, {5001, 10}}, 0, 1, 0},
      {"new connection below", {{5000, 100}, {0, 1, true}, {1, 10}, {11, 10}}, 0, 0, 0},
      {"new connection forgets gaps",
       {{0, 100}, {200, 100}, {300, 1, true}, {5000, 1, true}, {100, 100}},
       0,
       1,
       0},
      {"neighbours changed places", {{0, 100}, {200, 100}, {100, 100}, {300, 100}}, 1, 0, 100},
      {"late by three", {{0, 9}, {19, 10}, {29, 20}, {49, 30}, {9, 10}}, 1, 0, 60},
      {"repeated", {{0, 100}, {100, 100}, {100, 100}, {0, 100}, {0, 200}, {200, 1}}, 0, 3, 0},
      {"the late one is repeated", {{0, 100}, {200, 100}, {100, 100}, {100, 100}}, 1, 1, 100},
      {"below the first", {{0, 100}, {0xfffffff0, 16}, {100, 1}}, 0, 1, 0},
      {"a gap filled from below", {{0, 100}, {300, 100}, {100, 100}, {200, 100}}, 2, 0, 200},
      {"a gap filled from above", {{0, 100}, {300, 100}, {200, 100}, {100, 100}}, 2, 0, 200},
      {"a gap filled from within",
       {{0, 100}, {400, 100}, {200, 100}, {100, 100}, {300, 100}, {200, 1}},
       3,
       1,
       300},
      {"longer when sent again", {{0, 100}, {100, 100}, {50, 200}, {250, 50}}, 0, 1, 0},
      {"from seen into a gap", {{0, 100}, {200, 100}, {50, 100}, {100, 50}, {150, 50}}, 1, 2, 100},
      {"from a gap into seen", {{0, 100}, {200, 100}, {150, 100}, {150, 50}, {100, 50}}, 2, 1, 150},
      {"from a gap beyond all", {{0, 100}, {200, 100}, {150, 200}, {350, 10}, {100, 50}}, 2, 0, 210},
      {"over two gaps", {{0, 10}, {20, 10}, {40, 10}, {10, 30}, {30, 10}}, 1, 1, 10},
      {"four gaps",
       {{0, 9}, {10, 9}, {20, 9}, {30, 9}, {40, 9}, {9, 1}, {19, 1}, {29, 1}, {39, 1}},
       4,
       0,
       39},
      {"five gaps",
       {{0, 9}, {10, 9}, {20, 9}, {30, 9}, {40, 9}, {50, 9}, {9, 1}, {19, 1}, {29, 1}, {39, 1}, {49, 1}},
       4,
       1,
       39},
      {"a fifth by cutting one",
       {{0, 9}, {10, 9}, {20, 9}, {30, 9}, {50, 9}, {40, 9}, {9, 1}, {19, 1}, {39, 1}},
       3,
       1,
       39},
      {"a filled gap makes room",
       {{0, 9}, {10, 9}, {20, 9}, {30, 9}, {40, 9}, {29, 1}, {50, 9}, {9, 1}, {19, 1}, {39, 1}, {49, 1}},
       5,
       0,
       49},
      {"as far ahead as can be", {{0, 1}, {0x80000000, 1}, {0x80000001, 1}, {0x80000000, 1}}, 0, 1, 0},
      {"farther is older", {{0, 1}, {0x80000001, 1}, {1, 1}}, 0, 1, 0},
      {"a gap that reaches farther", {{0, 100}, {0x80000054, 0x20}, {200, 10}}, 0, 1, 0},
      {"a gap is not taken for one of the next round",
       {{0, 100},
        {200, 100},
        {300, 0x60000000},
        {0x6000012c, 0x60000000},
        {0xc000012c, 0x60000000},
        {150, 10}},
       0,
       1,
       0},
  };
  for (const Row& row : rows)
    for (const uint32_t start : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffff9cu, 0xffffffe0u, 0xffffffffu}) {
      SCOPED_TRACE(std::string(row.name) + " from " + std::to_string(start));
      std::vector<SequenceSample> samples;
      for (const Segment& s : row.segments) samples.push_back({1, start + s.number, s.length, true, s.syn});
      EXPECT_EQ(counts_of(samples),
                (Counts{row.segments.size(), row.reordered, row.repeated, 1, 0, row.farthest}));
    }
}

TEST(ReorderMeter, FlowsShareNothing) {
  ReorderMeter meter;
  // Alternate by packet; flow 2 counts down, and 4097 shares a set with 1.
  for (uint32_t i = 0; i < 10; ++i) {
    meter.see(psn(i, 1));
    meter.see(psn(100 - i, 2));
    meter.see({.flow = 3, .number = 5000 + 100 * i, .length = 100, .tcp = true});
    meter.see(psn(7 + i, 1 + ReorderMeter::kSets));
  }
  EXPECT_EQ(counts_of(meter), (Counts{40, 0, 9, 4, 0, 0}));
}

TEST(ReorderMeter, TheFlowSeenLongestAgoGivesWay) {
  const auto flow = [](uint64_t n) { return 5 + n * ReorderMeter::kSets; };  // all of one set
  ReorderMeter meter;
  for (uint64_t n = 0; n < ReorderMeter::kWays; ++n) meter.see(psn(10, flow(n)));
  meter.see(psn(12, flow(0)));
  EXPECT_EQ(counts_of(meter), (Counts{9, 0, 0, 8, 0, 0}));
  meter.see(psn(10, flow(8)));  // instead of flow 1
  EXPECT_EQ(counts_of(meter), (Counts{10, 0, 0, 9, 1, 0}));
  meter.see(psn(11, flow(0)));
  EXPECT_EQ(counts_of(meter), (Counts{11, 1, 0, 9, 1, 1})) << "flow 0 was kept";
  meter.see(psn(10, flow(2)));
  EXPECT_EQ(counts_of(meter), (Counts{12, 1, 1, 9, 1, 1})) << "flow 2 was kept";
  meter.see(psn(10, flow(1)));  // begins anew instead of flow 3: nothing is repeated
  EXPECT_EQ(counts_of(meter), (Counts{13, 1, 1, 10, 2, 1}));
  meter.see(psn(9, flow(1)));
  meter.see(psn(12, flow(3)));  // instead of flow 4
  meter.see(psn(11, flow(3)));
  EXPECT_EQ(counts_of(meter), (Counts{16, 1, 3, 11, 3, 1})) << "no gap of an earlier flow is left";
}

// Every number, late by up to `window` places, some lost and some twice.
std::vector<uint32_t> shuffled(SplitMix& random, uint32_t count, uint32_t window) {
  std::vector<std::pair<uint32_t, uint32_t>> order;  // when and what
  for (uint32_t n = 0; n < count; ++n) {
    if (random.below(20) != 0) order.emplace_back(n + random.below(window + 1), n);
    if (random.below(20) == 0) order.emplace_back(n + random.below(2 * window + 1), n);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<uint32_t> numbers;
  for (const auto& [when, what] : order) numbers.push_back(what);
  return numbers;
}

TEST(ReorderMeter, AgreesWithAModelOfQueuePairs) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix random(seed);
    const uint32_t start = static_cast<uint32_t>(random.next()) | 0xfffe00;
    ReorderMeter meter;
    Counts expected{.flows = 1};
    std::set<uint32_t> seen;
    for (const uint32_t number : shuffled(random, 2000, 3 + seed * 3)) {
      meter.see(psn(start + number));
      ++expected.packets;
      const bool first = seen.empty();
      const uint32_t lowest = first ? number : *seen.begin(), highest = first ? number : *seen.rbegin();
      if (!first && number < highest) {
        if (seen.contains(number) || number < lowest || highest - number >= 64) {
          ++expected.repeated;
        } else {
          ++expected.reordered;
          expected.farthest = std::max<uint64_t>(expected.farthest, highest - number);
        }
      } else if (!first && number == highest) {
        ++expected.repeated;
      }
      if (number >= lowest) seen.insert(number);
    }
    EXPECT_EQ(counts_of(meter), expected);
    EXPECT_GT(expected.reordered, 100u);
    EXPECT_GT(expected.repeated, 10u);
  }
}

// Bytes of a connection, seen or not; at most four runs that are not, as the meter promises.
class ByteModel {
 public:
  explicit ByteModel(size_t bytes) : seen_(bytes) {}
  void take(uint32_t number, uint32_t length, Counts& counts) {
    const uint32_t end = number + length;
    if (counts.packets++ == 0) {
      std::fill_n(seen_.begin(), number, true);
    } else if (number < next_ && seen_[number]) {
      ++counts.repeated;
    } else if (number < next_) {
      ++counts.reordered;
      counts.farthest = std::max<uint64_t>(counts.farthest, next_ - std::min(next_, end));
    }
    std::fill(seen_.begin() + number, seen_.begin() + end, true);
    next_ = std::max(next_, end);
    forget();
  }

 private:
  void forget() {
    int runs = 0;
    for (uint32_t at = next_; at-- > 0;) {
      if (!seen_[at] && seen_[at + 1]) ++runs;
      if (runs > 4) seen_[at] = true;
    }
  }
  std::vector<bool> seen_;
  uint32_t next_ = 0;
};

TEST(ReorderMeter, AgreesWithAModelOfConnections) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix random(1000 + seed);
    const uint32_t start = static_cast<uint32_t>(random.next()) | 0xfffffe00;
    constexpr uint32_t kSegments = 500, kSegmentBytes = 8;
    ReorderMeter meter;
    Counts expected{.flows = 1};
    ByteModel model((kSegments + 8) * kSegmentBytes);
    for (const uint32_t index : shuffled(random, kSegments, 3 + seed / 4)) {
      uint32_t number = index * kSegmentBytes, length = kSegmentBytes;
      if (seed % 2 == 1 && random.below(8) == 0) {  // cut anew
        number += random.below(kSegmentBytes);
        length = 1 + random.below(4 * kSegmentBytes);
      }
      meter.see({.flow = 1, .number = start + number, .length = length, .tcp = true});
      model.take(number, length, expected);
    }
    EXPECT_EQ(counts_of(meter), expected);
    EXPECT_GT(expected.reordered, 20u);
    EXPECT_GT(expected.repeated, 10u);
  }
}

}  // namespace
