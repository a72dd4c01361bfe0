// SPDX-License-Identifier: BSD-3-Clause
// Step 3 of a round: flow keys -> hashes -> buckets -> exits, by the table that packets of that group and
// priority follow now; and counts how many different flows passed. Called by the gateway on a worker.
#pragma once

#include <vector>

#include "core/flow_meter.h"
#include "core/plan.h"
#include "path/batch.h"
#include "path/follow.h"

namespace path {

// Fills hashes, exits and watched of the batch. `flows`: by target group. `watch_below`: see
// core::SpreadRules.
void distribute(const core::Plan& plan, const Follower& follower, std::vector<core::FlowMeter>& flows,
                uint64_t watch_below, Batch& batch);

}  // namespace path
