// SPDX-License-Identifier: BSD-3-Clause
// Weighs flows by key; see heavy_hitters.h. Any thread, work on all CPUs.
#include "hashlab/heavy_hitters.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <numeric>

#include "hashlab/each_flow.h"
#include "hashlab/tuple.h"

namespace hashlab {
namespace {

// What one flow of the input adds to its key.
struct Part {
  uint64_t key = 0;  // 64 bits that stand for it
  uint64_t weight = 0;
  uint64_t flow = 0;
};

struct Buckets {
  std::vector<uint64_t> weights;
  void add(const Buckets& other) { add_up(weights, other.weights); }
};

// A key: its weight, how many flows have it, the first of them.
struct Sum {
  uint64_t weight = 0, members = 0, first = 0;
};

// Descending; equal weights in the order of the input.
bool heavier(const Sum& a, const Sum& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.first < b.first;
}

// The `most` heaviest keys, through a heap with the lightest of them on top; sets `keys` to how many there
// are.
std::vector<Sum> heaviest_of(std::vector<Part>& parts, size_t most, uint64_t& keys) {
  oneapi::tbb::parallel_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.key != b.key ? a.key < b.key : a.flow < b.flow;
  });
  std::vector<Sum> heap;
  keys = 0;
  for (size_t i = 0; i < parts.size();) {
    Sum sum{.first = parts[i].flow};
    const uint64_t key = parts[i].key;
    for (; i < parts.size() && parts[i].key == key; ++i, ++sum.members) sum.weight += parts[i].weight;
    if (sum.weight == 0) continue;  // not reached
    ++keys;
    heap.push_back(sum);
    std::push_heap(heap.begin(), heap.end(), heavier);
    if (heap.size() <= most) continue;
    std::pop_heap(heap.begin(), heap.end(), heavier);
    heap.pop_back();
  }
  std::sort_heap(heap.begin(), heap.end(), heavier);
  return heap;
}

// The port `steps` behind this one in its range; begins again at the end of it.
uint16_t next_port(uint16_t port, uint32_t steps) {
  constexpr uint32_t kDynamic = 49152, kUnprivileged = 1024, kEnd = 65536;
  const uint32_t first = port >= kDynamic ? kDynamic : kUnprivileged;
  if (steps == 0) return port;
  if (port < kUnprivileged) return static_cast<uint16_t>(kUnprivileged + steps - 1);
  return static_cast<uint16_t>(first + (port - first + steps) % (kEnd - first));
}

}  // namespace

uint32_t bucket_of(const core::KeyMaterial& material, const core::KeyFields& fields,
                   const core::FlowHash& hash, const Spreader& spreader) {
  return spreader.bucket_of(hash(key_of(material, fields)));
}

Weighed weigh(const Traffic& traffic, const core::KeyFields& fields, const HashChoice& hash,
              const Spreader& spreader, LoadBy by, size_t most) {
  Weighed weighed;
  const core::FlowHash function = hash.hash();
  std::vector<Part> parts(traffic.flows());  // those behind where the user stopped it stay zero
  const Buckets none{std::vector<uint64_t>(spreader.buckets())};
  weighed.buckets =
      over_flows("weighing", traffic, none, [&](Buckets& buckets, const Flow& flow, uint64_t number) {
        const core::FlowKey key = key_of(flow.material, fields);
        const uint64_t weight = load_of(flow, by);
        parts[number] = {wide_hash(key), weight, number};
        buckets.weights[spreader.bucket_of(function(key))] += weight;
      }).weights;
  weighed.total = std::reduce(weighed.buckets.begin(), weighed.buckets.end());
  for (const Sum& sum : heaviest_of(parts, most, weighed.keys)) {
    Flow flow;
    traffic.fill(sum.first, {&flow, 1});
    weighed.heaviest.push_back({flow.material, sum.members, sum.weight});
  }
  return weighed;
}

std::vector<uint64_t> buckets_when_split(const Weighed& weighed, const core::KeyFields& fields,
                                         const HashChoice& hash, const Spreader& spreader, uint32_t ports) {
  std::vector<uint64_t> buckets = weighed.buckets;
  const core::FlowHash function = hash.hash();
  for (const Hitter& hitter : weighed.heaviest) {
    if (!hitter.material.has_ports) continue;
    core::KeyMaterial material = hitter.material;
    buckets[bucket_of(material, fields, function, spreader)] -= hitter.weight;
    for (uint32_t i = 0; i < ports; ++i) {
      set_src_port(material, next_port(src_port_of(hitter.material), i));
      const uint64_t rest = i < hitter.weight % ports ? 1 : 0;
      buckets[bucket_of(material, fields, function, spreader)] += hitter.weight / ports + rest;
    }
  }
  return buckets;
}

std::vector<uint64_t> slots_of(std::span<const uint64_t> buckets, const Spreader& spreader) {
  std::vector<uint64_t> slots(spreader.slots());
  for (size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    const core::Slot slot = spreader.table()[bucket];
    if (slot != core::kNoSlot) slots[slot] += buckets[bucket];
  }
  return slots;
}

}  // namespace hashlab
