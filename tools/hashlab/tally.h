// SPDX-License-Identifier: BSD-3-Clause
// Counts what each slot carries when flows are hashed, on all CPUs. Pure but for progress on a terminal; ends
// early when stopped().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hashlab/evenness.h"
#include "hashlab/hashing.h"
#include "hashlab/spreader.h"
#include "hashlab/traffic.h"

namespace hashlab {

// By slot.
struct Loads {
  explicit Loads(size_t slots) : flows(slots), packets(slots), bytes(slots) {}
  std::vector<uint64_t> flows, packets, bytes;
  const std::vector<uint64_t>& by(LoadBy what) const;
  void add(const Loads& other);
};

struct Tally {
  std::vector<Loads> loads = {};  // one for each hash that was asked for
  uint64_t flows = 0;             // that were looked at: all, unless stopped
  uint64_t packets = 0, bytes = 0;
  void add(const Tally& other);
};
Tally tally(const Traffic& traffic, const core::KeyFields& fields, std::span<const HashChoice> hashes,
            const Spreader& spreader);

// What falls as a whole: all flows of one key. `keys` are different ones; the classes weigh them by flows,
// packets and bytes. `collisions`: keys whose 32-bit hash another key has too, less one of each such crowd.
struct Units {
  uint64_t keys = 0;
  std::vector<WeightClass> by_flows, by_packets, by_bytes;
};
const std::vector<WeightClass>& classes_of(const Units& units, LoadBy by);
Units units_of(const Traffic& traffic, const core::KeyFields& fields);
uint64_t collisions_of(const Traffic& traffic, const core::KeyFields& fields, const HashChoice& hash,
                       uint64_t keys);

// The loads of queues, by NIC.
std::vector<uint64_t> by_nic(std::span<const uint64_t> loads, uint16_t queues_per_nic);
std::vector<double> by_nic(std::span<const double> shares, uint16_t queues_per_nic);

}  // namespace hashlab
