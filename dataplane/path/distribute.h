// SPDX-License-Identifier: BSD-3-Clause
// Step 3 of a round: flow keys -> hashes -> buckets -> exits, by the table of the target group; and counts
// how many different flows passed. Called by the gateway loop on a worker.
#pragma once

#include "core/flow_meter.h"
#include "core/plan.h"
#include "path/batch.h"

namespace path {

// Fills hashes and exits of the batch.
void distribute(const core::Plan& plan, const core::GroupPlan& target, core::FlowMeter& flows, Batch& batch);

}  // namespace path
