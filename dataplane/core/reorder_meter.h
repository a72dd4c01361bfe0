// SPDX-License-Identifier: BSD-3-Clause
// Counts packets that leave out of their flow's order: RoCEv2 by packet sequence number per queue pair, TCP
// by sequence number per connection and direction. One meter for each worker and target group, fed by the
// worker with packets in the order in which it hands them to drivers; control reads the counters at any
// moment. Memory is fixed: kSets * kWays flows; the flow seen longest ago in a set gives way (counted as
// evicted).
//
// RFC 4737 section 3 calls a packet reordered when its number is below the next expected one. That would
// count every retransmission, so numbers that were seen before are told apart:
//   reordered: its number lies in a gap that a later packet of the flow had left
//   repeated:  its number was seen before (a retransmission or a duplicate)
// A retransmission of a packet that was lost before it came here fills a gap too and counts as reordered: no
// observer in the middle can tell. For RoCEv2 the last 64 numbers of a queue pair are remembered, for TCP the
// last four gaps; what is older than that and below the next expected number counts as repeated, and so does
// what is below the first number seen of a flow, which left no gap. An RDMA read takes as many numbers as its
// response has packets, so one of 64 or more ends what is remembered before it.
// A number far ahead (RoCEv2: 2^23 or more, IBTA 9.7.1 window; TCP: 2^31, RFC 9293 3.4) is an older one. A
// SYN opens a new connection: it is in order, and old gaps are forgotten; but one that ends at the expected
// number was sent again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/counters.h"
#include "core/packet_view.h"
#include "core/parse.h"

namespace core {

// A sequence number of a flow, read from a packet.
struct SequenceSample {
  uint64_t flow = 0;    // identity of the flow, as good as unique; never 0
  uint32_t number = 0;  // PSN (24 bits) or TCP sequence number of the segment
  uint32_t length = 0;  // RoCEv2: 1; TCP: payload bytes, plus one each for SYN and FIN
  bool tcp = false;
  bool opens = false;  // TCP: SYN is set
};

// Reads one; false for packets without: neither RoCEv2 nor TCP, fragments, headers that are not whole in the
// window, TCP segments without length. Of RoCEv2 it takes reliable and unreliable connections, where a queue
// pair has numbers of its own, and leaves out reliable datagrams (BTH opcodes 0x40 to 0x5f: their numbers
// belong to an end-to-end context), unreliable datagrams, CNPs and XRC (0x60 and above), and what repeats the
// numbers of the other direction: acknowledgements (0x11, 0x12) and read responses (0x0d to 0x10). `view` and
// `headers` of the same frame.
bool read_sequence(const PacketView& view, const PacketHeaders& headers, SequenceSample& sample);

struct ReorderCounters {
  Counter packets;  // sampled packets that had a number
  Counter reordered, repeated;
  Counter flows;    // flows that were given a place
  Counter evicted;  // flows that gave way to another
  // The largest distance of a reordered packet, from its end to the next expected number, in packets (RoCEv2)
  // or bytes (TCP); two neighbours that changed places are one packet apart.
  Counter farthest;
};

class ReorderMeter {
 public:
  static constexpr size_t kSets = 4096;
  static constexpr size_t kWays = 8;
  ReorderMeter();
  ~ReorderMeter();
  // Asks for the memory that see() will need: many flows lie beyond the first caches. Owner only.
  void prefetch(const SequenceSample& sample) const;
  // The next packet in the order of leaving. Owner only.
  void see(const SequenceSample& sample);
  const ReorderCounters& counters() const { return counters_; }

 private:
  struct Flow;
  struct Set;
  // Gives the sample's flow a place in the set; its number is the first.
  void begin(Set& set, const SequenceSample& sample);

  std::unique_ptr<Set[]> sets_;
  ReorderCounters counters_;
  uint32_t clock_ = 0;  // packets seen, for "longest ago"
};

}  // namespace core
