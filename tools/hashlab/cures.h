// SPDX-License-Identifier: BSD-3-Clause
// What helps tiers that choose alike, each remedy as the tiers it would make. Called by command tiers. Pure.
#pragma once

#include <string>
#include <vector>

#include "hashlab/tiers.h"

namespace hashlab {

struct Cure {
  std::string name;    // "another seed"
  std::string change;  // "seed 1 in tier 2, 2 in tier 3"
  std::vector<Tier> tiers;
};
// Those that can be had for these tiers: another seed, jenkins with another seed, another reduction in tier
// 2, a hash offset, numbers of paths without a common divisor.
std::vector<Cure> cures_of(const std::vector<Tier>& tiers);

}  // namespace hashlab
