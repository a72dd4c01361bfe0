// SPDX-License-Identifier: BSD-3-Clause
// Plain numbers of one worker, and how those of all workers are added up. Each counter has one writer, the
// worker that owns it, and is written once a burst; control reads at any moment. So a counter is a relaxed
// atomic whose add is a plain load and store: no lock prefix on the packet path, no torn read beside it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "core/types.h"

namespace core {

class Counter {
 public:
  void add(uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void sub(uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
  }
  void set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// What one worker did with packets that came in by one port. The books: received + generated =
// sent + held + the sum of dropped, each counted where it happens, none computed from the others. A packet
// that is handed to the worker that owns its exit is counted twice more, here as handed over, there as taken
// over; from then on its books are that worker's.
struct IngressCounters {
  Counter rx_packets, rx_bytes;
  Counter generated;  // made here by txonly or flowgen, on the port they leave by
  Counter sent;       // accepted by the driver of whatever port they left by
  Counter held;       // waiting at this moment: for room in a TX ring, or for a moved bucket's turn
  Counter handed_over, taken_over;
  Counter answers;  // of this port's next hop to probes
  std::array<Counter, kDropReasons> dropped;
  std::array<Counter, kProtocols> seen;
};

// What one worker sent by one of its TX queues.
struct ExitCounters {
  Counter packets, bytes;
  Counter dropped;  // as tx_full: for this exit, also when it is another worker's
  Counter held;     // for this exit, at this moment
};

struct LoopCounters {
  // Whether the worker works by this plan (control/publisher) and every bucket follows it.
  bool settled_on(uint32_t plan_generation) const {
    return generation.load(std::memory_order_acquire) == plan_generation && moving.read() == 0;
  }

  Counter busy_tsc, total_tsc;
  Counter worst_round_tsc;
  Counter moving;  // buckets that do not yet follow the plan of `generation`
  std::atomic<uint32_t> generation{
      0};  // of the plan this worker works by; stored with release, after `moving`
};

// The steps of a round whose clocks a worker counts when engine.record_core_cycles asks for it. Together
// they are the time between the start and the end of the rounds that were recorded.
enum class Step : uint8_t {
  poll,        // looks at an RX queue that has nothing
  receive,     // bursts out of RX queues
  take_over,   // packets that control or another worker handed in, sent on
  forward,     // all that a mode other than gateway does to a burst
  classify,    // parse, judge, choose the group, make keys
  distribute,  // hash, reduce, look up the exit
  stage,       // admit, rewrite, put in line
  flush,       // what is in line, to drivers and to other workers' rings
  retry,       // held packets, offered again; its packets are those that were taken
  follow,      // buckets on their way to another exit
  generate,    // frames that txonly, flowgen and tx_first make, and their way out
  books,       // the rest of a round: plans, counters
  kCount
};
inline constexpr size_t kSteps = static_cast<size_t>(Step::kCount);
std::string_view name_of(Step step);

struct StepCounters {
  Counter calls, packets, tsc;
};
using StepTable = std::array<StepCounters, kSteps>;

// Bursts by the packets they had, 0 to kMaxBurst: of RX what a poll brought, of TX what a driver accepted.
using BurstSizes = std::array<Counter, kMaxBurst + 1>;
struct BurstCounters {
  BurstSizes rx, tx;
};

// Sums over workers; the same shape without atomics.
struct IngressTotals {
  uint64_t rx_packets = 0, rx_bytes = 0, generated = 0, sent = 0, held = 0;
  uint64_t handed_over = 0, taken_over = 0, answers = 0;
  std::array<uint64_t, kDropReasons> dropped{};
  std::array<uint64_t, kProtocols> seen{};
  uint64_t dropped_in_all() const;
  // Held by workers or on the way between two of them.
  uint64_t held_in_all() const {
    return held + (handed_over > taken_over ? handed_over - taken_over : uint64_t{0});
  }
  IngressTotals& operator+=(const IngressCounters& worker);
  IngressTotals& operator+=(const IngressTotals& other);
};

// The books of one port or of the whole program.
struct Ledger {
  uint64_t received = 0, generated = 0, sent = 0, held = 0, dropped = 0;
  // Received and generated packets less those whose fate is told; 0 in books that balance.
  int64_t unaccounted() const { return static_cast<int64_t>(received + generated - sent - held - dropped); }
  // `slack`: packets that the two sides may differ by, because counters were read while they moved.
  bool balanced(uint64_t slack = 0) const { return static_cast<uint64_t>(std::abs(unaccounted())) <= slack; }
  Ledger& operator+=(const Ledger& other);
};

}  // namespace core
