// SPDX-License-Identifier: BSD-3-Clause
// Finds inputs of a hash that is linear over GF(2), as Toeplitz, the CRCs and the XOR policies are: flipping
// bit i of the input XORs column i onto the hash, whatever the other bits are. So the inputs whose hash has
// wanted bits are the solutions of a linear system, and need no search. Called by craft. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace hashlab {

// Hashes with (hash & mask) == value.
struct BitPattern {
  uint32_t mask = 0;
  uint32_t value = 0;
  bool fits(uint32_t hash) const { return (hash & mask) == value; }
  friend bool operator==(const BitPattern&, const BitPattern&) = default;
};

// hash(x) = offset ^ XOR of columns[i] over the set bits i of x. Bits of x outside `free` stay as in `fixed`,
// whose free bits are zero; `offset` is the hash of `fixed`.
struct LinearHash {
  std::array<uint32_t, 64> columns{};  // those of free bits count
  uint64_t free = 0;
  uint64_t fixed = 0;
  uint32_t offset = 0;
};

// All x whose hash fits a pattern, in ascending order: an affine space, held as its least member and a basis
// in reduced echelon form, so that member k is known without those before it.
class LinearSolutions {
 public:
  LinearSolutions(const LinearHash& hash, const BitPattern& pattern);

  bool none() const { return none_; }
  // Wanted bits that the free bits decide independently of each other.
  unsigned rank() const { return rank_; }
  // The least solution that is not less than x.
  std::optional<uint64_t> at_least(uint64_t x) const;

 private:
  uint64_t member(uint64_t k) const;

  bool none_ = false;
  unsigned rank_ = 0;
  uint64_t least_;
  std::vector<uint64_t> basis_;  // each with a highest bit that no other member of it and not least_ has;
                                 // ascending by that bit
};

}  // namespace hashlab
