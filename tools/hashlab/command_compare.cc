// SPDX-License-Identifier: BSD-3-Clause
// Command compare: every hash over every choice of fields on one input, ranked, and how each does over many
// seeds. Main thread, work on all CPUs.
#include <algorithm>
#include <map>
#include <set>

#include "hashlab/command.h"
#include "hashlab/judging.h"
#include "hashlab/options.h"
#include "hashlab/progress.h"
#include "hashlab/seeds.h"
#include "hashlab/tally.h"
#include "hashlab/verdict.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

// Hashes that are affordable unasked: about ten seconds of two CPUs.
constexpr uint64_t kAffordable = 600'000'000;
constexpr uint32_t kFewestSeeds = 20;

void add_options(OptionList& add) {
  add_traffic_options(add);
  add("fields",
      "choices of fields with ';' between: \"src_ip,dst_ip;src_ip,dst_ip,dest_qp\"; else the usual six", "",
      "LISTS");
  add_key_options(add);
  add_hash_options(add, "all");
  add_group_options(add);
  add("by", "what is ranked: " + listed(kLoadByNames), "flows", "LOAD");
  add("seeds", "seeds of each hash that takes one; fewer than 1000 for many flows unless given", "1000", "N");
  add("trials", "draws of the ideal random hash", "2000", "N");
}

struct Row {
  HashChoice hash;
  core::KeyFields fields;
  size_t fields_index = 0;
  uint64_t keys = 0;
  Evenness found;
  double chance = 0;
  Cause cause = Cause::none;
  std::vector<double> by_seed;  // sorted; empty without a seed
};

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

struct Request {
  std::vector<core::KeyFields> fields;
  std::vector<HashChoice> hashes;
  core::GroupState group;
  std::vector<double> shares;
  LoadBy by;
  Reduction reduction;
  uint32_t trials, seeds;
};

std::vector<core::KeyFields> choices_of(const Given& given) {
  std::vector<core::KeyFields> choices;
  for (const std::string& names : split(given.text("fields"), ';'))
    choices.push_back(fields_of(given, names));
  if (!choices.empty()) return choices;
  choices = usual_fields();
  for (core::KeyFields& fields : choices) fields.symmetric |= given.flag("symmetric");
  return choices;
}

// As many seeds as are affordable for so many flows, unless the user has said how many.
uint32_t seeds_of(const Given& given, const Traffic& traffic, size_t fields,
                  std::span<const HashChoice> hashes) {
  const auto wanted = static_cast<uint32_t>(given.number("seeds", 2, 100'000));
  if (given.has("seeds")) return wanted;
  const auto seeded = static_cast<uint64_t>(std::count_if(
      hashes.begin(), hashes.end(), [](const HashChoice& hash) { return core::takes_seed(hash.algorithm); }));
  const uint64_t hashes_of_one_seed = std::max<uint64_t>(traffic.flows() * fields * seeded, 1);
  return static_cast<uint32_t>(std::clamp<uint64_t>(kAffordable / hashes_of_one_seed, kFewestSeeds, wanted));
}

// The rows of one choice of fields.
void add_rows(const Traffic& traffic, size_t fields_index, const Request& request, const Spreader& spreader,
              std::vector<Row>& rows, std::vector<Ideal>& ideals) {
  const core::KeyFields& fields = request.fields[fields_index];
  const Tally sums = tally(traffic, fields, request.hashes, spreader);
  const Chances chances =
      chances_of(traffic, fields, sums, request.group, request.reduction, spreader, request.trials);
  if (stopped()) return;  // a part of the flows is no choice to rank
  const Ideal& ideal = chances.of_keys[static_cast<size_t>(request.by)];
  for (size_t h = 0; h < request.hashes.size(); ++h) {
    const HashChoice& hash = request.hashes[h];
    Row row{.hash = hash, .fields = fields, .fields_index = fields_index, .keys = chances.units.keys};
    row.found = evenness_of(sums.loads[h].by(request.by), request.shares);
    row.chance = ideal.max_over_mean.at_least(row.found.max_over_mean);
    row.cause = cause_of(judged_of(hash, sums.loads[h], sums, chances));
    if (core::takes_seed(hash.algorithm)) {
      row.by_seed =
          max_over_mean_by_seed(traffic, fields, hash, request.seeds, spreader, request.shares, request.by);
      std::sort(row.by_seed.begin(), row.by_seed.end());
    }
    rows.push_back(std::move(row));
  }
  ideals.push_back(ideal);
}

Table ranking(const std::vector<Row>& rows, const std::vector<Ideal>& ideals) {
  Table table{"ranking",
              "Most even first; seeds: over many of them, for hashes that take one",
              {{"rank", "rank", Form::count},
               {"hash", "hash"},
               {"fields", "fields"},
               {"keys", "keys", Form::count},
               {"used", "used", Form::count},
               {"max_over_mean", "max/mean", Form::number, 3},
               {"ideal", "ideal", Form::number, 3},
               {"ideal_p5", "5 %", Form::number, 3},
               {"ideal_p95", "95 %", Form::number, 3},
               {"chance", "chance", Form::percent, 1},
               {"seeds_p5", "seeds 5 %", Form::number, 3},
               {"seeds_p50", "50 %", Form::number, 3},
               {"seeds_p95", "95 %", Form::number, 3},
               {"verdict", "verdict"}},
              {}};
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const Ideal& ideal = ideals[row.fields_index];
    const auto seed = [&](double part) {
      return row.by_seed.empty() ? Value() : Value(quantile(row.by_seed, part));
    };
    table.rows.push_back({uint64_t{i + 1}, name_of(row.hash), name_of(row.fields), row.keys,
                          uint64_t{row.found.used}, row.found.max_over_mean, ideal.max_over_mean.mean,
                          ideal.max_over_mean.p5, ideal.max_over_mean.p95, row.chance, seed(0.05), seed(0.5),
                          seed(0.95), std::string(name_of(row.cause))});
  }
  return table;
}

HeatMap map_of(const std::vector<Row>& rows, const Request& request) {
  HeatMap map{.title = "max/mean, hash by fields", .row_title = "hash", .column_title = "fields"};
  for (const HashChoice& hash : request.hashes) map.rows.push_back(name_of(hash));
  for (const core::KeyFields& fields : request.fields) map.columns.push_back(name_of(fields));
  map.cells.assign(map.rows.size(), std::vector<Value>(map.columns.size()));
  for (const Row& row : rows) {
    const auto at = std::find(map.rows.begin(), map.rows.end(), name_of(row.hash)) - map.rows.begin();
    map.cells[static_cast<size_t>(at)][row.fields_index] = row.found.max_over_mean;
  }
  return map;
}

// Over seeds beside the draws of chance, in 30 bins.
Histogram histogram_of(const Row& row, const Ideal& ideal) {
  constexpr size_t kBins = 30;
  Histogram histogram{.title = "max/mean over seeds: " + name_of(row.hash) + ", " + name_of(row.fields),
                      .unit = "max/mean"};
  const std::vector<double>& chance = ideal.max_over_mean.sorted;
  const double low = std::min(row.by_seed.front(), chance.front());
  const double high = std::max({row.by_seed.back(), chance.back(), low + 1e-6});
  for (size_t i = 0; i <= kBins; ++i) {
    histogram.edges.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(kBins));
  }
  const auto bins = [&](const std::vector<double>& values) {
    std::vector<uint64_t> counts(kBins);
    for (const double value : values) {
      const double at = (value - low) / (high - low) * static_cast<double>(kBins);
      ++counts[std::min(kBins - 1, static_cast<size_t>(std::max(at, 0.0)))];
    }
    return counts;
  };
  histogram.series = {{name_of(row.hash), bins(row.by_seed)}, {"ideal random hash", bins(chance)}};
  histogram.marked = row.found.max_over_mean;
  histogram.mark = "seed " + std::to_string(row.hash.seed);
  return histogram;
}

std::string best_of(const std::vector<Row>& rows, const std::vector<Ideal>& ideals, std::string_view by) {
  const Row& best = rows.front();
  std::string text = "Most even by " + std::string(by) + ": " + name_of(best.hash) + " over " +
                     name_of(best.fields) + ", max/mean " + fixed(best.found.max_over_mean, 2) +
                     " (an ideal random hash: " + fixed(ideals[best.fields_index].max_over_mean.p5, 2) +
                     " to " + fixed(ideals[best.fields_index].max_over_mean.p95, 2) + ")";
  const auto as_good = std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.found.max_over_mean <= ideals[row.fields_index].max_over_mean.p95 &&
           row.cause != Cause::fields && row.cause != Cause::hash && row.cause != Cause::table;
  });
  return text + "; " + grouped(static_cast<uint64_t>(as_good)) + " of " + grouped(rows.size()) +
         " are as even as chance, and differences among these are luck.";
}

// One sentence for each cause that is a fault: who, and over how many of the choices.
std::vector<std::string> blamed(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<double>> hashes;  // max/mean of each choice of fields that is its fault
  std::map<std::string, std::string> fields;
  bool table = false;
  std::map<std::string, size_t> choices;  // of fields, by hash
  for (const Row& row : rows) {
    ++choices[name_of(row.hash)];
    if (row.cause == Cause::hash) hashes[name_of(row.hash)].push_back(row.found.max_over_mean);
    if (row.cause == Cause::fields) fields.emplace(name_of(row.fields), grouped(row.keys));
    table |= row.cause == Cause::table;
  }
  std::string of_hashes, of_fields;
  for (const auto& [name, figures] : hashes) {
    of_hashes += (of_hashes.empty() ? "" : "; ") + name + " (max/mean up to " +
                 fixed(*std::max_element(figures.begin(), figures.end()), 2) + ", over " +
                 std::to_string(figures.size()) + " of " + counted(choices[name], "choice") + " of fields)";
  }
  for (const auto& [name, keys] : fields)
    of_fields += (of_fields.empty() ? "" : "; ") + name + " (keys: " + keys + ")";
  std::vector<std::string> text;
  if (!of_hashes.empty()) text.push_back("Less even than chance, the hash is to blame: " + of_hashes + ".");
  if (!of_fields.empty()) text.push_back("Too few keys, the fields are to blame: " + of_fields + ".");
  if (table) text.push_back("The table has too few buckets for these queues and weights.");
  return text;
}

Report run(const Given& given) {
  Request request{.fields = choices_of(given), .hashes = hashes_of(given), .group = group_of(given)};
  request.shares = shares_of(request.group);
  request.reduction = reduction_of(given);
  request.by = static_cast<LoadBy>(given.one_of("by", kLoadByNames));
  request.trials = static_cast<uint32_t>(given.number("trials", 100, 1'000'000));
  const Spreader spreader = spreader_of(given, request.group);
  const bool by_length = std::any_of(request.fields.begin(), request.fields.end(),
                                     [](const core::KeyFields& fields) { return fields.packet_length; });
  const std::unique_ptr<Traffic> traffic = traffic_of(given, by_length);
  request.seeds = seeds_of(given, *traffic, request.fields.size(), request.hashes);

  std::vector<Row> rows;
  std::vector<Ideal> ideals;
  for (size_t i = 0; i < request.fields.size() && !stopped(); ++i) {
    add_rows(*traffic, i, request, spreader, rows, ideals);
  }
  Report report{.command = "compare",
                .title = traffic->name() + " over " + title_of(request.group) + ", " +
                         given.text("reduction") + ", by " + given.text("by"),
                .plots = {map_of(rows, request)},
                .notes = traffic->notes(),
                .broken = traffic->broken()};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.found.max_over_mean < b.found.max_over_mean; });
  report.facts = {{{"flows", "flows", Form::count}, traffic->flows(), ""},
                  {{"seeds", "seeds", Form::count}, uint64_t{request.seeds}, "of each hash that takes one"}};
  report.tables = {ranking(rows, ideals)};
  if (!rows.empty()) report.verdicts = {best_of(rows, ideals, given.text("by"))};
  for (const std::string& sentence : blamed(rows)) report.verdicts.push_back(sentence);
  std::set<std::string> shown;  // of each hash the choice of fields that ranks first
  for (const Row& row : rows) {
    if (row.by_seed.empty() || !shown.insert(name_of(row.hash)).second) continue;
    report.plots.push_back(histogram_of(row, ideals[row.fields_index]));
  }
  if (stopped()) {
    report.notes.push_back("Stopped early: " + std::to_string(ideals.size()) + " of " +
                           std::to_string(request.fields.size()) + " choices of fields were looked at.");
  }
  return report;
}

}  // namespace

const Command kCompare = {
    "compare",
    "All hashes over all choices of fields on one input, ranked, over many seeds.",
    "FILE | --pattern KIND",
    "  roceway-hashlab compare flows.pcap --nics 4 --queues 2\n"
    "  roceway-hashlab compare --pattern roce-qps --hosts 2 --qps 64 --nics 8 --queues 1\n",
    add_options,
    run};

}  // namespace hashlab
