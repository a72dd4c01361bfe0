// SPDX-License-Identifier: BSD-3-Clause
// Rings as wires, and the workers between them; see ring_bench.h.
#include "support/ring_bench.h"

#include <gtest/gtest.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>
#include <sched.h>

#include <algorithm>
#include <climits>

#include "support/eal_once.h"

namespace test_support {
namespace {

unsigned bench_number = 0;  // names of rings and devices are EAL-wide

std::vector<rte_ring*> make_rings(const std::string& name, unsigned count, unsigned slots) {
  std::vector<rte_ring*> rings;
  for (unsigned i = 0; i < count; ++i) {
    rings.push_back(rte_ring_create((name + std::to_string(i)).c_str(), slots, 0, 0));
    if (rings.back() == nullptr) throw std::runtime_error("no ring " + name);
  }
  return rings;
}

}  // namespace

RingBench::RingBench(core::Settings settings, std::vector<BenchPort> ports, unsigned workers,
                     uint32_t tx_first_bursts)
    : settings_(std::move(settings)) {
  const std::string bench = "b" + std::to_string(bench_number++) + "_";
  for (size_t i = 0; i < ports.size(); ++i) {
    const bool by_hash = settings_.distribution.owner == core::Owner::by_hash;
    const unsigned tx_queues = (by_hash ? 1 : workers) * settings_.distribution.queues_per_nic.value();
    const std::string name = bench + std::to_string(i);
    Wires wires{make_rings(name + "r", ports[i].rx_queues, 65536), {}};
    if (ports[i].shares_wire) {
      if (shared_wire_ == nullptr) shared_wire_ = make_rings(name + "w", 1, ports[i].ring_slots).front();
      wires.tx.assign(tx_queues, shared_wire_);
    } else {
      wires.tx = make_rings(name + "t", tx_queues, ports[i].ring_slots);
    }
    if (rte_eth_from_rings(name.c_str(), wires.rx.data(), ports[i].rx_queues, wires.tx.data(), tx_queues, 0) <
        0) {
      throw std::runtime_error("no device " + name);
    }
    wires_.push_back(std::move(wires));
    ports[i].settings.device = "net_ring_" + name;
    ports[i].settings.rx_queues = ports[i].rx_queues;
    settings_.ports.push_back(ports[i].settings);
    facts_.push_back(glue::port_facts(ports[i].settings.device, ""));
    facts_.back().sends = ports[i].sends;
    facts_.back().gives_rss_hash = ports[i].gives_rss_hash;
    if (ports[i].gives_rss_hash) facts_.back().hashes_by = settings_.distribution.toeplitz_key;
    if (ports[i].mac) facts_.back().mac = *ports[i].mac;
  }
  layout_ = core::lay_out_queues(settings_, facts_, workers);
  for (const core::Problem& problem : layout_.problems)
    ADD_FAILURE() << problem.where << ": " << problem.what;
  layout_.simd = core::resolve(settings_.engine.simd, UINT_MAX).value();
  settings_.engine.reserve_mbufs = 70'000;  // the test's own frames wait in RX rings
  pools_ = std::make_unique<glue::Pools>(core::pool_needs(settings_, facts_, layout_),
                                         settings_.engine.mbuf_bytes);
  for (size_t i = 0; i < facts_.size(); ++i) {
    const core::PortSettings& wanted = settings_.ports[i];
    ports_.emplace_back(facts_[i]);
    ports_.back().set_up({.rx_queues = layout_.ports[i].rx_queues,
                          .tx_queues = layout_.ports[i].tx_queues,
                          .rx_descriptors = wanted.rx_descriptors,
                          .tx_descriptors = wanted.tx_descriptors,
                          .mtu = wanted.mtu,
                          .pool = pools_->on_node(0)});
    ports_.back().start();
  }
  plane_ = std::make_unique<path::Plane>(
      std::make_unique<core::Plan>(core::make_plan(settings_, facts_, layout_)));
  for (unsigned w = 0; w < workers; ++w) {
    const std::vector<rte_mempool*> pool_of_port(facts_.size(), pools_->on_node(0));
    workers_.push_back(std::make_unique<path::Worker>(path::WorkerSetup{*plane_,
                                                                        w,
                                                                        path::sources_of(layout_, facts_, w),
                                                                        {},
                                                                        settings_.flowgen,
                                                                        pool_of_port,
                                                                        tx_first_bursts}));
  }
}

RingBench::~RingBench() {
  stop();
  ports_.clear();
  for (const Wires& wires : wires_) {
    for (const auto& rings : {wires.rx, wires.tx}) {
      for (rte_ring* ring : rings) {
        void* mbuf = nullptr;
        while (rte_ring_dequeue(ring, &mbuf) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(mbuf));
        if (ring != shared_wire_) rte_ring_free(ring);
      }
    }
  }
  rte_ring_free(shared_wire_);
}

void RingBench::change(const core::Settings& settings, const std::vector<bool>& up) {
  settings_ = settings;
  plane_->publication.publish(std::make_unique<core::Plan>(core::make_plan(settings_, facts_, layout_, up)));
  plane_->publication.reclaim();
}

void RingBench::wait_until_settled() const {
  const auto settled = [this](const auto& worker) { return worker->loop().settled_on(plan().generation); };
  while (!std::all_of(workers_.begin(), workers_.end(), settled)) sched_yield();
}

void RingBench::put(uint16_t port, uint16_t rx_queue, const Bytes& frame, uint16_t segment_bytes,
                    std::optional<uint32_t> rss_hash) {
  rte_mempool* pool = pools_->on_node(0);
  rte_mbuf* first = rte_pktmbuf_alloc(pool);
  rte_mbuf* last = first;
  size_t done = 0;
  do {
    const size_t room = segment_bytes ? segment_bytes : rte_pktmbuf_tailroom(last);
    const auto here = static_cast<uint16_t>(std::min(room, frame.size() - done));
    std::copy_n(frame.data() + done, here, rte_pktmbuf_mtod(last, uint8_t*));
    last->data_len = here;
    first->pkt_len += here;
    done += here;
    if (done == frame.size()) break;
    last = last->next = rte_pktmbuf_alloc(pool);
    ++first->nb_segs;
  } while (true);
  first->port = facts_[port].port;
  if (rss_hash) {
    first->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
    first->hash.rss = *rss_hash;
  }
  ASSERT_EQ(rte_ring_enqueue(wires_[port].rx[rx_queue], first), 0) << "RX ring of the bench is full";
  ++put_;
}

void RingBench::start() {
  stop_ = false;
  std::vector<std::function<void()>> bodies;
  for (const auto& worker : workers_) bodies.push_back([this, &worker] { worker->run(stop_); });
  std::vector<unsigned> lcores = EalOnce::eal()->worker_lcores();
  lcores.resize(workers_.size());
  running_.start(lcores, std::move(bodies));
}

void RingBench::wait_until_quiet() const {
  while (true) {
    const core::IngressTotals all = totals();
    if (all.rx_packets == put_ && all.sent + all.held_in_all() + all.dropped_in_all() == put_) return;
    sched_yield();  // workers may share this CPU
  }
}

void RingBench::stop() {
  stop_ = true;
  running_.join();
}

std::vector<Bytes> RingBench::take(uint16_t port, uint16_t tx_queue) {
  std::vector<Bytes> frames;
  void* entry = nullptr;
  while (rte_ring_dequeue(wires_[port].tx[tx_queue], &entry) == 0) {
    auto* mbuf = static_cast<rte_mbuf*>(entry);
    Bytes& frame = frames.emplace_back();
    for (const rte_mbuf* segment = mbuf; segment != nullptr; segment = segment->next) {
      const auto* data = rte_pktmbuf_mtod(segment, const uint8_t*);
      frame.insert(frame.end(), data, data + segment->data_len);
    }
    rte_pktmbuf_free(mbuf);
  }
  return frames;
}

core::IngressTotals RingBench::ingress(uint16_t port) const {
  core::IngressTotals totals;
  for (const auto& worker : workers_) totals += worker->ingress(port);
  return totals;
}

core::IngressTotals RingBench::totals() const {
  core::IngressTotals totals;
  for (uint16_t port = 0; port < facts_.size(); ++port) totals += ingress(port);
  return totals;
}

core::Ledger RingBench::ledger() const {
  const core::IngressTotals all = totals();
  return {all.rx_packets, all.generated, all.sent, all.held_in_all(), all.dropped_in_all()};
}

uint64_t RingBench::sent_by(uint16_t port, uint16_t queue) const {
  uint64_t packets = 0;
  for (const auto& worker : workers_) {
    packets += worker->exit(static_cast<uint16_t>(plan().ports[port].first_exit + queue)).packets.read();
  }
  return packets;
}

}  // namespace test_support
