// SPDX-License-Identifier: BSD-3-Clause
// Runs through all flows of a traffic on all CPUs and adds up what is asked of each. Called by whoever counts
// flows, on the main thread; ends early when stopped(), with what was counted by then.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hashlab/progress.h"
#include "hashlab/traffic.h"

namespace hashlab {

// Of lists of one size.
inline void add_up(std::vector<uint64_t>& to, const std::vector<uint64_t>& from) {
  std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
}

// `visit(sum, flow, number of the flow)` for every flow, in any order and on any thread; `doing` is what a
// terminal calls that pass, "hashing". Each thread has a sum of its own that starts as `none`. Sum::add(const
// Sum&) puts two together. It must not matter which flows are in which sum: then the answer is the same on
// any number of CPUs.
template <class Sum, class Visit>
Sum over_flows(const std::string& doing, const Traffic& traffic, const Sum& none, Visit visit) {
  constexpr uint64_t kChunk = 2048;  // flows made at once: they stay in the second level cache
  const uint64_t flows = traffic.flows();
  struct Mine {
    Sum sum;
    std::vector<Flow> chunk;
  };
  oneapi::tbb::enumerable_thread_specific<Mine> all(Mine{none, std::vector<Flow>(std::min(kChunk, flows))});
  Progress progress(doing, "flows", static_cast<double>(flows));
  using Chunks = oneapi::tbb::blocked_range<uint64_t>;
  oneapi::tbb::parallel_for(Chunks(0, (flows + kChunk - 1) / kChunk), [&](const Chunks& chunks) {
    Mine& mine = all.local();
    for (uint64_t chunk = chunks.begin(); chunk < chunks.end() && !stopped(); ++chunk) {
      const uint64_t first = chunk * kChunk;
      const auto made = std::span(mine.chunk).first(std::min(kChunk, flows - first));
      traffic.fill(first, made);
      for (size_t i = 0; i < made.size(); ++i) visit(mine.sum, made[i], first + i);
      progress.advance(static_cast<double>(made.size()));
    }
  });
  Sum sum = none;
  for (const Mine& mine : all) sum.add(mine.sum);
  return sum;
}

}  // namespace hashlab
