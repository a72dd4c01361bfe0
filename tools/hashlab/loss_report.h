// SPDX-License-Identifier: BSD-3-Clause
// What movements look like in a report: tables, plots and sentences. Called by command loss. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hashlab/loss.h"
#include "hashlab/report.h"

namespace hashlab {

// The policies that are compared, the gateway's last.
inline constexpr std::array<Reduction, 4> kPolicies = {Reduction::modulo, Reduction::multiply_shift,
                                                       Reduction::maglev, Reduction::resilient};

// One event on one NIC.
struct NicCase {
  NicEvent event;
  uint16_t nic;
  GroupChange change;
};

// `movements` are those of the first case under each of kPolicies, then those of the second, and so on. Where
// flows went is told of the first case: in the table under policy `shown`, in plots under each.
void add_movements(const std::vector<NicCase>& cases, std::span<const Movement> movements, Reduction shown,
                   Report& report);
// A sentence on the first event, the mean over its cases; and advice when a new NIC moves much under the
// gateway's policy. `nics` are those of the group as it is.
void add_verdicts(const std::vector<NicCase>& cases, std::span<const Movement> movements, size_t nics,
                  Report& report);

}  // namespace hashlab
