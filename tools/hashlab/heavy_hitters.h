// SPDX-License-Identifier: BSD-3-Clause
// The heaviest flows of an input, exactly: flows fit in memory here, so nothing is estimated. A flow is what
// the fields tell apart, packets with one key. Called by command elephants; on all CPUs, with progress on a
// terminal; ends early when stopped(). 24 bytes of memory for each flow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hashlab/hashing.h"
#include "hashlab/seeds.h"
#include "hashlab/spreader.h"
#include "hashlab/traffic.h"

namespace hashlab {

struct Hitter {
  core::KeyMaterial material;  // of its first member
  uint64_t members = 1;        // flows of the input that have this key
  uint64_t weight = 0;
};
struct Weighed {
  uint64_t keys = 0;
  uint64_t total = 0;
  std::vector<uint64_t> buckets;  // weight by bucket of the spreader
  std::vector<Hitter> heaviest;   // descending; equal ones in the order of the input
};
Weighed weigh(const Traffic& traffic, const core::KeyFields& fields, const HashChoice& hash,
              const Spreader& spreader, LoadBy by, size_t most);

uint32_t bucket_of(const core::KeyMaterial& material, const core::KeyFields& fields,
                   const core::FlowHash& hash, const Spreader& spreader);

// Weight by bucket when each of the heaviest flows that has ports sends from `ports` source ports, its own
// and the next ones of its range (49152 to 65535 when its own is there, else 1024 to 65535), as much from
// each.
std::vector<uint64_t> buckets_when_split(const Weighed& weighed, const core::KeyFields& fields,
                                         const HashChoice& hash, const Spreader& spreader, uint32_t ports);

// Weight by slot. Weight of buckets that nobody takes is left out.
std::vector<uint64_t> slots_of(std::span<const uint64_t> buckets, const Spreader& spreader);

}  // namespace hashlab
