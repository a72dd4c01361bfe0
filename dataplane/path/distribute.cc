// SPDX-License-Identifier: BSD-3-Clause
// Hash, reduce, look up; see distribute.h. Worker lcores.
#include "path/distribute.h"

#include <algorithm>

#include "path/flow_note.h"

namespace path {
void distribute(const core::Plan& plan, const Follower& follower, std::vector<core::FlowMeter>& flows,
                Batch& batch) {
  if (batch.count == 0) return;
  const std::span<const core::FlowKey> keys(batch.keys, batch.count);
  plan.hash.batch(keys, batch.hashes);
  const uint8_t group = batch.marks[0].group;
  if (batch.one_target && follower.one_table(group)) {
    const core::FastModulo buckets = plan.groups[group].buckets;
    const uint16_t* table = follower.table(group, 0);
    for (uint16_t i = 0; i < batch.count; ++i) batch.exits[i] = table[buckets(batch.hashes[i])];
  } else {
    for (uint16_t i = 0; i < batch.count; ++i) {
      const PacketMark mark = batch.marks[i];
      batch.exits[i] =
          follower.table(mark.group, mark.priority)[plan.groups[mark.group].buckets(batch.hashes[i])];
    }
  }
  for (uint16_t i = 0; i < batch.count; ++i) {
    write_note(batch.mbufs[i], {batch.hashes[i], batch.exits[i], batch.marks[i]});
  }

  // The meter wants well-mixed bits. A rival hash that collapses must not make the flows look fewer than they
  // are, or the report would blame the traffic for what the hash did.
  const bool mixed = plan.hash.algorithm() == core::HashAlgorithm::jenkins;
  for (uint16_t i = 0; i < batch.count; ++i) {
    flows[batch.marks[i].group].see(mixed ? batch.hashes[i]
                                          : core::jenkins_lookup3({keys[i].bytes, keys[i].size}, 0));
  }
}

}  // namespace path
