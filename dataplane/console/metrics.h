// SPDX-License-Identifier: BSD-3-Clause
// The books for Prometheus: one family of metrics for each number of a report, with its help and type. Names
// follow Prometheus' conventions: base units (bytes, seconds), counters end in _total and start at 0 with the
// program, also those that have not counted yet, so that a first drop shows as a rise. A device is named by
// the label `device` in all of them, so that they can be joined. Pure; called by console/web_server on its
// threads.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "control/report.h"

namespace console {

std::vector<prometheus::MetricFamily> metrics_of(const control::Report& report);

// The text that Prometheus reads, exposition format 0.0.4.
std::string metrics_text(const control::Report& report);
inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace console
