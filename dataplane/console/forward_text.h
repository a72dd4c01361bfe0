// SPDX-License-Identifier: BSD-3-Clause
// What forwards what, and how many packets it was, in testpmd's shape. For start, stop, show config and show
// fwd stats; control thread.
#pragma once

#include <string>

#include "control/engine.h"

namespace console {

// `show config fwd`: mode, lcores, and the RX queues of each with where their packets go.
std::string forwarding_text(const control::Engine& engine);
// `show config rxtx`
std::string queues_text(const control::Engine& engine);
// `show config cores`
std::string lcores_text(const control::Engine& engine);
// With `set record-core-cycles on`, clocks that rounds with packets took per packet, over the present run;
// else nothing.
std::string cycles_line(const control::Run& run);

// `show fwd stats all`: what was counted since `from`, a report of the same ports. TX-dropped is what should
// have left by the port and found its ring and hold full; RX-dropped what the device lost before reception.
std::string forward_statistics(const control::Report& now, const control::Report& from);

}  // namespace console
