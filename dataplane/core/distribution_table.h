// SPDX-License-Identifier: BSD-3-Clause
// Decides which TX queue every bucket of a target group uses. hash % buckets gives the bucket, the table the
// slot, and slot = nic * queues_per_nic + queue. While every member is usable and weights are equal, bucket b
// holds slot b % (queues_per_nic * nics): the documents' `q = hash % (num_queues * num_nics)`, `nic = q /
// num_queues`.
//
// The table is a pure function of GroupState, never of history: equal states give equal tables, and what
// returns, returns home. Called by control when a plan is built, by tools and tests; workers only read the
// result.
//
// With equal weights the buckets of two survivors differ by at most 1 after one loss (of two TX queues, too),
// 2 after two and, in groups of up to 16 members, 3 after three; with 64 buckets a queue and up to eight
// members, 1 after any number. Otherwise many losses leave a few per cent. Unequal weights give
// largest-remainder shares, even within 1 over a member's queues; a change of weights can move more buckets
// than the least (moves_between tells how many).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"

namespace core {

using Slot = uint16_t;
inline constexpr Slot kNoSlot = 0xffff;  // no member can take this bucket: drop, reason no_member
inline constexpr uint32_t kMaxBuckets = 65536;

struct MemberState {
  bool up = true;         // link or probe says it can send
  bool drained = false;   // an operator took it out: its flows move away although it is up
  bool excluded = false;  // this traffic class must not use it (a deadlocked path)
  uint32_t weight = 1;    // share relative to the other members; 0 leaves it empty, as drained does
  bool usable() const { return up && !drained && !excluded && weight > 0; }
  friend bool operator==(const MemberState&, const MemberState&) = default;
};

// "Bucket b uses this slot", set by an operator; wins over everything but an unusable member. The last pin of
// a bucket counts; a pin outside the group counts for nothing.
struct PinnedBucket {
  uint32_t bucket = 0;
  Slot slot = 0;
  friend bool operator==(const PinnedBucket&, const PinnedBucket&) = default;
};

struct GroupState {
  uint16_t queues_per_nic = 1;       // Q, the documents' num_queues: 1 to kMaxQueuesPerNic
  uint16_t buckets_per_queue = 64;   // K: buckets = K * Q * members, at most kMaxBuckets
  std::vector<MemberState> members;  // 1 to kMaxMembers, in the order of the configuration
  std::vector<PinnedBucket> pinned;
  friend bool operator==(const GroupState&, const GroupState&) = default;
};

// buckets -> slot. Size buckets_per_queue * queues_per_nic * members. Every bucket is kNoSlot while no member
// is usable.
std::vector<Slot> build_table(const GroupState& state);

// The table of the same group with every member usable, weights equal and nothing pinned.
std::vector<Slot> documents_rule(const GroupState& state);

// How far two tables of one group (of one size) are apart, and how far they had to be.
struct Moves {
  uint32_t buckets = 0;  // that hold another slot
  uint32_t needed = 0;   // the least number of moves that reaches the member shares of `after` from `before`
};
Moves moves_between(std::span<const Slot> before, std::span<const Slot> after, const GroupState& after_state);

}  // namespace core
