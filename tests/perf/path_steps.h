// SPDX-License-Identifier: BSD-3-Clause
// The first steps of mode gateway in the rig, without those behind them: what they cost is seen beside the
// floor, which has the same reception and the same TX queue. Used by path_cycles; one worker.
#pragma once

#include <cstdint>

#include "core/settings.h"
#include "perf/cycle_rig.h"

namespace perf {

enum class LastStep : uint8_t { classify, distribute };

// Clocks a packet of reception, the steps to `last`, and one TX queue.
double path_steps(CycleRig& rig, uint64_t packets, const core::Settings& settings, const PlaneShape& shape,
                  LastStep last);

}  // namespace perf
