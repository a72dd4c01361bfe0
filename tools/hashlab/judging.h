// SPDX-License-Identifier: BSD-3-Clause
// Brings together what a verdict is made of: what fell where, and how chance lets the same keys fall. Called
// by commands spread and compare; on all CPUs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "hashlab/spreader.h"
#include "hashlab/tally.h"
#include "hashlab/verdict.h"

namespace hashlab {

// The same for every hash over one choice of fields.
struct Chances {
  core::KeyFields fields;
  std::vector<double> shares;  // by slot
  Units units;
  uint64_t flows = 0;            // that could be told apart at best, as in Judged
  std::array<Ideal, 3> of_keys;  // by LoadBy
  Ideal of_flows, of_table;      // as in Judged
  std::string table;
};
// When the user has stopped it, what flows share is not asked any more: they count as alike.
Chances chances_of(const Traffic& traffic, const core::KeyFields& fields, const Tally& sums,
                   const core::GroupState& group, Reduction reduction, const Spreader& spreader,
                   uint32_t trials);

Judged judged_of(const HashChoice& hash, const Loads& loads, const Tally& sums, const Chances& chances);

}  // namespace hashlab
