// SPDX-License-Identifier: BSD-3-Clause
// Adds the numbers of workers up. Called by control/report on the control thread.
#include "core/counters.h"

#include <numeric>

namespace core {

std::string_view name_of(Step step) {
  static constexpr std::array<std::string_view, kSteps> kNames = {
      "poll",  "receive", "take_over", "forward", "classify", "distribute",
      "stage", "flush",   "retry",     "follow",  "generate", "books"};
  return kNames[static_cast<size_t>(step)];
}

uint64_t IngressTotals::dropped_in_all() const {
  return std::accumulate(dropped.begin(), dropped.end(), uint64_t{0});
}

IngressTotals& IngressTotals::operator+=(const IngressCounters& worker) {
  rx_packets += worker.rx_packets.read();
  rx_bytes += worker.rx_bytes.read();
  generated += worker.generated.read();
  sent += worker.sent.read();
  held += worker.held.read();
  taken_over += worker.taken_over.read();  // before handed_over: what is on the way may look more, never less
  handed_over += worker.handed_over.read();
  answers += worker.answers.read();
  for (size_t i = 0; i < dropped.size(); ++i) dropped[i] += worker.dropped[i].read();
  for (size_t i = 0; i < seen.size(); ++i) seen[i] += worker.seen[i].read();
  return *this;
}

IngressTotals& IngressTotals::operator+=(const IngressTotals& other) {
  rx_packets += other.rx_packets;
  rx_bytes += other.rx_bytes;
  generated += other.generated;
  sent += other.sent;
  held += other.held;
  taken_over += other.taken_over;
  handed_over += other.handed_over;
  answers += other.answers;
  for (size_t i = 0; i < dropped.size(); ++i) dropped[i] += other.dropped[i];
  for (size_t i = 0; i < seen.size(); ++i) seen[i] += other.seen[i];
  return *this;
}

Ledger& Ledger::operator+=(const Ledger& other) {
  received += other.received;
  generated += other.generated;
  sent += other.sent;
  held += other.held;
  dropped += other.dropped;
  return *this;
}

}  // namespace core
