// SPDX-License-Identifier: BSD-3-Clause
// How even loads are, and how even an ideal random hash would have made them. Pure; simulations run on all
// CPUs and give the same answer on any number of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hashlab/traffic.h"

namespace hashlab {

// Of slots with a share. max_over_mean compares the fullest with its own share of all; variation and Jain's
// index are of loads that are divided by their share first.
struct Evenness {
  double max_over_mean = 0;  // 1 is perfect
  double variation = 0;      // coefficient of variation: standard deviation over mean; 0 is perfect
  double jain = 0;           // (sum x)^2 / (n * sum x^2); 1 is perfect
  double chi_squared = 0;    // sum (load - expected)^2 / expected, of units that fall one by one
  uint32_t used = 0;         // slots with a load
  uint32_t of = 0;           // slots with a share
};
Evenness evenness_of(std::span<const uint64_t> loads, std::span<const double> shares);

// Chance of a chi-squared at least as large with `degrees` degrees of freedom: the regularised upper
// incomplete gamma function (Abramowitz and Stegun 6.5.29 and 6.5.31).
double chi_squared_p(double chi_squared, uint32_t degrees);

// Units that fall as a whole: `count` of them weigh `weight`.
struct WeightClass {
  uint64_t weight = 1;
  uint64_t count = 0;
};
// Few classes out of many weights: equal ones together, zeros left out. When more than `most` remain (at
// least 512), the smallest are put together in classes an eighth of an octave wide, by their mean, rounded.
// Descending.
std::vector<WeightClass> weight_classes(std::vector<uint64_t> weights, size_t most = 10'000);

// A figure over the draws.
struct Draws {
  double mean = 0, p5 = 0, p50 = 0, p95 = 0;
  std::vector<double> sorted;  // all of them
  // The part of the draws that are at least `value`.
  double at_least(double value) const;
};
struct Ideal {
  Draws max_over_mean, variation, jain, chi_squared, used;
  std::vector<double> low, high;  // 5 and 95 % of what one slot carries, by slot; equal shares, equal bands
  uint32_t trials = 0;  // that were drawn: fewer than wanted when stopped() or when that would be long
};
// Each unit into a slot by its share, independently, `trials` times, from `seed`. Equal units are drawn one
// by one or, when they are many, as binomials slot by slot: exact either way. No more trials than 400 million
// units' worth of draws allow, about a second on one CPU, but at least 20. Empty without units or shares.
// `wanted`: the shares that the draws are judged by, where slots should carry other ones.
Ideal ideal_spread(std::span<const WeightClass> units, std::span<const double> shares, uint32_t trials,
                   uint64_t seed = 1, std::span<const double> wanted = {});

}  // namespace hashlab
