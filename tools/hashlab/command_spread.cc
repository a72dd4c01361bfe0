// SPDX-License-Identifier: BSD-3-Clause
// Command spread: one input, one or more hashes, what each NIC and queue carries, how even that is, how even
// chance would be. The same packets a queue as the gateway counts. Main thread, work on all CPUs.
#include <algorithm>

#include "hashlab/command.h"
#include "hashlab/judging.h"
#include "hashlab/options.h"
#include "hashlab/progress.h"
#include "hashlab/tally.h"
#include "hashlab/verdict.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

void add_options(OptionList& add) {
  add_traffic_options(add);
  add_field_options(add);
  add_hash_options(add, "jenkins");
  add_group_options(add);
  add("trials", "draws of the ideal random hash", "2000", "N");
}

struct Request {
  core::GroupState group;
  Chances chances;
  std::vector<double> nic_shares;
  std::array<Ideal, 3> over_nics;  // by LoadBy, where a NIC has more than one queue
  bool alone;                      // one hash was asked for
};

// Every key stands for as much: packets and bytes fall as flows do, and need no lines of their own.
bool all_alike(const Units& units) {
  return units.by_flows.size() == 1 && units.by_packets.size() == 1 && units.by_bytes.size() == 1;
}

Table evenness_table() {
  const auto figure = [](const char* name, const char* title) {
    return Column{name, title, Form::number, 3};
  };
  return {"evenness",
          "How even it is, and an ideal random hash (mean, 5 to 95 % of its draws; chance: draws as uneven)",
          {{"hash", "hash"},
           {"over", "over"},
           {"of", "of"},
           figure("max_over_mean", "max/mean"),
           figure("ideal_max_over_mean", "ideal"),
           figure("ideal_max_over_mean_p5", "5 %"),
           figure("ideal_max_over_mean_p95", "95 %"),
           {"chance", "chance", Form::percent, 1},
           figure("variation", "variation"),
           figure("ideal_variation_p95", "ideal 95 %"),
           figure("jain", "Jain"),
           figure("ideal_jain_p5", "ideal 5 %"),
           {"chi_squared", "chi2", Form::number, 1},
           {"p", "p", Form::number, 4},
           {"used", "used", Form::count}},
          {}};
}

// A chi-squared test asks for units that fall one by one: flows with a key of their own.
std::vector<Value> evenness_row(const std::string& hash, std::string_view over, LoadBy by,
                                const Evenness& found, const Ideal& ideal, bool one_by_one) {
  const Value chi = one_by_one ? Value(found.chi_squared) : Value();
  const Value p =
      one_by_one && found.of > 1 ? Value(chi_squared_p(found.chi_squared, found.of - 1)) : Value();
  return {hash,
          std::string(over),
          std::string(kLoadByNames[static_cast<size_t>(by)]),
          found.max_over_mean,
          ideal.max_over_mean.mean,
          ideal.max_over_mean.p5,
          ideal.max_over_mean.p95,
          ideal.max_over_mean.at_least(found.max_over_mean),
          found.variation,
          ideal.variation.p95,
          found.jain,
          ideal.jain.p5,
          chi,
          p,
          uint64_t{found.used}};
}

// What each queue carries; the band is chance's, by flows.
Table queue_table(const std::string& hash, const Loads& loads, const core::GroupState& group,
                  const Tally& sums, const Ideal& ideal) {
  Table table{"queues",
              "What each queue carries",
              {{"hash", "hash"},
               {"slot", "slot", Form::count},
               {"nic", "NIC", Form::count},
               {"queue", "queue", Form::count},
               {"flows", "flows", Form::count},
               {"ideal_flows_p5", "ideal 5 %", Form::number, 0},
               {"ideal_flows_p95", "95 %", Form::number, 0},
               {"packets", "packets", Form::count},
               {"packets_share", "share", Form::percent, 2},
               {"bytes", "bytes", Form::count},
               {"bytes_share", "share", Form::percent, 2}},
              {}};
  const auto part = [](uint64_t some, uint64_t all) {
    return all == 0 ? Value() : Value(static_cast<double>(some) / static_cast<double>(all));
  };
  for (uint64_t slot = 0; slot < loads.flows.size(); ++slot) {
    table.rows.push_back({hash, slot, slot / group.queues_per_nic, slot % group.queues_per_nic,
                          loads.flows[slot], ideal.low[slot], ideal.high[slot], loads.packets[slot],
                          part(loads.packets[slot], sums.packets), loads.bytes[slot],
                          part(loads.bytes[slot], sums.bytes)});
  }
  return table;
}

Table nic_table(const std::string& hash, const Loads& loads, const core::GroupState& group,
                const Tally& sums) {
  Table table{"nics",
              "What each NIC carries",
              {{"hash", "hash"},
               {"nic", "NIC", Form::count},
               {"flows", "flows", Form::count},
               {"packets", "packets", Form::count},
               {"packets_share", "share", Form::percent, 2},
               {"bytes", "bytes", Form::count}},
              {}};
  const uint16_t queues = group.queues_per_nic;
  const auto flows = by_nic(loads.flows, queues), packets = by_nic(loads.packets, queues),
             bytes = by_nic(loads.bytes, queues);
  for (uint64_t nic = 0; nic < flows.size(); ++nic) {
    const double all = static_cast<double>(std::max<uint64_t>(sums.packets, 1));
    table.rows.push_back(
        {hash, nic, flows[nic], packets[nic], static_cast<double>(packets[nic]) / all, bytes[nic]});
  }
  return table;
}

Bars bars_of(const std::string& title, const std::string& unit, const std::vector<uint64_t>& loads,
             const Ideal& ideal) {
  Bars bars{.title = title, .unit = unit, .band = "5 to 95 % of draws of an ideal random hash"};
  for (size_t slot = 0; slot < loads.size(); ++slot) bars.labels.push_back(std::to_string(slot));
  bars.series.push_back({unit, {loads.begin(), loads.end()}});
  bars.low = ideal.low;
  bars.high = ideal.high;
  return bars;
}

void append(Table& table, Table more) {
  if (table.columns.empty())
    table = std::move(more);
  else
    std::move(more.rows.begin(), more.rows.end(), std::back_inserter(table.rows));
}

// What one hash makes of the input.
void report_hash(const HashChoice& choice, const Loads& loads, const Tally& sums, const Request& request,
                 Report& report) {
  const std::string hash = name_of(choice);
  const uint16_t queues = request.group.queues_per_nic;
  const Chances& chances = request.chances;
  for (const LoadBy by : {LoadBy::flows, LoadBy::packets, LoadBy::bytes}) {
    if (by != LoadBy::flows && all_alike(chances.units)) break;
    const auto at = static_cast<size_t>(by);
    const bool one_by_one = by == LoadBy::flows && chances.units.keys == sums.flows;
    const Evenness found = evenness_of(loads.by(by), chances.shares);
    Table& table = report.tables[1];
    table.rows.push_back(evenness_row(hash, "queues", by, found, chances.of_keys[at], one_by_one));
    if (queues > 1) {
      const Evenness of_nics = evenness_of(by_nic(loads.by(by), queues), request.nic_shares);
      table.rows.push_back(evenness_row(hash, "NICs", by, of_nics, request.over_nics[at], one_by_one));
    }
    const std::string unit(kLoadByNames[at]);
    report.plots.push_back(bars_of(unit + " by queue, " + hash, unit, loads.by(by), chances.of_keys[at]));
  }
  append(report.tables[0], queue_table(hash, loads, request.group, sums, chances.of_keys[0]));
  if (queues > 1) append(report.tables[2], nic_table(hash, loads, request.group, sums));
  const Judged judged = judged_of(choice, loads, sums, chances);
  for (const std::string& sentence : sentences_of(judged, cause_of(judged))) {
    report.verdicts.push_back(request.alone ? sentence : hash + ": " + sentence);
  }
}

std::vector<Fact> facts_of(const Traffic& traffic, std::span<const HashChoice> hashes, const Tally& sums,
                           const Request& request) {
  const uint64_t keys = request.chances.units.keys;
  std::vector<Fact> facts = {{{"flows", "flows", Form::count}, sums.flows, ""},
                             {{"packets", "packets", Form::count}, sums.packets, ""},
                             {{"bytes", "bytes", Form::count}, sums.bytes, "of frames without FCS"},
                             {{"fields", "fields"}, name_of(request.chances.fields), ""},
                             {{"keys", "keys", Form::count}, keys, "that these fields tell apart"}};
  const double pairs = static_cast<double>(keys) * static_cast<double>(keys) / 2;
  if (stopped()) return facts;
  for (const HashChoice& choice : hashes) {
    facts.push_back({{"collisions_" + name_of(choice), "collisions", Form::count},
                     collisions_of(traffic, request.chances.fields, choice, keys),
                     "keys with another's 32-bit hash, " + name_of(choice) + "; chance " +
                         fixed(pairs / 4294967296.0, 1)});
  }
  return facts;
}

Report run(const Given& given) {
  const core::KeyFields fields = fields_of(given, given.text("fields"));
  const std::vector<HashChoice> hashes = hashes_of(given);
  const core::GroupState group = group_of(given);
  const Spreader spreader = spreader_of(given, group);
  const auto trials = static_cast<uint32_t>(given.number("trials", 100, 1'000'000));
  const std::unique_ptr<Traffic> traffic = traffic_of(given, fields.packet_length);

  const Tally sums = tally(*traffic, fields, hashes, spreader);
  Request request{.group = group,
                  .chances = chances_of(*traffic, fields, sums, group, reduction_of(given), spreader, trials),
                  .nic_shares = by_nic(shares_of(group), group.queues_per_nic),
                  .alone = hashes.size() == 1};
  for (const LoadBy by : {LoadBy::flows, LoadBy::packets, LoadBy::bytes}) {
    if (group.queues_per_nic == 1) break;  // NICs are queues then
    request.over_nics[static_cast<size_t>(by)] =
        ideal_spread(classes_of(request.chances.units, by), request.nic_shares, trials);
  }
  Report report{.command = "spread",
                .title = traffic->name() + " over " + title_of(group) + ", " + given.text("reduction"),
                .facts = facts_of(*traffic, hashes, sums, request),
                .tables = {Table{}, evenness_table(), Table{}},
                .notes = traffic->notes(),
                .broken = traffic->broken()};
  for (size_t h = 0; h < hashes.size(); ++h) report_hash(hashes[h], sums.loads[h], sums, request, report);
  std::erase_if(report.tables, [](const Table& table) { return table.rows.empty(); });
  if (stopped()) {
    report.verdicts.clear();  // what chance makes of such flows was not asked to the end
    report.notes.push_back("Stopped early: " + grouped(sums.flows) + " of " + grouped(traffic->flows()) +
                           " flows were hashed; chance takes them for alike, so there is no verdict.");
  } else if (all_alike(request.chances.units)) {
    report.notes.push_back("All keys carry as much: packets and bytes are spread as flows are.");
  }
  return report;
}

}  // namespace

const Command kSpread = {
    "spread",
    "What each NIC and queue carries, how even that is, and whether the hash is to blame.",
    "FILE | --pattern KIND",
    "  roceway-hashlab spread flows.pcap --nics 4 --queues 2\n"
    "  roceway-hashlab spread --pattern counting --hash bond-l34,jenkins --nics 8 --queues 1\n"
    "  roceway-hashlab spread flows.pcap --weights 3,1 --nics 2 --html spread.html\n",
    add_options,
    run};

}  // namespace hashlab
