// SPDX-License-Identifier: BSD-3-Clause
// Command loss: what moves when a NIC is lost, returns, is drained, added or given another weight, under the
// rule of the gateway and under the rules of others. Which cases are asked about is decided here. Main
// thread, work on all CPUs.

#include <algorithm>

#include "core/settings.h"
#include "hashlab/command.h"
#include "hashlab/loss_report.h"
#include "hashlab/options.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

void add_options(OptionList& add) {
  add_traffic_options(add);
  add_field_options(add);
  add_one_hash_option(add, "jenkins");
  add_group_options(add);
  add("event", "with commas, or all: " + listed(kNicEventNames), "all", "LIST");
  add("nic", "to which it happens, from 0; else each in turn is lost, the first one suffers the rest", "",
      "N");
  add("weight", "of reweighted; else twice what the NIC has", "", "N");
}

std::vector<NicEvent> events_of(const Given& given) {
  std::vector<NicEvent> events;
  const bool all = given.text("event") == "all";
  for (size_t i = 0; i < kNicEventNames.size() && all; ++i) events.push_back(static_cast<NicEvent>(i));
  for (const std::string& word : all ? std::vector<std::string>() : given.list("event")) {
    const auto at = std::find(kNicEventNames.begin(), kNicEventNames.end(), word);
    if (at == kNicEventNames.end()) refuse("event", word, "unknown; allowed: all, " + listed(kNicEventNames));
    events.push_back(static_cast<NicEvent>(at - kNicEventNames.begin()));
  }
  if (events.empty()) refuse("event", "", "names no event; allowed: all, " + listed(kNicEventNames));
  return events;
}

// What may happen to a NIC as it is: only one in use can be lost or drained.
bool possible(NicEvent event, const core::MemberState& member) {
  return member.usable() || (event != NicEvent::lost && event != NicEvent::drained);
}

std::vector<uint16_t> nics_of(const Given& given, NicEvent event, const core::GroupState& group) {
  if (given.has("nic")) {
    const auto nic = static_cast<uint16_t>(given.number("nic", 0, group.members.size() - 1));
    if (possible(event, group.members[nic])) return {nic};
    if (given.text("event") == "all") return {};
    refuse("nic", given.text("nic"), "out of use already, it cannot be " + std::string(name_of(event)));
  }
  std::vector<uint16_t> nics;
  for (uint16_t nic = 0; nic < group.members.size(); ++nic) {
    if (possible(event, group.members[nic])) nics.push_back(nic);
  }
  if (event == NicEvent::returned) {  // the one that is down, where there is one
    std::stable_partition(nics.begin(), nics.end(), [&](uint16_t nic) { return !group.members[nic].up; });
  }
  if (event != NicEvent::lost) nics.resize(1);
  return nics;
}

uint32_t weight_of(const Given& given, const core::MemberState& member) {
  const core::Range& allowed = core::limits::kWeight;
  if (given.has("weight")) return static_cast<uint32_t>(given.number("weight", allowed.least, allowed.most));
  return std::clamp<uint32_t>(2 * member.weight, 1, static_cast<uint32_t>(allowed.most));
}

void check_weight(const Given& given) {
  if (!given.has("weight")) return;
  const std::vector<NicEvent> events = events_of(given);
  if (std::find(events.begin(), events.end(), NicEvent::reweighted) == events.end())
    refuse("weight", given.text("weight"), "only of --event reweighted");
}

std::vector<NicCase> cases_of(const Given& given, const core::GroupState& group, Report& report) {
  std::vector<NicCase> cases;
  for (const NicEvent event : events_of(given)) {
    for (const uint16_t nic : nics_of(given, event, group)) {
      const uint32_t weight = weight_of(given, group.members[nic]);
      const GroupChange change = change_of(group, event, nic, weight);
      const bool alone = given.text("event") != "all";
      const std::string full = "one more NIC would make more than 64 of them, or more than 65,536 buckets";
      if (!fits(change) && alone) refuse("event", name_of(event), full);
      if (!fits(change)) {
        report.notes.push_back("event added is left out: " + full);
        continue;
      }
      // A new NIC stands behind the others.
      cases.push_back(
          {event, event == NicEvent::added ? static_cast<uint16_t>(group.members.size()) : nic, change});
    }
  }
  return cases;
}

HashChoice only_hash_of(const Given& given) {
  const std::vector<HashChoice> hashes = hashes_of(given);
  if (hashes.size() > 1) refuse("hash", given.text("hash"), "one hash only");
  return hashes.front();
}

Report run(const Given& given) {
  Report report{.command = "loss"};
  const core::KeyFields fields = fields_of(given, given.text("fields"));
  const HashChoice hash = only_hash_of(given);
  const core::GroupState group = group_of(given);
  const Reduction shown = reduction_of(given);
  const uint32_t maglev_slots = maglev_slots_of(given);
  check_weight(given);
  const std::vector<NicCase> cases = cases_of(given, group, report);
  const std::unique_ptr<Traffic> traffic = traffic_of(given, fields.packet_length);

  std::vector<PolicyChange> changes;
  for (const NicCase& one : cases) {
    for (const Reduction policy : kPolicies) changes.emplace_back(policy, one.change, maglev_slots);
  }
  const std::vector<Movement> movements = movements_of(*traffic, fields, hash.hash(), changes);

  report.title = traffic->name() + " over " + title_of(group) + ", a NIC changes";
  const uint64_t looked_at = movements.front().flows;
  report.facts = {{{"flows", "flows", Form::count}, looked_at, ""},
                  {{"packets", "packets", Form::count}, movements.front().packets, ""},
                  {{"hash", "hash"}, name_of(hash), "over " + name_of(fields)}};
  if (looked_at > 0) add_movements(cases, movements, shown, report);
  if (looked_at == traffic->flows()) add_verdicts(cases, movements, group.members.size(), report);
  for (const std::string& note : traffic->notes()) report.notes.push_back(note);
  report.broken = traffic->broken();
  if (looked_at < traffic->flows()) {
    report.notes.push_back("stopped early: " + grouped(looked_at) + " of " + grouped(traffic->flows()) +
                           " flows were looked at, so there is no verdict");
  }
  return report;
}

}  // namespace

const Command kLoss = {
    "loss",
    "What moves when a NIC is lost, returns, is drained, added or reweighted.",
    "FILE | --pattern KIND",
    "  roceway-hashlab loss flows.pcap --nics 4 --queues 2\n"
    "  roceway-hashlab loss --pattern random --flows 100k --nics 8 --event lost --reduction modulo\n",
    add_options,
    run};

}  // namespace hashlab
