// SPDX-License-Identifier: BSD-3-Clause
// Reads sequence numbers from packets and decides which of them are out of their flow's order. Called by a
// worker for the packets of sampled flows, in the order of sending; control only reads the counters.
#include "core/reorder_meter.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/splitmix.h"

namespace core {
namespace {

constexpr uint32_t kUdpBytes = 8;
constexpr uint32_t kBthBytes = 12;
constexpr uint32_t kBthPsn = 8;  // offset within BTH of a reserved byte (with AckReq) and the number
constexpr uint32_t kTcpBytes = 20;
constexpr uint8_t kFin = 0x01, kSyn = 0x02;

constexpr uint32_t kPsnMask = 0xffffff;
constexpr uint32_t kPsnHalf = 1u << 23;
constexpr uint32_t kTcpHalf = 1u << 31;

constexpr bool has_own_number(uint8_t opcode) {
  const bool connected = opcode < 0x40;  // the upper three bits: 0 reliable, 1 unreliable connection
  const bool read_response = opcode >= 0x0d && opcode <= 0x10;
  const bool acknowledgement = opcode == 0x11 || opcode == 0x12;
  return connected && !read_response && !acknowledgement;
}

uint64_t load_be64(const uint8_t* p) {
  return uint64_t{load_be32(p)} << 32 | load_be32(p + 4);
}

// Addresses of the IP header, and what tells flows between them apart. Every step is a permutation of 64 bits
// that depends on all words before it.
uint64_t flow_identity(const uint8_t* ip, L3 l3, uint64_t endpoint) {
  uint64_t identity = SplitMix(endpoint).next();
  const unsigned first = l3 == L3::ipv4 ? 12 : 8, end = l3 == L3::ipv4 ? 20 : 40;
  for (unsigned at = first; at < end; at += 8) identity = SplitMix(identity ^ load_be64(ip + at)).next();
  return identity == 0 ? 1 : identity;
}

// What a number is in its flow, and how far behind the expected one.
enum class Order : uint8_t { expected, reordered, repeated };
struct Place {
  Order order = Order::expected;
  uint32_t late = 0;
};

// Sequence numbers of TCP that were passed over: [start, end). Equal ends: free.
struct Gap {
  uint32_t start = 0, end = 0;
};

}  // namespace

// What is remembered of a flow, 48 bytes. A flow is RoCEv2 or TCP for all its life.
struct ReorderMeter::Flow {
  uint32_t next = 0;        // the expected number
  uint32_t last_seen = 0;   // clock_ of its last packet
  uint64_t seen = 0;        // RoCEv2: bit n is for number next - 1 - n
  std::array<Gap, 4> gaps;  // TCP, the highest first, free ones last; none starts 2^31 or more below next

  void begin(const SequenceSample& sample) {
    next = sample.number + sample.length;
    seen = ~uint64_t{0};
    gaps = {};
  }
  Place take(const SequenceSample& sample) {
    return sample.tcp ? take_segment(sample) : take_psn(sample.number);
  }

 private:
  Place take_psn(uint32_t number) {
    const uint32_t ahead = (number - next) & kPsnMask;
    if (ahead < kPsnHalf) {
      seen = ahead < 63 ? seen << (ahead + 1) | 1 : 1;
      next = number + 1;
      return {};
    }
    const uint32_t back = (next - 1 - number) & kPsnMask;
    if (back >= 64 || (seen >> back & 1) != 0) return {Order::repeated};
    seen |= uint64_t{1} << back;
    return {Order::reordered, back};
  }

  Place take_segment(const SequenceSample& sample) {
    const uint32_t end = sample.number + sample.length;
    if (sample.opens && end != next) {  // a SYN that is sent again ends where its connection stands
      begin(sample);
      return {};
    }
    if (sample.number - next < kTcpHalf) {
      advance(sample.number, end);
      return {};
    }
    const uint32_t from = next - sample.number;
    const uint32_t to = from > sample.length ? from - sample.length : 0;
    const bool was_missing = fill(from, to);
    if (from < sample.length) advance(next, end);
    return was_missing ? Place{Order::reordered, to} : Place{Order::repeated};
  }

  // Expects `end`. What lies between the number expected so far and `number` becomes the highest gap, and the
  // lowest of five is forgotten; so are gaps that would lie so far below that their distance becomes
  // ambiguous.
  void advance(uint32_t number, uint32_t end) {
    const uint64_t step = end - next;
    for (Gap& gap : gaps)
      if (next - gap.start + step >= kTcpHalf) gap = {};
    if (number != next && step < kTcpHalf) {
      std::copy_backward(gaps.begin(), gaps.end() - 1, gaps.end());
      gaps[0] = {next, number};
    }
    next = end;
  }

  // Takes the numbers from `from` to `to` below next out of all gaps; true when the first of them was in one.
  // A gap that is cut in two may push out the lowest.
  bool fill(uint32_t from, uint32_t to) {
    std::array<Gap, 4> left;
    size_t count = 0;
    const auto keep = [&](uint32_t start, uint32_t end) {
      if (start != end && count < left.size()) left[count++] = {start, end};
    };
    bool first_was_missing = false;
    for (const Gap& gap : gaps) {
      if (gap.start == gap.end) break;
      const uint32_t gap_from = next - gap.start, gap_to = next - gap.end;
      if (gap_from <= to || from <= gap_to) {
        keep(gap.start, gap.end);
        continue;
      }
      if (gap_from >= from) first_was_missing = true;
      keep(next - std::max(to, gap_to), gap.end);
      keep(gap.start, next - std::min(from, gap_from));
    }
    gaps = left;
    return first_was_missing;
  }
};

// Identities lie together, so that looking for a flow reads one cache line.
struct alignas(64) ReorderMeter::Set {
  std::array<uint64_t, kWays> identities{};  // 0: free
  std::array<Flow, kWays> flows;
};

ReorderMeter::ReorderMeter() : sets_(std::make_unique<Set[]>(kSets)) {}
ReorderMeter::~ReorderMeter() = default;

void ReorderMeter::begin(Set& set, const SequenceSample& sample) {
  size_t place = 0;
  uint32_t longest = 0;
  for (size_t way = 0; way < kWays; ++way) {
    if (set.identities[way] == 0) {
      place = way;
      break;
    }
    const uint32_t age = clock_ - set.flows[way].last_seen;
    if (age > longest) {
      longest = age;
      place = way;
    }
  }
  counters_.flows.add(1);
  if (set.identities[place] != 0) counters_.evicted.add(1);
  set.identities[place] = sample.flow;
  set.flows[place].last_seen = clock_;
  set.flows[place].begin(sample);
}

void ReorderMeter::prefetch(const SequenceSample& sample) const {
  constexpr size_t kCacheLineBytes = 64;
  const auto* set = reinterpret_cast<const char*>(&sets_[sample.flow % kSets]);
  for (size_t at = 0; at < sizeof(Set); at += kCacheLineBytes) __builtin_prefetch(set + at, 1);
}

void ReorderMeter::see(const SequenceSample& sample) {
  ++clock_;
  counters_.packets.add(1);
  Set& set = sets_[sample.flow % kSets];
  unsigned found = 0;  // bit per way; all are compared, for an early end would be mispredicted
  for (size_t way = 0; way < kWays; ++way)
    found |= static_cast<unsigned>(set.identities[way] == sample.flow) << way;
  if (found == 0) {
    begin(set, sample);
    return;
  }
  Flow& flow = set.flows[static_cast<size_t>(std::countr_zero(found))];
  flow.last_seen = clock_;
  const Place place = flow.take(sample);
  if (place.order == Order::repeated) counters_.repeated.add(1);
  if (place.order != Order::reordered) return;
  counters_.reordered.add(1);
  if (place.late > counters_.farthest.read()) counters_.farthest.set(place.late);
}

namespace {

// `l4` is the UDP header, `bytes` the readable bytes from there to the end of the IP packet.
bool read_psn(const uint8_t* l4, uint32_t bytes, SequenceSample& sample) {
  if (bytes < kUdpBytes + kBthBytes) return false;
  const uint8_t* bth = l4 + kUdpBytes;
  if (!has_own_number(bth[0])) return false;
  sample.number = load_be32(bth + kBthPsn) & kPsnMask;
  sample.length = 1;
  return true;
}

// `stated_bytes` is the length of the segment by the IP header: the window may end inside the payload.
bool read_segment(const uint8_t* l4, uint32_t bytes, uint32_t stated_bytes, SequenceSample& sample) {
  if (bytes < kTcpBytes) return false;
  const uint32_t header_bytes = uint32_t{l4[12]} >> 4 << 2;
  if (header_bytes < kTcpBytes || header_bytes > stated_bytes) return false;
  const bool syn = (l4[13] & kSyn) != 0, fin = (l4[13] & kFin) != 0;
  sample.number = load_be32(l4 + 4);
  sample.length = stated_bytes - header_bytes + syn + fin;
  sample.tcp = true;
  sample.opens = syn;
  return sample.length != 0;
}

}  // namespace

bool read_sequence(const PacketView& view, const PacketHeaders& headers, SequenceSample& sample) {
  const bool roce = headers.protocol == Protocol::roce_v2;
  if (!headers.has_ports || (roce ? !headers.has_dest_qp : headers.protocol != Protocol::tcp)) return false;
  const uint32_t stated_end = headers.l3_offset + headers.l3_bytes;
  const uint32_t end = std::min({view.window_bytes, view.frame_bytes, stated_end});
  if (end < headers.l4_offset) return false;

  sample = {};
  const uint8_t* l4 = view.data + headers.l4_offset;
  const uint32_t bytes = end - headers.l4_offset, stated_bytes = stated_end - headers.l4_offset;
  if (!(roce ? read_psn(l4, bytes, sample) : read_segment(l4, bytes, stated_bytes, sample))) return false;
  // Queue pairs have 24 bits, so no queue pair is taken for two ports and TCP's number.
  const uint64_t endpoint = roce ? headers.dest_qp : uint64_t{headers.ip_proto} << 32 | load_be32(l4);
  sample.flow = flow_identity(view.data + headers.l3_offset, headers.l3, endpoint);
  return true;
}

}  // namespace core
