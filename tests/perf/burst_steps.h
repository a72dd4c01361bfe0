// SPDX-License-Identifier: BSD-3-Clause
// The steps of core that every packet goes through, parse to table, for one batch in memory: as the path does
// them (path/classify, path/distribute), without a device, counters or guards. Used by the programs of
// tests/perf that measure them; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/burst.h"
#include "core/flow_hash.h"
#include "core/flow_meter.h"

namespace perf {

// How many packets at once: a width of the kernels, or nothing for one by one, as it is without kernels.
using Width = std::optional<core::Simd>;
// "1", "4", "8", "16".
std::string name_of(Width width);
// One by one, and all widths that this CPU has.
std::vector<Width> widths();

struct StepBatch {
  core::BurstFrames frames;
  core::BurstShapes shapes;
  core::PacketBits others = 0;       // of no common shape
  core::FlowKey keys[core::kBatch];  // of these
  alignas(64) uint32_t hashes[core::kBatch];
  core::BurstSpread spread;
  uint16_t exits[core::kBatch];
};

// All batches are full. Each step takes what the one before has left in the batch.
class BurstSteps {
 public:
  BurstSteps(Width width, unsigned nics, uint16_t queues);

  void recognise(StepBatch& batch) const;  // and parse what has no common shape; keys
  void hash(StepBatch& batch) const;
  void spread(StepBatch& batch);  // reduce to buckets, choose flows to be watched, meter flows
  void look_up(StepBatch& batch) const;
  void all(StepBatch& batch) {
    recognise(batch);
    hash(batch);
    spread(batch);
    look_up(batch);
  }

 private:
  const core::BurstKernels* kernels_;  // null: one by one
  core::FlowHash hash_{core::HashAlgorithm::jenkins, 0};
  core::KeyFields fields_;
  core::KeyMask mask_;
  core::MacPair last_;
  core::SpreadRules rules_;
  core::FlowMeter meter_;
  std::vector<uint16_t> table_;
};

}  // namespace perf
