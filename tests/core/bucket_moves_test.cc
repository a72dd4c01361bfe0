// SPDX-License-Identifier: BSD-3-Clause
// Moves of buckets: exact steps of small tables, sizes of slices, what a call looks at.
// bucket_moves_order_test.cc checks the order of packets.
#include "core/bucket_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace core {
namespace {

// Tables as text: a letter is an exit, '-' none, '.' waits.
std::vector<uint16_t> table_of(const std::string& text) {
  std::vector<uint16_t> table;
  for (const char c : text) table.push_back(c == '-' ? kNoExit : static_cast<uint16_t>(c - 'a'));
  return table;
}
std::string text_of(const BucketMoves& moves, size_t buckets) {
  std::string text;
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    const uint16_t exit = moves.table()[bucket];
    text += exit == kNoExit ? '-' : exit == kWaitExit ? '.' : static_cast<char>('a' + exit);
  }
  return text;
}
auto among(const std::string& exits) {
  return [exits](uint16_t exit) { return exits.find(static_cast<char>('a' + exit)) != std::string::npos; };
}

struct Step {
  enum { take_up, advance, give_up } what;
  std::string wanted, exits;  // exits: gone, or holding something
  uint64_t time;              // settle, or now
  bool moved;                 // the answer of advance
  std::string table;          // after it
};
Step take_up(const char* wanted, const char* gone, const char* table, uint64_t settle = 10) {
  return {Step::take_up, wanted, gone, settle, false, table};
}
Step advance(uint64_t now, const char* busy, bool moved, const char* table) {
  return {Step::advance, "", busy, now, moved, table};
}
Step give_up(const char* table) {
  return {Step::give_up, "", "", 0, false, table};
}

TEST(BucketMoves, SmallTables) {
  struct Row {
    const char* name;
    const char* start;
    std::vector<Step> steps;  // the last one leaves nothing pending
  };
  const Row rows[] = {
      {"nothing to do", "abab", {take_up("abab", "", "abab"), advance(0, "", false, "abab")}},
      {"nothing to do, though its exit is gone", "ab-", {take_up("ab-", "a", "ab-")}},
      {"a gone exit: at once", "abac", {take_up("bbcc", "a", "bbcc")}},
      {"no exit before or after: at once", "--ab", {take_up("ab--", "", "ab--")}},
      {"one by one, each after its settling time",
       "bbbb",
       {take_up("abab", "", "bbbb"), advance(100, "", false, ".bbb"), advance(109, "", false, ".bbb"),
        advance(110, "", true, "abbb"), advance(110, "", false, "ab.b"), advance(119, "", false, "ab.b"),
        advance(500, "", true, "abab")}},
      {"in the order of the table",
       "aaa",
       {take_up("bbb", "", "aaa"), advance(0, "", false, ".aa"), advance(10, "", true, "baa"),
        advance(11, "", false, "b.a"), advance(21, "", true, "bba"), advance(22, "", false, "bb."),
        advance(32, "", true, "bbb")}},
      {"a busy exit is followed for as long as it is busy",
       "aabb",
       {take_up("cccc", "", "aabb"), advance(0, "ab", false, "aabb"), advance(1'000'000, "ab", false, "aabb"),
        advance(1'000'001, "a", false, "aa.b"), advance(1'000'011, "a", true, "aacb"),
        advance(1'000'012, "a", false, "aac."), advance(1'000'022, "a", true, "aacc"),
        advance(2'000'000, "a", false, "aacc"), advance(3'000'000, "", false, ".acc"),
        advance(3'000'010, "", true, "cacc"), advance(3'000'011, "", false, "c.cc"),
        advance(3'000'021, "", true, "cccc")}},
      {"what is held when the wait is over does not prolong it",
       "ab",
       {take_up("bb", "", "ab"), advance(0, "", false, ".b"), advance(10, "ab", true, "bb")}},
      {"no settling time: moves in the same call",
       "aab",
       {take_up("bcb", "", "aab", 0), advance(7, "a", false, "aab"), advance(7, "", true, "bab"),
        advance(7, "", true, "bcb")}},
      {"some at once, some later",
       "abca",
       {take_up("bcbc", "a", "bbcc"), advance(0, "", false, "b.cc"), advance(10, "", true, "bccc"),
        advance(11, "", false, "bc.c"), advance(21, "", true, "bcbc")}},
      {"another plan while it waits: it follows the old exit and waits anew",
       "aa",
       {take_up("bb", "", "aa"), advance(0, "", false, ".a"), take_up("cc", "", "aa", 20),
        advance(5, "", false, ".a"), advance(24, "", false, ".a"), advance(25, "", true, "ca"),
        advance(26, "", false, "c."), advance(46, "", true, "cc")}},
      {"the old plan again while it waits: nothing left to do",
       "aa",
       {take_up("ba", "", "aa"), advance(0, "", false, ".a"), take_up("aa", "", "aa")}},
      {"its old exit goes while it waits",
       "aac",
       {take_up("bbc", "", "aac"), advance(0, "", false, ".ac"), take_up("bbc", "a", "bbc")}},
      {"what has moved follows its new exit when the plan turns back",
       "aa",
       {take_up("bb", "", "aa"), advance(0, "", false, ".a"), advance(10, "", true, "ba"),
        take_up("aa", "", "ba"), advance(11, "b", false, "ba"), advance(12, "", false, ".a"),
        advance(22, "", true, "aa")}},
      {"a lost exit returns: a planned move",
       "ab",
       {take_up("bb", "a", "bb"), take_up("ab", "", "bb"), advance(0, "", false, ".b"),
        advance(10, "", true, "ab")}},
      {"no room: a single bucket moves",
       "aab",
       {take_up("bbb", "", "aab"), advance(0, "", false, ".ab"), give_up("bab"), advance(1, "", false, "b.b"),
        give_up("bbb"), give_up("bbb")}},
      {"no room while nothing waits: nothing",
       "aa",
       {take_up("bb", "", "aa"), give_up("aa"), advance(0, "", false, ".a"), advance(10, "", true, "ba"),
        give_up("ba"), advance(11, "", false, "b."), advance(21, "", true, "bb")}},
      {"no room for a slice of two: back, then one by one; others first, so that these rest",
       "aaaaabbbbbbbbbbbbbbbbbbbbbbbbbbb",
       {take_up("cccccbbbbbbbbbbbbbbbbbbbbbbbbbbb", "", "aaaaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        advance(0, "", false, "..aaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        give_up("aaaaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        advance(1, "", false, "aa.aabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        give_up("aacaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        advance(2, "a", false, "aacaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        take_up("aacaabbbbbbbbbbbbbbbbbbbbbbbbbbb", "", "aacaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        // Everything has moved, and slices are whole again.
        take_up("aacaabbbbbbbbbbbbbbbbbbbbbbbbbaa", "", "aacaabbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        advance(3, "", false, "aacaabbbbbbbbbbbbbbbbbbbbbbbbb.."),
        advance(13, "", true, "aacaabbbbbbbbbbbbbbbbbbbbbbbbbaa")}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::vector<std::vector<uint16_t>> tables = {table_of(row.start)};
    tables.reserve(row.steps.size() + 1);
    BucketMoves moves(tables.back(), 10);
    const size_t buckets = tables.back().size();
    ASSERT_EQ(moves.table(), tables.back().data());
    for (size_t i = 0; i < row.steps.size(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      const Step& step = row.steps[i];
      if (step.what == Step::take_up) {
        tables.push_back(table_of(step.wanted));
        moves.take_up(tables.back(), step.time, among(step.exits));
      } else if (step.what == Step::advance) {
        const auto busy = among(step.exits);
        EXPECT_EQ(moves.advance(step.time, [&](uint16_t exit) { return !busy(exit); }), step.moved);
      } else {
        moves.give_up_waiting();
      }
      EXPECT_EQ(text_of(moves, buckets), step.table);
      EXPECT_EQ(moves.waiting(), step.table.find('.') != std::string::npos);
      size_t differ = 0;
      for (uint32_t b = 0; b < buckets; ++b) differ += moves.old_exit(b) != tables.back()[b];
      EXPECT_EQ(moves.pending(), differ);
      EXPECT_EQ(moves.moving(), differ != 0);
      EXPECT_EQ(moves.table() == tables.back().data(), differ == 0);
    }
    EXPECT_FALSE(moves.moving());
  }
}

// A table of `buckets` on exits 0, 1, ... `exits` - 1 in turn, of which every one is to move by `shift`.
std::vector<uint16_t> in_turn(size_t buckets, unsigned exits, unsigned shift = 0) {
  std::vector<uint16_t> table(buckets);
  for (size_t b = 0; b < buckets; ++b) table[b] = static_cast<uint16_t>((b + shift) % exits);
  return table;
}
size_t waiting_in(const BucketMoves& moves, size_t buckets) {
  return static_cast<size_t>(std::count(moves.table(), moves.table() + buckets, kWaitExit));
}
const auto kNoneGone = [](uint16_t) { return false; };
const auto kAllQuiet = [](uint16_t) { return true; };

TEST(BucketMoves, ASixteenthWaits) {
  struct Row {
    size_t buckets, slice, slices;
  };
  for (const Row& row : {Row{1, 1, 1}, Row{15, 1, 15}, Row{16, 1, 16}, Row{31, 1, 31}, Row{32, 2, 16},
                         Row{100, 6, 17}, Row{2048, 128, 16}, Row{65536, 4096, 16}}) {
    SCOPED_TRACE(row.buckets);
    const auto before = in_turn(row.buckets, 7), after = in_turn(row.buckets, 7, 1);
    BucketMoves moves(before, 5);
    moves.take_up(after, 5, kNoneGone);
    EXPECT_EQ(moves.pending(), row.buckets);
    size_t slices = 0;
    for (uint64_t now = 0; moves.moving(); now += 5) {
      const size_t waiting = std::min(row.slice, moves.pending());
      EXPECT_FALSE(moves.advance(now, kAllQuiet));
      EXPECT_EQ(waiting_in(moves, row.buckets), waiting);
      EXPECT_TRUE(moves.advance(now + 5, kAllQuiet));
      ++slices;
    }
    EXPECT_EQ(slices, row.slices);
    EXPECT_EQ(moves.table(), after.data());
  }
}

TEST(BucketMoves, AsksEachExitOnceACall) {
  const auto before = in_turn(4096, 200), after = in_turn(4096, 200, 1);
  BucketMoves moves(before, 5);
  moves.take_up(after, 5, kNoneGone);
  std::map<uint16_t, int> asked;
  const auto busy = [&](uint16_t exit) { return ++asked[exit], exit == 150; };
  EXPECT_FALSE(moves.advance(0, busy));
  EXPECT_EQ(asked.size(), 200u);
  for (const auto& [exit, times] : asked) EXPECT_EQ(times, 1) << exit;
  EXPECT_GT(waiting_in(moves, 4096), 0u);
  asked.clear();
  EXPECT_FALSE(moves.advance(1, busy)) << "a slice waits: nobody is asked";
  EXPECT_TRUE(asked.empty());
}

// Exits that share a place in its memory: each bucket gets the answer of its own exit.
TEST(BucketMoves, ManyExits) {
  std::vector<uint16_t> before(1024), after(1024, 7);
  for (size_t b = 0; b < before.size(); ++b) before[b] = static_cast<uint16_t>(44 + b % 3 * 256);
  BucketMoves moves(before, 0);
  moves.take_up(after, 0, kNoneGone);
  for (int call = 0; call < 100; ++call) moves.advance(0, [](uint16_t exit) { return exit == 300; });
  for (uint32_t b = 0; b < 1024; ++b) ASSERT_EQ(moves.table()[b], before[b] == 300 ? 7 : before[b]) << b;
}

// A call looks at a sixteenth of the table only, but the quiet ones are found wherever they are.
TEST(BucketMoves, FindsTheQuietBehindTheBusy) {
  for (const uint32_t quiet_bucket : {0u, 127u, 128u, 1000u, 2047u}) {
    SCOPED_TRACE(quiet_bucket);
    std::vector<uint16_t> before(2048, 0);
    const std::vector<uint16_t> after(2048, 2);
    before[quiet_bucket] = 1;
    BucketMoves moves(before, 5);
    moves.take_up(after, 5, kNoneGone);
    int calls = 1;
    while (!moves.advance(0, [](uint16_t exit) { return exit == 1; }) && !moves.waiting()) ++calls;
    EXPECT_EQ(calls, quiet_bucket / 128 + 1);
    EXPECT_EQ(moves.table()[quiet_bucket], kWaitExit);
    EXPECT_EQ(waiting_in(moves, 2048), 1u);
  }
}

// After a slice has moved it looks on from there, not from the start.
TEST(BucketMoves, LooksOnBehindTheLastSlice) {
  std::vector<uint16_t> before(2048, 0);
  const std::vector<uint16_t> after(2048, 2);
  std::fill(before.begin() + 1000, before.begin() + 1200, uint16_t{1});
  BucketMoves moves(before, 5);
  moves.take_up(after, 5, kNoneGone);
  const auto quiet = [](uint16_t exit) { return exit == 1; };
  for (int call = 0; call < 8; ++call) EXPECT_FALSE(moves.advance(0, quiet));
  EXPECT_EQ(waiting_in(moves, 2048), 24u);  // 896 to 1023 were looked at
  EXPECT_TRUE(moves.advance(5, quiet));
  EXPECT_FALSE(moves.advance(6, quiet));
  EXPECT_EQ(waiting_in(moves, 2048), 128u);
}

// Half of what did wait, not of what might have.
TEST(BucketMoves, GivingUpHalvesWhatWaited) {
  const std::vector<uint16_t> before(1024, 0), after(1024, 1);
  std::vector<uint16_t> few = before;
  std::fill(few.begin(), few.begin() + 12, uint16_t{1});
  BucketMoves moves(before, 5);
  moves.take_up(few, 5, kNoneGone);
  for (const size_t waiting : {12u, 6u, 3u, 1u}) {
    EXPECT_FALSE(moves.advance(0, kAllQuiet));
    EXPECT_EQ(waiting_in(moves, 1024), waiting);
    EXPECT_EQ(moves.pending(), 12u);
    moves.give_up_waiting();
    EXPECT_EQ(waiting_in(moves, 1024), 0u);
  }
  EXPECT_EQ(moves.pending(), 11u) << "the last one was single: it has moved";
  // A plan that leaves something to do keeps the small slices; when all has moved they are whole again.
  moves.take_up(few, 5, kNoneGone);
  uint64_t now = 0;
  for (int slices = 0; slices < 11; ++slices, now += 5) {
    EXPECT_FALSE(moves.advance(now, kAllQuiet));
    EXPECT_EQ(waiting_in(moves, 1024), 1u);
    EXPECT_TRUE(moves.advance(now + 5, kAllQuiet));
  }
  EXPECT_FALSE(moves.moving());
  moves.take_up(after, 5, kNoneGone);
  EXPECT_FALSE(moves.advance(now, kAllQuiet));
  EXPECT_EQ(waiting_in(moves, 1024), 64u);
}

TEST(BucketMoves, MayBeMoved) {
  const auto before = table_of("aabb"), after = table_of("bbbb");
  std::vector<BucketMoves> all;
  for (int i = 0; i < 20; ++i) {
    all.emplace_back(before, 10);
    all.back().take_up(after, 10, kNoneGone);
    all.back().advance(0, kAllQuiet);
  }
  for (BucketMoves& moves : all) {
    EXPECT_EQ(text_of(moves, 4), ".abb");
    EXPECT_TRUE(moves.advance(10, kAllQuiet));
    EXPECT_EQ(text_of(moves, 4), "babb");
  }
}

}  // namespace
}  // namespace core
