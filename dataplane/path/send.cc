// SPDX-License-Identifier: BSD-3-Clause
// Stage, flush, hold; see send.h. Worker lcores.
#include "path/send.h"

#include <algorithm>

#include "pmd_glue/burst.h"

namespace path {
namespace {

uint64_t bytes_of(std::span<rte_mbuf* const> mbufs) {
  uint64_t bytes = 0;
  for (const rte_mbuf* mbuf : mbufs) bytes += mbuf->pkt_len;
  return bytes;
}

}  // namespace

Sender::Sender(const core::Plan& plan, unsigned worker, std::span<core::IngressCounters> ingress,
               std::span<core::ExitCounters> exits)
    : plan_(plan), ingress_(ingress), exits_(exits), lanes_(plan.exits), dirty_(plan.exits) {
  for (uint16_t index = 0; index < plan.ports.size(); ++index) {
    const core::PortPlan& port = plan.ports[index];
    if (index_of_port_.size() <= port.port) index_of_port_.resize(port.port + 1u);
    index_of_port_[port.port] = index;
    for (uint16_t q = 0; q < port.queues_per_nic; ++q) {
      Lane& lane = lanes_[port.first_exit + q];
      lane.to = {port.port, static_cast<uint16_t>(worker * port.queues_per_nic + q)};
      lane.stage = std::make_unique<rte_mbuf*[]>(core::kMaxBurst);
      lane.held.slots.resize(plan.hold_packets);
    }
  }
}

void Sender::flush(uint16_t ingress_port) {
  uint64_t sent_in_all = 0;
  for (uint16_t i = 0; i < dirty_count_; ++i) {
    const uint16_t exit = dirty_[i];
    Lane& lane = lanes_[exit];
    const std::span<rte_mbuf*> staged(lane.stage.get(), lane.staged);
    const uint64_t staged_bytes = lane.staged_bytes;
    lane.staged = 0;
    lane.staged_bytes = 0;
    const uint16_t sent = lane.held.count == 0 ? glue::tx_burst(lane.to, staged) : uint16_t{0};
    const std::span<rte_mbuf*> refused = staged.subspan(sent);
    exits_[exit].packets.add(sent);
    exits_[exit].bytes.add(staged_bytes - (refused.empty() ? 0 : bytes_of(refused)));
    sent_in_all += sent;
    if (!refused.empty()) [[unlikely]]
      hold_or_drop(exit, refused, ingress_port);
  }
  dirty_count_ = 0;
  ingress_[ingress_port].sent.add(sent_in_all);
}

void Sender::hold_or_drop(uint16_t exit, std::span<rte_mbuf*> refused, uint16_t ingress_port) {
  Hold& held = lanes_[exit].held;
  const size_t room = std::min<size_t>(held.slots.size() - held.count, refused.size());
  for (rte_mbuf* mbuf : refused.first(room)) {
    mbuf->port =
        plan_.ports[ingress_port].port;  // not every driver sets it; retry_held asks where it came from
    held.push(mbuf);
  }
  held_ += static_cast<uint32_t>(room);
  ingress_[ingress_port].held.add(room);
  const std::span<rte_mbuf*> rest = refused.subspan(room);
  if (rest.empty()) return;
  ingress_[ingress_port].dropped[static_cast<size_t>(core::DropReason::tx_full)].add(rest.size());
  rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
}

void Sender::retry_held() {
  if (held_ == 0) return;
  for (uint16_t exit = 0; exit < lanes_.size(); ++exit) {
    Hold& held = lanes_[exit].held;
    while (held.count > 0) {
      // As much as lies in one piece of the ring, a burst at most. Lengths and origins are noted first: an
      // accepted mbuf belongs to the driver.
      const uint32_t in_one_piece =
          std::min<uint32_t>(held.count, static_cast<uint32_t>(held.slots.size()) - held.head);
      const std::span<rte_mbuf*> front(&held.slots[held.head],
                                       std::min<uint32_t>(in_one_piece, core::kBatch));
      uint16_t origin[core::kBatch];
      uint32_t length[core::kBatch];
      for (size_t i = 0; i < front.size(); ++i) {
        origin[i] = port_index(front[i]->port);
        length[i] = front[i]->pkt_len;
      }
      const uint16_t sent = glue::tx_burst(lanes_[exit].to, front);
      for (uint16_t i = 0; i < sent; ++i) {
        ingress_[origin[i]].sent.add(1);
        ingress_[origin[i]].held.sub(1);
        exits_[exit].bytes.add(length[i]);
      }
      exits_[exit].packets.add(sent);
      held.head = static_cast<uint32_t>((held.head + sent) % held.slots.size());
      held.count -= sent;
      held_ -= sent;
      if (sent < front.size()) break;
    }
  }
}

void Sender::drop_held() {
  for (Lane& lane : lanes_) {
    Hold& held = lane.held;
    for (; held.count > 0; --held.count, --held_) {
      rte_mbuf* mbuf = held.slots[held.head];
      held.head = static_cast<uint32_t>((held.head + 1) % held.slots.size());
      core::IngressCounters& origin = ingress_[port_index(mbuf->port)];
      origin.dropped[static_cast<size_t>(core::DropReason::stopped)].add(1);
      origin.held.sub(1);
      rte_pktmbuf_free(mbuf);
    }
  }
}

}  // namespace path
