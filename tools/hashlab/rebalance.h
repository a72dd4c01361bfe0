// SPDX-License-Identifier: BSD-3-Clause
// Which buckets to pin elsewhere so that queues carry alike, and NICs, whose wires fill first: off the
// fullest queue or the fullest NIC, each time the bucket that helps most. Greedy, and so explainable; no move
// makes the fullest queue or the fullest NIC fuller. A moved bucket may reorder flows, so what is hardly
// worth it is left out. Called by command elephants. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/distribution_table.h"

namespace hashlab {

// Of the fullest queue and of the fullest NIC: the part of all that it carries over the part that it is meant
// to carry, its even share; 1 is even. The max/mean of evenness.h.
struct Overload {
  double queue = 0, nic = 0;
};
// `loads` and `shares` (as of shares_of, spreader.h) by slot; slots of share 0 are not to carry anything.
Overload overload_of(std::span<const uint64_t> loads, std::span<const double> shares,
                     uint16_t queues_per_nic);

inline constexpr double kEvenEnough = 1.05;  // overload that asks for nothing
// What a move must lower the overload of the fullest queue or NIC by, on average over the moves.
inline constexpr double kLeastGain = 0.02;
// The part of what is above 1 that all moves together must bring, and that a bucket which is more than an
// even share by itself must bring alone: such a one overloads whatever queue it is in.
inline constexpr double kLeastPart = 0.05;

struct BucketMove {
  uint32_t bucket = 0;
  core::Slot from = 0, to = 0;
  uint64_t weight = 0;
  Overload overload;  // once it is made
};

struct Rebalanced {
  std::vector<BucketMove> moves;        // each bucket at most once
  std::vector<uint64_t> before, after;  // weight by slot
  Overload overload_before, overload_after;
  // The heaviest bucket of the fullest queue afterwards, and its weight over the even share of the queue
  // whose share is the largest. Above 1 no move can make its queue even.
  uint32_t heaviest_bucket = 0;
  double heaviest_overload = 0;
};

// `table` holds a slot for each bucket. Ends after `most_moves`, when all is even enough or when no move is
// worth it.
Rebalanced rebalance(std::span<const uint64_t> buckets, std::span<const core::Slot> table,
                     std::span<const double> shares, uint16_t queues_per_nic, size_t most_moves);

}  // namespace hashlab
