// SPDX-License-Identifier: BSD-3-Clause
// The promise of BucketMoves, kept by a worker in miniature: holds, NICs that send what they were given up to
// a settling time later, exits that close and open, members that fail, return, are drained, weighted and
// pinned at random. Every packet of a bucket leaves before the next one of that bucket, and nothing waits for
// long.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/bucket_moves.h"
#include "core/distribution_table.h"
#include "core/splitmix.h"

namespace core {
namespace {

struct Packet {
  uint32_t bucket;
  uint64_t number;     // in its bucket, from 0
  uint64_t since = 0;  // when it began to wait
};

struct Exit {
  bool open = true;
  uint64_t toggles_at = 0;
  std::deque<Packet> hold;
  std::deque<std::pair<uint64_t, Packet>> ring;  // by the time at which they leave
};

// What happened, to see that a run has tried what it is for.
struct Tally {
  uint64_t made = 0, left = 0, dropped = 0, waited = 0, held = 0, rehomed = 0, slices = 0, given_up = 0,
           at_once = 0;
};

class Sender {
 public:
  Sender(uint64_t seed, size_t room) : random_(seed), room_(room), settle_(random_.below(20)) {
    state_.queues_per_nic = static_cast<uint16_t>(1 + random_.below(3));
    state_.buckets_per_queue = static_cast<uint16_t>(1 + random_.below(24));
    state_.members.resize(2 + random_.below(4));
    exits_.resize(state_.queues_per_nic * state_.members.size());
    tables_[0] = build_table(state_);
    moves_.emplace_back(tables_[0], settle_);
    next_.resize(tables_[0].size());
    left_.resize(tables_[0].size());
    free_below_.resize(tables_[0].size());
  }

  void run(unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
      toggle_exits();
      begin_round();
      if (random_.below(60) == 0) publish();
      end_round();
      if (testing::Test::HasFailure()) return;
    }
  }

  // No more changes, every exit open: all that is pending moves, all that was made leaves.
  void settle_down() {
    for (Exit& exit : exits_) exit.open = true;
    // A slice a settling time, a few calls to find it, however small slices became.
    size_t rounds = (moves().pending() + 16) * (settle_ + 18);
    for (const Exit& exit : exits_) rounds += exit.hold.size();
    for (; moves().moving() && rounds > 0; --rounds) {
      begin_round();
      end_round();
    }
    EXPECT_FALSE(moves().moving());
    EXPECT_EQ(moves().table(), wanted().data());
    EXPECT_TRUE(waiting_.empty());
    const auto busy = [](const Exit& exit) { return !exit.hold.empty() || !exit.ring.empty(); };
    while (std::any_of(exits_.begin(), exits_.end(), busy)) begin_round();
    EXPECT_EQ(tally.left + tally.dropped, tally.made);
  }

  Tally tally;

 private:
  BucketMoves& moves() { return moves_.front(); }
  const std::vector<Slot>& wanted() const { return tables_[newest_]; }
  bool gone(uint16_t exit) const {
    const MemberState& member = state_.members[exit / state_.queues_per_nic];
    return !member.up || member.excluded;
  }

  void leave(const Packet& packet) {
    ++tally.left;
    if (packet.number < free_below_[packet.bucket]) return;
    EXPECT_GE(packet.number, left_[packet.bucket]) << "bucket " << packet.bucket << ", tick " << now_;
    left_[packet.bucket] = packet.number + 1;
  }

  void leave_what_is_due(Exit& exit) {
    for (; !exit.ring.empty() && exit.ring.front().first <= now_; exit.ring.pop_front()) {
      leave(exit.ring.front().second);
    }
  }

  void hand_over(Exit& exit, const Packet& packet) {
    const uint64_t soonest = exit.ring.empty() ? 0 : exit.ring.back().first;
    const uint64_t leaves_at = now_ + random_.below(static_cast<uint32_t>(settle_) + 1);
    exit.ring.emplace_back(std::max(soonest, leaves_at), packet);
    leave_what_is_due(exit);
  }

  void send(uint16_t to, const Packet& packet) {
    ASSERT_NE(to, kWaitExit);
    if (to == kNoExit) {
      ++tally.dropped;
      return;
    }
    ASSERT_FALSE(gone(to));
    Exit& exit = exits_[to];
    if (exit.open && exit.hold.empty()) return hand_over(exit, packet);
    ++tally.held;
    exit.hold.push_back(packet);
  }

  void send_waiting() {
    for (const Packet& packet : waiting_) {
      EXPECT_LE(now_ - packet.since, settle_);
      send(moves().table()[packet.bucket], packet);
    }
    waiting_.clear();
  }

  void toggle_exits() {
    for (Exit& exit : exits_) {
      if (now_ < exit.toggles_at) continue;
      exit.open = !exit.open;
      exit.toggles_at = now_ + 1 + random_.below(exit.open ? 80 : 40);
    }
  }

  // What leaves in this tick, then what was held.
  void begin_round() {
    ++now_;
    for (Exit& exit : exits_) leave_what_is_due(exit);
    for (Exit& exit : exits_) {
      for (int i = 0; i < 8 && exit.open && !exit.hold.empty(); ++i) {
        hand_over(exit, exit.hold.front());
        exit.hold.pop_front();
      }
    }
  }

  void end_round() {
    if (moves().moving() &&
        moves().advance(now_, [this](uint16_t exit) { return exits_[exit].hold.empty(); })) {
      ++tally.slices;
      send_waiting();
    }
    check_table();
    for (unsigned packets = random_.below(8); packets > 0; --packets) {
      const uint32_t bucket = random_.below(static_cast<uint32_t>(wanted().size()));
      ++tally.made;
      forward({bucket, next_[bucket]++, now_});
    }
  }

  void forward(const Packet& packet) {
    if (moves().table()[packet.bucket] == kWaitExit && waiting_.size() == room_) make_room(packet);
    const uint16_t exit = moves().table()[packet.bucket];
    if (exit != kWaitExit) return send(exit, packet);
    ++tally.waited;
    waiting_.push_back(packet);
  }

  // `packet` must wait and cannot. A bucket that moves before its settling time may be overtaken by what
  // waited, no other may.
  void make_room(const Packet& packet) {
    ++tally.given_up;
    const size_t pending = moves().pending();
    moves().give_up_waiting();
    ASSERT_FALSE(moves().waiting());
    if (moves().pending() < pending) {
      EXPECT_EQ(moves().pending(), pending - 1);
      free_below_[packet.bucket] = waiting_.empty() ? packet.number : waiting_.front().number;
    }
    send_waiting();
  }

  void change_state() {
    MemberState& member = state_.members[random_.below(static_cast<uint32_t>(state_.members.size()))];
    switch (random_.below(6)) {
      case 0:
        member.up = !member.up;
        break;
      case 1:
        member.drained = !member.drained;
        break;
      case 2:
        member.excluded = !member.excluded;
        break;
      case 3:
        member.weight = random_.below(4);
        break;
      case 4:
        member = MemberState{};
        break;
      default:
        state_.pinned = {{random_.below(static_cast<uint32_t>(wanted().size())),
                          static_cast<Slot>(random_.below(static_cast<uint32_t>(exits_.size())))}};
    }
  }

  void publish() {
    change_state();
    const std::vector<Slot>& fresh = tables_[1 - newest_] = build_table(state_);
    for (uint32_t b = 0; b < fresh.size(); ++b) {
      const uint16_t old = moves().old_exit(b);
      // Packets of a bucket that loses its exit are dropped; what that exit still holds may come late.
      if (fresh[b] == kNoExit && old != kNoExit && !gone(old)) free_below_[b] = next_[b];
    }
    // What a gone exit holds goes to the new exits first; what is in its ring is lost.
    for (uint16_t e = 0; e < exits_.size(); ++e) {
      if (!gone(e)) continue;
      tally.dropped += exits_[e].ring.size();
      exits_[e].ring.clear();
      for (const Packet& packet : exits_[e].hold) send(fresh[packet.bucket], packet);
      tally.rehomed += exits_[e].hold.size();
      exits_[e].hold.clear();
    }
    for (const Packet& packet : waiting_) {
      const uint16_t old = moves().old_exit(packet.bucket);
      send(gone(old) ? fresh[packet.bucket] : old, packet);
    }
    waiting_.clear();
    std::vector<uint16_t> followed;
    for (uint32_t b = 0; b < fresh.size(); ++b) followed.push_back(moves().old_exit(b));
    newest_ = 1 - newest_;
    moves().take_up(fresh, settle_, [this](uint16_t exit) { return gone(exit); });
    check_take_up(followed);
  }

  void check_take_up(const std::vector<uint16_t>& followed) {
    EXPECT_FALSE(moves().waiting());
    for (uint32_t b = 0; b < followed.size(); ++b) {
      const bool at_once = followed[b] == kNoExit || wanted()[b] == kNoExit || gone(followed[b]);
      tally.at_once += at_once && followed[b] != wanted()[b];
      EXPECT_EQ(moves().table()[b], at_once ? wanted()[b] : followed[b]) << b;
    }
  }

  void check_table() {
    size_t waiting = 0, differ = 0;
    for (uint32_t b = 0; b < wanted().size(); ++b) {
      const uint16_t exit = moves().table()[b], old = moves().old_exit(b);
      differ += old != wanted()[b];
      waiting += exit == kWaitExit;
      // What is where it is wanted never waits.
      if (exit == kWaitExit ? old == wanted()[b] : exit != old) ADD_FAILURE() << b << " at " << now_;
    }
    EXPECT_LE(waiting, std::max<size_t>(wanted().size() / 16, 1));
    EXPECT_EQ(waiting != 0, moves().waiting());
    EXPECT_EQ(differ, moves().pending());
  }

  SplitMix random_;
  size_t room_;
  uint64_t settle_;
  uint64_t now_ = 0;
  GroupState state_;
  std::vector<Slot> tables_[2];
  int newest_ = 0;
  std::vector<BucketMoves> moves_;  // one; it needs the table first
  std::vector<Exit> exits_;
  std::deque<Packet> waiting_;
  std::vector<uint64_t> next_, left_;  // by bucket: number of the next packet made, least that may leave
  std::vector<uint64_t> free_below_;   // packets with smaller numbers may leave in any order
};

TEST(BucketMovesOrder, OfRandomPlans) {
  struct Row {
    const char* name;
    size_t room;
    uint64_t waited, given_up;  // at least
  };
  for (const Row& row : {Row{"room enough", 1'000'000, 10'000, 0}, Row{"room for three", 3, 5000, 100},
                         Row{"room for one", 1, 1000, 1000}, Row{"no room", 0, 0, 1000}}) {
    SCOPED_TRACE(row.name);
    Tally sum;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Sender sender(seed, row.room);
      sender.run(3000);
      if (!HasFailure()) sender.settle_down();
      if (HasFailure()) return;
      sum.waited += sender.tally.waited;
      sum.held += sender.tally.held;
      sum.rehomed += sender.tally.rehomed;
      sum.slices += sender.tally.slices;
      sum.given_up += sender.tally.given_up;
      sum.at_once += sender.tally.at_once;
    }
    EXPECT_GT(sum.held, 100'000u);
    EXPECT_GT(sum.rehomed, 1000u);
    EXPECT_GT(sum.slices, 1000u);
    EXPECT_GT(sum.at_once, 10'000u);
    EXPECT_GE(sum.waited, row.waited);
    EXPECT_GE(sum.given_up, row.given_up);
  }
}

}  // namespace
}  // namespace core
