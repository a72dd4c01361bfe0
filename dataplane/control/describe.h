// SPDX-License-Identifier: BSD-3-Clause
// What was decided, in lines for the user: at start ports and their queues, the rule with its numbers, the
// memory; later what becomes of packets for a group that nobody is left in. Called by control/engine on the
// control thread. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"

namespace control {

// What devices do not do as asked for, or not before the next run.
std::vector<std::string> device_notes(const core::Settings& settings,
                                      const std::vector<core::PortFacts>& facts, const core::Layout& layout,
                                      const core::Plan& plan);

// device_notes() come last, as "note: ...".
std::vector<std::string> describe(const core::Settings& settings, const std::vector<core::PortFacts>& facts,
                                  const core::Layout& layout, const std::vector<core::PoolNeed>& needs,
                                  const core::Plan& plan, const std::vector<unsigned>& lcores);

// The fields of a key in its order: "src_ip, dst_ip".
std::string fields_of(const core::KeyFields& fields);

// Of a group that has no usable member in `plan`.
std::string nobody_left(const core::Settings& settings, const core::Plan& plan, size_t group);

}  // namespace control
