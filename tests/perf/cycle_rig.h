// SPDX-License-Identifier: BSD-3-Clause
// A data plane in one process whose only cost is its own: frames that were made before lie in mbufs and are
// handed out by an RX callback, real workers forward them, and net_null takes and frees them. What is counted
// are clocks from the first burst handed out to the last. Used by the programs of tests/perf; one worker, or
// two with a source of packets each.
#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/simd.h"
#include "perf/frames.h"
#include "pmd_glue/eal.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/ports.h"

namespace perf {

// What is handed out.
struct Load {
  std::vector<Frame> frames;  // of the mbufs in turn
  // Not 0: all mbufs have the first frame, which must be IPv4 without a tag, and its source address is
  // written anew each time, so that so many flows come in turn and the memory that is touched stays the same.
  uint32_t flows = 0;
  unsigned mbufs = 4096;  // in turn, of each source; at most CycleRig::kMbufs
};

// What a data plane is built of beside its settings.
struct PlaneShape {
  unsigned nics = 4;
  unsigned workers = 1;
  core::Simd simd = core::widest();
};

class CycleRig {
 public:
  static constexpr unsigned kMbufs = 4096;
  static constexpr unsigned kNics = 16;
  static constexpr unsigned kSources = 2;  // and workers

  // Starts EAL with kSources + kNics devices. `program`: argv[0], of which the name is told.
  explicit CycleRig(const std::string& program);
  ~CycleRig();

  // Handed out from now on.
  void load(const Load& load);

  // Runs `body` on so many worker lcores until one source has handed out `packets`; the clocks from the first
  // packet to the last, by all packets. `body` gets its worker's number and the stop flag, and must poll
  // rx(worker).
  using Body = std::function<void(unsigned worker, const std::atomic<bool>& stop)>;
  double cycles(uint64_t packets, const Body& body, unsigned workers = 1);

  // Clocks a packet of: reception and one TX queue a worker; the same with the TX queue of `nics` x `queues`
  // written beforehand in each mbuf; roceway's workers with these settings (`settings.ports` is filled here).
  double floor(uint64_t packets, uint16_t burst, unsigned workers = 1);
  double split_floor(uint64_t packets, uint16_t burst, unsigned nics, uint16_t queues);
  double worker(uint64_t packets, const core::Settings& settings, const PlaneShape& shape = {});

  // What such workers go by. Throws when the layout is impossible.
  core::Plan plan(const core::Settings& settings, const PlaneShape& shape) const;
  core::PortQueue rx(unsigned source) const { return {facts_[source].port, 0}; }
  core::PortQueue tx(unsigned nic, uint16_t queue) const { return {facts_[kSources + nic].port, queue}; }
  rte_mempool* pool() const { return pools_->on_node(0); }

 private:
  struct Source {
    const Load* load = nullptr;
    std::atomic<bool>* stop = nullptr;
    rte_mempool* pool = nullptr;
    uint16_t port_id = 0;
    std::vector<rte_mbuf*> mbufs;
    size_t at = 0, given = 0;  // where the last burst lies, and its packets: the sinks free them
    uint64_t left = 0;
    uint32_t next_flow = 0;
    uint64_t packets = 0, first_tsc = 0, last_tsc = 0;
    uint16_t give(rte_mbuf** into, uint16_t most);
    bool take_back();
    void write_flows(std::span<rte_mbuf*> burst);
  };
  static uint16_t give(uint16_t port, uint16_t queue, rte_mbuf** mbufs, uint16_t received, uint16_t most,
                       void* source);
  void start_devices();

  std::unique_ptr<glue::Eal> eal_;
  std::vector<core::PortFacts> facts_;  // of sources, then of NICs
  std::unique_ptr<glue::Pools> pools_;
  std::vector<glue::Port> ports_;
  Load load_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::atomic<bool> stop_{false};
};

}  // namespace perf
