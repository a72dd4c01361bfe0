// SPDX-License-Identifier: BSD-3-Clause
// Two or three boxes in a row, each with a hash and a seed of its own: what of the second and third can flows
// reach that the first sent there? Called by command tiers. On all CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hashlab/hashing.h"
#include "hashlab/spreader.h"
#include "hashlab/traffic.h"

namespace hashlab {

struct Tier {
  HashChoice hash;
  core::KeyFields fields;
  Reduction reduction = Reduction::modulo;
  uint32_t paths = 4;
  uint32_t rotate_bits = 0;  // the hash is turned left by these before it is reduced: a hash offset
};

// How a tier chooses by what an earlier one chose by, whatever the flows are: of the same hash, or of one
// that differs by XOR with a constant only, as CRCs with another seed do, it takes the same bits, a remainder
// that has a divisor in common, or the same table. A flow's path in the one then leaves it only some in the
// other.
enum class Likeness : uint8_t { none, same_hash, same_but_xor };
Likeness likeness_of(const Tier& earlier, const Tier& later);

// What reaches the boxes of a tier, and how it goes on from there.
struct TierSpread {
  uint32_t paths = 0;        // of one box
  double reachable = 0;      // mean over the boxes that flows reach: share of their paths that are used
  double chance = 0;         // the same for an ideal random hash and what flows reached each box
  double max_over_mean = 0;  // over all paths of all boxes of the tier
  double chance_max = 0;     // the same for ideal random hashes in all tiers: mean
  // By what reached its boxes: uses fewer paths, or its paths less evenly, than an ideal random hash does in
  // all but one draw of a thousand.
  bool polarised = false, uneven = false;
  // Polarised by its likeness to an earlier tier; these few flows would use as few paths by chance.
  bool few_flows = false;
  // Flows by path of the box behind path 0; of the first tier, of its only box.
  std::vector<uint64_t> first_box;
};
struct TierSpreads {
  uint64_t flows = 0;  // that were looked at: all, unless stopped()
  std::vector<TierSpread> tiers;
};
// Box b of tier 2 is behind path b of tier 1, and so on. `doing` is what a terminal calls it.
TierSpreads tiers_of(const Traffic& traffic, const std::vector<Tier>& tiers,
                     const std::string& doing = "hashing");

}  // namespace hashlab
