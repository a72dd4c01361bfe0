// SPDX-License-Identifier: BSD-3-Clause
// Up to 32 packets on their way through the steps of a round, and what is known of them so far. One batch a
// worker, used again for every burst; nothing in it outlives the burst.
#pragma once

#include <rte_mbuf.h>

#include <bit>

#include "core/bucket_moves.h"
#include "core/burst.h"
#include "core/flow_key.h"
#include "core/types.h"
#include "path/flow_note.h"

namespace path {

// In Batch::exits: the packet went no further than classification. Above all exits, as are core::kWaitExit
// and core::kNoExit.
inline constexpr uint16_t kGone = core::kWaitExit - 1;

struct Batch {
  uint16_t count = 0;
  uint32_t longest_bytes = 0;        // of all frames
  bool one_target = false;           // all of it goes to one group
  rte_mbuf* const* mbufs = nullptr;  // where the burst was received
  core::BurstFrames frames;
  alignas(16) uint32_t frame_bytes[core::kBatch];

  // After classify. Bits of packets that go on: those with a common shape, and the others.
  core::PacketBits common = 0, others = 0;
  core::BurstShapes shapes;          // of `common`
  core::FlowKey keys[core::kBatch];  // of `others`

  // The two halves of each packet's note (path/flow_note.h): hash after distribute; mark after classify, and
  // below it the exit after distribute, or kGone, core::kWaitExit, core::kNoExit.
  alignas(64) uint32_t hashes[core::kBatch];
  alignas(64) uint32_t marked_exits[core::kBatch];
  core::PacketBits watched = 0;  // the order of their flows is watched

  core::PacketBits going_on() const { return common | others; }
  core::PacketMark mark(unsigned i) const { return {static_cast<uint16_t>(marked_exits[i] >> 16)}; }
  uint16_t exit(unsigned i) const { return static_cast<uint16_t>(marked_exits[i]); }
};

// Calls visit(i) for each packet whose bit is set, in their order.
template <class Visit>
void for_each_packet(core::PacketBits bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(std::countr_zero(bits)));
}

}  // namespace path
