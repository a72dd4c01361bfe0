// SPDX-License-Identifier: BSD-3-Clause
// Followed packets and what is noted of them; see trace.h.
#include "path/trace.h"

#include <rte_lcore.h>
#include <rte_mbuf_dyn.h>

#include <algorithm>
#include <stdexcept>

#include "path/frame_bytes.h"
#include "pmd_glue/lcores.h"

namespace path {
namespace {

constexpr size_t kMostEvents = 20;  // the last place is for how it left

// The same flag for all workers: registering it again finds it.
uint64_t reserve_flag() {
  static constexpr rte_mbuf_dynflag kFlag = {"roceway_traced", 0};
  const int bit = rte_mbuf_dynflag_register(&kFlag);
  if (bit < 0) throw std::runtime_error("no mbuf flag is left to trace packets with");
  return uint64_t{1} << bit;
}

bool ends(TraceStep step) {
  return step == TraceStep::sent || step == TraceStep::handed_over || step == TraceStep::dropped;
}

}  // namespace

struct Tracer::Record {
  TraceArrival arrival;
  TraceHeaders headers;
  core::FlowKey key{};
  TraceHash hash;
  std::array<TraceEvent, kMostEvents> events;
  std::atomic<uint32_t> told{0};  // events that may be read, and what they are about
};

struct Tracer::Order {
  Order(uint32_t count, std::shared_ptr<const glue::PacketFilter> which)
      : filter(std::move(which)), records(count) {}
  std::shared_ptr<const glue::PacketFilter> filter;
  std::vector<Record> records;
  std::atomic<uint32_t> begun{0};  // records that may be read
};

std::string_view name_of(TraceStep step) {
  static constexpr std::array<std::string_view, 15> kNames = {
      "parsed",    "answered", "like_before", "guarded",  "keyed", "hashed",      "waits",  "admitted",
      "rewritten", "staged",   "held",        "lined_up", "sent",  "handed_over", "dropped"};
  return kNames[static_cast<size_t>(step)];
}

bool Trace::has(TraceStep step) const {
  return std::any_of(events.begin(), events.end(),
                     [step](const TraceEvent& event) { return event.step == step; });
}

Tracer::Tracer(unsigned worker, uint64_t start_tsc)
    : worker_(worker), start_tsc_(start_tsc), flag_(reserve_flag()) {
  followed_.reserve(kMostTraces);
  offered_.reserve(core::kMaxBurst);
}

Tracer::~Tracer() = default;

void Tracer::arm(uint32_t count, std::shared_ptr<const glue::PacketFilter> filter) {
  // What the worker does not work on and cannot take up any more goes; the exchange takes back what it has
  // not taken up.
  ordered_.exchange(nullptr, std::memory_order_acq_rel);
  const Order* in_use = worked_on_.load(std::memory_order_acquire);
  std::erase_if(orders_, [in_use](const auto& order) { return order.get() != in_use; });
  orders_.push_back(std::make_unique<Order>(std::min(count, kMostTraces), std::move(filter)));
  ordered_.store(orders_.back().get(), std::memory_order_release);
}

std::vector<Trace> Tracer::traces() const {
  std::vector<Trace> traces;
  if (orders_.empty()) return traces;
  const Order& order = *orders_.back();
  const uint32_t begun = order.begun.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < begun; ++i) {
    const Record& record = order.records[i];
    Trace& trace = traces.emplace_back();
    trace.worker = worker_;
    trace.arrival = record.arrival;
    const uint32_t told = record.told.load(std::memory_order_acquire);
    trace.events.assign(record.events.begin(), record.events.begin() + told);
    if (trace.has(TraceStep::parsed)) trace.headers = record.headers;
    if (trace.has(TraceStep::keyed)) trace.key = record.key;
    if (trace.has(TraceStep::hashed)) trace.hash = record.hash;
  }
  return traces;
}

// Lets go of the old order, then says that it works on the new one before it takes it, so that control does
// not free what was just taken. When control takes it back first, another one follows.
void Tracer::take_order() {
  followed_.clear();  // flags stay behind; nothing is found by them
  order_ = nullptr;
  wanted_ = 0;
  Order* order = ordered_.load(std::memory_order_acquire);
  while (order != nullptr) {
    worked_on_.store(order, std::memory_order_release);
    if (ordered_.compare_exchange_strong(order, nullptr, std::memory_order_acq_rel)) break;
  }
  if (order == nullptr) {
    worked_on_.store(nullptr, std::memory_order_release);
    return;
  }
  order_ = order;
  wanted_ = static_cast<uint32_t>(order->records.size());
}

uint64_t Tracer::now() const {
  return glue::read_tsc() - start_tsc_;
}

void Tracer::choose_some(std::span<rte_mbuf* const> mbufs, uint16_t port_index, uint16_t rx_queue) {
  ParseScratch scratch;
  for (rte_mbuf* mbuf : mbufs) {
    if (wanted_ == 0) return;
    const core::PacketView view = view_of(mbuf, scratch);
    if (order_->filter && !order_->filter->matches({view.data, view.window_bytes}, view.frame_bytes))
      continue;
    TraceArrival arrival;
    arrival.lcore = rte_lcore_id();
    arrival.tsc = now();
    arrival.port_index = port_index;
    arrival.rx_queue = rx_queue;
    arrival.frame_bytes = view.frame_bytes;
    arrival.front_bytes = std::min<uint32_t>(view.window_bytes, kTracedBytes);
    std::copy_n(view.data, arrival.front_bytes, arrival.front.begin());
    begin(mbuf, arrival);
  }
}

void Tracer::begin(rte_mbuf* mbuf, const TraceArrival& arrival) {
  const auto index = static_cast<uint32_t>(order_->records.size() - wanted_--);
  Record& record = order_->records[index];
  record.arrival = arrival;
  order_->begun.store(index + 1, std::memory_order_release);
  followed_.push_back({mbuf, &record});
  mbuf->ol_flags |= flag_;
}

Tracer::Followed* Tracer::find(const rte_mbuf* mbuf) {
  const auto found = std::find_if(followed_.begin(), followed_.end(),
                                  [mbuf](const Followed& followed) { return followed.mbuf == mbuf; });
  return found == followed_.end() ? nullptr : &*found;
}

void Tracer::forget(Followed& followed) {
  followed = followed_.back();
  followed_.pop_back();
}

void Tracer::add(Record& record, TraceEvent event) {
  const uint32_t told = record.told.load(std::memory_order_relaxed);
  if (told >= kMostEvents - (ends(event.step) ? 0 : 1)) return;
  event.tsc = now();
  record.events[told] = event;
  record.told.store(told + 1, std::memory_order_release);
}

void Tracer::note_parsed(const rte_mbuf* mbuf, const TraceHeaders& headers) {
  Followed* followed = find(mbuf);
  if (followed == nullptr) return;
  followed->record->headers = headers;
  add(*followed->record, {.step = TraceStep::parsed});
}

void Tracer::note_key(const rte_mbuf* mbuf, const core::FlowKey& key) {
  Followed* followed = find(mbuf);
  if (followed == nullptr) return;
  followed->record->key = key;
  add(*followed->record, {.step = TraceStep::keyed});
}

void Tracer::note_hash(const rte_mbuf* mbuf, const TraceHash& hash) {
  Followed* followed = find(mbuf);
  if (followed == nullptr) return;
  followed->record->hash = hash;
  add(*followed->record, {.step = TraceStep::hashed, .where = hash.exit});
}

void Tracer::note_step(const rte_mbuf* mbuf, TraceStep step, uint16_t where) {
  if (Followed* followed = find(mbuf)) add(*followed->record, {.step = step, .where = where});
}

void Tracer::end(rte_mbuf* mbuf, const TraceEvent& event) {
  mbuf->ol_flags &= ~flag_;
  Followed* followed = find(mbuf);
  if (followed == nullptr) return;
  add(*followed->record, event);
  forget(*followed);
}

// Flags go before the line does: what a driver or a ring takes belongs to somebody else at once.
void Tracer::look_at(std::span<rte_mbuf* const> line) {
  offered_.clear();
  for (uint16_t place = 0; place < line.size(); ++place) {
    rte_mbuf* mbuf = line[place];
    if (!is_followed(mbuf)) continue;
    mbuf->ol_flags &= ~flag_;
    if (const Followed* followed = find(mbuf)) offered_.push_back({place, followed->record});
  }
}

void Tracer::left(std::span<rte_mbuf* const> line, uint16_t taken, TraceStep how, uint16_t where) {
  for (const Offered& offered : offered_) {
    rte_mbuf* mbuf = line[offered.place];
    if (offered.place >= taken) {
      mbuf->ol_flags |= flag_;
      continue;
    }
    add(*offered.record, {.step = how, .where = where});
    forget(*find(mbuf));
  }
  offered_.clear();
}

}  // namespace path
