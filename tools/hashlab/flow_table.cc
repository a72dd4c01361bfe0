// SPDX-License-Identifier: BSD-3-Clause
// Open addressing with linear probes over flow numbers, at most half full; see flow_table.h. The hash is not
// kept: making it again when the index grows costs less than the memory.
#include "hashlab/flow_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>

namespace hashlab {
namespace {

// KeyMaterial has no gap before its last member, so its bytes up to there can be hashed and compared as they
// lie.
constexpr size_t kMaterialBytes = offsetof(core::KeyMaterial, has_ports) + 1;
static_assert(kMaterialBytes == core::kMaxFrontBytes + 2 * sizeof(uint32_t) + 2 * sizeof(uint16_t) + 3);

constexpr uint32_t kBatch = 32;  // memory accesses under way at once

bool same(const core::KeyMaterial& one, const core::KeyMaterial& other) {
  return std::memcmp(&one, &other, kMaterialBytes) == 0;
}

}  // namespace

uint32_t FlowTable::hash_of(const core::KeyMaterial& material) {
  const std::string_view bytes(reinterpret_cast<const char*>(&material), kMaterialBytes);
  return static_cast<uint32_t>(std::hash<std::string_view>{}(bytes));
}

void FlowTable::add(std::span<const Packet> packets) {
  const size_t mask = index_.size() - 1;
  for (const Packet& packet : packets) __builtin_prefetch(&index_[packet.hash & mask]);
  for (const Packet& packet : packets) {
    if (const uint32_t entry = index_[packet.hash & mask]; entry != 0) __builtin_prefetch(&flow(entry - 1));
  }
  for (const Packet& packet : packets) add(packet);
}

void FlowTable::add(const Packet& packet) {
  const size_t mask = index_.size() - 1;
  size_t at = packet.hash & mask;
  for (; index_[at] != 0; at = (at + 1) & mask) {
    Flow& known = flow(index_[at] - 1);
    if (!same(known.material, packet.material)) continue;
    ++known.packets;
    known.bytes += packet.frame_bytes;
    return;
  }
  append(packet);
  index_[at] = size_;
  if (size_ > index_.size() / 2) grow_index();
}

void FlowTable::append(const Packet& packet) {
  if (size_++ % kChunkFlows == 0) chunks_.emplace_back().reserve(kChunkFlows);
  chunks_.back().push_back({packet.material, 1, packet.frame_bytes});
}

void FlowTable::grow_index() {
  const size_t slots = 2 * index_.size();
  index_ = std::vector<uint32_t>();  // given back first: both at once would be half as much again
  index_.resize(slots);
  const size_t mask = slots - 1;
  std::array<size_t, kBatch> places;
  for (uint32_t first = 0; first < size_; first += kBatch) {
    const uint32_t count = std::min(kBatch, size_ - first);
    for (uint32_t i = 0; i < count; ++i) {
      places[i] = hash_of(flow(first + i).material) & mask;
      __builtin_prefetch(&index_[places[i]], 1);
    }
    for (uint32_t i = 0; i < count; ++i) {
      size_t at = places[i];
      while (index_[at] != 0) at = (at + 1) & mask;
      index_[at] = first + i + 1;
    }
  }
}

void FlowTable::fill(uint64_t first, std::span<Flow> into) const {
  for (size_t done = 0; done < into.size();) {
    const uint64_t number = first + done;
    const size_t step = std::min<size_t>(into.size() - done, kChunkFlows - number % kChunkFlows);
    std::copy_n(&chunks_[number / kChunkFlows][number % kChunkFlows], step, into.begin() + done);
    done += step;
  }
}

}  // namespace hashlab
