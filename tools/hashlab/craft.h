// SPDX-License-Identifier: BSD-3-Clause
// Finds tuples with a wanted hash, or whose hash leads to a wanted slot. Hashes that are linear in what may
// vary (all but Jenkins) are solved, see toeplitz_solve.h; the others, and reductions that no bits of a hash
// decide, are searched one by one. Called by command craft, on its thread; a search tells its progress and
// ends early when stopped().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/explain.h"
#include "hashlab/hashing.h"
#include "hashlab/spreader.h"
#include "hashlab/toeplitz_solve.h"

namespace hashlab {

// From `first` to `last`, both included; a fixed value where they are one.
struct Range {
  uint32_t first = 0;
  uint32_t last = 0;
  bool fixed() const { return first == last; }
};

// The tuples to choose from. One is a number of 64 bits: destination port, last four bytes of the source
// address, source port; so counting up tries source ports first, then addresses, then destination ports.
struct CraftSpace {
  core::FiveTuple base;  // what does not vary
  Range src_port, src_end, dst_port;

  uint64_t first() const;
  // The least tuple of the space that is not less than x.
  std::optional<uint64_t> at_least(uint64_t x) const;
  core::FiveTuple tuple(uint64_t x) const;
  double size() const;  // 2^64 does not fit in 64 bits
};

// A hash, or a slot of a spreader.
struct CraftGoal {
  std::optional<uint32_t> hash;
  core::Slot slot = 0;
  bool met_by(uint32_t found, const Spreader& spreader) const {
    return hash ? found == *hash : spreader(found) == slot;
  }
};

struct CraftRequest {
  CraftSpace space;
  core::KeyFields fields;
  HashChoice hash;
  Reduction reduction = Reduction::resilient;  // of `spreader`
  CraftGoal goal;
  uint32_t count = 1;
  uint64_t most_tries = 100'000'000;
};

struct CraftResult {
  std::vector<core::FiveTuple> tuples;  // ascending by their number; each asked of the hash itself
  bool solved = false;                  // not searched
  bool complete = false;                // there are no others behind these
  uint64_t tries = 0;                   // hashes that a search asked for
  std::string why;                      // in half a sentence, why there are fewer than wanted; else empty
};
CraftResult craft(const CraftRequest& request, const Spreader& spreader);

// Bits of a hash that lead to a slot, where bits decide that: a power of two of buckets that are chosen by
// the low bits (modulo, resilient) or the high ones (multiply-shift). Nothing elsewhere.
std::optional<std::vector<BitPattern>> patterns_of(const Spreader& spreader, Reduction reduction,
                                                   core::Slot slot);

}  // namespace hashlab
