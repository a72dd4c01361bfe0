// SPDX-License-Identifier: BSD-3-Clause
// How the threads that show numbers get them. main makes it of control::Errands and control::Engine: a report
// at most 10 ms old, so that many who look at once cost control one report. Any thread may call it.
#pragma once

#include <functional>
#include <optional>

#include "control/report.h"

namespace console {

// Nothing: the program is ending.
using ReadReport = std::function<std::optional<control::Report>()>;

}  // namespace console
