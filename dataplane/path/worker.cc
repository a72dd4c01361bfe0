// SPDX-License-Identifier: BSD-3-Clause
// The loop and what each mode does in it; see worker.h. Worker lcores.
#include "path/worker.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "path/drop.h"
#include "path/flow_note.h"
#include "path/frame_bytes.h"
#include "path/private_ring.h"
#include "path/rewrite.h"
#include "pmd_glue/burst.h"
#include "pmd_glue/lcores.h"

namespace path {
namespace {

constexpr uint32_t kEthernetBytes = 14;
constexpr uint32_t kTwoTagsBytes = 8;  // modes that do not parse allow for QinQ when they enforce an MTU
constexpr uint64_t kStopMilliseconds = 100;
constexpr unsigned kPostedSlots = 256;

// Why a mode that does not parse must not pass a frame on.
std::optional<core::DropReason> unfit(const rte_mbuf* mbuf, const core::PortPlan& to, uint32_t longest) {
  if (!to.sends || !to.enabled) return core::DropReason::no_tx;
  if (mbuf->pkt_len > longest) return core::DropReason::too_big;
  if (mbuf->pkt_len < kEthernetBytes) return core::DropReason::runt;
  if (ethertype_of(mbuf) == core::kMacControlType) return core::DropReason::mac_control;
  return std::nullopt;
}

// The ethertype as it lies in memory.
uint16_t first_type_of(const rte_mbuf* mbuf) {
  uint16_t type;
  std::memcpy(&type, rte_pktmbuf_mtod_offset(mbuf, const uint8_t*, 12), sizeof type);
  return type;
}
constexpr uint16_t kMacControlAsLoaded = (core::kMacControlType & 0xff) << 8 | core::kMacControlType >> 8;

}  // namespace

Worker::Worker(const WorkerSetup& setup)
    : plane_(setup.plane),
      worker_(setup.worker),
      plan_(&plane_.publication.newest()),
      mode_(plan_->mode),
      sources_(setup.sources),
      idle_(setup.idle),
      tx_first_bursts_(setup.tx_first_bursts),
      pool_of_port_(setup.pool_of_port),
      ingress_(plan_->ports.size()),
      exits_(plane_.exits(worker_)),
      instruments_(worker_, plane_.start_tsc),
      sender_(*plan_, worker_, ingress_, exits_, plane_.handover, instruments_),
      generates_(mode_ == core::Mode::txonly || mode_ == core::Mode::flowgen),
      generator_(setup.flowgen, mode_, worker_, plan_->workers),
      posted_(make_private_ring(kPostedSlots)),
      arrivals_(plane_.handover.needed() ? plan_->workers : 0),
      tsc_per_tick_(glue::tsc_hz() * core::kMacTickMs / 1000) {
  if (mode_ == core::Mode::gateway) {
    gateway_.emplace(*plan_, worker_, plane_, sender_, ingress_, pool_of_port_, instruments_);
  }
  instruments_.take_up(*plan_);
  generation_ = plan_->generation;
  loop_.generation.store(generation_, std::memory_order_release);
}

void Worker::run(const std::atomic<bool>& stop) {
  if (idle_.sleep) glue::use_fine_timers();
  plane_.publication.online(worker_);
  take_up_plan();
  if (tx_first_bursts_ > 0 && !gateway_) send_first();
  // What to do with a burst is told apart once, here; `observed` is whether the instruments are on.
  const auto paired = [this, &stop](auto rewrite) {
    poll_until(stop, [this, rewrite](const RxSource& source, std::span<rte_mbuf*> mbufs, auto observed) {
      forward_paired<decltype(observed)::value>(source, mbufs, rewrite);
    });
  };
  switch (mode_) {
    case core::Mode::gateway:
      poll_until(stop, [this](const RxSource& source, std::span<rte_mbuf*> mbufs, auto observed) {
        gateway_->forward<decltype(observed)::value>(source.port_index, mbufs);
      });
      break;
    case core::Mode::io:
      paired([](rte_mbuf*, const core::PortPlan&) {});
      break;
    case core::Mode::mac:
      paired([](rte_mbuf* mbuf, const core::PortPlan& to) {
        set_macs(mbuf, to.next_hop.value_or(peer_of(to)), to.mac);
      });
      break;
    case core::Mode::macswap:
      paired([](rte_mbuf* mbuf, const core::PortPlan&) { swap_macs(mbuf); });
      break;
    case core::Mode::five_tuple_swap:
      paired([](rte_mbuf* mbuf, const core::PortPlan&) { swap_five_tuple(mbuf); });
      break;
    case core::Mode::rxonly:
    case core::Mode::txonly:
    case core::Mode::flowgen:
      poll_until(stop, [this](const RxSource& source, std::span<rte_mbuf*> mbufs, auto observed) {
        forward_nowhere<decltype(observed)::value>(source, mbufs);
      });
      break;
  }
  end();
  plane_.publication.offline(worker_);
}

template <class Forward>
void Worker::poll_until(const std::atomic<bool>& stop, Forward forward) {
  last_tsc_ = glue::read_tsc();
  while (!stop.load(std::memory_order_acquire)) {
    take_up_plan();
    if (instruments_.begin_round()) [[unlikely]] {
      round<true>(forward);
    } else {
      round<false>(forward);
    }
  }
}

// kObserved: the instruments are on. A step that has nothing to do makes no lap of its own.
template <bool kObserved, class Forward>
void Worker::round(Forward& forward) {
  rte_mbuf* mbufs[core::kMaxBurst];
  if constexpr (kObserved) instruments_.begin_laps();
  if (gateway_) {
    const bool follows = gateway_->follower().moving() > 0;
    gateway_->begin_round(last_tsc_, tick());
    if (follows) lap<kObserved>(core::Step::follow, 0);
  }
  const uint32_t held = sender_.held();
  sender_.retry_held();
  if (held > 0) lap<kObserved>(core::Step::retry, held - sender_.held());
  uint32_t moved = take_posted() + take_handed();
  if (moved > 0) lap<kObserved>(core::Step::take_over, moved);
  for (const RxSource& source : sources_) {
    if (!plan_->ports[source.port_index].enabled || sender_.waits_for_owner()) continue;
    const uint16_t received = glue::rx_burst(source.from, {mbufs, plan_->burst});
    if constexpr (kObserved) instruments_.received(received, source.port_index, source.from.queue, mbufs);
    if (received == 0) continue;
    moved += received;
    forward(source, std::span<rte_mbuf*>(mbufs, received), std::bool_constant<kObserved>{});
    const uint32_t staged = kObserved ? sender_.staged() : 0;
    sender_.flush(source.port_index);
    if (staged > 0) lap<kObserved>(core::Step::flush, staged);
  }
  if (generates_ && generator_.has_flows() && !sender_.waits_for_owner()) {
    const uint32_t made = generate_round();
    moved += made;
    lap<kObserved>(core::Step::generate, made);
  }
  account_round(moved);
  lap<kObserved>(core::Step::books, 0);
  if constexpr (kObserved) instruments_.look_again();
  if (idle_.sleep) rest(moved);
}

// Divides once a tick.
uint64_t Worker::tick() {
  if (last_tsc_ >= tick_ends_tsc_) {
    tick_ = last_tsc_ / tsc_per_tick_;
    tick_ends_tsc_ = (tick_ + 1) * tsc_per_tick_;
  }
  return tick_;
}

void Worker::take_up_plan() {
  plan_ = plane_.publication.take_up(worker_);
  if (plan_->generation == generation_) return;
  generation_ = plan_->generation;
  instruments_.take_up(*plan_);
  if (gateway_) {
    gateway_->take_up(*plan_);
    loop_.moving.set(gateway_->follower().moving());
  }
  some_stopped_ = std::any_of(plan_->ports.begin(), plan_->ports.end(),
                              [](const core::PortPlan& port) { return !port.enabled; });
  if (some_stopped_ && !gateway_) leave_stopped_ports();
  loop_.generation.store(generation_, std::memory_order_release);
}

// Outside of mode gateway nothing takes the place of a port: what is held for one that stops is dropped.
void Worker::leave_stopped_ports() {
  std::vector<rte_mbuf*> held;
  for (uint16_t exit = 0; exit < plan_->exits; ++exit) {
    if (plan_->ports[plan_->port_of_exit[exit]].enabled || !sender_.is_mine(exit)) continue;
    held.clear();
    sender_.take_back(exit, held);
    for (rte_mbuf* mbuf : held) {
      sender_.no_longer_held(mbuf);
      instruments_.tracer().dropped(mbuf, core::DropReason::no_tx);
      drop(ingress_[sender_.ingress_of(mbuf)], core::DropReason::no_tx, mbuf);
    }
    sender_.told_taken_back(exit);
  }
}

// Mostly every packet may pass, and all of them leave by the same queue: then the burst goes on as it came.
template <bool kObserved, class Rewrite>
void Worker::forward_paired(const RxSource& source, std::span<rte_mbuf*> mbufs, Rewrite rewrite) {
  core::IngressCounters& ingress = ingress_[source.port_index];
  const core::PortPlan& to = plan_->ports[plan_->ports[source.port_index].paired];
  const auto exit = static_cast<uint16_t>(to.first_exit + source.from.queue % to.queues_per_nic);
  const uint32_t longest = to.mtu + kEthernetBytes + kTwoTagsBytes;
  uint64_t bytes = 0;
  bool some_unfit = !to.sends || !to.enabled;
  for (rte_mbuf* mbuf : mbufs) {
    bytes += mbuf->pkt_len;
    some_unfit |= mbuf->pkt_len - kEthernetBytes > longest - kEthernetBytes;  // shorter ones wrap
    some_unfit |= mbuf->data_len < kEthernetBytes || first_type_of(mbuf) == kMacControlAsLoaded;
  }
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
  if (some_unfit) [[unlikely]] {
    mbufs = drop_unfit<kObserved>(source, mbufs, to, longest);
    bytes = bytes_of(mbufs);
  }
  for (rte_mbuf* mbuf : mbufs) {
    rewrite(mbuf, to);
    if constexpr (kObserved) instruments_.tracer().note(mbuf, TraceStep::staged, exit);
  }
  lap<kObserved>(core::Step::forward, mbufs.size());
  if (mbufs.empty()) return;
  const bool lines_up = !sender_.send(exit, mbufs, bytes, source.port_index);
  if (!lines_up) lap<kObserved>(core::Step::flush, mbufs.size());
}

// Drops what must not pass; the others move together.
template <bool kObserved>
std::span<rte_mbuf*> Worker::drop_unfit(const RxSource& source, std::span<rte_mbuf*> mbufs,
                                        const core::PortPlan& to, uint32_t longest) {
  size_t fit = 0;
  for (rte_mbuf* mbuf : mbufs) {
    const auto reason = unfit(mbuf, to, longest);
    if (!reason) {
      mbufs[fit++] = mbuf;
      continue;
    }
    if constexpr (kObserved) instruments_.tracer().dropped(mbuf, *reason);
    drop(ingress_[source.port_index], *reason, mbuf);
  }
  return mbufs.first(fit);
}

template <bool kObserved>
void Worker::forward_nowhere(const RxSource& source, std::span<rte_mbuf*> mbufs) {
  core::IngressCounters& ingress = ingress_[source.port_index];
  uint64_t bytes = 0;
  for (const rte_mbuf* mbuf : mbufs) bytes += mbuf->pkt_len;
  ingress.rx_packets.add(mbufs.size());
  ingress.rx_bytes.add(bytes);
  ingress.dropped[static_cast<size_t>(core::DropReason::rx_only)].add(mbufs.size());
  if constexpr (kObserved) {
    for (rte_mbuf* mbuf : mbufs) instruments_.tracer().dropped(mbuf, core::DropReason::rx_only);
  }
  rte_pktmbuf_free_bulk(mbufs.data(), static_cast<unsigned>(mbufs.size()));
  lap<kObserved>(core::Step::forward, mbufs.size());
}

void Worker::account_round(uint32_t moved) {
  const uint64_t now = glue::read_tsc();
  const uint64_t spent = now - last_tsc_;
  last_tsc_ = now;
  loop_.total_tsc.add(spent);
  if (spent > loop_.worst_round_tsc.read()) loop_.worst_round_tsc.set(spent);
  if (moved > 0) loop_.busy_tsc.add(spent);
  if (gateway_) loop_.moving.set(gateway_->follower().moving());
}

// Sleeps after a run of empty rounds; the time counts as idle and is no round of its own. Plans may come and
// go meanwhile: the next round starts by taking one up.
void Worker::rest(uint32_t moved) {
  empty_rounds_ = moved == 0 ? empty_rounds_ + 1 : 0;
  if (empty_rounds_ < idle_.rounds || (gateway_ && gateway_->follower().moving() > 0)) return;
  plane_.publication.offline(worker_);
  glue::sleep_us(idle_.sleep_us);
  plane_.publication.online(worker_);
  const uint64_t now = glue::read_tsc();
  loop_.total_tsc.add(now - last_tsc_);
  last_tsc_ = now;
}

// Takes what control posted before it said stop; offers what is held for a while; then, as long as another
// worker may hand something over, takes it; then offers that.
void Worker::end() {
  take_posted();
  const uint64_t while_tsc = glue::tsc_hz() * kStopMilliseconds / 1000;
  const auto offer = [&] {
    const uint64_t give_up_tsc = glue::read_tsc() + while_tsc;
    while (sender_.held() > 0 && glue::read_tsc() < give_up_tsc) {
      sender_.retry_held(true);
      take_handed();
    }
  };
  if (gateway_) gateway_->follower().end_waiting();
  offer();
  sender_.drop_held();
  if (!plane_.handover.needed()) return;
  redirects_ = false;
  plane_.will_hand_over_nothing();
  while (plane_.somebody_hands_over()) take_handed();
  while (take_handed() > 0) {
  }
  offer();
  sender_.drop_held();
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
