// SPDX-License-Identifier: BSD-3-Clause
// Stage, flush, hold; see send.h. Worker lcores.
#include "path/send.h"

#include <algorithm>
#include <bit>

#include "path/drop.h"
#include "pmd_glue/burst.h"

namespace path {
Sender::Sender(const core::Plan& plan, unsigned worker, std::span<core::IngressCounters> ingress,
               std::span<core::ExitCounters> exits, Handover& handover, Instruments& instruments)
    : worker_(worker),
      ingress_(ingress),
      exits_(exits),
      handover_(handover),
      instruments_(instruments),
      lane_of_exit_(plan.exits),
      lane_to_(plan.workers),
      reorder_(plan) {
  lanes_.reserve(plan.exits + plan.workers);
  for (uint16_t index = 0; index < plan.ports.size(); ++index) {
    const core::PortPlan& port = plan.ports[index];
    dpdk_port_.push_back(port.port);
    if (index_of_port_.size() <= port.port) index_of_port_.resize(port.port + 1u);
    index_of_port_[port.port] = index;
    for (uint16_t q = 0; q < port.queues_per_nic; ++q) {
      const auto exit = static_cast<uint16_t>(port.first_exit + q);
      const bool by_hash = plan.owner == core::Owner::by_hash;
      const auto owner = by_hash ? core::owner_of(exit, plan.workers) : static_cast<uint16_t>(worker);
      if (owner == worker) {
        lane_of_exit_[exit] = add_lane(plan.hold_packets);
        lanes_.back().exit = exit;
        lanes_.back().to = {port.port, by_hash ? q : static_cast<uint16_t>(worker * port.queues_per_nic + q)};
        continue;
      }
      if (lane_to_[owner] == nullptr) {
        lane_to_[owner] = add_lane(core::kHandoverSlots);
        lane_to_[owner]->owner = owner;
      }
      lane_of_exit_[exit] = lane_to_[owner];
    }
  }
  place_stages();
}

// A CPU takes a load for a store to the same place of another page (it compares the low 12 bits of addresses
// first) and waits for it. So packets line up in places whose low bits differ from those of the lanes
// themselves, and, as far as they go, from each other's.
void Sender::place_stages() {
  constexpr size_t kPageSlots = 4096 / sizeof(rte_mbuf*), kStride = core::kMaxBurst + 16;
  stages_.resize(kPageSlots + lanes_.size() * kStride);
  const auto behind_lanes = reinterpret_cast<uintptr_t>(lanes_.data() + lanes_.size());
  const auto first = reinterpret_cast<uintptr_t>(stages_.data());
  rte_mbuf** place = &stages_[(behind_lanes - first) / sizeof(rte_mbuf*) % kPageSlots];
  for (Lane& lane : lanes_) {
    lane.stage = place;
    place += kStride;
  }
}

Sender::Lane* Sender::add_lane(uint32_t hold_packets) {
  Lane& lane = lanes_.emplace_back();
  lane.bit = uint64_t{1} << (lanes_.size() - 1) % 64;
  lane.held.slots.resize(hold_packets);
  return &lane;
}

uint16_t Sender::hand_on(const Lane& lane, std::span<rte_mbuf*> mbufs) {
  return lane.is_mine() ? glue::tx_burst(lane.to, mbufs) : handover_.put(worker_, lane.owner, mbufs);
}

uint16_t Sender::hand_on_observed(const Lane& lane, std::span<rte_mbuf*> mbufs) {
  Tracer& tracer = instruments_.tracer();
  tracer.look_at(mbufs);
  const uint16_t taken = hand_on(lane, mbufs);
  if (lane.is_mine()) {
    instruments_.transmitted(taken);
    tracer.left(mbufs, taken, TraceStep::sent, lane.exit);
  } else {
    tracer.left(mbufs, taken, TraceStep::handed_over, lane.owner);
  }
  return taken;
}

template <class Visit>
[[gnu::always_inline]] inline void Sender::for_each_dirty(Visit visit) {
  for (uint64_t bits = dirty_; bits != 0; bits &= bits - 1) {
    for (auto at = static_cast<size_t>(std::countr_zero(bits)); at < lanes_.size(); at += 64) {
      if (lanes_[at].staged > 0) visit(lanes_[at]);
    }
  }
}

uint32_t Sender::staged() {
  uint32_t packets = 0;
  for_each_dirty([&](const Lane& lane) { packets += lane.staged; });
  return packets;
}

template <bool kObserved>
void Sender::hold_or_drop(Lane& lane, std::span<rte_mbuf*> refused, uint16_t ingress_port, bool handed) {
  Hold& held = lane.held;
  const size_t room = std::min<size_t>(held.slots.size() - held.count, refused.size());
  [[maybe_unused]] Tracer& tracer = instruments_.tracer();
  for (rte_mbuf* mbuf : refused.first(room)) {
    if constexpr (kObserved) {
      lane.is_mine() ? tracer.note(mbuf, TraceStep::held, lane.exit)
                     : tracer.note(mbuf, TraceStep::lined_up, lane.owner);
    }
    mbuf->port = dpdk_port_[ingress_port];  // not every driver sets it; retry_held asks where it came from
    if (handed) set_metered(mbuf);
    held.push(mbuf);
  }
  held_ += static_cast<uint32_t>(room);
  ingress_[ingress_port].held.add(room);
  if (lane.is_mine()) {
    tell_held(lane);
  } else {
    held_for_owners_ += static_cast<uint32_t>(room);
    handover_.line_up(worker_, lane.owner, room);
  }
  const std::span<rte_mbuf*> rest = refused.subspan(room);
  if (rest.empty()) return;
  if constexpr (kObserved) {
    for (rte_mbuf* mbuf : rest) tracer.dropped(mbuf, core::DropReason::tx_full);
  }
  ingress_[ingress_port].dropped[static_cast<size_t>(core::DropReason::tx_full)].add(rest.size());
  for (rte_mbuf* mbuf : rest) exits_[lane.is_mine() ? lane.exit : read_note(mbuf).exit].dropped.add(1);
  rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
}

// To the device when nothing is held for it, else behind what is. Returns how many packets left by a device.
// Mostly nothing is held or watched and the device takes all: that way is short and in the caller.
template <bool kObserved>
[[gnu::always_inline]] inline uint16_t Sender::send_by(Lane& lane, std::span<rte_mbuf*> mbufs, uint64_t bytes,
                                                       uint16_t ingress_port, bool handed) {
  if (kObserved || !lane.is_direct() || lane.watched) [[unlikely]]
    return send_with_care<kObserved>(lane, mbufs, bytes, ingress_port, handed);
  const uint16_t taken = glue::tx_burst(lane.to, mbufs);
  core::ExitCounters& counters = exits_[lane.exit];
  counters.packets.add(taken);
  counters.bytes.add(bytes);
  if (taken < mbufs.size()) [[unlikely]]
    keep_refused<kObserved>(lane, mbufs.subspan(taken), ingress_port, handed);
  return taken;
}

template <bool kObserved>
[[gnu::noinline]] uint16_t Sender::send_with_care(Lane& lane, std::span<rte_mbuf*> mbufs, uint64_t bytes,
                                                  uint16_t ingress_port, bool handed) {
  const bool watched = lane.watched;
  lane.watched = false;
  uint16_t taken = 0;
  if (lane.is_direct()) {
    if (watched) reorder_.look_at(mbufs);
    taken = kObserved ? hand_on_observed(lane, mbufs) : glue::tx_burst(lane.to, mbufs);
    if (watched) reorder_.left(taken);
    exits_[lane.exit].packets.add(taken);
    exits_[lane.exit].bytes.add(bytes);
    if (taken == mbufs.size()) return taken;
    lane.holds_watched |= watched;
    keep_refused<kObserved>(lane, mbufs.subspan(taken), ingress_port, handed);
    return taken;
  }
  lane.holds_watched |= watched;
  hold_or_drop<kObserved>(lane, mbufs, ingress_port, handed);
  return 0;
}

// Of packets that were counted as sent already.
template <bool kObserved>
[[gnu::noinline]] void Sender::keep_refused(Lane& lane, std::span<rte_mbuf*> refused, uint16_t ingress_port,
                                            bool handed) {
  exits_[lane.exit].bytes.sub(bytes_of(refused));
  hold_or_drop<kObserved>(lane, refused, ingress_port, handed);
}

template <bool kObserved>
uint16_t Sender::flush_lane(Lane& lane, uint16_t ingress_port, bool handed) {
  const std::span<rte_mbuf*> staged(lane.stage, lane.staged);
  lane.staged = 0;
  return send_by<kObserved>(lane, staged, bytes_of(staged), ingress_port, handed);
}

bool Sender::send(uint16_t exit, std::span<rte_mbuf*> mbufs, uint64_t bytes, uint16_t ingress_port) {
  Lane& lane = *lane_of_exit_[exit];
  if (lane.staged > 0 || !lane.is_mine()) {
    for (rte_mbuf* mbuf : mbufs) {
      note_exit(mbuf, exit);
      stage(exit, mbuf);
    }
    return false;
  }
  const uint16_t sent = instruments_.on() ? send_by<true>(lane, mbufs, bytes, ingress_port, false)
                                          : send_by<false>(lane, mbufs, bytes, ingress_port, false);
  ingress_[ingress_port].sent.add(sent);
  return true;
}

void Sender::flush(uint16_t ingress_port) {
  instruments_.on() ? flush_all<true>(ingress_port, false) : flush_all<false>(ingress_port, false);
}

void Sender::flush_handed(uint16_t ingress_port) {
  instruments_.on() ? flush_all<true>(ingress_port, true) : flush_all<false>(ingress_port, true);
}

template <bool kObserved>
void Sender::flush_all(uint16_t ingress_port, bool handed) {
  uint64_t sent = 0;
  for_each_dirty([&](Lane& lane) { sent += flush_lane<kObserved>(lane, ingress_port, handed); });
  ingress_[ingress_port].sent.add(sent);
  dirty_ = 0;
}

void Sender::retry_held(bool all) {
  if (held_ == 0) return;
  for (Lane& lane : lanes_) {
    if (lane.held.count == 0) continue;
    const bool collects = !all && !lane.is_mine() && lane.held.count < kCollected;
    if (collects && ++lane.rounds < kCollectingRounds) continue;
    lane.rounds = 0;
    while (retry_front(lane)) {
    }
  }
}

// Offers as much as lies in one piece of the ring, some batches at most. True when all of it was taken and
// more may be.
bool Sender::retry_front(Lane& lane) {
  constexpr uint32_t kMost = 4 * core::kBatch;
  Hold& held = lane.held;
  if (held.count == 0) return false;
  const uint32_t in_one_piece =
      std::min<uint32_t>(held.count, static_cast<uint32_t>(held.slots.size()) - held.head);
  const std::span<rte_mbuf*> front(&held.slots[held.head], std::min<uint32_t>(in_one_piece, kMost));
  // Lengths and origins are noted first: an accepted mbuf belongs to somebody else.
  uint16_t origin[kMost];
  uint32_t length[kMost];
  for (size_t i = 0; i < front.size(); ++i) {
    origin[i] = ingress_of(front[i]);
    length[i] = front[i]->pkt_len;
  }
  if (lane.holds_watched) reorder_.look_at(front);
  const uint16_t taken = instruments_.on() ? hand_on_observed(lane, front) : hand_on(lane, front);
  if (lane.holds_watched) reorder_.left(taken);
  for (uint16_t i = 0; i < taken;) {  // packets of one origin, mostly all of them, are counted at once
    const uint16_t first = i;
    uint64_t bytes = 0;
    for (; i < taken && origin[i] == origin[first]; ++i) bytes += length[i];
    count_left(lane, ingress_[origin[first]], static_cast<uint16_t>(i - first), bytes);
  }
  held.head = static_cast<uint32_t>((held.head + taken) % held.slots.size());
  held.count -= taken;
  held_ -= taken;
  if (held.count == 0) lane.holds_watched = false;
  if (lane.is_mine()) {
    tell_held(lane);
  } else {
    held_for_owners_ -= taken;
  }
  return taken == front.size();
}

// Packets that were held and are taken now.
void Sender::count_left(const Lane& lane, core::IngressCounters& ingress, uint16_t packets, uint64_t bytes) {
  ingress.held.sub(packets);
  if (!lane.is_mine()) return ingress.handed_over.add(packets);
  ingress.sent.add(packets);
  exits_[lane.exit].packets.add(packets);
  exits_[lane.exit].bytes.add(bytes);
}

void Sender::take_back(uint16_t exit, std::vector<rte_mbuf*>& taken) {
  Lane& lane = *lane_of_exit_[exit];
  held_ -= lane.held.count;
  while (lane.held.count > 0) taken.push_back(lane.held.pop());
}

void Sender::drop_held() {
  for (Lane& lane : lanes_) {
    while (lane.held.count > 0) {
      rte_mbuf* mbuf = lane.held.pop();
      --held_;
      core::IngressCounters& origin = ingress_[ingress_of(mbuf)];
      origin.held.sub(1);
      instruments_.tracer().dropped(mbuf, core::DropReason::stopped);
      drop(origin, core::DropReason::stopped, mbuf);
    }
  }
}

}  // namespace path
