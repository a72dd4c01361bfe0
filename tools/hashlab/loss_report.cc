// SPDX-License-Identifier: BSD-3-Clause
// From movements to tables, plots and sentences; see loss_report.h. Pure.
#include "hashlab/loss_report.h"

#include <algorithm>

#include "hashlab/evenness.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

std::string case_title(const NicCase& one) {
  return "NIC " + std::to_string(one.nic) + " " + std::string(name_of(one.event));
}

double part(uint64_t some, uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

Table table_of(const std::vector<NicCase>& cases, std::span<const Movement> movements) {
  const auto share = [](const char* name, const char* title) {
    return Column{name, title, Form::percent, 2};
  };
  Table table{"changes",
              "Shares of all flows",
              {{"event", "event"},
               {"nic", "NIC", Form::count},
               {"policy", "policy"},
               share("moved_share", "moved"),
               share("needed_share", "had to"),
               share("beyond_share", "beyond"),
               share("moved_packets_share", "packets"),
               {"max_over_mean_before", "max/mean", Form::number, 3},
               {"max_over_mean_after", "after", Form::number, 3}},
              {}};
  for (size_t i = 0; i < movements.size(); ++i) {
    const NicCase& one = cases[i / kPolicies.size()];
    const Movement& movement = movements[i];
    const auto evenness = [](const std::vector<uint64_t>& loads, const core::GroupState& group) {
      const Evenness found = evenness_of(loads, shares_of(group));
      return found.used == 0 ? Value() : Value(found.max_over_mean);
    };
    table.rows.push_back(
        {std::string(name_of(one.event)), uint64_t{one.nic},
         std::string(name_of(kPolicies[i % kPolicies.size()])), part(movement.moved, movement.flows),
         part(movement.needed, movement.flows), part(movement.moved - movement.needed, movement.flows),
         part(movement.moved_packets, movement.packets), evenness(movement.loads_before, one.change.before),
         evenness(movement.loads_after, one.change.after)});
  }
  return table;
}

// The names of a matrix's rows or columns; the last, for no NIC at all, only where flows have none.
std::vector<std::string> names_of_nics(const Movement& movement) {
  const auto& from_to = movement.from_to;
  std::vector<std::string> names;
  for (size_t nic = 0; nic + 1 < from_to.size(); ++nic) names.push_back("NIC " + std::to_string(nic));
  const bool lost =
      std::any_of(from_to.begin(), from_to.end(), [](const auto& row) { return row.back() > 0; });
  if (lost || std::any_of(from_to.back().begin(), from_to.back().end(), [](uint64_t n) { return n > 0; }))
    names.push_back("none");
  return names;
}

Table from_to_table(const std::string& title, const Movement& movement) {
  Table table{"from_to", title + ": flows from NIC (line) to NIC (column)", {{"from", "from"}}, {}};
  const std::vector<std::string> names = names_of_nics(movement);
  for (const std::string& name : names) table.columns.push_back({"to_" + name, name, Form::count});
  for (Column& column : table.columns) std::replace(column.name.begin(), column.name.end(), ' ', '_');
  for (size_t from = 0; from < names.size(); ++from) {
    table.rows.push_back({names[from]});
    for (size_t to = 0; to < names.size(); ++to) table.rows.back().emplace_back(movement.from_to[from][to]);
  }
  return table;
}

// What stays is left open, so that what moves stands out.
HeatMap from_to_map(const std::string& title, const Movement& movement) {
  HeatMap map{.title = title + ": flows that go from NIC to NIC",
              .row_title = "from",
              .column_title = "to",
              .rows = names_of_nics(movement),
              .form = Form::percent,
              .decimals = 1,
              .best = 0,
              .worst = 0.25};
  map.columns = map.rows;
  for (size_t from = 0; from < map.rows.size(); ++from) {
    map.cells.emplace_back();
    for (size_t to = 0; to < map.rows.size(); ++to) {
      if (from == to)
        map.cells.back().emplace_back();
      else
        map.cells.back().emplace_back(part(movement.from_to[from][to], movement.flows));
    }
  }
  return map;
}

Bars bars_of(const std::vector<NicCase>& cases, std::span<const Movement> movements) {
  Bars bars{.title = "Flows that move", .unit = "% of all flows"};
  for (const NicCase& one : cases) bars.labels.push_back(case_title(one));
  for (size_t policy = 0; policy < kPolicies.size(); ++policy) {
    Bars::Series series{std::string(name_of(kPolicies[policy])), {}};
    for (size_t i = policy; i < movements.size(); i += kPolicies.size())
      series.values.push_back(100 * part(movements[i].moved, movements[i].flows));
    bars.series.push_back(std::move(series));
  }
  return bars;
}

// Means over the cases of one event.
struct Means {
  std::array<double, kPolicies.size()> moved = {};
  double needed = 0;  // under the gateway's policy
};
Means means_of(NicEvent event, const std::vector<NicCase>& cases, std::span<const Movement> movements) {
  Means means;
  const auto count = static_cast<double>(
      std::count_if(cases.begin(), cases.end(), [event](const NicCase& one) { return one.event == event; }));
  for (size_t i = 0; i < movements.size(); ++i) {
    if (cases[i / kPolicies.size()].event != event) continue;
    means.moved[i % kPolicies.size()] += part(movements[i].moved, movements[i].flows) / count;
    if (i % kPolicies.size() == kPolicies.size() - 1)
      means.needed += part(movements[i].needed, movements[i].flows) / count;
  }
  return means;
}

std::string sentence_of(NicEvent event, size_t nics, const Means& means) {
  const std::string one = nics == 1 ? "the only NIC" : "one of " + std::to_string(nics) + " NICs";
  const std::array<std::string, 5> subjects = {"Losing " + one, "The return of " + one, "Draining " + one,
                                               "One more NIC beside " + std::to_string(nics),
                                               "Another weight for " + one};
  std::string text = subjects[static_cast<size_t>(event)] + " moves ";
  for (size_t policy = 0; policy < kPolicies.size(); ++policy) {
    text += percent(means.moved[policy], 1) + (policy == 0 ? " of flows under " : " under ") +
            std::string(name_of(kPolicies[policy])) + (policy + 2 < kPolicies.size() ? ", " : "") +
            (policy + 2 == kPolicies.size() ? " and " : "");
  }
  return text + " (the gateway's), where " + percent(means.needed, 1) + " had to move.";
}

}  // namespace

void add_movements(const std::vector<NicCase>& cases, std::span<const Movement> movements, Reduction shown,
                   Report& report) {
  const auto at =
      static_cast<size_t>(std::find(kPolicies.begin(), kPolicies.end(), shown) - kPolicies.begin());
  const std::string first = case_title(cases.front()) + ", ";
  report.tables = {table_of(cases, movements),
                   from_to_table(first + std::string(name_of(shown)), movements[at])};
  report.plots = {bars_of(cases, movements)};
  for (size_t policy = 0; policy < kPolicies.size(); ++policy)
    report.plots.push_back(from_to_map(first + std::string(name_of(kPolicies[policy])), movements[policy]));
}

void add_verdicts(const std::vector<NicCase>& cases, std::span<const Movement> movements, size_t nics,
                  Report& report) {
  const NicEvent first = cases.front().event;
  report.verdicts.push_back(sentence_of(first, nics, means_of(first, cases, movements)));
  const Means added = means_of(NicEvent::added, cases, movements);
  if (added.moved.back() <= 1.5 * added.needed) return;
  if (first != NicEvent::added) report.verdicts.push_back(sentence_of(NicEvent::added, nics, added));
  report.verdicts.push_back(
      "A new NIC changes the gateway's number of buckets. One that is to come is better in the file from the "
      "start, with enabled = false: its coming is then a return.");
}

}  // namespace hashlab
