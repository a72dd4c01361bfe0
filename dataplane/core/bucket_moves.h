// SPDX-License-Identifier: BSD-3-Clause
// Decides when each bucket of one table follows a newly published one, so that flows stay in order. One for
// each worker and table; the worker calls it with its own time (TSC), nothing is shared.
//
// A bucket whose old exit is gone (its member down, or excluded for this table) moves at once, and so does
// one that had no exit or gets none. Every other move is planned (a return, a weight, a drain, a pin) and
// waits: packets follow the old exit until nothing is held for it; then the bucket's packets wait for
// `settle` ticks, so that what the old NIC still has in its ring is out before the first packet leaves by the
// new one; then they go, and the bucket has moved. A bucket whose old exit never falls quiet goes on
// following it. Buckets wait in slices of at most a sixteenth of the table, so that little waits at any time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/plan.h"

namespace core {

// In a followed table: packets of this bucket must wait.
inline constexpr uint16_t kWaitExit = 0xfffe;

class BucketMoves {
 public:
  // Follows `wanted` (bucket -> exit) from the start. `wanted` must stay alive until the next take_up. All
  // memory is allocated here.
  BucketMoves(std::span<const uint16_t> wanted, uint64_t settle);
  // table() may point inside, which a copy would not follow; a moved vector keeps its place.
  BucketMoves(const BucketMoves&) = delete;
  BucketMoves& operator=(const BucketMoves&) = delete;
  BucketMoves(BucketMoves&&) = default;
  BucketMoves& operator=(BucketMoves&&) = default;

  // bucket -> exit, kWaitExit or kNoExit, as packets must go now. Valid until the next call that is not
  // const. It is `wanted` itself unless moving().
  const uint16_t* table() const { return table_; }
  bool moving() const { return !pending_.empty(); }
  bool waiting() const { return waiting_ != 0; }
  size_t pending() const { return pending_.size(); }
  std::span<const uint32_t> waiting_buckets() const { return {pending_.data(), waiting_}; }

  // Follows from now on what `other`, of the same size, follows now. To be called right before take_up.
  void start_from(const BucketMoves& other) { current_ = other.current_; }

  // A new table of the same size. `gone(exit)`: packets must not go there any more. Before this call the
  // caller sends waiting packets on, in order: where they came from, or, when that is gone, where they are
  // wanted now; with old = old_exit(bucket), by gone(old) ? wanted[bucket] : old. After it nothing waits.
  template <class Gone>
  void take_up(std::span<const uint16_t> wanted, uint64_t settle, Gone gone);

  // A step in time while moving(). `holds_nothing(exit)`: nothing of ours waits anywhere for this exit.
  // Returns true when the waiting slice has moved: the caller sends all waiting packets by table() now, in
  // order, before any other. The next slice starts with the next call at the earliest. Without settling time
  // a slice moves in the call that chooses it, and nothing has waited.
  template <class HoldsNothing>
  bool advance(uint64_t now, HoldsNothing holds_nothing);

  // There is no room for another waiting packet. The slice goes back to its old exits (a later one is half as
  // large, until all have moved), or, when it is a single bucket, moves now. Either way the caller sends all
  // waiting packets by table(), in order.
  void give_up_waiting();

  // The old exit of a waiting or pending bucket; for others what they follow.
  uint16_t old_exit(uint32_t bucket) const { return current_[bucket]; }

 private:
  // So many exits' answers are remembered while a slice is chosen; with more than that some are asked again.
  static constexpr size_t kRememberedExits = 256;

  size_t full_slice() const { return std::max<size_t>(current_.size() / 16, 1); }
  // Pending buckets looked at in one call, so that a round is short even while no exit is quiet.
  size_t glance() const { return std::min(pending_.size(), std::max<size_t>(full_slice(), 64)); }
  void follow_pending();
  template <class HoldsNothing>
  void choose_slice(HoldsNothing& holds_nothing);
  void move_slice();

  std::span<const uint16_t> wanted_;
  const uint16_t* table_;
  std::vector<uint16_t> current_;  // what each bucket follows or followed last
  std::vector<uint16_t> mixed_;    // the same, with kWaitExit for the waiting slice; table() while moving
  std::vector<uint32_t> pending_;  // buckets that have not moved; the first waiting_ of them wait
  size_t waiting_ = 0;
  size_t next_ = 0;  // in pending_, where the next glance starts
  size_t slice_;
  uint64_t settle_;
  uint64_t ready_at_ = 0;
};

template <class Gone>
void BucketMoves::take_up(std::span<const uint16_t> wanted, uint64_t settle, Gone gone) {
  wanted_ = wanted;
  settle_ = settle;
  waiting_ = 0;
  next_ = 0;
  pending_.clear();
  for (uint32_t bucket = 0; bucket < wanted.size(); ++bucket) {
    uint16_t& exit = current_[bucket];
    if (exit == wanted[bucket]) continue;
    if (exit == kNoExit || wanted[bucket] == kNoExit || gone(exit)) {
      exit = wanted[bucket];
    } else {
      pending_.push_back(bucket);
    }
  }
  follow_pending();
}

template <class HoldsNothing>
bool BucketMoves::advance(uint64_t now, HoldsNothing holds_nothing) {
  if (waiting_ == 0) {
    choose_slice(holds_nothing);
    if (waiting_ == 0) return false;
    ready_at_ = now + settle_;
  }
  if (now < ready_at_) return false;
  move_slice();
  return true;
}

// Brings pending buckets whose old exit is quiet to the front of pending_ and lets them wait.
template <class HoldsNothing>
void BucketMoves::choose_slice(HoldsNothing& holds_nothing) {
  std::array<uint16_t, kRememberedExits> asked;  // by an exit's last bits
  std::array<bool, kRememberedExits> quiet{};
  asked.fill(kNoExit);  // which is no pending bucket's old exit
  for (size_t looks = glance(); looks > 0 && waiting_ < slice_; --looks, ++next_) {
    if (next_ >= pending_.size()) next_ = waiting_;
    const uint32_t bucket = pending_[next_];
    const uint16_t exit = current_[bucket];
    const size_t place = exit % kRememberedExits;
    if (asked[place] != exit) {
      asked[place] = exit;
      quiet[place] = holds_nothing(exit);
    }
    if (!quiet[place]) continue;
    mixed_[bucket] = kWaitExit;
    std::swap(pending_[next_], pending_[waiting_++]);
  }
}

}  // namespace core
