// SPDX-License-Identifier: BSD-3-Clause
// Step 4 of a round: collects packets for each exit, hands them on once a burst, and keeps what was refused.
// An exit of this worker leads to a TX queue of a device. The exits of another worker (owner = "by_hash")
// share one lane, which leads to the ring to that worker and collects packets before it visits it. While a
// lane holds anything, every further packet for it is appended, so that a flow stays in order; beyond the
// hold limit packets are dropped as tx_full. One Sender a worker; only its lcore calls it, and control reads
// the counters.
#pragma once

#include <rte_mbuf.h>

#include <memory>
#include <span>
#include <vector>

#include "core/counters.h"
#include "core/plan.h"
#include "core/types.h"
#include "path/flow_note.h"
#include "path/handover.h"
#include "path/instruments.h"
#include "path/reorder_watch.h"

namespace path {

inline uint64_t bytes_of(std::span<rte_mbuf* const> mbufs) {
  uint64_t bytes = 0;
  for (const rte_mbuf* mbuf : mbufs) bytes += mbuf->pkt_len;
  return bytes;
}

class Sender {
 public:
  // `ingress` are this worker's counters by port index, `exits` by exit; both outlive the Sender, as does
  // `handover`. Of the plan only what all plans of a run share is used.
  Sender(const core::Plan& plan, unsigned worker, std::span<core::IngressCounters> ingress,
         std::span<core::ExitCounters> exits, Handover& handover, Instruments& instruments);

  // Puts a packet in line for an exit; at most core::kMaxBurst between two flushes. Its note names the exit
  // when that may be another worker's. Without a branch: whether a packet is its lane's first, nobody can
  // guess.
  void stage(uint16_t exit, rte_mbuf* mbuf) {
    Lane& lane = *lane_of_exit_[exit];
    dirty_ |= lane.bit;
    lane.stage[lane.staged++] = mbuf;
  }
  // The same for a batch that all goes on, and its notes. Places first, then packets: were each packet put
  // where a count in memory says, a CPU that cannot tell yet where that is would not read the next count, and
  // packets would wait for each other.
  void stage_all(std::span<rte_mbuf* const> mbufs, const uint32_t* hashes, const uint32_t* marked_exits) {
    rte_mbuf** places[core::kBatch];
    uint64_t dirty = 0;
    for (size_t i = 0; i < mbufs.size(); ++i) {
      Lane& lane = *lane_of_exit_[marked_exits[i] & 0xffff];
      places[i] = lane.stage + lane.staged++;
      dirty |= lane.bit;
    }
    dirty_ |= dirty;
    for (size_t i = 0; i < mbufs.size(); ++i) {
      write_note(mbufs[i], hashes[i], marked_exits[i]);
      *places[i] = mbufs[i];
    }
  }
  // The packet staged last for an exit has a whole note and belongs to a flow whose order is watched.
  void watch(uint16_t exit) { lane_of_exit_[exit]->watched = true; }
  bool watches(uint32_t hash) const { return reorder_.watches(hash); }
  uint64_t watch_below() const { return reorder_.below(); }

  // A burst that leaves by one exit: what stage and flush would do, without putting it in line first when
  // nothing is there. `bytes`: of all its frames. False when it is in line and needs the flush.
  bool send(uint16_t exit, std::span<rte_mbuf*> mbufs, uint64_t bytes, uint16_t ingress_port);

  // Hands on everything staged. All of it came in by (or was made for) port `ingress_port`.
  void flush(uint16_t ingress_port);
  // The same for packets from another worker, which has seen to their flows' order.
  void flush_handed(uint16_t ingress_port);

  // Offers held packets again, oldest first. Called at the start of every round, or with `all` to leave
  // nothing behind that would go.
  void retry_held(bool all = false);
  // Takes everything back that is held for an exit, oldest first, into `taken` (appended). They count as held
  // until the caller has sent or dropped each and has called no_longer_held.
  void take_back(uint16_t exit, std::vector<rte_mbuf*>& taken);
  // Then, when all of them are on their way: other workers are told now that the exit holds nothing of them
  // any more.
  void told_taken_back(uint16_t exit) { tell_held(*lane_of_exit_[exit]); }
  void no_longer_held(const rte_mbuf* mbuf) { ingress_[ingress_of(mbuf)].held.sub(1); }

  bool holds(uint16_t exit) const { return lane_of_exit_[exit]->held.count != 0; }
  uint32_t held() const { return held_; }
  // In line now.
  uint32_t staged();
  bool is_mine(uint16_t exit) const { return lane_of_exit_[exit]->is_mine(); }
  // Whether so much lines up for another worker that its ring must be full: that CPU has more than it can do,
  // and receiving more would only lead to drops here instead of in the NIC.
  bool waits_for_owner() const { return held_for_owners_ > kMostForOwners; }
  // Frees what is still held, reason `stopped`.
  void drop_held();

  // Index in plan.ports of the port that a held packet, or one from another worker, came in by.
  uint16_t ingress_of(const rte_mbuf* mbuf) const { return index_of_port_[mbuf->port]; }
  uint16_t dpdk_port_of(uint16_t port_index) const { return dpdk_port_[port_index]; }
  const core::ReorderCounters* reordering(size_t group) const { return reorder_.counters(group); }

 private:
  // A ring of fixed size; the oldest packet first.
  struct Hold {
    std::vector<rte_mbuf*> slots;
    uint32_t head = 0, count = 0;
    void push(rte_mbuf* mbuf) { slots[(head + count++) % slots.size()] = mbuf; }
    rte_mbuf* pop() {
      rte_mbuf* mbuf = slots[head];
      head = static_cast<uint32_t>((head + 1) % slots.size());
      --count;
      return mbuf;
    }
  };
  // Where packets line up: for one exit of this worker, or for another worker. One cache line.
  struct alignas(64) Lane {
    uint16_t exit = core::kNoExit;  // kNoExit: it leads to worker `owner`
    uint16_t owner = 0;
    core::PortQueue to;
    bool watched = false;        // something staged belongs to a flow whose order is watched
    bool holds_watched = false;  // the same of what is held
    uint16_t rounds = 0;         // that a lane to another worker has been collecting
    uint32_t staged = 0;
    uint64_t bit = 0;  // in dirty_; lanes 64 apart share it
    rte_mbuf** stage = nullptr;
    Hold held;
    bool is_mine() const { return exit != core::kNoExit; }
    bool is_direct() const { return is_mine() && held.count == 0; }
  };
  static_assert(sizeof(Lane) == 64);
  // A lane to another worker collects this many packets, for this many rounds at most: each visit to the ring
  // costs as much as several packets, since it lies in the other CPU's cache.
  static constexpr uint32_t kCollected = 128;
  static constexpr unsigned kCollectingRounds = 8;
  static constexpr uint32_t kMostForOwners = 256;  // more than that collect only behind a full ring

  Lane* add_lane(uint32_t hold_packets);
  void place_stages();
  // Packets taken by the device, or by the ring to the owner, from the front.
  uint16_t hand_on(const Lane& lane, std::span<rte_mbuf*> mbufs);
  // The same with the instruments on.
  uint16_t hand_on_observed(const Lane& lane, std::span<rte_mbuf*> mbufs);
  template <bool kObserved>
  void flush_all(uint16_t ingress_port, bool handed);
  template <class Visit>
  void for_each_dirty(Visit visit);
  template <bool kObserved>
  uint16_t flush_lane(Lane& lane, uint16_t ingress_port, bool handed);
  template <bool kObserved>
  uint16_t send_by(Lane& lane, std::span<rte_mbuf*> mbufs, uint64_t bytes, uint16_t ingress_port,
                   bool handed);
  template <bool kObserved>
  uint16_t send_with_care(Lane& lane, std::span<rte_mbuf*> mbufs, uint64_t bytes, uint16_t ingress_port,
                          bool handed);
  template <bool kObserved>
  void keep_refused(Lane& lane, std::span<rte_mbuf*> refused, uint16_t ingress_port, bool handed);
  template <bool kObserved>
  void hold_or_drop(Lane& lane, std::span<rte_mbuf*> refused, uint16_t ingress_port, bool handed);
  bool retry_front(Lane& lane);
  void count_left(const Lane& lane, core::IngressCounters& ingress, uint16_t packets, uint64_t bytes);
  // After a change of what a lane of this worker holds.
  void tell_held(const Lane& lane) { exits_[lane.exit].held.set(lane.held.count); }

  const unsigned worker_;
  std::span<core::IngressCounters> ingress_;
  std::span<core::ExitCounters> exits_;
  Handover& handover_;
  Instruments& instruments_;
  std::vector<Lane> lanes_;  // which stay where they are
  std::vector<rte_mbuf*> stages_;
  std::vector<Lane*> lane_of_exit_;
  std::vector<Lane*> lane_to_;  // by worker; null: nothing leads there
  uint64_t dirty_ = 0;          // bits of lanes where packets are in line
  uint32_t held_ = 0;
  uint32_t held_for_owners_ = 0;         // of these, in lanes to other workers
  std::vector<uint16_t> dpdk_port_;      // by index in plan.ports
  std::vector<uint16_t> index_of_port_;  // DPDK port id -> index in plan.ports
  ReorderWatch reorder_;
};

}  // namespace path
