// SPDX-License-Identifier: BSD-3-Clause
// Hashes flows by the thousand and adds up loads; see tally.h. Any thread, work on all CPUs.
#include "hashlab/tally.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "hashlab/each_flow.h"

namespace hashlab {
namespace {

// Of visits that leave what they found elsewhere.
struct Nothing {
  void add(const Nothing&) {}
};

// What a key stands for.
struct Unit {
  uint64_t key = 0, flows = 0, packets = 0, bytes = 0;
};

std::vector<WeightClass> classes_by(const std::vector<Unit>& units, uint64_t Unit::*weight) {
  std::vector<uint64_t> weights;
  weights.reserve(units.size());
  for (const Unit& unit : units) weights.push_back(unit.*weight);
  return weight_classes(std::move(weights));
}

// How many different words there are. First by their high bits into pieces that a CPU sorts within its cache:
// three times as fast as all at once.
uint64_t different_of(const std::vector<uint32_t>& words) {
  constexpr unsigned kShift = 20;
  constexpr size_t kPieces = size_t{1} << (32 - kShift);
  std::vector<size_t> ends(kPieces + 1);  // of pieces; while they are filled: where the next word goes
  for (const uint32_t word : words) ++ends[(word >> kShift) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<size_t> next(ends.begin(), ends.end() - 1);
  std::vector<uint32_t> pieces(words.size());
  for (const uint32_t word : words) pieces[next[word >> kShift]++] = word;
  using Range = oneapi::tbb::blocked_range<size_t>;
  return oneapi::tbb::parallel_reduce(
      Range(0, kPieces), uint64_t{0},
      [&](const Range& range, uint64_t sum) {
        for (size_t piece = range.begin(); piece < range.end(); ++piece) {
          const auto first = pieces.begin() + static_cast<ptrdiff_t>(ends[piece]),
                     last = pieces.begin() + static_cast<ptrdiff_t>(ends[piece + 1]);
          std::sort(first, last);
          sum += static_cast<uint64_t>(std::unique(first, last) - first);
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace

const std::vector<uint64_t>& Loads::by(LoadBy what) const {
  return what == LoadBy::flows ? flows : what == LoadBy::packets ? packets : bytes;
}

void Loads::add(const Loads& other) {
  add_up(flows, other.flows);
  add_up(packets, other.packets);
  add_up(bytes, other.bytes);
}

void Tally::add(const Tally& other) {
  for (size_t h = 0; h < loads.size(); ++h) loads[h].add(other.loads[h]);
  flows += other.flows;
  packets += other.packets;
  bytes += other.bytes;
}

Tally tally(const Traffic& traffic, const core::KeyFields& fields, std::span<const HashChoice> hashes,
            const Spreader& spreader) {
  std::vector<core::FlowHash> functions;
  for (const HashChoice& choice : hashes) functions.push_back(choice.hash());
  const Tally none{.loads = std::vector<Loads>(hashes.size(), Loads(spreader.slots()))};
  return over_flows("hashing " + name_of(fields), traffic, none, [&](Tally& sum, const Flow& flow, uint64_t) {
    const core::FlowKey key = key_of(flow.material, fields);
    ++sum.flows;
    sum.packets += flow.packets;
    sum.bytes += flow.bytes;
    for (size_t h = 0; h < functions.size(); ++h) {
      const core::Slot slot = spreader(functions[h](key));
      ++sum.loads[h].flows[slot];
      sum.loads[h].packets[slot] += flow.packets;
      sum.loads[h].bytes[slot] += flow.bytes;
    }
  });
}

const std::vector<WeightClass>& classes_of(const Units& units, LoadBy by) {
  return by == LoadBy::flows ? units.by_flows : by == LoadBy::packets ? units.by_packets : units.by_bytes;
}

Units units_of(const Traffic& traffic, const core::KeyFields& fields) {
  std::vector<Unit> units(traffic.flows());
  over_flows("keys of " + name_of(fields), traffic, Nothing{},
             [&](Nothing&, const Flow& flow, uint64_t index) {
               units[index] = {wide_hash(key_of(flow.material, fields)), 1, flow.packets, flow.bytes};
             });
  oneapi::tbb::parallel_sort(units.begin(), units.end(),
                             [](const Unit& a, const Unit& b) { return a.key < b.key; });
  size_t keys = 0;
  for (const Unit& unit : units) {
    if (unit.flows == 0) continue;  // not reached before the user stopped it
    if (keys == 0 || units[keys - 1].key != unit.key) {
      units[keys++] = unit;
      continue;
    }
    Unit& same = units[keys - 1];
    same.flows += unit.flows;
    same.packets += unit.packets;
    same.bytes += unit.bytes;
  }
  units.resize(keys);
  return {keys, classes_by(units, &Unit::flows), classes_by(units, &Unit::packets),
          classes_by(units, &Unit::bytes)};
}

uint64_t collisions_of(const Traffic& traffic, const core::KeyFields& fields, const HashChoice& hash,
                       uint64_t keys) {
  const core::FlowHash function = hash.hash();
  std::vector<uint32_t> words(traffic.flows());
  const std::string doing = "collisions of " + name_of(hash);
  over_flows(doing, traffic, Nothing{}, [&](Nothing&, const Flow& flow, uint64_t index) {
    words[index] = function(key_of(flow.material, fields));
  });
  return keys - std::min(keys, different_of(words));
}

std::vector<uint64_t> by_nic(std::span<const uint64_t> loads, uint16_t queues_per_nic) {
  std::vector<uint64_t> nics(loads.size() / queues_per_nic);
  for (size_t i = 0; i < loads.size(); ++i) nics[i / queues_per_nic] += loads[i];
  return nics;
}

std::vector<double> by_nic(std::span<const double> shares, uint16_t queues_per_nic) {
  std::vector<double> nics(shares.size() / queues_per_nic);
  for (size_t i = 0; i < shares.size(); ++i) nics[i / queues_per_nic] += shares[i];
  return nics;
}

}  // namespace hashlab
