// SPDX-License-Identifier: BSD-3-Clause
// Up to 32 packets on their way through the steps of a round, and what is known of them so far. One batch a
// worker, used again for every burst; nothing in it outlives the burst.
#pragma once

#include <rte_mbuf.h>

#include "core/flow_key.h"
#include "core/types.h"
#include "path/flow_note.h"

namespace path {

struct Batch {
  uint16_t count = 0;
  bool one_target = false;  // all of it goes to the group of the first
  rte_mbuf* mbufs[core::kBatch];
  PacketMark marks[core::kBatch];    // after classify
  core::FlowKey keys[core::kBatch];  // after classify
  uint32_t hashes[core::kBatch];     // after distribute
  uint16_t exits[core::kBatch];      // after distribute; core::kWaitExit or kNoExit when it has none now
};

}  // namespace path
