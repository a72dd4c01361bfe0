// SPDX-License-Identifier: BSD-3-Clause
// Keeps the books of a followed table: what waits, what has moved, what goes back. Called by path/worker on
// its lcore.
#include "core/bucket_moves.h"

namespace core {

BucketMoves::BucketMoves(std::span<const uint16_t> wanted, uint64_t settle)
    : wanted_(wanted),
      table_(wanted.data()),
      current_(wanted.begin(), wanted.end()),
      mixed_(wanted.size()),
      slice_(full_slice()),
      settle_(settle) {
  pending_.reserve(wanted.size());
}

// Points table_ at what packets follow while pending_ is as it is and nothing waits.
void BucketMoves::follow_pending() {
  if (pending_.empty()) {
    table_ = wanted_.data();
    slice_ = full_slice();
  } else {
    std::copy(current_.begin(), current_.end(), mixed_.begin());
    table_ = mixed_.data();
  }
}

void BucketMoves::move_slice() {
  for (size_t i = 0; i < waiting_; ++i) {
    const uint32_t bucket = pending_[i];
    current_[bucket] = mixed_[bucket] = wanted_[bucket];
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(waiting_));
  next_ -= waiting_;  // the slice lay before it
  waiting_ = 0;
  if (pending_.empty()) follow_pending();
}

void BucketMoves::give_up_waiting() {
  if (waiting_ == 1) return move_slice();
  if (waiting_ == 0) return;
  for (size_t i = 0; i < waiting_; ++i) mixed_[pending_[i]] = current_[pending_[i]];
  slice_ = waiting_ / 2;
  waiting_ = 0;
}

}  // namespace core
