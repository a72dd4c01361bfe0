// SPDX-License-Identifier: BSD-3-Clause
// The figures of one spread, the chance of a chi-squared, and the classes of weights; see evenness.h. Pure.
// The draws are in ideal.cc.
#include "hashlab/evenness.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/fairness.h"

namespace hashlab {
namespace {

constexpr double kPrecise = std::numeric_limits<double>::epsilon();

// The lower incomplete gamma function over gamma(a), by its series (6.5.29); for x < a + 1.
double lower_by_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > sum * kPrecise; ++n) sum += term *= x / n;
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

// The upper one, by its continued fraction (6.5.31) from the front (Lentz 1976); for x >= a + 1, where no
// denominator becomes 0.
double upper_by_fraction(double a, double x) {
  double b = x + 1 - a, d = 1 / b, c = std::numeric_limits<double>::max(), fraction = d;
  for (double n = 1, change = 0; std::abs(change - 1) > 4 * kPrecise; ++n) {
    const double numerator = n * (a - n);
    b += 2;
    d = 1 / (b + numerator * d);
    c = b + numerator / c;
    change = c * d;
    fraction *= change;
  }
  return fraction * std::exp(a * std::log(x) - x - std::lgamma(a));
}

// Classes an eighth of an octave wide.
int eighth_of(uint64_t weight) {
  return static_cast<int>(8 * std::log2(static_cast<double>(weight)));
}
constexpr size_t kEighths = 512;  // of 64-bit weights, at most

}  // namespace

Evenness evenness_of(std::span<const uint64_t> loads, std::span<const double> shares) {
  const core::Fairness fairness = core::fairness_of(loads, shares);
  Evenness found{.max_over_mean = fairness.max_over_mean, .jain = fairness.jain};
  const size_t slots = std::min(loads.size(), shares.size());
  double total = 0, share_sum = 0;
  for (size_t i = 0; i < slots; ++i) {
    if (shares[i] <= 0) continue;
    total += static_cast<double>(loads[i]);
    share_sum += shares[i];
    found.used += loads[i] > 0;
    ++found.of;
  }
  if (total == 0) return found;
  found.variation = std::sqrt(std::max(0.0, 1 / found.jain - 1));
  for (size_t i = 0; i < slots; ++i) {
    if (shares[i] <= 0) continue;
    const double expected = total * (shares[i] / share_sum), off = static_cast<double>(loads[i]) - expected;
    found.chi_squared += off * off / expected;
  }
  return found;
}

double chi_squared_p(double chi_squared, uint32_t degrees) {
  if (degrees == 0 || chi_squared <= 0) return 1;
  const double a = degrees / 2.0, x = chi_squared / 2;
  return x < a + 1 ? 1 - lower_by_series(a, x) : upper_by_fraction(a, x);
}

std::vector<WeightClass> weight_classes(std::vector<uint64_t> weights, size_t most) {
  std::sort(weights.begin(), weights.end(), std::greater<>());
  std::vector<WeightClass> classes;
  for (const uint64_t weight : weights) {
    if (weight == 0) break;
    if (classes.empty() || classes.back().weight != weight) classes.push_back({weight, 0});
    ++classes.back().count;
  }
  if (classes.size() <= most) return classes;

  const size_t exact = most - std::min(most, kEighths);
  std::vector<WeightClass> fewer(classes.begin(), classes.begin() + static_cast<ptrdiff_t>(exact));
  for (size_t i = exact; i < classes.size();) {
    const int eighth = eighth_of(classes[i].weight);
    double sum = 0;
    uint64_t count = 0;
    for (; i < classes.size() && eighth_of(classes[i].weight) == eighth; ++i) {
      sum += static_cast<double>(classes[i].weight) * static_cast<double>(classes[i].count);
      count += classes[i].count;
    }
    fewer.push_back({static_cast<uint64_t>(std::llround(sum / static_cast<double>(count))), count});
  }
  return fewer;
}

}  // namespace hashlab
