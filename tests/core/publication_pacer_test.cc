// SPDX-License-Identifier: BSD-3-Clause
// The pacer's promises: never more than 100 in a second however it is asked, a lone one at once, a short wait
// after a storm.
#include "core/publication_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/splitmix.h"

namespace core {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;
constexpr uint64_t kInterval = PublicationPacer::kIntervalNs;
constexpr unsigned kMost = 100;

using Times = std::vector<uint64_t>;

// Asks at each of `asking`; the times at which one went out.
Times published(PublicationPacer& pacer, const Times& asking) {
  Times out;
  for (const uint64_t now : asking) {
    if (pacer.may_publish(now)) out.push_back(now);
  }
  return out;
}
Times published(const Times& asking) {
  PublicationPacer pacer;
  return published(pacer, asking);
}

Times every(uint64_t step, uint64_t from, uint64_t length) {
  Times times;
  for (uint64_t now = from; now < from + length; now += step) times.push_back(now);
  return times;
}

// The most that went out in any second, both of its ends included.
unsigned most_in_a_second(const Times& out) {
  size_t most = 0, first = 0;
  for (size_t last = 0; last < out.size(); ++last) {
    while (out[last] - out[first] > kSecond) ++first;
    most = std::max(most, last - first + 1);
  }
  return static_cast<unsigned>(most);
}

TEST(PublicationPacer, ShortRows) {
  struct Row {
    const char* name;
    Times asking, out;  // in units of a tenth of the interval
  };
  const Row rows[] = {
      {"one at the start", {0}, {0}},
      {"one long after the start", {987'654}, {987'654}},
      {"five at once, not six", {7, 7, 7, 7, 7, 7, 7}, {7, 7, 7, 7, 7}},
      {"the sixth an interval after the first", {0, 0, 0, 0, 0, 9, 10, 10}, {0, 0, 0, 0, 0, 10}},
      {"the interval starts with the first", {0, 4, 5, 6, 7, 9, 10, 11}, {0, 4, 5, 6, 7, 10}},
      {"asking in vain costs nothing", {0, 0, 0, 0, 0, 1, 2, 3, 4, 10, 11, 20}, {0, 0, 0, 0, 0, 10, 20}},
      {"a late one does not shift the next", {0, 0, 0, 0, 0, 19, 20, 21}, {0, 0, 0, 0, 0, 19, 20}},
      {"silence brings back five, not more",
       {0, 0, 0, 0, 0, 500, 500, 500, 500, 500, 500, 509, 510},
       {0, 0, 0, 0, 0, 500, 500, 500, 500, 500, 510}},
      {"a short silence brings back as much as it lasted",
       {0, 0, 0, 0, 0, 25, 25, 25, 30, 30},
       {0, 0, 0, 0, 0, 25, 25, 30}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Times asking;
    for (const uint64_t at : row.asking) asking.push_back(at * (kInterval / 10));
    Times out = published(asking);
    for (uint64_t& at : out) at /= kInterval / 10;
    EXPECT_EQ(out, row.out);
  }
}

TEST(PublicationPacer, AStormGetsAHundredInItsFirstSecond) {
  const Times out = published(every(kMillisecond / 10, 3 * kSecond, 5 * kSecond));
  EXPECT_EQ(most_in_a_second(out), kMost);
  // Asked all the time, one never waits longer than the interval.
  for (size_t i = 1; i < out.size(); ++i) EXPECT_LE(out[i] - out[i - 1], kInterval);
}

TEST(PublicationPacer, NeverMoreThanAHundredInASecond) {
  SplitMix random(20);
  struct Row {
    const char* name;
    std::function<uint64_t()> pause;
  };
  const Row rows[] = {
      {"every tick", [] { return kMillisecond; }},
      {"every interval", [] { return kInterval; }},
      {"just before every interval", [] { return kInterval - 1; }},
      {"just behind every interval", [] { return kInterval + 1; }},
      {"every 10 ms", [] { return 10 * kMillisecond; }},
      {"any pause up to 1 ms", [&] { return random.next() % kMillisecond; }},
      {"any pause up to 30 ms", [&] { return random.next() % (30 * kMillisecond); }},
      {"storms and silences",
       [&] { return random.below(40) ? random.below(1000) : random.next() % kSecond; }},
      {"storms and short silences",
       [&] { return random.below(20) ? random.below(1000) : random.next() % (6 * kInterval); }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Times asking;
    uint64_t now = random.next() % kSecond;
    for (int i = 0; i < 100'000; ++i) asking.push_back(now += row.pause());
    const Times out = published(asking);
    EXPECT_LE(most_in_a_second(out), kMost);
    EXPECT_GE(out.size(), 100u);
  }
}

// Every phase that credit can have when a storm begins: some go out, a silence follows that ends a nanosecond
// before, at or after a part of the interval, then some go out again, then all that can.
TEST(PublicationPacer, NoPhaseLetsMoreOut) {
  constexpr uint64_t kParts = 8;
  for (unsigned before = 0; before <= PublicationPacer::kAtOnce; ++before) {
    for (uint64_t part = 1; part <= 7 * kParts; ++part) {
      for (const uint64_t off : {-1, 0, 1}) {
        const uint64_t start = kSecond + part * (kInterval / kParts) + off;
        Times asking(before, kSecond);
        asking.insert(asking.end(), {start, start, start, start, start});
        for (const uint64_t now : every(kInterval / kParts, start + 1, 2 * kSecond)) asking.push_back(now);
        for (const uint64_t now : every(kInterval, asking.back() + 6 * kInterval, kSecond)) {
          asking.insert(asking.end(), {now, now + 1});
        }
        ASSERT_LE(most_in_a_second(published(asking)), kMost)
            << before << " before, silence of " << start - kSecond << " ns";
      }
    }
  }
}

TEST(PublicationPacer, ALoneOneNeverWaits) {
  SplitMix random(5);
  PublicationPacer pacer;
  uint64_t now = 0;
  for (int i = 0; i < 2000; ++i) {
    for (unsigned storm = random.below(50); storm > 0; --storm)
      pacer.may_publish(now += random.below(100'000));
    now += kInterval;
    ASSERT_TRUE(pacer.may_publish(now)) << i;
  }
}

TEST(PublicationPacer, AfterAStormTheWaitIsAnInterval) {
  SplitMix random(6);
  PublicationPacer pacer;
  uint64_t now = 0;
  for (int i = 0; i < 500; ++i) {
    now += random.next() % kSecond;
    while (pacer.may_publish(now)) now += random.below(1000);
    const uint64_t refused = now;
    ASSERT_EQ(published(pacer, every(1000, refused, kInterval + 1000)).size(), 1u) << i;
    now = refused + kInterval + 1000;
  }
}

}  // namespace
}  // namespace core
