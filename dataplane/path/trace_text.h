// SPDX-License-Identifier: BSD-3-Clause
// A trace as lines for `show trace`. Called by control.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"
#include "path/trace.h"

namespace path {

// First where and when the packet came in and its first bytes, then one line for each event with the seconds
// since the data plane was built. `plan`: any of the run, for names; `tsc_hz`: ticks a second.
std::vector<std::string> lines_of(const Trace& trace, const core::Plan& plan, uint64_t tsc_hz);

}  // namespace path
