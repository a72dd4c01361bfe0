// SPDX-License-Identifier: BSD-3-Clause
// Linear systems over GF(2); see toeplitz_solve.h. Pure.
#include "hashlab/toeplitz_solve.h"

#include <utility>

namespace hashlab {
namespace {

constexpr uint64_t bit(unsigned i) {
  return uint64_t{1} << i;
}

// "The bits of x in `places` sum up to `sum`."
struct Equation {
  uint64_t places = 0;
  bool sum = false;
};

// One for each bit that the pattern wants.
std::vector<Equation> equations_of(const LinearHash& hash, const BitPattern& pattern) {
  std::vector<Equation> equations;
  for (unsigned j = 0; j < 32; ++j) {
    if ((pattern.mask >> j & 1) == 0) continue;
    Equation equation{.sum = ((pattern.value ^ hash.offset) >> j & 1) != 0};
    for (unsigned i = 0; i < 64; ++i) {
      if ((hash.free >> i & 1) != 0 && (hash.columns[i] >> j & 1) != 0) equation.places |= bit(i);
    }
    equations.push_back(equation);
  }
  return equations;
}

// Gauss and Jordan, from the lowest bit of x up: afterwards the lowest place of each of the first equations
// is in no other one. Returns these places, one an equation; the equations behind them are empty.
std::vector<unsigned> eliminate(std::vector<Equation>& equations) {
  std::vector<unsigned> pivots;
  for (unsigned i = 0; i < 64; ++i) {
    const size_t next = pivots.size();
    size_t with = next;
    while (with < equations.size() && (equations[with].places & bit(i)) == 0) ++with;
    if (with == equations.size()) continue;
    std::swap(equations[next], equations[with]);
    const Equation chosen = equations[next];
    for (size_t other = 0; other < equations.size(); ++other) {
      if (other == next || (equations[other].places & bit(i)) == 0) continue;
      equations[other].places ^= chosen.places;
      equations[other].sum ^= chosen.sum;
    }
    pivots.push_back(i);
  }
  return pivots;
}

}  // namespace

LinearSolutions::LinearSolutions(const LinearHash& hash, const BitPattern& pattern) : least_(hash.fixed) {
  std::vector<Equation> equations = equations_of(hash, pattern);
  const std::vector<unsigned> pivots = eliminate(equations);
  rank_ = static_cast<unsigned>(pivots.size());
  for (size_t e = pivots.size(); e < equations.size(); ++e) none_ |= equations[e].sum;  // 0 = 1
  uint64_t chosen = hash.free;  // bits that may be chosen at will; the pivots follow from them
  for (unsigned e = 0; e < rank_; ++e) {
    chosen &= ~bit(pivots[e]);
    if (equations[e].sum) least_ |= bit(pivots[e]);
  }
  for (unsigned i = 0; i < 64; ++i) {
    if ((chosen & bit(i)) == 0) continue;
    uint64_t vector = bit(i);
    for (unsigned e = 0; e < rank_; ++e) {
      if ((equations[e].places & bit(i)) != 0) vector |= bit(pivots[e]);  // a pivot is below i
    }
    basis_.push_back(vector);
  }
}

uint64_t LinearSolutions::member(uint64_t k) const {
  uint64_t x = least_;
  for (size_t i = 0; i < basis_.size(); ++i) {
    if ((k >> i & 1) != 0) x ^= basis_[i];
  }
  return x;
}

std::optional<uint64_t> LinearSolutions::at_least(uint64_t x) const {
  if (none_) return std::nullopt;
  uint64_t low = 0, high = basis_.size() == 64 ? UINT64_MAX : bit(static_cast<unsigned>(basis_.size())) - 1;
  if (member(high) < x) return std::nullopt;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (member(middle) < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return member(low);
}

}  // namespace hashlab
