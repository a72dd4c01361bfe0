// SPDX-License-Identifier: BSD-3-Clause
// Hash, reduce, look up; see distribute.h. Worker lcores.
#include "path/distribute.h"

namespace path {

void distribute(const core::Plan& plan, const core::GroupPlan& target, core::FlowMeter& flows, Batch& batch) {
  const std::span<const core::FlowKey> keys(batch.keys, batch.count);
  plan.hash.batch(keys, batch.hashes);
  const uint16_t* exit_of_bucket = target.exit_of_bucket.data();
  for (uint16_t i = 0; i < batch.count; ++i) batch.exits[i] = exit_of_bucket[target.buckets(batch.hashes[i])];

  // The meter wants well-mixed bits. A rival hash that collapses must not make the flows look fewer than they
  // are, or the report would blame the traffic for what the hash did.
  if (plan.hash.algorithm() == core::HashAlgorithm::jenkins) {
    for (uint16_t i = 0; i < batch.count; ++i) flows.see(batch.hashes[i]);
  } else {
    for (const core::FlowKey& key : keys) flows.see(core::jenkins_lookup3({key.bytes, key.size}, 0));
  }
}

}  // namespace path
