// SPDX-License-Identifier: BSD-3-Clause
// Says how even a spread is, and how even it could have been: the largest load over its fair part, Jain's
// index (Jain, Chiu, Hawe 1984), and what an ideal random hash gives for as many flows. Called by
// control/report once a report, by tools and tests. Pure.
#pragma once

#include <cstdint>
#include <span>

namespace core {

struct Fairness {
  // Of the fullest queue: its load over what its share of all would be. 1 is perfect; 0 when nothing was
  // sent.
  double max_over_mean = 0;
  double jain = 0;  // 1 is perfect, 1/n is all on one
};

// `shares` are the parts that each queue was meant to carry (equal for equal weights); same size as `loads`.
// For Jain's index loads are divided by their share first. A queue with share 0 is left out.
Fairness fairness_of(std::span<const uint64_t> loads, std::span<const double> shares);

// What chance gives: max/mean of equal flows that fall into equal queues at random.
struct IdealSpread {
  double mean = 0;  // average over the draws
  double p95 = 0;   // 95 of 100 draws are at most this
};

// Simulated with `trials` draws (fewer when that would take long) from a fixed seed, so the same question has
// the same answer. All zero when flows or queues is 0.
IdealSpread ideal_random_max_over_mean(uint64_t flows, uint32_t queues, uint32_t trials = 500);

}  // namespace core
