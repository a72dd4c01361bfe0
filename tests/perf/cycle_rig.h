// SPDX-License-Identifier: BSD-3-Clause
// A data plane in one process whose only cost is its own: frames that were made before lie in mbufs and are
// handed out by an RX callback, real workers forward them, and net_null takes and frees them. What is counted
// are clocks from the first burst handed out to the last. Used by the programs of tests/perf; one worker.
#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/flow_maker.h"
#include "core/plan.h"
#include "pmd_glue/eal.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/ports.h"

namespace perf {

using Frame = std::vector<uint8_t>;

// What is handed out. With more flows than frames, the addresses and ports of an IPv4 frame are written anew
// each time, so that the memory that is touched stays the same.
struct Load {
  std::vector<Frame> frames;  // of the mbufs in turn
  uint32_t flows = 0;         // 0: as they are in `frames`
  unsigned mbufs = 4096;      // in turn; at most CycleRig::kMbufs
};

// Frames of 2,048 flows, 64 bytes with FCS. Of these, in turn: `six` in a hundred are IPv6, `tagged` in a
// hundred carry a VLAN tag, `fragments` in a hundred are fragments (IPv4 only).
struct Mix {
  core::FlowKind kind = core::FlowKind::udp;
  unsigned six = 0, tagged = 0, fragments = 0;
};
std::vector<Frame> frames_of(const Mix& mix, uint32_t flows = 2048);

class CycleRig {
 public:
  static constexpr unsigned kMbufs = 4096;
  static constexpr unsigned kNics = 16;

  // Starts EAL with 1 + kNics devices. `program`: argv[0], of which the name is told.
  explicit CycleRig(const std::string& program);
  ~CycleRig();

  // Handed out from now on.
  void load(const Load& load);

  // Runs `body` on the worker lcore until `packets` were handed out; the clocks a packet took. `body` gets
  // the stop flag and must poll rx() in bursts of `burst`.
  double cycles(uint64_t packets, const std::function<void(const std::atomic<bool>& stop)>& body);

  // Clocks a packet of: reception and one TX queue; the same with the TX queue of `nics` x `queues` written
  // beforehand in each mbuf; roceway's worker with these settings (`settings.ports` is filled here).
  double floor(uint64_t packets, uint16_t burst);
  double split_floor(uint64_t packets, uint16_t burst, unsigned nics, uint16_t queues);
  double worker(uint64_t packets, core::Settings settings, unsigned nics);

  core::PortQueue rx() const { return {facts_[0].port, 0}; }
  core::PortQueue tx(unsigned nic, uint16_t queue) const { return {facts_[1 + nic].port, queue}; }

 private:
  struct Source {
    Load load;
    rte_mempool* pool = nullptr;
    uint16_t port_id = 0;
    std::vector<rte_mbuf*> mbufs;
    size_t at = 0, given = 0;  // where the last burst lies, and its packets: the sinks have freed them since
    uint64_t left = 0;
    uint32_t next_flow = 0;
    uint64_t packets = 0, first_tsc = 0, last_tsc = 0;
    std::atomic<bool> stop{false};
    uint16_t give(rte_mbuf** into, uint16_t most);
    void fill(rte_mbuf* mbuf, const Frame& frame);
  };
  static uint16_t give(uint16_t port, uint16_t queue, rte_mbuf** mbufs, uint16_t received, uint16_t most,
                       void* source);
  void set_up(uint16_t queues);

  std::unique_ptr<glue::Eal> eal_;
  std::vector<core::PortFacts> facts_;
  std::unique_ptr<glue::Pools> pools_;
  std::vector<glue::Port> ports_;
  std::unique_ptr<Source> source_;
};

}  // namespace perf
