// SPDX-License-Identifier: BSD-3-Clause
// Frames out of memory, devices of net_null, workers; see cycle_rig.h.
#include "perf/cycle_rig.h"

#include <rte_ethdev.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/layout.h"
#include "path/plane.h"
#include "path/worker.h"
#include "pmd_glue/burst.h"
#include "pmd_glue/host.h"
#include "pmd_glue/lcores.h"

namespace perf {
namespace {

constexpr uint16_t kQueues = 2 * core::kMaxQueuesPerNic;
// mbufs of the pool beside those of the sources: on their way between workers, and in caches of lcores.
constexpr uint32_t kSpare = 8192;
constexpr uint32_t kPoolMbufs = CycleRig::kSources * CycleRig::kMbufs + kSpare;

std::string device(unsigned i) {
  return "net_null" + std::to_string(i);
}

void fill(rte_mbuf* mbuf, const Frame& frame) {
  rte_pktmbuf_reset(mbuf);
  std::copy(frame.begin(), frame.end(), rte_pktmbuf_mtod(mbuf, uint8_t*));
  mbuf->pkt_len = mbuf->data_len = static_cast<uint16_t>(frame.size());
}

core::Settings with_ports(core::Settings settings, const std::vector<core::PortFacts>& facts,
                          unsigned sources) {
  settings.ports.assign(facts.size(), {});
  for (size_t i = 0; i < facts.size(); ++i) {
    settings.ports[i].device = facts[i].device;
    settings.ports[i].group = i < sources ? "access" : "uplink";
    settings.ports[i].rx_queues = 1;
  }
  return settings;
}

// A figure would be worth nothing when packets were dropped, or when fewer changed workers than the hash asks
// for: half of them with two workers.
void check_books(const std::vector<std::unique_ptr<path::Worker>>& workers, const core::Plan& plan) {
  core::IngressTotals all;
  for (const auto& worker : workers) {
    for (uint16_t port = 0; port < plan.ports.size(); ++port) all += worker->ingress(port);
  }
  const bool hands_over = workers.size() > 1 && plan.owner == core::Owner::by_hash;
  if (all.sent == all.rx_packets && (!hands_over || all.taken_over > all.rx_packets / 4)) return;
  throw std::runtime_error(std::to_string(all.sent) + " of " + std::to_string(all.rx_packets) +
                           " packets were sent, " + std::to_string(all.taken_over) + " were taken over");
}

}  // namespace

CycleRig::CycleRig(const std::string& program) {
  const glue::HostFacts host = glue::look_at_host();
  glue::EalRequest request;
  request.name = program.substr(program.rfind('/') + 1) + "-" + std::to_string(getpid());
  request.workers = {{1, host.cpus.back()}, {2, host.cpus.front()}};
  request.pool_mbufs = kPoolMbufs;
  request.command_args = {"--no-pci"};
  for (unsigned i = 0; i < kSources + kNics; ++i)
    request.command_args.push_back("--vdev=" + device(i) + ",no-rx=1");
  const glue::EalPlan plan = glue::plan_eal(request, host);
  glue::remove_leftovers_now_and_at_exit(plan);
  eal_ = std::make_unique<glue::Eal>(plan);
  start_devices();
  for (unsigned i = 0; i < kSources; ++i) {
    Source& source = *sources_.emplace_back(std::make_unique<Source>());
    source.load = &load_;
    source.stop = &stop_;
    source.port_id = facts_[i].port;
    source.pool = pool();
    source.mbufs.resize(kMbufs);
    if (rte_pktmbuf_alloc_bulk(source.pool, source.mbufs.data(), kMbufs) != 0)
      throw std::runtime_error("no mbufs");
    rte_eth_add_rx_callback(source.port_id, 0, &CycleRig::give, &source);
  }
}

void CycleRig::start_devices() {
  for (unsigned i = 0; i < kSources + kNics; ++i) {
    facts_.push_back(glue::port_facts(device(i), ""));
    ports_.emplace_back(facts_.back());
  }
  pools_ = std::make_unique<glue::Pools>(std::vector<core::PoolNeed>{{.numa_node = 0, .reserve = kPoolMbufs}},
                                         uint16_t{2048});
  for (glue::Port& port : ports_) {
    port.set_up({.rx_queues = 1,
                 .tx_queues = std::min(kQueues, facts_[0].max_tx_queues),
                 .rx_descriptors = 512,
                 .tx_descriptors = 512,
                 .mtu = 1500,
                 .pool = pool()});
    port.start();
  }
}

CycleRig::~CycleRig() {
  for (const auto& source : sources_) rte_pktmbuf_free_bulk(source->mbufs.data(), kMbufs);
  ports_.clear();
}

uint16_t CycleRig::give(uint16_t, uint16_t, rte_mbuf** mbufs, uint16_t, uint16_t most, void* source) {
  return static_cast<Source*>(source)->give(mbufs, most);
}

// The sinks gave back to the pool what was handed out last: it comes out of the pool again, frames untouched.
// Where another worker freed it, other mbufs come, with their frames. False: there is nothing in the pool.
bool CycleRig::Source::take_back() {
  if (given == 0) return true;
  void** places = reinterpret_cast<void**>(&mbufs[at]);
  if (rte_mempool_get_bulk(pool, places, static_cast<unsigned>(given)) != 0) return false;
  packets += given;
  at = (at + given) % load->mbufs;
  given = 0;
  return true;
}

uint16_t CycleRig::Source::give(rte_mbuf** into, uint16_t most) {
  const uint64_t now = rte_rdtsc();
  if (first_tsc == 0) first_tsc = now;
  if (given > 0) last_tsc = now;
  if (!take_back()) return 0;
  if (left < most) {
    stop->store(true, std::memory_order_release);
    return 0;
  }
  given = std::min<size_t>(most, load->mbufs - at);
  left -= given;
  for (size_t i = 0; i < given; ++i) {  // what every driver writes when it receives
    rte_mbuf* mbuf = into[i] = mbufs[at + i];
    mbuf->data_off = RTE_PKTMBUF_HEADROOM;
    rte_mbuf_refcnt_set(mbuf, 1);
    mbuf->nb_segs = 1;
    mbuf->port = port_id;
    mbuf->ol_flags = 0;
    mbuf->packet_type = 0;
    mbuf->pkt_len = mbuf->data_len;  // its frame stays in it
  }
  if (load->flows > 0) write_flows({into, given});
  return static_cast<uint16_t>(given);
}

// Each flow comes once in every turn.
void CycleRig::Source::write_flows(std::span<rte_mbuf*> burst) {
  constexpr size_t kSourceAddress = 14 + 12;
  for (rte_mbuf* mbuf : burst) {
    std::memcpy(rte_pktmbuf_mtod_offset(mbuf, uint8_t*, kSourceAddress), &next_flow, sizeof next_flow);
    if (++next_flow == load->flows) next_flow = 0;
  }
}

void CycleRig::load(const Load& load) {
  load_ = load;
  if (load_.flows > 0) load_.frames.resize(1);
  const std::vector<Frame>& frames = load_.frames;
  // Those in the pool, too: they come in the place of others.
  rte_mempool_obj_iter(
      pool(),
      [](rte_mempool*, void* all, void* mbuf, unsigned i) {
        const auto& made = *static_cast<const std::vector<Frame>*>(all);
        fill(static_cast<rte_mbuf*>(mbuf), made[i % made.size()]);
      },
      const_cast<std::vector<Frame>*>(&frames));
  for (const auto& source : sources_) {
    for (unsigned i = 0; i < kMbufs; ++i) fill(source->mbufs[i], frames[i % frames.size()]);
  }
}

double CycleRig::cycles(uint64_t packets, const Body& body, unsigned workers) {
  stop_ = false;
  std::atomic<unsigned> running{workers};
  std::vector<std::function<void()>> bodies;
  for (unsigned worker = 0; worker < workers; ++worker) {
    Source& source = *sources_[worker];
    source.at = source.packets = source.first_tsc = source.last_tsc = 0;
    source.left = packets;
    bodies.push_back([&, worker] {
      body(worker, stop_);
      running.fetch_sub(1, std::memory_order_release);
    });
  }
  glue::WorkerLcores lcores;
  std::vector<unsigned> used = eal_->worker_lcores();
  used.resize(workers);
  lcores.start(used, std::move(bodies));
  while (running.load(std::memory_order_acquire) > 0) glue::sleep_us(500);  // its CPU may be a worker's
  lcores.join();
  uint64_t first = UINT64_MAX, last = 0, all = 0;
  for (unsigned worker = 0; worker < workers; ++worker) {
    Source& source = *sources_[worker];
    if (source.packets == 0)
      throw std::runtime_error("worker " + std::to_string(worker) +
                               " did not begin before another was done; use more packets");
    first = std::min(first, source.first_tsc);
    last = std::max(last, source.last_tsc);
    all += source.packets;
    if (!source.take_back()) throw std::runtime_error("mbufs were lost");
  }
  return static_cast<double>(last - first) / static_cast<double>(all);
}

double CycleRig::floor(uint64_t packets, uint16_t burst, unsigned workers) {
  const auto body = [&](unsigned worker, const std::atomic<bool>& stop) {
    rte_mbuf* mbufs[core::kMaxBurst];
    while (!stop.load(std::memory_order_relaxed)) {
      const uint16_t received = glue::rx_burst(rx(worker), {mbufs, burst});
      glue::tx_burst(tx(0, static_cast<uint16_t>(worker)), {mbufs, received});
    }
  };
  return cycles(packets, body, workers);
}

double CycleRig::split_floor(uint64_t packets, uint16_t burst, unsigned nics, uint16_t queues) {
  const uint32_t exits = nics * queues;
  for (uint32_t i = 0; i < kMbufs; ++i) sources_[0]->mbufs[i]->hash.usr = (i * 2654435761u >> 8) % exits;
  return cycles(packets, [&](unsigned, const std::atomic<bool>& stop) {
    struct Lane {
      core::PortQueue to;
      uint16_t staged = 0;
      rte_mbuf* mbufs[core::kMaxBurst];
    };
    std::vector<Lane> lanes(exits);
    for (uint32_t exit = 0; exit < exits; ++exit)
      lanes[exit].to = tx(exit / queues, static_cast<uint16_t>(exit % queues));
    rte_mbuf* mbufs[core::kMaxBurst];
    while (!stop.load(std::memory_order_relaxed)) {
      const uint16_t received = glue::rx_burst(rx(0), {mbufs, burst});
      for (uint16_t i = 0; i < received; ++i) {
        Lane& lane = lanes[mbufs[i]->hash.usr];
        lane.mbufs[lane.staged++] = mbufs[i];
      }
      for (Lane& lane : lanes) {
        if (lane.staged == 0) continue;
        glue::tx_burst(lane.to, {lane.mbufs, lane.staged});
        lane.staged = 0;
      }
    }
  });
}

core::Plan CycleRig::plan(const core::Settings& wanted, const PlaneShape& shape) const {
  std::vector<core::PortFacts> facts(facts_.begin(), facts_.begin() + shape.workers);
  facts.insert(facts.end(), facts_.begin() + kSources, facts_.begin() + kSources + shape.nics);
  const core::Settings settings = with_ports(wanted, facts, shape.workers);
  core::Layout layout = core::lay_out_queues(settings, facts, shape.workers);
  if (!layout.problems.empty()) throw std::runtime_error(layout.problems.front().what);
  layout.simd = shape.simd;
  return core::make_plan(settings, facts, layout);
}

double CycleRig::worker(uint64_t packets, const core::Settings& settings, const PlaneShape& shape) {
  path::Plane plane(std::make_unique<core::Plan>(plan(settings, shape)));
  const std::vector<rte_mempool*> pools(shape.workers + shape.nics, pool());
  std::vector<std::unique_ptr<path::Worker>> workers;
  for (unsigned i = 0; i < shape.workers; ++i) {
    const path::RxSource source = {rx(i), static_cast<uint16_t>(i)};
    workers.push_back(
        std::make_unique<path::Worker>(path::WorkerSetup{plane, i, {source}, {}, settings.flowgen, pools}));
  }
  const double clocks = cycles(
      packets, [&](unsigned i, const std::atomic<bool>& stop) { workers[i]->run(stop); }, shape.workers);
  check_books(workers, plane.publication.newest());
  return clocks;
}

}  // namespace perf
