// SPDX-License-Identifier: BSD-3-Clause
// Frames out of memory, devices of net_null, one worker; see cycle_rig.h.
#include "perf/cycle_rig.h"

#include <rte_ethdev.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "core/layout.h"
#include "path/plane.h"
#include "path/worker.h"
#include "pmd_glue/burst.h"
#include "pmd_glue/host.h"
#include "pmd_glue/lcores.h"

namespace perf {
namespace {

constexpr uint16_t kQueues = 64;
constexpr uint32_t kSpare = 4096;  // mbufs of the pool beside those with frames
constexpr core::MacAddress kHost = {0x02, 0, 0, 0, 0, 1}, kGateway = {0x02, 0, 0, 0, 0, 2};

void add_tag(Frame& frame) {
  static constexpr uint8_t kTag[4] = {0x81, 0x00, 0x60, 0x0a};  // priority 3, VLAN 10
  frame.insert(frame.begin() + 12, std::begin(kTag), std::end(kTag));
}

core::Settings with_ports(core::Settings settings, const std::vector<core::PortFacts>& facts, unsigned nics) {
  settings.ports.assign(1 + nics, {});
  for (unsigned i = 0; i <= nics; ++i) {
    settings.ports[i].device = facts[i].device;
    settings.ports[i].group = i == 0 ? "access" : "uplink";
  }
  settings.ports[0].rx_queues = 1;
  return settings;
}

}  // namespace

std::vector<Frame> frames_of(const Mix& mix, uint32_t flows) {
  const auto pattern = [&](core::IpVersion ip) {
    return core::FlowPattern{.flows = flows,
                             .kind = mix.kind,
                             .ip = ip,
                             .sizes = {std::max<uint16_t>(64, core::shortest_frame(mix.kind, ip))}};
  };
  const core::FlowPattern four = pattern(core::IpVersion::v4), six = pattern(core::IpVersion::v6);
  std::vector<Frame> frames;
  // In steps that have nothing to do with each other, so that the kinds meet in every way.
  const auto is_one = [](uint32_t i, uint32_t step, unsigned percent) { return i * step % 100 < percent; };
  for (uint32_t i = 0; i < flows; ++i) {
    const bool is_six = is_one(i, 61, mix.six);
    Frame frame = core::make_frame(is_six ? six : four, i, 0, kGateway, kHost);
    if (!is_six && is_one(i, 37, mix.fragments)) frame[20] = 0x20;  // more fragments
    if (is_one(i, 43, mix.tagged)) add_tag(frame);
    frames.push_back(std::move(frame));
  }
  return frames;
}

CycleRig::CycleRig(const std::string& program) {
  const glue::HostFacts host = glue::look_at_host();
  glue::EalRequest request;
  request.name = program.substr(program.rfind('/') + 1) + "-" + std::to_string(getpid());
  request.workers = {{1, host.cpus.back()}};
  request.pool_mbufs = kMbufs + kSpare;
  request.command_args = {"--no-pci"};
  for (unsigned i = 0; i <= kNics; ++i) {
    request.command_args.push_back("--vdev=net_null" + std::to_string(i) + ",no-rx=1");
  }
  const glue::EalPlan plan = glue::plan_eal(request, host);
  glue::remove_leftovers_now_and_at_exit(plan);
  eal_ = std::make_unique<glue::Eal>(plan);
  for (unsigned i = 0; i <= kNics; ++i) {
    facts_.push_back(glue::port_facts("net_null" + std::to_string(i), ""));
    ports_.emplace_back(facts_.back());
  }
  pools_ = std::make_unique<glue::Pools>(
      std::vector<core::PoolNeed>{{.numa_node = 0, .reserve = kMbufs + kSpare}}, uint16_t{2048});
  source_ = std::make_unique<Source>();
  source_->port_id = facts_[0].port;
  source_->pool = pools_->on_node(0);
  source_->mbufs.resize(kMbufs);
  if (rte_pktmbuf_alloc_bulk(source_->pool, source_->mbufs.data(), kMbufs) != 0)
    throw std::runtime_error("no mbufs");
  for (glue::Port& port : ports_) {
    port.set_up({.rx_queues = 1,
                 .tx_queues = std::min(kQueues, facts_[0].max_tx_queues),
                 .rx_descriptors = 512,
                 .tx_descriptors = 512,
                 .mtu = 1500,
                 .pool = source_->pool});
    port.start();
  }
  rte_eth_add_rx_callback(facts_[0].port, 0, &CycleRig::give, source_.get());
}

CycleRig::~CycleRig() {
  rte_pktmbuf_free_bulk(source_->mbufs.data(), kMbufs);
  ports_.clear();
}

uint16_t CycleRig::give(uint16_t, uint16_t, rte_mbuf** mbufs, uint16_t, uint16_t most, void* source) {
  return static_cast<Source*>(source)->give(mbufs, most);
}

// The sinks gave back to the pool what was handed out last: it comes out of the pool again, frames untouched.
uint16_t CycleRig::Source::give(rte_mbuf** into, uint16_t most) {
  const uint64_t now = rte_rdtsc();
  if (given > 0) {
    rte_mempool_get_bulk(pool, reinterpret_cast<void**>(&mbufs[at]), static_cast<unsigned>(given));
    packets += given;
    last_tsc = now;
    at = (at + given) % load.mbufs;
    given = 0;
  } else {
    first_tsc = now;
  }
  if (left < most) {
    stop.store(true, std::memory_order_release);
    return 0;
  }
  given = std::min<size_t>(most, load.mbufs - at);
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
  if (load.flows > 0) {
    for (size_t i = 0; i < given; ++i) {
      uint8_t* ip = rte_pktmbuf_mtod_offset(into[i], uint8_t*, 14);
      std::memcpy(ip + 12, &next_flow, 4);  // its source address; each flow comes once in every turn
      if (++next_flow == load.flows) next_flow = 0;
    }
  }
  return static_cast<uint16_t>(given);
}

void CycleRig::Source::fill(rte_mbuf* mbuf, const Frame& frame) {
  rte_pktmbuf_reset(mbuf);
  std::copy(frame.begin(), frame.end(), rte_pktmbuf_mtod(mbuf, uint8_t*));
  mbuf->pkt_len = mbuf->data_len = static_cast<uint16_t>(frame.size());
}

void CycleRig::load(const Load& load) {
  source_->load = load;
  for (unsigned i = 0; i < kMbufs; ++i) source_->fill(source_->mbufs[i], load.frames[i % load.frames.size()]);
}

double CycleRig::cycles(uint64_t packets, const std::function<void(const std::atomic<bool>&)>& body) {
  Source& source = *source_;
  source.at = source.given = 0;
  source.left = packets;
  source.packets = 0;
  source.stop = false;
  glue::WorkerLcores lcores;
  lcores.start(eal_->worker_lcores(), {[&] { body(source.stop); }});
  lcores.join();
  return static_cast<double>(source.last_tsc - source.first_tsc) / static_cast<double>(source.packets);
}

double CycleRig::floor(uint64_t packets, uint16_t burst) {
  return cycles(packets, [&](const std::atomic<bool>& stop) {
    rte_mbuf* mbufs[core::kMaxBurst];
    while (!stop.load(std::memory_order_relaxed)) {
      const uint16_t received = glue::rx_burst(rx(), {mbufs, burst});
      glue::tx_burst(tx(0, 0), {mbufs, received});
    }
  });
}

double CycleRig::split_floor(uint64_t packets, uint16_t burst, unsigned nics, uint16_t queues) {
  const uint32_t exits = nics * queues;
  for (uint32_t i = 0; i < kMbufs; ++i) source_->mbufs[i]->hash.usr = (i * 2654435761u >> 8) % exits;
  return cycles(packets, [&](const std::atomic<bool>& stop) {
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
      const uint16_t received = glue::rx_burst(rx(), {mbufs, burst});
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

double CycleRig::worker(uint64_t packets, core::Settings wanted, unsigned nics) {
  const core::Settings settings = with_ports(std::move(wanted), facts_, nics);
  const std::vector<core::PortFacts> facts(facts_.begin(), facts_.begin() + 1 + nics);
  const core::Layout layout = core::lay_out_queues(settings, facts, 1);
  if (!layout.problems.empty()) throw std::runtime_error(layout.problems.front().what);
  path::Plane plane(std::make_unique<core::Plan>(core::make_plan(settings, facts, layout)));
  path::Worker worker(
      {plane, 0, {{rx(), 0}}, {}, settings.flowgen, std::vector<rte_mempool*>(facts.size(), source_->pool)});
  return cycles(packets, [&](const std::atomic<bool>& stop) { worker.run(stop); });
}

}  // namespace perf
