// SPDX-License-Identifier: BSD-3-Clause
// What comes to a worker by other ways than its RX queues: from control, from other workers, and what it
// makes itself; see worker.h. Worker lcores, post() excepted.
#include <algorithm>

#include "path/drop.h"
#include "path/flow_note.h"
#include "path/worker.h"

namespace path {
namespace {

constexpr uint32_t kEthernetBytes = 14;

}  // namespace

bool Worker::post(rte_mbuf* mbuf, uint16_t exit) {
  FlowNote note;
  note.exit = exit;
  note.mark = core::PacketMark::of(0, 0, kNoTarget);
  write_note(mbuf, note);
  return rte_ring_sp_enqueue(posted_.get(), mbuf) == 0;
}

uint32_t Worker::take_posted() {
  void* entry = nullptr;
  uint32_t taken = 0;
  while (rte_ring_sc_dequeue(posted_.get(), &entry) == 0) {
    auto* mbuf = static_cast<rte_mbuf*>(entry);
    const uint16_t port_index = sender_.ingress_of(mbuf);
    ingress_[port_index].generated.add(1);
    ++taken;
    if (!plan_->ports[port_index].sends || !plan_->ports[port_index].enabled) {
      drop(ingress_[port_index], core::DropReason::no_tx, mbuf);
      continue;
    }
    sender_.stage(read_note(mbuf).exit, mbuf);
    sender_.flush(port_index);
  }
  return taken;
}

// Packets that other workers handed over for queues of this one. They lie in another CPU's cache: a burst
// from each worker is taken and asked for here, and sent a round later, when it has come. Returns how many
// were dealt with.
uint32_t Worker::take_handed() {
  uint32_t dealt_with = 0;
  for (unsigned from = 0; from < arrivals_.size(); ++from) {
    Arrival& arrival = arrivals_[from];
    if (from == worker_) continue;
    if (arrival.count > 0) {
      send_handed({arrival.mbufs, arrival.count});
      plane_.handover.finished(from, worker_, arrival.count);
      dealt_with += arrival.count;
    }
    arrival.count = plane_.handover.take(from, worker_, arrival.mbufs);
    dealt_with += arrival.count;
    for (uint16_t i = 0; i < arrival.count; ++i) {  // sending and freeing read both lines of an mbuf
      rte_mbuf_prefetch_part1(arrival.mbufs[i]);
      rte_mbuf_prefetch_part2(arrival.mbufs[i]);
    }
  }
  return dealt_with;
}

// Port by port, since a flush is for one; packets of a flow come in by one port and keep their order.
void Worker::send_handed(std::span<rte_mbuf*> mbufs) {
  const bool some_gone = gateway_ && gateway_->follower().some_gone();
  while (!mbufs.empty()) {
    const uint16_t port_index = sender_.ingress_of(mbufs.front());
    size_t left = 0;
    uint32_t of_this_port = 0;
    for (rte_mbuf* mbuf : mbufs) {
      if (sender_.ingress_of(mbuf) != port_index) {
        mbufs[left++] = mbuf;
        continue;
      }
      ++of_this_port;
      const FlowNote note = read_note(mbuf);
      const bool may_move = gateway_ && note.mark.group() != kNoTarget;
      if (some_stopped_ && !may_move && !plan_->ports[plan_->port_of_exit[note.exit]].enabled) {
        drop(ingress_[port_index], core::DropReason::no_tx, mbuf);
      } else if (!some_gone || !gateway_->follower().is_gone(note)) {
        sender_.stage(note.exit, mbuf);
      } else if (redirects_) {
        set_metered(mbuf);
        gateway_->follower().redirect(mbuf, port_index);
      } else {
        drop(ingress_[port_index], core::DropReason::stopped, mbuf);
      }
    }
    ingress_[port_index].taken_over.add(of_this_port);
    sender_.flush_handed(port_index);
    mbufs = mbufs.first(left);
  }
}

// One burst for every port. A port whose queues are full makes nothing: a generator waits, it does not drop.
uint32_t Worker::generate_round() {
  rte_mbuf* mbufs[core::kMaxBurst];
  uint32_t flows[core::kMaxBurst];
  uint32_t moved = 0;
  for (uint16_t index = 0; index < plan_->ports.size(); ++index) {
    const core::PortPlan& port = plan_->ports[index];
    bool room = port.sends && port.enabled;
    for (uint16_t q = 0; q < port.queues_per_nic; ++q) {
      room &= !sender_.holds(static_cast<uint16_t>(port.first_exit + q));
    }
    if (!room) continue;
    const uint16_t made =
        generator_.make({mbufs, plan_->burst}, {flows, plan_->burst}, pool_of_port_[index], port);
    ingress_[index].generated.add(made);
    for (uint16_t i = 0; i < made; ++i) {
      put_generated(mbufs[i], index, static_cast<uint16_t>(port.first_exit + flows[i] % port.queues_per_nic));
    }
    sender_.flush(index);
    moved += made;
  }
  return moved;
}

void Worker::put_generated(rte_mbuf* mbuf, uint16_t port_index, uint16_t exit) {
  if (mbuf->pkt_len > plan_->ports[port_index].mtu + kEthernetBytes) [[unlikely]]
    return drop(ingress_[port_index], core::DropReason::too_big, mbuf);
  note_exit(mbuf, exit);
  sender_.stage(exit, mbuf);
}

// As testpmd's tx_first does: frames of txonly by every TX queue, so that a loop has something to forward.
void Worker::send_first() {
  rte_mbuf* mbufs[core::kMaxBurst];
  uint32_t flows[core::kMaxBurst];
  instruments_.begin_laps();
  uint32_t moved = 0;
  for (uint32_t burst = 0; burst < tx_first_bursts_; ++burst) {
    for (uint16_t exit = 0; exit < plan_->exits; ++exit) {
      const uint16_t index = plan_->port_of_exit[exit];
      const core::PortPlan& port = plan_->ports[index];
      if (!port.sends || !port.enabled || !sender_.is_mine(exit) || sender_.holds(exit)) continue;
      const uint16_t made = generator_.make({mbufs, plan_->burst}, flows, pool_of_port_[index], port);
      ingress_[index].generated.add(made);
      moved += made;
      for (uint16_t i = 0; i < made; ++i) put_generated(mbufs[i], index, exit);
      sender_.flush(index);
    }
  }
  instruments_.lap(core::Step::generate, moved);
}

}  // namespace path
