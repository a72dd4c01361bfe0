// SPDX-License-Identifier: BSD-3-Clause
// What workers share; see plane.h. Main thread.
#include "path/plane.h"

#include <utility>

#include "pmd_glue/lcores.h"

namespace path {

Plane::Plane(std::unique_ptr<core::Plan> first)
    : start_tsc(glue::read_tsc()),
      publication(std::move(first)),
      handover(publication.newest()),
      handing_over_(publication.newest().workers) {
  const core::Plan& plan = publication.newest();
  for (unsigned worker = 0; worker < plan.workers; ++worker) {
    mac_tables.push_back(std::make_unique<core::MacTable>());
    exits_.push_back(std::make_unique<std::vector<core::ExitCounters>>(plan.exits));
    exits_of_workers_.emplace_back(*exits_.back());
  }
}

}  // namespace path
