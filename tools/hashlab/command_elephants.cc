// SPDX-License-Identifier: BSD-3-Clause
// Command elephants: the heaviest flows of an input, what they do to the fullest queue, and the two cures:
// more source ports, or other queues for whole buckets. Main thread, work on all CPUs.
#include "hashlab/command.h"
#include "hashlab/elephant_study.h"
#include "hashlab/options.h"
#include "hashlab/progress.h"
#include "hashlab/tally.h"
#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

void add_options(OptionList& add) {
  add_traffic_options(add);
  add("by", "what weighs a flow: " + listed(kLoadByNames), "packets", "MEASURE");
  add("top", "how many flows are shown and split; all are counted, exactly", "10", "K");
  add("moves",
      "buckets moved at most; none makes the fullest queue or NIC fuller, and those that gain little are "
      "left out: under 0.02 of an even share each on average, under 5 % of what is above it in all",
      "16", "N");
  add_field_options(add);
  add_one_hash_option(add, "jenkins");
  add_group_options(add);
}

Table elephant_table(const Study& study) {
  Table table{"elephants",
              "The heaviest flows, by " + study.measure,
              {{"rank", "#", Form::count},
               {"flow", "flow"},
               {study.measure, study.measure, Form::count},
               {"share", "share", Form::percent, 2},
               {"over_even_share", "of a queue", Form::percent, 1},
               {"bucket", "bucket", Form::count},
               {"slot", "slot", Form::count},
               {"nic", "NIC", Form::count},
               {"queue", "queue", Form::count}},
              {}};
  const uint64_t queues = study.group.queues_per_nic;
  for (const Hitter& hitter : study.weighed.heaviest) {
    const uint64_t slot = study.slot_of(hitter);
    const uint64_t bucket = study.bucket_of(hitter);
    const std::string others =
        hitter.members > 1 ? " and " + grouped(hitter.members - 1) + " of the same key" : "";
    table.rows.push_back({uint64_t{table.rows.size() + 1}, words_of(hitter.material) + others, hitter.weight,
                          study.part(hitter.weight),
                          study.over_share(hitter.weight, static_cast<core::Slot>(slot)), bucket, slot,
                          slot / queues, slot % queues});
  }
  return table;
}

Table split_table(const Study& study, const std::vector<Split>& splits) {
  Table table{"splitting",
              "If each of these " + grouped(study.weighed.heaviest.size()) +
                  " flows sent from so many source ports, its own and the next: load over even share",
              {{"src_ports", "source ports", Form::count},
               {"queue_over_even_share", "fullest queue", Form::number, 3},
               {"nic_over_even_share", "fullest NIC", Form::number, 3},
               {"worst_queue_share", "of all", Form::percent, 2}},
              {}};
  for (const Split& split : splits)
    table.rows.push_back(
        {uint64_t{split.ports}, split.overload.queue, split.overload.nic, split.worst_share});
  return table;
}

Table move_table(const Study& study, const Rebalanced& balanced) {
  Table table{"moves",
              "Buckets to move, in this order, and load over even share after each",
              {{"bucket", "bucket", Form::count},
               {"from_slot", "from slot", Form::count},
               {"to_slot", "to slot", Form::count},
               {study.measure, study.measure, Form::count},
               {"share", "share", Form::percent, 2},
               {"queue_over_even_share", "fullest queue", Form::number, 3},
               {"nic_over_even_share", "fullest NIC", Form::number, 3}},
              {}};
  for (const BucketMove& move : balanced.moves) {
    table.rows.push_back({uint64_t{move.bucket}, uint64_t{move.from}, uint64_t{move.to}, move.weight,
                          study.part(move.weight), move.overload.queue, move.overload.nic});
  }
  return table;
}

// What places (queues, NICs) carry: behind `first`, which name them.
Table load_table(std::string name, std::string title, std::vector<Column> first) {
  Table table{std::move(name), std::move(title), std::move(first), {}};
  for (const std::string when : {"before", "after"}) {
    table.columns.push_back({when, when, Form::count});
    table.columns.push_back({when + "_share", "share", Form::percent, 2});
    table.columns.push_back({when + "_over_even_share", "/ even share", Form::number, 3});
  }
  return table;
}

void add_load(std::vector<Value>& row, const Study& study, uint64_t load, double even_share) {
  row.insert(row.end(), {load, study.part(load)});
  row.push_back(even_share > 0 ? Value(study.part(load) / even_share) : Value());
}

Table queue_table(const Study& study, const Rebalanced& balanced) {
  Table table = load_table(
      "queues", "What each queue carries, before the moves and after",
      {{"slot", "slot", Form::count}, {"nic", "NIC", Form::count}, {"queue", "queue", Form::count}});
  const uint64_t queues = study.group.queues_per_nic;
  for (uint64_t slot = 0; slot < balanced.before.size(); ++slot) {
    std::vector<Value>& row = table.rows.emplace_back(std::vector<Value>{slot, slot / queues, slot % queues});
    add_load(row, study, balanced.before[slot], study.shares[slot]);
    add_load(row, study, balanced.after[slot], study.shares[slot]);
  }
  return table;
}

Table nic_table(const Study& study, const Rebalanced& balanced) {
  Table table =
      load_table("nics", "What each NIC carries, before the moves and after", {{"nic", "NIC", Form::count}});
  const uint16_t queues = study.group.queues_per_nic;
  const std::vector<uint64_t> before = by_nic(balanced.before, queues),
                              after = by_nic(balanced.after, queues);
  const std::vector<double> shares = by_nic(study.shares, queues);
  for (uint64_t nic = 0; nic < before.size(); ++nic) {
    std::vector<Value>& row = table.rows.emplace_back(std::vector<Value>{nic});
    add_load(row, study, before[nic], shares[nic]);
    add_load(row, study, after[nic], shares[nic]);
  }
  return table;
}

Bars bars_of(const Study& study, const Rebalanced& balanced) {
  Bars bars{.title = study.measure + " by queue, before the moves and after", .unit = study.measure};
  for (size_t slot = 0; slot < balanced.before.size(); ++slot) bars.labels.push_back(std::to_string(slot));
  bars.series = {{"before", {balanced.before.begin(), balanced.before.end()}},
                 {"after", {balanced.after.begin(), balanced.after.end()}}};
  return bars;
}

Study study_of(const Given& given, const Traffic& traffic, const core::KeyFields& fields,
               const core::GroupState& group) {
  const std::vector<HashChoice> hashes = hashes_of(given);
  if (hashes.size() != 1) refuse("hash", given.text("hash"), "one hash only");
  const size_t by = given.one_of("by", kLoadByNames);
  Study study{.fields = fields,
              .hash = hashes.front(),
              .function = hashes.front().hash(),
              .group = group,
              .spreader = spreader_of(given, group),
              .shares = shares_of(group),
              .measure = std::string(kLoadByNames[by]),
              .weighed = {}};
  study.weighed = weigh(traffic, fields, study.hash, study.spreader, static_cast<LoadBy>(by),
                        given.number("top", 1, 10'000));
  return study;
}

std::vector<Fact> facts_of(const Study& study, const Rebalanced& balanced) {
  uint64_t listed_weight = 0;
  for (const Hitter& hitter : study.weighed.heaviest) listed_weight += hitter.weight;
  const core::Slot fullest = study.fullest(balanced.before);
  return {{{"flows", "flows", Form::count}, study.weighed.keys, "that the fields tell apart"},
          {{study.measure, study.measure, Form::count}, study.weighed.total, ""},
          {{"fields", "fields"}, name_of(study.fields), ""},
          {{"hash", "hash"}, name_of(study.hash), ""},
          {{"listed_share", "listed", Form::percent, 1},
           study.part(listed_weight),
           "of all " + study.measure + ": " + counted(study.weighed.heaviest.size(), "flow")},
          {{"worst_queue_share", "fullest", Form::percent, 1},
           study.part(balanced.before[fullest]),
           study.slot_name(fullest)},
          {{"queue_over_even_share", "by queue", Form::number, 3},
           balanced.overload_before.queue,
           "load of the fullest queue over its even share"},
          {{"queue_over_even_share_after", "by queue then", Form::number, 3},
           balanced.overload_after.queue,
           "after " + counted(balanced.moves.size(), "move")},
          {{"nic_over_even_share", "by NIC", Form::number, 3},
           balanced.overload_before.nic,
           "load of the fullest NIC over its even share"},
          {{"nic_over_even_share_after", "by NIC then", Form::number, 3},
           balanced.overload_after.nic,
           "after " + counted(balanced.moves.size(), "move")}};
}

Report run(const Given& given) {
  const core::KeyFields fields = fields_of(given, given.text("fields"));
  const core::GroupState group = group_of(given);
  const size_t most_moves = given.number("moves", 0, core::kMaxBuckets);
  const bool movable = reduction_of(given) == Reduction::resilient;  // others have no buckets to pin
  const std::unique_ptr<Traffic> traffic = traffic_of(given, fields.packet_length);
  const Study study = study_of(given, *traffic, fields, group);
  Report report{.command = "elephants",
                .title = traffic->name() + " over " + title_of(group) + ", " + given.text("reduction"),
                .notes = traffic->notes(),
                .broken = traffic->broken()};
  if (stopped()) report.notes.push_back("stopped early: not all flows were weighed");
  if (study.weighed.total == 0) return report;
  const Rebalanced balanced = rebalance(study.weighed.buckets, study.spreader.table(), study.shares,
                                        group.queues_per_nic, movable ? most_moves : 0);
  const std::vector<Split> splits = splits_of(study);
  report.facts = facts_of(study, balanced);
  report.tables = {elephant_table(study), split_table(study, splits), queue_table(study, balanced),
                   nic_table(study, balanced)};
  if (movable)
    report.tables.push_back(move_table(study, balanced));
  else
    report.notes.push_back("buckets can be pinned under --reduction resilient only, so no move is offered");
  report.plots.push_back(bars_of(study, balanced));
  report.verdicts = verdicts_of(study, balanced, splits, movable ? std::optional(most_moves) : std::nullopt);
  for (const BucketMove& move : balanced.moves) {
    report.commands.push_back("set distribution bucket " + std::to_string(move.bucket) + " queue " +
                              std::to_string(move.to));
  }
  return report;
}

}  // namespace

const Command kElephants = {"elephants",
                            "The heaviest flows, what they do to the fullest queue, and what would help.",
                            "FILE | --pattern KIND",
                            "  roceway-hashlab elephants flows.pcap --by bytes --top 5\n"
                            "  roceway-hashlab elephants --pattern elephants --nics 4 --queues 2 --moves 8\n",
                            add_options,
                            run};

}  // namespace hashlab
