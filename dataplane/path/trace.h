// SPDX-License-Identifier: BSD-3-Clause
// Follows chosen packets through the steps of a worker and notes what each step decided, told by the steps
// themselves. One Tracer a worker. Control arms it and reads; the worker writes. Nothing is locked: an order
// travels by one atomic pointer, records only grow, and a count released behind each part says how far they
// may be read.
//
// A followed packet has a flag in its mbuf from its RX burst until it leaves this worker: to a driver, to
// another worker, or freed.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/plan.h"
#include "pmd_glue/packet_filter.h"

namespace path {

inline constexpr uint32_t kMostTraces = 1000;  // of one worker
inline constexpr size_t kTracedBytes = 96;

enum class TraceStep : uint8_t {
  parsed,       // what it is, its route and group; mode gateway
  answered,     // a question for the gateway's own address: an answer was made
  like_before,  // the guard let it pass: same MAC addresses as the frame before
  guarded,      // the guard let it pass after a look at its tables
  keyed,        // its flow key
  hashed,       // hash, bucket, and the exit that packets of the bucket take here and now
  waits,        // its bucket is on its way to another exit, and it waits for that
  admitted,     // the port of the exit takes it as it is
  rewritten,    // or with other MAC addresses
  staged,       // in line for an exit
  held,         // the driver had no room for it, or others wait for the exit
  lined_up,     // in line for the ring to another worker
  sent,         // taken by the driver of the exit
  handed_over,  // taken by the ring to another worker, who sends it; the trace ends here
  dropped,      // freed for a reason
};
std::string_view name_of(TraceStep step);

struct TraceEvent {
  uint64_t tsc = 0;  // since the data plane was built
  TraceStep step = TraceStep::parsed;
  core::DropReason reason = core::DropReason::kCount;  // of dropped
  uint16_t where = core::kNoExit;                      // an exit, or the worker of lined_up and handed_over
};

// What a packet was when it came in; what classify found (from `parsed` and `keyed` on); where distribute
// sent it (from `hashed` on).
struct TraceArrival {
  unsigned lcore = 0;
  uint64_t tsc = 0;  // since the data plane was built
  uint16_t port_index = 0;
  uint16_t rx_queue = 0;
  uint32_t frame_bytes = 0;
  uint32_t front_bytes = 0;
  std::array<uint8_t, kTracedBytes> front{};
};
struct TraceHeaders {
  core::PacketHeaders headers;
  uint16_t target = core::kNoGroup;
  uint16_t route = 0;  // among the routes of its group, counted from 0
  uint8_t priority = 0;
};
struct TraceHash {
  uint32_t hash = 0;
  uint32_t bucket = 0;
  uint16_t exit = core::kNoExit;  // or core::kWaitExit
};

struct Trace {
  unsigned worker = 0;
  TraceArrival arrival;
  TraceHeaders headers;
  core::FlowKey key{};
  TraceHash hash;
  std::vector<TraceEvent> events;
  bool has(TraceStep step) const;
};

class Tracer {
 public:
  // Reserves the mbuf flag; main thread, EAL is up. `start_tsc`: when the data plane was built.
  Tracer(unsigned worker, uint64_t start_tsc);
  ~Tracer();

  // Control thread. The next `count` packets that match (null: all), at most kMostTraces; what was traced
  // before is forgotten. 0 ends tracing.
  void arm(uint32_t count, std::shared_ptr<const glue::PacketFilter> filter);
  std::vector<Trace> traces() const;  // oldest first, those under way as far as they are

  // The rest: worker lcore.
  bool is_ordered() const { return ordered_.load(std::memory_order_relaxed) != nullptr; }
  void take_order();
  bool busy() const { return wanted_ > 0 || follows(); }
  bool follows() const { return !followed_.empty(); }

  // Begins to follow packets of a burst, as many as are wanted.
  void choose(std::span<rte_mbuf* const> mbufs, uint16_t port_index, uint16_t rx_queue) {
    if (wanted_ > 0) choose_some(mbufs, port_index, rx_queue);
  }
  // Each of these does nothing with a packet that is not followed.
  void parsed(const rte_mbuf* mbuf, const TraceHeaders& headers) {
    if (is_followed(mbuf)) note_parsed(mbuf, headers);
  }
  void keyed(const rte_mbuf* mbuf, const core::FlowKey& key) {
    if (is_followed(mbuf)) note_key(mbuf, key);
  }
  void hashed(const rte_mbuf* mbuf, const TraceHash& hash) {
    if (is_followed(mbuf)) note_hash(mbuf, hash);
  }
  void note(const rte_mbuf* mbuf, TraceStep step, uint16_t where = core::kNoExit) {
    if (is_followed(mbuf)) note_step(mbuf, step, where);
  }
  // Before it is freed.
  void dropped(rte_mbuf* mbuf, core::DropReason reason) {
    if (is_followed(mbuf)) end(mbuf, {0, TraceStep::dropped, reason, core::kNoExit});
  }
  // Before a line is offered to a driver or a ring, and when the first `taken` packets are gone.
  void look_at(std::span<rte_mbuf* const> line);
  void left(std::span<rte_mbuf* const> line, uint16_t taken, TraceStep how, uint16_t where);

 private:
  struct Record;
  struct Order;
  struct Followed {
    const rte_mbuf* mbuf;
    Record* record;
  };

  bool is_followed(const rte_mbuf* mbuf) const { return (mbuf->ol_flags & flag_) != 0; }
  Followed* find(const rte_mbuf* mbuf);
  uint64_t now() const;
  void choose_some(std::span<rte_mbuf* const> mbufs, uint16_t port_index, uint16_t rx_queue);
  void begin(rte_mbuf* mbuf, const TraceArrival& arrival);
  void note_parsed(const rte_mbuf* mbuf, const TraceHeaders& headers);
  void note_key(const rte_mbuf* mbuf, const core::FlowKey& key);
  void note_hash(const rte_mbuf* mbuf, const TraceHash& hash);
  void note_step(const rte_mbuf* mbuf, TraceStep step, uint16_t where);
  void add(Record& record, TraceEvent event);
  void end(rte_mbuf* mbuf, const TraceEvent& event);
  void forget(Followed& followed);

  const unsigned worker_;
  const uint64_t start_tsc_;
  const uint64_t flag_;

  // Control's: the newest order last; older ones until the worker has let go of them.
  std::vector<std::unique_ptr<Order>> orders_;
  std::atomic<Order*> ordered_{nullptr};  // for the worker to take up
  std::atomic<Order*> worked_on_{nullptr};

  // The worker's.
  Order* order_ = nullptr;
  uint32_t wanted_ = 0;             // packets still to be chosen
  std::vector<Followed> followed_;  // packets that have not left
  struct Offered {
    uint16_t place;
    Record* record;
  };
  std::vector<Offered> offered_;  // of the present line; capacity for the longest
};

}  // namespace path
