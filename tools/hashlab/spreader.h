// SPDX-License-Identifier: BSD-3-Clause
// From a hash to a slot (nic * queues_per_nic + queue, as in core/distribution_table), by the rule of the
// gateway and by the rules of others. Pure; built once, then read by any thread.
//
//   modulo          list[hash % size] over the usable members' slots, in order: the documents' rule while all
//                   are usable; when one is lost the list is shorter and everything is indexed anew (bonding,
//                   VPP bond). A member of weight w is in the list w times (weights reduced by their common
//                   divisor, WCMP's way).
//   multiply-shift  list[hash * size >> 32], the same list: Lemire's reduction, by the high bits
//   maglev          a table of `maglev_slots` (a prime) filled in turns by each slot's own permutation, turns
//   by
//                   weight (Eisenbud et al., NSDI 2016, section 3.4); hash % maglev_slots
//   resilient       the gateway's own: core::build_table, hash % (K * Q * N), only buckets that must move
//   move
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/distribution_table.h"
#include "core/fast_modulo.h"

namespace hashlab {

enum class Reduction : uint8_t { modulo, multiply_shift, maglev, resilient };
inline constexpr std::array<std::string_view, 4> kReductionNames = {"modulo", "multiply-shift", "maglev",
                                                                    "resilient"};
std::string_view name_of(Reduction reduction);
std::optional<Reduction> reduction_of(std::string_view name);

inline constexpr uint32_t kMaglevSlots = 65537;

class Spreader {
 public:
  // `group` as core::build_table takes it. Throws BadInput (bad_input.h) when `maglev_slots` is needed and
  // not a prime.
  Spreader(Reduction reduction, const core::GroupState& group, uint32_t maglev_slots = kMaglevSlots);

  // kNoSlot when no member is usable.
  core::Slot operator()(uint32_t hash) const { return table_[bucket_of(hash)]; }
  uint32_t bucket_of(uint32_t hash) const {
    return high_bits_ ? static_cast<uint32_t>(uint64_t{hash} * table_.size() >> 32) : modulo_(hash);
  }
  uint32_t buckets() const { return static_cast<uint32_t>(table_.size()); }
  // By bucket.
  const std::vector<core::Slot>& table() const { return table_; }
  // Q * N: slots are below it.
  uint32_t slots() const { return slots_; }

 private:
  std::vector<core::Slot> table_;
  core::FastModulo modulo_;
  bool high_bits_;
  uint32_t slots_;
};

// The part of the table's buckets that each slot has.
std::vector<double> table_shares_of(const Spreader& spreader);

// The part of all that each slot is meant to carry: 0 for slots of members that are not usable; sums to 1.
std::vector<double> shares_of(const core::GroupState& group);

}  // namespace hashlab
