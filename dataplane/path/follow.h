// SPDX-License-Identifier: BSD-3-Clause
// Lets the buckets of every table follow a new plan in the right order (core/bucket_moves decides when),
// keeps the packets that wait for it, and brings what is held for a failed exit to the exits that take its
// place. One a worker, mode gateway; only its lcore calls it.
//
// With owner = "by_hash" an exit may belong to another worker. When such an exit fails, packets go on to its
// owner, who redirects them behind those it already has, perhaps to a third worker. So before a bucket moves,
// what is on the way between workers must pass, and then what they sent on meanwhile.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/bucket_moves.h"
#include "core/counters.h"
#include "core/plan.h"
#include "path/flow_note.h"
#include "path/handover.h"
#include "path/send.h"
#include "path/trace.h"

namespace path {

// The exit counters of every worker, by worker; what an exit's owner holds for it is told there.
using ExitsOfWorkers = std::vector<std::span<const core::ExitCounters>>;

class Follower {
 public:
  // Follows `plan` from the start.
  Follower(const core::Plan& plan, unsigned worker, Sender& sender, Handover& handover,
           std::span<core::IngressCounters> ingress, const ExitsOfWorkers& exits_of, Tracer& tracer);

  // bucket -> exit, core::kWaitExit or core::kNoExit, for packets of this priority to this group.
  const uint16_t* table(uint16_t group, uint8_t priority) const {
    return groups_[group].follows[groups_[group].follow_of_priority[priority]]->moves.table();
  }
  // Whether all priorities of this group share one table, so that nobody needs to ask for the priority.
  bool one_table(uint16_t group) const { return groups_[group].follows.size() == 1; }
  // Buckets that do not follow their plan yet; 0 most of the time.
  size_t moving() const { return moving_; }

  // Turns to the next plan. Packets that wait, and those held for exits that are gone, are sent on first. The
  // plan before is not looked at any more: it may be gone already.
  void take_up(const core::Plan& plan);
  // A step in time, once a round while moving().
  void advance(uint64_t now_tsc);
  // Keeps a packet whose bucket waits. It has its note; it came in by `ingress_port`.
  void wait(rte_mbuf* mbuf, uint16_t ingress_port);
  // Whether any exit is gone; else no packet from another worker need be asked about its own.
  bool some_gone() const { return some_gone_; }
  // Whether the exit that such a packet is meant for is gone, and its way to the one that its bucket has in
  // the plan. The caller flushes for `ingress_port`.
  bool is_gone(const FlowNote& note) const {
    return note.mark.group() != kNoTarget &&
           plan_->groups[note.mark.group()].table(note.mark.priority()).gone[note.exit] != 0;
  }
  void redirect(rte_mbuf* mbuf, uint16_t ingress_port) { send_by_plan(mbuf, read_note(mbuf), ingress_port); }
  // A stop waits for nobody's turn: sends what waits by the old exits.
  void end_waiting();

 private:
  struct Follow {
    Follow(const core::TablePlan& table, const core::Plan& plan);
    core::BucketMoves moves;
    std::vector<rte_mbuf*> waiting;    // oldest first, at most core::kWaitingPackets
    std::vector<uint64_t> on_the_way;  // between each two workers at the last look
    unsigned looks = 0;                // since the present slice began to wait
  };
  struct Group {
    core::FastModulo buckets;  // of every plan of the run
    std::vector<std::unique_ptr<Follow>> follows;
    std::array<uint8_t, core::kPriorities> follow_of_priority{};
  };

  Follow& follow_of(const FlowNote& note) {
    Group& group = groups_[note.mark.group()];
    return *group.follows[group.follow_of_priority[note.mark.priority()]];
  }
  uint32_t bucket_of(const FlowNote& note) const { return groups_[note.mark.group()].buckets(note.hash); }
  bool holds_nothing(uint16_t exit) const;
  void look_at_the_way(Follow& follow) const;
  bool way_is_clear(Follow& follow) const;
  void advance(Follow& follow, uint64_t now_tsc);

  Follow& add_follow(Group& group, uint8_t priority, const core::TablePlan& table, const core::Plan& plan);
  void separate_priorities(const core::Plan& plan);
  void bring_home_held();
  void send_waiting_back(Follow& follow);
  void send_waiting(Follow& follow);
  // By the exit that the packet's bucket has in the plan; for what was on its way to an exit that is gone.
  void send_by_plan(rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port);
  // By the exit that packets of its bucket take here and now.
  void send_by_table(rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port);
  void send_by(uint16_t exit, rte_mbuf* mbuf, const FlowNote& note, uint16_t ingress_port);
  void drop_here(rte_mbuf* mbuf, core::DropReason reason, uint16_t ingress_port);
  template <class Send>
  void send_kept(std::span<rte_mbuf* const> mbufs, Send send);
  void count_moving();

  const core::Plan* plan_;
  const unsigned worker_;
  Sender& sender_;
  Handover& handover_;
  std::span<core::IngressCounters> ingress_;
  const ExitsOfWorkers& exits_of_;
  Tracer& tracer_;
  std::vector<Group> groups_;
  std::vector<rte_mbuf*> kept_;  // taken from where they were kept, on their way to where they go
  size_t moving_ = 0;
  bool some_gone_ = false;
};

}  // namespace path
