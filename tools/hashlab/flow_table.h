// SPDX-License-Identifier: BSD-3-Clause
// The flows of a capture in the order of their first packets, found by their material. 72 bytes a flow, and a
// quarter to a half as many index slots again as four bytes each; nothing is moved while it grows but the
// index. Filled by capture on one thread, then read by any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hashlab/traffic.h"

namespace hashlab {

class FlowTable {
 public:
  // One packet, and where its flow may be found: made first for a batch of packets, so that the memory that
  // add() needs is under way for all of them before the first one waits for it.
  struct Packet {
    core::KeyMaterial material;
    uint32_t hash = 0;
    uint32_t frame_bytes = 0;
  };
  static uint32_t hash_of(const core::KeyMaterial& material);

  void add(std::span<const Packet> packets);
  uint64_t size() const { return size_; }
  // first + into.size() is at most size().
  void fill(uint64_t first, std::span<Flow> into) const;

 private:
  static constexpr uint32_t kChunkFlows = 1 << 14;  // a little over a megabyte

  Flow& flow(uint32_t number) { return chunks_[number / kChunkFlows][number % kChunkFlows]; }
  void add(const Packet& packet);
  void append(const Packet& packet);
  void grow_index();

  std::vector<std::vector<Flow>> chunks_;  // none grows past what it reserved, so no flow is moved
  std::vector<uint32_t> index_ = std::vector<uint32_t>(1 << 10);  // 1 + number of the flow; 0: free
  uint32_t size_ = 0;
};

}  // namespace hashlab
