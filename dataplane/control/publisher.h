// SPDX-License-Identifier: BSD-3-Clause
// Makes plans of changed settings and changed health and publishes them: gathers what has changed, builds the
// next plan when one may go out (core/publication_pacer), hands it to the workers, frees old ones. Control
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/publication_pacer.h"
#include "path/plane.h"

namespace control {

// Nanoseconds of the steady clock.
uint64_t now_ns();

struct Published {
  std::string what;             // what had changed, in words; several changes are joined by "; "
  core::Moves moved;            // buckets that changed their exit, and how many had to, over all tables
  uint32_t buckets = 0;         // of the tables in which any did
  std::vector<size_t> emptied;  // groups that have lost their last usable member
  std::string since;            // what the first of these changes was noted at: "the verdict"
  uint64_t took_ns = 0;         // from then to its plan being published
  uint32_t generation = 0;
};

class Publisher {
 public:
  // The references outlive it. `plane` has its first plan.
  Publisher(const std::vector<core::PortFacts>& facts, const core::Layout& layout, path::Plane& plane)
      : facts_(facts), layout_(layout), plane_(plane) {}

  // Something changed at `at_ns` that the next plan must show; `since` is that moment in words.
  void note(const std::string& what, const std::string& since, uint64_t at_ns);
  // Publishes what was noted, when something was and it may go out now; frees old plans. `up`: by port.
  std::optional<Published> tick(const core::Settings& settings, const std::vector<bool>& up);

  // What publishing now would move.
  Published preview(const core::Settings& settings, const std::vector<bool>& up) const;

  // Whether nothing waits to be published and every worker that is awake works by the newest plan.
  bool settled() const { return !noted_ && plane_.publication.taken_up_by_all(); }
  uint32_t publications() const { return plane_.publication.newest().generation; }
  uint64_t longest_ns() const { return longest_ns_; }

 private:
  const std::vector<core::PortFacts>& facts_;
  const core::Layout& layout_;
  path::Plane& plane_;
  core::PublicationPacer pacer_;
  bool noted_ = false;
  std::string what_, more_;  // what was noted; how many more than are told
  unsigned noted_count_ = 0;
  std::string first_noted_at_;
  uint64_t first_noted_ns_ = 0;
  uint64_t longest_ns_ = 0;
};

}  // namespace control
