// SPDX-License-Identifier: BSD-3-Clause
// Plans out to workers; see publisher.h. Control thread.
#include "control/publisher.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace control {
namespace {

// Over all groups and their tables; a table that two plans share is compared once.
void compare(const core::Plan& before, const core::Plan& after, Published& published) {
  for (size_t g = 0; g < after.groups.size(); ++g) {
    if (before.groups[g].usable() && !after.groups[g].usable()) published.emptied.push_back(g);
    std::vector<std::pair<unsigned, unsigned>> done;
    for (unsigned priority = 0; priority < core::kPriorities; ++priority) {
      const std::pair<unsigned, unsigned> tables{before.groups[g].table_of_priority[priority],
                                                 after.groups[g].table_of_priority[priority]};
      if (std::find(done.begin(), done.end(), tables) != done.end()) continue;
      done.push_back(tables);
      const core::TablePlan& now = after.groups[g].tables[tables.second];
      const core::Moves moves =
          core::moves_between(before.groups[g].tables[tables.first].slots, now.slots, now.state);
      published.moved.buckets += moves.buckets;
      published.moved.needed += moves.needed;
      if (moves.buckets > 0) published.buckets += static_cast<uint32_t>(now.slots.size());
    }
  }
}

}  // namespace

uint64_t now_ns() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void Publisher::note(const std::string& what, const std::string& since, uint64_t at_ns) {
  if (!noted_) {
    first_noted_at_ = since;
    first_noted_ns_ = at_ns;
  }
  noted_ = true;
  constexpr unsigned kTold = 4;
  if (noted_count_++ < kTold) what_ += (what_.empty() ? "" : "; ") + what;
  if (noted_count_ > kTold) more_ = " and " + std::to_string(noted_count_ - kTold) + " more";
}

Published Publisher::preview(const core::Settings& settings, const std::vector<bool>& up) const {
  Published published;
  compare(plane_.publication.newest(), core::make_plan(settings, facts_, layout_, up), published);
  return published;
}

std::optional<Published> Publisher::tick(const core::Settings& settings, const std::vector<bool>& up) {
  plane_.publication.reclaim();
  if (!noted_ || !pacer_.may_publish(now_ns())) return std::nullopt;
  auto next = std::make_unique<core::Plan>(core::make_plan(settings, facts_, layout_, up));
  Published published;
  compare(plane_.publication.newest(), *next, published);
  plane_.publication.publish(std::move(next));
  published.since = first_noted_at_;
  published.took_ns = now_ns() - first_noted_ns_;
  published.generation = publications();
  published.what = std::exchange(what_, {}) + std::exchange(more_, {});
  noted_count_ = 0;
  noted_ = false;
  longest_ns_ = std::max(longest_ns_, published.took_ns);
  return published;
}

}  // namespace control
