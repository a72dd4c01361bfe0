// SPDX-License-Identifier: BSD-3-Clause
// One input under many seeds, so that a figure is judged by its distribution and not by one draw. Pure but
// for progress, on all CPUs; ends early when stopped().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hashlab/hashing.h"
#include "hashlab/spreader.h"
#include "hashlab/traffic.h"

namespace hashlab {

// max/mean of the slots, one for each of the seeds 0 to `seeds` - 1, in their order. Empty when stopped.
std::vector<double> max_over_mean_by_seed(const Traffic& traffic, const core::KeyFields& fields,
                                          const HashChoice& hash, uint32_t seeds, const Spreader& spreader,
                                          std::span<const double> shares, LoadBy by);

}  // namespace hashlab
