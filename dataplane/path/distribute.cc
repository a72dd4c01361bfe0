// SPDX-License-Identifier: BSD-3-Clause
// Hash, reduce, look up; see distribute.h. Worker lcores.
#include "path/distribute.h"

#include <algorithm>

#include "path/flow_note.h"

namespace path {
namespace {

// All packets go to one group and all its priorities share a table: the usual case.
bool is_uniform(const Follower& follower, const Batch& batch) {
  const uint8_t* end = batch.target + batch.count;
  return follower.one_table(batch.target[0]) &&
         std::find_if(batch.target, end, [&](uint8_t t) { return t != batch.target[0]; }) == end;
}

}  // namespace

void distribute(const core::Plan& plan, const Follower& follower, std::vector<core::FlowMeter>& flows,
                Batch& batch) {
  if (batch.count == 0) return;
  const std::span<const core::FlowKey> keys(batch.keys, batch.count);
  plan.hash.batch(keys, batch.hashes);
  if (is_uniform(follower, batch)) {
    const core::FastModulo buckets = plan.groups[batch.target[0]].buckets;
    const uint16_t* table = follower.table(batch.target[0], 0);
    for (uint16_t i = 0; i < batch.count; ++i) batch.exits[i] = table[buckets(batch.hashes[i])];
  } else {
    for (uint16_t i = 0; i < batch.count; ++i) {
      const uint8_t target = batch.target[i];
      batch.exits[i] =
          follower.table(target, batch.priority[i])[plan.groups[target].buckets(batch.hashes[i])];
    }
  }
  for (uint16_t i = 0; i < batch.count; ++i) {
    FlowNote note;
    note.hash = batch.hashes[i];
    note.l3_offset = batch.l3_offset[i] & 0x7f;
    note.priority = batch.priority[i] & 0x7;
    note.group = batch.target[i] & 0x1f;
    write_note(batch.mbufs[i], note);
  }

  // The meter wants well-mixed bits. A rival hash that collapses must not make the flows look fewer than they
  // are, or the report would blame the traffic for what the hash did.
  const bool mixed = plan.hash.algorithm() == core::HashAlgorithm::jenkins;
  for (uint16_t i = 0; i < batch.count; ++i) {
    flows[batch.target[i]].see(mixed ? batch.hashes[i]
                                     : core::jenkins_lookup3({keys[i].bytes, keys[i].size}, 0));
  }
}

}  // namespace path
