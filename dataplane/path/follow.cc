// SPDX-License-Identifier: BSD-3-Clause
// Buckets follow plans; see follow.h. Worker lcores.
#include "path/follow.h"

#include <algorithm>

#include "path/admit.h"
#include "path/drop.h"
#include "pmd_glue/lcores.h"

namespace path {
namespace {

// At least one tick where packets cross between workers: a bucket must wait for them.
uint64_t settle_tsc(const core::Plan& plan) {
  const bool crosses = plan.owner == core::Owner::by_hash && plan.workers > 1;
  return std::max<uint64_t>(glue::tsc_hz() * plan.settle_us / 1'000'000, crosses ? 1 : 0);
}

bool has_gone(const core::Plan& plan) {
  for (const core::GroupPlan& group : plan.groups) {
    for (const core::TablePlan& table : group.tables) {
      if (std::find(table.gone.begin(), table.gone.end(), 1) != table.gone.end()) return true;
    }
  }
  return false;
}

}  // namespace

Follower::Follow::Follow(const core::TablePlan& table, const core::Plan& plan)
    : moves(table.exit_of_bucket, settle_tsc(plan)) {
  waiting.reserve(core::kWaitingPackets);
  on_the_way.reserve(size_t{plan.workers} * plan.workers);
}

Follower::Follower(const core::Plan& plan, unsigned worker, Sender& sender, Handover& handover,
                   std::span<core::IngressCounters> ingress, const ExitsOfWorkers& exits_of, Tracer& tracer)
    : plan_(&plan),
      worker_(worker),
      sender_(sender),
      handover_(handover),
      ingress_(ingress),
      exits_of_(exits_of),
      tracer_(tracer),
      groups_(plan.groups.size()) {
  for (size_t g = 0; g < groups_.size(); ++g) {  // from the start every priority follows its own table
    const core::GroupPlan& from = plan.groups[g];
    groups_[g].buckets = from.buckets;
    add_follow(groups_[g], 0, from.tables.front(), plan);
    for (uint8_t priority = 1; priority < core::kPriorities; ++priority) {
      if (from.table_of_priority[priority] != 0) add_follow(groups_[g], priority, from.table(priority), plan);
    }
  }
  some_gone_ = has_gone(plan);
  kept_.reserve(size_t{plan.hold_packets} + core::kWaitingPackets);
}

Follower::Follow& Follower::add_follow(Group& group, uint8_t priority, const core::TablePlan& table,
                                       const core::Plan& plan) {
  group.follow_of_priority[priority] = static_cast<uint8_t>(group.follows.size());
  return *group.follows.emplace_back(std::make_unique<Follow>(table, plan));
}

// A priority gets moves of its own when its table differs for the first time, and keeps them: from then on
// its buckets may be on their way at other times than those of the rest. They start where the others are now.
void Follower::separate_priorities(const core::Plan& plan) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    for (uint8_t priority = 0; priority < core::kPriorities; ++priority) {
      if (plan.groups[g].table_of_priority[priority] == 0 || group.follow_of_priority[priority] != 0)
        continue;
      add_follow(group, priority, plan.groups[g].table(priority), plan)
          .moves.start_from(group.follows.front()->moves);
    }
  }
}

void Follower::take_up(const core::Plan& plan) {
  plan_ = &plan;
  some_gone_ = has_gone(plan);
  end_waiting();
  for (const Group& group : groups_) {
    for (const auto& follow : group.follows) follow->looks = 0;
  }
  separate_priorities(plan);
  for (size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    for (size_t f = 0; f < group.follows.size(); ++f) {
      const auto priority = static_cast<uint8_t>(
          std::find(group.follow_of_priority.begin(), group.follow_of_priority.end(), f) -
          group.follow_of_priority.begin());
      const core::TablePlan& table = plan.groups[g].table(priority);
      group.follows[f]->moves.take_up(table.exit_of_bucket, settle_tsc(plan), [&](uint16_t exit) {
        return table.gone[exit] != 0 && sender_.is_mine(exit);
      });
    }
  }
  bring_home_held();
  count_moving();
}

// What is held for exits that are gone goes to the new ones before any new packet does.
void Follower::bring_home_held() {
  for (uint16_t exit = 0; exit < plan_->exits; ++exit) {
    const uint16_t g = plan_->ports[plan_->port_of_exit[exit]].group;
    const auto& tables = plan_->groups[g].tables;
    const bool left = std::any_of(tables.begin(), tables.end(),
                                  [exit](const core::TablePlan& table) { return table.gone[exit] != 0; });
    if (!left || !sender_.is_mine(exit) || !sender_.holds(exit)) continue;
    kept_.clear();
    sender_.take_back(exit, kept_);
    send_kept(kept_, [&](rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port) {
      const bool stays =
          note.mark.group() == kNoTarget || plan_->groups[g].table(note.mark.priority()).gone[exit] == 0;
      if (!stays) return send_by_plan(mbuf, note, ingress_port);
      if (!plan_->ports[plan_->port_of_exit[exit]].enabled)
        return drop_here(mbuf, core::DropReason::no_member, ingress_port);
      tracer_.note(mbuf, TraceStep::staged, exit);
      sender_.stage(exit, mbuf);
    });
    sender_.told_taken_back(exit);
  }
}

// Hands packets that count as held to `send`, and flushes often enough for the sender's lines.
template <class Send>
void Follower::send_kept(std::span<rte_mbuf* const> mbufs, Send send) {
  size_t staged = 0;
  uint16_t last_ingress = core::kNoPort;
  for (rte_mbuf* mbuf : mbufs) {
    const uint16_t ingress_port = sender_.ingress_of(mbuf);
    if (staged > 0 && (ingress_port != last_ingress || staged == core::kMaxBurst)) {
      sender_.flush(last_ingress);
      staged = 0;
    }
    last_ingress = ingress_port;
    ++staged;
    sender_.no_longer_held(mbuf);
    send(mbuf, read_note(mbuf), ingress_port);
  }
  if (staged > 0) sender_.flush(last_ingress);
}

// Back to the old exit, or, when that is gone, to the new one.
void Follower::send_waiting_back(Follow& follow) {
  send_kept(follow.waiting, [&](rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port) {
    const core::TablePlan& table = plan_->groups[note.mark.group()].table(note.mark.priority());
    const uint32_t bucket = bucket_of(note);
    const uint16_t old_exit = follow.moves.old_exit(bucket);
    const bool gone = old_exit == core::kNoExit || (table.gone[old_exit] != 0 && sender_.is_mine(old_exit));
    send_by(gone ? table.exit_of_bucket[bucket] : old_exit, mbuf, note, ingress_port);
  });
  follow.waiting.clear();
}

void Follower::send_waiting(Follow& follow) {
  kept_.assign(follow.waiting.begin(), follow.waiting.end());
  follow.waiting.clear();
  send_kept(kept_, [&](rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port) {
    send_by_table(mbuf, note, ingress_port);
  });
}

void Follower::advance(uint64_t now_tsc) {
  for (const Group& group : groups_) {
    for (const auto& follow : group.follows) {
      if (follow->moves.moving()) advance(*follow, now_tsc);
    }
  }
  count_moving();
}

void Follower::advance(Follow& follow, uint64_t now_tsc) {
  if (follow.moves.waiting() && handover_.needed() && !way_is_clear(follow)) return;
  if (follow.moves.advance(now_tsc, [this](uint16_t exit) { return holds_nothing(exit); })) {
    send_waiting(follow);
  } else if (follow.moves.waiting() && follow.looks == 0) {
    look_at_the_way(follow);
  }
  if (!follow.moves.waiting()) follow.looks = 0;
}

void Follower::look_at_the_way(Follow& follow) const {
  ++follow.looks;
  if (!handover_.needed()) return;
  follow.on_the_way.clear();
  for (unsigned from = 0; from < plan_->workers; ++from) {
    for (unsigned to = 0; to < plan_->workers; ++to)
      follow.on_the_way.push_back(handover_.lined_up(from, to));
  }
}

// Of an exit of another worker it is told by that worker; what is on the way there is another matter.
bool Follower::holds_nothing(uint16_t exit) const {
  if (sender_.is_mine(exit)) return !sender_.holds(exit);
  return exits_of_[core::owner_of(exit, plan_->workers)][exit].held.read() == 0;
}

// Two looks: what was on the way at the first has passed, and so has what its owners sent on by then.
bool Follower::way_is_clear(Follow& follow) const {
  constexpr unsigned kLooks = 2;
  const uint64_t* handed = follow.on_the_way.data();
  for (unsigned from = 0; from < plan_->workers; ++from) {
    for (unsigned to = 0; to < plan_->workers; ++to, ++handed) {
      if (!handover_.has_passed(from, to, *handed)) return false;
    }
  }
  const auto buckets = follow.moves.waiting_buckets();
  const bool nothing_held = std::all_of(buckets.begin(), buckets.end(), [&](uint32_t bucket) {
    return holds_nothing(follow.moves.old_exit(bucket));
  });
  if (!nothing_held) return false;
  if (follow.looks >= kLooks) return true;
  look_at_the_way(follow);
  return false;
}

void Follower::wait(rte_mbuf* mbuf, uint16_t ingress_port) {
  const FlowNote note = read_note(mbuf);
  Follow& follow = follow_of(note);
  mbuf->port = sender_.dpdk_port_of(ingress_port);
  ingress_[ingress_port].held.add(1);
  tracer_.note(mbuf, TraceStep::waits);
  follow.waiting.push_back(mbuf);
  if (follow.waiting.size() < core::kWaitingPackets) return;
  // What the present burst has staged came in by this port, what waits may have not.
  sender_.flush(ingress_port);
  follow.moves.give_up_waiting();
  follow.looks = 0;
  send_waiting(follow);
  count_moving();
}

void Follower::send_by_plan(rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port) {
  const core::TablePlan& table = plan_->groups[note.mark.group()].table(note.mark.priority());
  send_by(table.exit_of_bucket[bucket_of(note)], mbuf, note, ingress_port);
}

void Follower::send_by_table(rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port) {
  const uint16_t exit = follow_of(note).moves.table()[bucket_of(note)];
  if (exit == core::kWaitExit) return wait(mbuf, ingress_port);
  send_by(exit, mbuf, note, ingress_port);
}

void Follower::send_by(uint16_t exit, rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port) {
  if (exit == core::kNoExit) return drop_here(mbuf, core::DropReason::no_member, ingress_port);
  const core::PortPlan& to = plan_->ports[plan_->port_of_exit[exit]];
  if (const auto reason = admit(mbuf, to, note.mark.l3_offset()))
    return drop_here(mbuf, *reason, ingress_port);
  note_exit(mbuf, exit);
  tracer_.note(mbuf, to.next_hop ? TraceStep::rewritten : TraceStep::admitted, exit);
  tracer_.note(mbuf, TraceStep::staged, exit);
  sender_.stage(exit, mbuf);
  if (!note.mark.metered() && sender_.watches(note.hash)) sender_.watch(exit);
}

void Follower::drop_here(rte_mbuf* mbuf, core::DropReason reason, uint16_t ingress_port) {
  tracer_.dropped(mbuf, reason);
  drop(ingress_[ingress_port], reason, mbuf);
}

void Follower::end_waiting() {
  for (const Group& group : groups_) {
    for (const auto& follow : group.follows) {
      if (!follow->waiting.empty()) send_waiting_back(*follow);
    }
  }
}

void Follower::count_moving() {
  moving_ = 0;
  for (const Group& group : groups_) {
    for (const auto& follow : group.follows) moving_ += follow->moves.pending();
  }
}

}  // namespace path
