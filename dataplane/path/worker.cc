// SPDX-License-Identifier: BSD-3-Clause
// The loop and what each mode does in it; see worker.h. Worker lcores.
#include "path/worker.h"

#include <algorithm>
#include <optional>

#include "path/classify.h"
#include "path/distribute.h"
#include "path/frame_bytes.h"
#include "path/rewrite.h"
#include "pmd_glue/burst.h"
#include "pmd_glue/lcores.h"

namespace path {
namespace {

constexpr uint32_t kEthernetBytes = 14;
constexpr uint32_t kTwoTagsBytes = 8;  // modes that do not parse allow for QinQ when they enforce an MTU
constexpr uint64_t kStopMilliseconds = 100;

// Why a mode that does not parse must not pass a frame on.
std::optional<core::DropReason> unfit(const rte_mbuf* mbuf, const core::PortPlan& to, uint32_t longest) {
  if (!to.sends) return core::DropReason::no_tx;
  if (mbuf->pkt_len > longest) return core::DropReason::too_big;
  if (mbuf->pkt_len < kEthernetBytes) return core::DropReason::runt;
  if (ethertype_of(mbuf) == core::kMacControlType) return core::DropReason::mac_control;
  return std::nullopt;
}

}  // namespace

Worker::Worker(const WorkerSetup& setup)
    : plan_(setup.plan),
      sources_(setup.sources),
      idle_(setup.idle),
      pool_of_port_(setup.pool_of_port),
      ingress_(setup.plan.ports.size()),
      exits_(setup.plan.exits),
      flows_(setup.plan.groups.size()),
      sender_(setup.plan, setup.worker, ingress_, exits_),
      generator_(setup.flowgen, setup.plan.mode, setup.worker, setup.plan.workers) {
  for (uint16_t index = 0; index < plan_.ports.size(); ++index) {
    port_of_exit_.insert(port_of_exit_.end(), plan_.ports[index].queues_per_nic, index);
  }
}

void Worker::run(const std::atomic<bool>& stop) {
  if (idle_.sleep) glue::use_fine_timers();
  using Mbufs = std::span<rte_mbuf*>;
  switch (plan_.mode) {
    case core::Mode::gateway:
      poll_until(stop, [this](const RxSource& source, Mbufs mbufs) { forward_gateway(source, mbufs); });
      break;
    case core::Mode::io:
      poll_until(stop, [this](const RxSource& source, Mbufs mbufs) {
        forward_paired(source, mbufs, [](rte_mbuf*, const core::PortPlan&) {});
      });
      break;
    case core::Mode::mac:
      poll_until(stop, [this](const RxSource& source, Mbufs mbufs) {
        forward_paired(source, mbufs, [](rte_mbuf* mbuf, const core::PortPlan& to) {
          set_macs(mbuf, to.next_hop.value_or(peer_of(to)), to.mac);
        });
      });
      break;
    case core::Mode::macswap:
      poll_until(stop, [this](const RxSource& source, Mbufs mbufs) {
        forward_paired(source, mbufs, [](rte_mbuf* mbuf, const core::PortPlan&) { swap_macs(mbuf); });
      });
      break;
    case core::Mode::five_tuple_swap:
      poll_until(stop, [this](const RxSource& source, Mbufs mbufs) {
        forward_paired(source, mbufs, [](rte_mbuf* mbuf, const core::PortPlan&) { swap_five_tuple(mbuf); });
      });
      break;
    case core::Mode::rxonly:
    case core::Mode::txonly:
    case core::Mode::flowgen:
      poll_until(stop, [this](const RxSource& source, Mbufs mbufs) { forward_nowhere(source, mbufs); });
      break;
  }
  empty_holds();
}

template <class Forward>
void Worker::poll_until(const std::atomic<bool>& stop, Forward forward) {
  const bool generates = plan_.mode == core::Mode::txonly || plan_.mode == core::Mode::flowgen;
  rte_mbuf* mbufs[core::kMaxBurst];
  uint64_t last_tsc = glue::read_tsc();
  while (!stop.load(std::memory_order_relaxed)) {
    uint32_t moved = 0;
    sender_.retry_held();
    for (const RxSource& source : sources_) {
      const uint16_t received = glue::rx_burst(source.from, {mbufs, plan_.burst});
      if (received == 0) continue;
      moved += received;
      forward(source, std::span<rte_mbuf*>(mbufs, received));
      sender_.flush(source.port_index);
    }
    if (generates && generator_.has_flows()) moved += generate_round();
    account_round(moved, last_tsc);
    if (idle_.sleep) rest(moved, last_tsc);
  }
}

void Worker::forward_gateway(const RxSource& source, std::span<rte_mbuf*> mbufs) {
  const uint16_t group = plan_.ports[source.port_index].target;
  const core::GroupPlan& target = plan_.groups[group];
  for (; !mbufs.empty(); mbufs = mbufs.subspan(std::min<size_t>(mbufs.size(), core::kBatch))) {
    classify(mbufs.first(std::min<size_t>(mbufs.size(), core::kBatch)), plan_, ingress_[source.port_index],
             batch_);
    distribute(plan_, target, flows_[group], batch_);
    for (uint16_t i = 0; i < batch_.count; ++i) {
      rte_mbuf* mbuf = batch_.mbufs[i];
      const uint16_t exit = batch_.exits[i];
      if (exit == core::kNoExit) [[unlikely]] {
        drop(source.port_index, core::DropReason::no_member, mbuf);
        continue;
      }
      const core::PortPlan& to = plan_.ports[port_of_exit_[exit]];
      if (!to.sends) [[unlikely]] {
        drop(source.port_index, core::DropReason::no_tx, mbuf);
        continue;
      }
      if (mbuf->pkt_len > uint32_t{to.mtu} + batch_.l3_offset[i]) [[unlikely]] {
        drop(source.port_index, core::DropReason::too_big, mbuf);
        continue;
      }
      if (to.next_hop) set_macs(mbuf, *to.next_hop, to.mac);
      sender_.stage(exit, mbuf);
    }
  }
}

template <class Rewrite>
void Worker::forward_paired(const RxSource& source, std::span<rte_mbuf*> mbufs, Rewrite rewrite) {
  core::IngressCounters& ingress = ingress_[source.port_index];
  const core::PortPlan& to = plan_.ports[plan_.ports[source.port_index].target];
  const auto exit = static_cast<uint16_t>(to.first_exit + source.from.queue % to.queues_per_nic);
  const uint32_t longest = to.mtu + kEthernetBytes + kTwoTagsBytes;
  uint64_t bytes = 0;
  for (rte_mbuf* mbuf : mbufs) {
    bytes += mbuf->pkt_len;
    if (const auto reason = unfit(mbuf, to, longest)) [[unlikely]] {
      drop(source.port_index, *reason, mbuf);
      continue;
    }
    rewrite(mbuf, to);
    sender_.stage(exit, mbuf);
  }
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
}

void Worker::forward_nowhere(const RxSource& source, std::span<rte_mbuf*> mbufs) {
  core::IngressCounters& ingress = ingress_[source.port_index];
  uint64_t bytes = 0;
  for (const rte_mbuf* mbuf : mbufs) bytes += mbuf->pkt_len;
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
  ingress.dropped[static_cast<size_t>(core::DropReason::rx_only)].add(mbufs.size());
  rte_pktmbuf_free_bulk(mbufs.data(), static_cast<unsigned>(mbufs.size()));
}

// One burst for every port. A port whose queues are full makes nothing: a generator waits, it does not drop.
uint32_t Worker::generate_round() {
  rte_mbuf* mbufs[core::kMaxBurst];
  uint32_t flows[core::kMaxBurst];
  uint32_t moved = 0;
  for (uint16_t index = 0; index < plan_.ports.size(); ++index) {
    const core::PortPlan& port = plan_.ports[index];
    bool room = port.sends;
    for (uint16_t q = 0; q < port.queues_per_nic; ++q) {
      room &= !sender_.holds(static_cast<uint16_t>(port.first_exit + q));
    }
    if (!room) continue;
    const uint16_t made =
        generator_.make({mbufs, plan_.burst}, {flows, plan_.burst}, pool_of_port_[index], port);
    ingress_[index].generated.add(made);
    for (uint16_t i = 0; i < made; ++i) {
      if (mbufs[i]->pkt_len > port.mtu + kEthernetBytes) [[unlikely]] {
        drop(index, core::DropReason::too_big, mbufs[i]);
        continue;
      }
      sender_.stage(static_cast<uint16_t>(port.first_exit + flows[i] % port.queues_per_nic), mbufs[i]);
    }
    sender_.flush(index);
    moved += made;
  }
  return moved;
}

void Worker::account_round(uint32_t moved, uint64_t& last_tsc) {
  const uint64_t now = glue::read_tsc();
  const uint64_t spent = now - last_tsc;
  last_tsc = now;
  loop_.total_tsc.add(spent);
  if (spent > loop_.worst_round_tsc.read()) loop_.worst_round_tsc.set(spent);
  if (moved > 0) loop_.busy_tsc.add(spent);
}

// Sleeps after a run of empty rounds; the time counts as idle and is no round of its own.
void Worker::rest(uint32_t moved, uint64_t& last_tsc) {
  empty_rounds_ = moved == 0 ? empty_rounds_ + 1 : 0;
  if (empty_rounds_ < idle_.rounds) return;
  glue::sleep_us(idle_.sleep_us);
  const uint64_t now = glue::read_tsc();
  loop_.total_tsc.add(now - last_tsc);
  last_tsc = now;
}

void Worker::empty_holds() {
  const uint64_t give_up_tsc = glue::read_tsc() + glue::tsc_hz() * kStopMilliseconds / 1000;
  while (sender_.held() > 0 && glue::read_tsc() < give_up_tsc) sender_.retry_held();
  sender_.drop_held();
}

void Worker::drop(uint16_t port_index, core::DropReason reason, rte_mbuf* mbuf) {
  ingress_[port_index].dropped[static_cast<size_t>(reason)].add(1);
  rte_pktmbuf_free(mbuf);
}

std::vector<RxSource> sources_of(const core::Layout& layout, const std::vector<core::PortFacts>& facts,
                                 unsigned worker) {
  std::vector<RxSource> sources;
  for (uint16_t port = 0; port < facts.size(); ++port) {
    for (uint16_t queue = 0; queue < layout.ports[port].rx_queues; ++queue) {
      if (layout.ports[port].rx_queue_worker[queue] == worker)
        sources.push_back({{facts[port].port, queue}, port});
    }
  }
  return sources;
}

}  // namespace path
