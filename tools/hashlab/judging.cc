// SPDX-License-Identifier: BSD-3-Clause
// Asks chance for all that a verdict compares with; see judging.h.
#include "hashlab/judging.h"

#include <algorithm>
#include <cmath>

#include "hashlab/progress.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

Units units_known(const Traffic& traffic, const core::KeyFields& fields, const Tally& sums) {
  Units units = units_of(traffic, fields);
  if (!stopped()) return units;
  const std::vector<WeightClass> alike = {{1, sums.flows}};
  return {sums.flows, alike, alike, alike};
}

// Both directions of a connection are one on purpose where fields are symmetric: then connections are what
// could be told apart. Their queue pairs differ by nature and are no part of it.
Units units_at_best(const Traffic& traffic, const core::KeyFields& fields, const Tally& sums) {
  const std::vector<WeightClass> alike = {{1, sums.flows}};
  if (!fields.symmetric) return {sums.flows, alike, alike, alike};
  return units_known(traffic, {.proto = true, .vlan = true, .symmetric = true}, sums);
}

bool alike(std::span<const double> some, std::span<const double> others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](double a, double b) { return std::abs(a - b) < 1e-9; });
}

JudgedLoad load_of(const Loads& loads, uint64_t all, const Chances& chances, LoadBy by) {
  const std::vector<WeightClass>& classes = classes_of(chances.units, by);
  return {all, classes.empty() ? 0 : classes.front().weight, evenness_of(loads.by(by), chances.shares),
          chances.of_keys[static_cast<size_t>(by)]};
}

}  // namespace

Chances chances_of(const Traffic& traffic, const core::KeyFields& fields, const Tally& sums,
                   const core::GroupState& group, Reduction reduction, const Spreader& spreader,
                   uint32_t trials) {
  Chances chances{.fields = fields, .shares = shares_of(group), .units = units_known(traffic, fields, sums)};
  const Units best = units_at_best(traffic, fields, sums);
  chances.flows = best.keys;
  chances.of_flows = ideal_spread(best.by_flows, chances.shares, trials);
  for (const LoadBy by : {LoadBy::flows, LoadBy::packets, LoadBy::bytes}) {
    chances.of_keys[static_cast<size_t>(by)] =
        ideal_spread(classes_of(chances.units, by), chances.shares, trials);
  }
  const std::vector<double> table = table_shares_of(spreader);
  chances.of_table = alike(table, chances.shares)
                         ? chances.of_keys[0]
                         : ideal_spread(chances.units.by_flows, table, trials, 1, chances.shares);
  chances.table = std::string(name_of(reduction)) + " with " + counted(spreader.buckets(), "bucket");
  return chances;
}

Judged judged_of(const HashChoice& hash, const Loads& loads, const Tally& sums, const Chances& chances) {
  return {.hash = hash,
          .fields = chances.fields,
          .flows = chances.flows,
          .keys = chances.units.keys,
          .found = evenness_of(loads.flows, chances.shares),
          .of_flows = chances.of_flows,
          .of_keys = chances.of_keys[0],
          .of_table = chances.of_table,
          .table = chances.table,
          .packets = load_of(loads, sums.packets, chances, LoadBy::packets),
          .bytes = load_of(loads, sums.bytes, chances, LoadBy::bytes)};
}

}  // namespace hashlab
