// SPDX-License-Identifier: BSD-3-Clause
// What was decided at start, in lines for the user: ports and their queues, the rule with its numbers, the
// memory. Called by main once, after the engine is built. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"

namespace control {

// `layout.notes` come last, as "note: ...".
std::vector<std::string> describe(const core::Settings& settings, const std::vector<core::PortFacts>& facts,
                                  const core::Layout& layout, const std::vector<core::PoolNeed>& needs,
                                  const core::Plan& plan, const std::vector<unsigned>& lcores);

}  // namespace control
