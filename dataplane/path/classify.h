// SPDX-License-Identifier: BSD-3-Clause
// Step 2 of a round: parses every packet of a burst, counts what it is, takes out what must not be forwarded
// (each with its reason) and makes the flow keys of the rest. Called by the gateway loop on a worker.
#pragma once

#include <span>

#include "core/counters.h"
#include "core/plan.h"
#include "path/batch.h"

namespace path {

// Fills `batch` with the packets that go on, in their order; the others are freed and counted in `ingress`.
// `mbufs` holds at most core::kBatch packets.
void classify(std::span<rte_mbuf* const> mbufs, const core::Plan& plan, core::IngressCounters& ingress,
              Batch& batch);

}  // namespace path
