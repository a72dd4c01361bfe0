// SPDX-License-Identifier: BSD-3-Clause
// Command tiers: boxes in a row, what of the later ones flows reach, and which remedies help where that is
// less than chance would let them. Main thread, work on all CPUs.
#include <algorithm>
#include <cmath>

#include "hashlab/command.h"
#include "hashlab/cures.h"
#include "hashlab/options.h"
#include "hashlab/progress.h"
#include "hashlab/tiers.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

// Of all boxes of the last tier: more take too long to draw.
constexpr uint64_t kMostPaths = 65'536;

void add_options(OptionList& add) {
  std::string hashes;
  for (const HashChoice& choice : all_hashes()) hashes += (hashes.empty() ? "" : ", ") + name_of(choice);
  add_traffic_options(add);
  add_field_options(add);
  add("paths", "of a box of each tier: two or three numbers", "4,4", "N,N");
  add("hash", "one for all tiers, or one for each, with commas: " + hashes, "jenkins", "LIST");
  add("seed", "the same, of jenkins, crc32c and crc32c-rfc", "0", "LIST");
  add("reduction", "the same, from hash to path: " + listed(kReductionNames), "modulo", "LIST");
  add("rotate", "the same, bits by which the hash is turned left before: a hash offset", "0", "LIST");
}

// What is given for all tiers or for each, as one for each.
template <class T>
std::vector<T> of_tiers(const Given& given, const std::string& option, std::vector<T> values, size_t tiers) {
  if (values.size() == 1) values.resize(tiers, values.front());
  if (values.size() == tiers) return values;
  refuse(option, given.text(option),
         std::to_string(values.size()) + " of them; allowed: 1, or one for each of the " +
             std::to_string(tiers) + " tiers");
}

std::vector<Tier> read_tiers(const Given& given, const core::KeyFields& fields) {
  const std::vector<uint64_t> paths = given.numbers("paths", 2, core::kMaxMembers);
  const size_t count = paths.size();
  if (count < 2 || count > 3)
    refuse("paths", given.text("paths"), std::to_string(count) + " tiers; allowed: 2 or 3, as in 4,4");
  uint64_t product = 1;
  for (const uint64_t number : paths) product *= number;
  if (product > kMostPaths)
    refuse("paths", given.text("paths"),
           grouped(product) + " paths in all; allowed: up to " + grouped(kMostPaths));
  const auto hashes = of_tiers(given, "hash", given.list("hash"), count);
  const auto seeds = of_tiers(given, "seed", given.numbers("seed", 0, UINT32_MAX), count);
  const auto reductions = of_tiers(given, "reduction", given.list("reduction"), count);
  const auto turns = of_tiers(given, "rotate", given.numbers("rotate", 0, 31), count);
  if (std::find(hashes.begin(), hashes.end(), "all") != hashes.end())
    refuse("hash", given.text("hash"), "allowed: the name of one for all tiers, or of one for each");
  std::vector<Tier> tiers;
  for (size_t t = 0; t < count; ++t) {
    HashChoice hash = hash_choice_of(hashes[t]);
    if (core::takes_seed(hash.algorithm)) hash.seed = static_cast<uint32_t>(seeds[t]);
    const std::optional<Reduction> reduction = reduction_of(reductions[t]);
    if (!reduction) refuse("reduction", reductions[t], "unknown; allowed: " + listed(kReductionNames));
    tiers.push_back(
        {hash, fields, *reduction, static_cast<uint32_t>(paths[t]), static_cast<uint32_t>(turns[t])});
  }
  if (given.has("seed") && std::none_of(tiers.begin(), tiers.end(), [](const Tier& tier) {
        return core::takes_seed(tier.hash.algorithm);
      })) {
    refuse("seed", given.text("seed"), given.text("hash") + " takes none");
  }
  return tiers;
}

std::string judgement_of(const TierSpread& spread) {
  return spread.polarised ? "polarised" : spread.uneven ? "uneven" : "as chance";
}
bool is_ill(const TierSpread& spread) {
  return spread.polarised || spread.uneven;
}

// `whole`: all flows were looked at, so that there is something to judge.
Table tier_table(const std::vector<Tier>& tiers, const std::vector<TierSpread>& spreads, bool whole) {
  Table table{"tiers",
              "What flows reach of the paths of a box",
              {{"tier", "tier", Form::count},
               {"hash", "hash"},
               {"seed", "seed", Form::count},
               {"reduction", "reduction"},
               {"rotate_bits", "turned", Form::count},
               {"paths", "paths", Form::count},
               {"reached_share", "reached", Form::percent, 1},
               {"ideal_reached_share", "ideal", Form::percent, 1},
               {"max_over_mean", "max/mean", Form::number, 3},
               {"ideal_max_over_mean", "ideal", Form::number, 3},
               {"judgement", "judgement"}},
              {}};
  for (size_t t = 0; t < tiers.size(); ++t) {
    const Tier& tier = tiers[t];
    const TierSpread& spread = spreads[t];
    std::vector<Value>& row = table.rows.emplace_back();
    row.emplace_back(uint64_t{t + 1});
    row.emplace_back(name_of(tier.hash));
    if (core::takes_seed(tier.hash.algorithm))
      row.emplace_back(uint64_t{tier.hash.seed});
    else
      row.emplace_back();
    row.emplace_back(std::string(name_of(tier.reduction)));
    row.emplace_back(uint64_t{tier.rotate_bits});
    row.emplace_back(uint64_t{tier.paths});
    row.emplace_back(spread.reachable);
    row.emplace_back(spread.chance);
    row.emplace_back(spread.max_over_mean);
    row.emplace_back(spread.chance_max);
    row.emplace_back(whole ? Value(judgement_of(spread)) : Value());
  }
  return table;
}

// A cure and what it does.
struct Tried {
  Cure cure;
  std::vector<TierSpread> spreads;
  bool helps() const { return std::none_of(spreads.begin() + 1, spreads.end(), is_ill); }
};

Table cure_table(const std::vector<Tried>& tried) {
  Table table{"cures", "The same flows with a remedy", {{"cure", "remedy"}, {"change", "what changes"}}, {}};
  for (size_t t = 2; t <= tried.front().spreads.size(); ++t) {
    const std::string tier = std::to_string(t);
    table.columns.push_back({"tier_" + tier + "_reached_share", "tier " + tier, Form::percent, 1});
  }
  table.columns.push_back({"max_over_mean", "max/mean", Form::number, 3});
  table.columns.push_back({"ideal_max_over_mean", "ideal", Form::number, 3});
  table.columns.push_back({"helps", "helps"});
  for (const Tried& one : tried) {
    std::vector<Value>& row = table.rows.emplace_back();
    row.emplace_back(one.cure.name);
    row.emplace_back(one.cure.change);
    for (size_t t = 1; t < one.spreads.size(); ++t) row.emplace_back(one.spreads[t].reachable);
    row.emplace_back(one.spreads.back().max_over_mean);
    row.emplace_back(one.spreads.back().chance_max);
    row.emplace_back(std::string(one.helps() ? "yes" : "no"));
  }
  return table;
}

// "1 of 4 paths", "2.5 of 4 paths".
std::string reach_of(const TierSpread& spread) {
  const double paths = spread.reachable * spread.paths;
  const bool whole = paths - std::floor(paths) < 1e-9;
  return fixed(paths, whole ? 0 : 1) + " of " + std::to_string(spread.paths) + " paths";
}

std::string sentence_of(size_t t, const std::vector<Tier>& tiers, const TierSpread& spread) {
  const std::string text = "Tier " + std::to_string(t + 1) + " reaches " + reach_of(spread);
  if (!is_ill(spread)) return text + ", as ideal hashes would.";
  const std::string less =
      spread.few_flows   ? ", as so few flows might under ideal hashes, but more would not reach all"
      : spread.polarised ? ""
                         : ", but less evenly than chance (max/mean " + fixed(spread.max_over_mean, 2) +
                               ", ideal " + fixed(spread.chance_max, 2) + ")";
  if (t == 0) return text + less + ": see command spread for that.";
  for (size_t earlier = 0; earlier < t; ++earlier) {
    const Likeness likeness = likeness_of(tiers[earlier], tiers[t]);
    if (likeness == Likeness::none) continue;
    if (likeness == Likeness::same_but_xor) {
      return text + less + ": " + name_of(tiers[t].hash) +
             " with another seed is the same hash XOR a constant.";
    }
    const bool bits = tiers[t].reduction == Reduction::multiply_shift;
    return text + less + ": it takes the same " + (bits ? "high bits" : "remainder") +
           " of the same hash as tier " + std::to_string(earlier + 1) + ".";
  }
  return text + less + ": what it takes of its hash follows from what an earlier tier took.";
}

std::string sentence_of(const std::vector<Tried>& tried) {
  std::string good, bad;
  for (const Tried& one : tried) {
    std::string& names = one.helps() ? good : bad;
    names += (names.empty() ? "" : "; ") + one.cure.name + " (" + one.cure.change + ")";
  }
  if (good.empty()) return "None of the usual remedies helps: " + bad + ".";
  return "What helps: " + good + (bad.empty() ? "." : ". What does not: " + bad + ".");
}

Bars bars_of(size_t t, const TierSpread& spread) {
  Bars bars{.title = "Tier " + std::to_string(t + 1) + (t == 0 ? "" : ", the box behind path 0"),
            .unit = "flows"};
  for (size_t path = 0; path < spread.first_box.size(); ++path)
    bars.labels.push_back("path " + std::to_string(path));
  bars.series.push_back({"flows", {spread.first_box.begin(), spread.first_box.end()}});
  return bars;
}

void try_cures(const Traffic& traffic, const std::vector<Tier>& tiers, Report& report) {
  std::vector<Tried> tried;
  for (Cure& cure : cures_of(tiers)) {
    TierSpreads spreads = tiers_of(traffic, cure.tiers, "trying " + cure.name);
    if (spreads.flows < traffic.flows()) {  // a part of the flows says nothing about a cure
      report.notes.push_back("stopped early: not all remedies were tried");
      break;
    }
    tried.push_back({std::move(cure), std::move(spreads.tiers)});
  }
  if (tried.empty()) return;
  report.tables.push_back(cure_table(tried));
  report.verdicts.push_back(sentence_of(tried));
}

Report run(const Given& given) {
  const core::KeyFields fields = fields_of(given, given.text("fields"));
  const std::vector<Tier> tiers = read_tiers(given, fields);
  const std::unique_ptr<Traffic> traffic = traffic_of(given, fields.packet_length);
  const TierSpreads found = tiers_of(*traffic, tiers);
  const std::vector<TierSpread>& spreads = found.tiers;
  const bool whole = found.flows == traffic->flows();

  std::string paths;
  for (const Tier& tier : tiers) paths += (paths.empty() ? "" : " x ") + std::to_string(tier.paths);
  Report report{
      .command = "tiers",
      .title = traffic->name() + " through " + std::to_string(tiers.size()) + " tiers, " + paths + " paths",
      .facts = {{{"flows", "flows", Form::count}, found.flows, ""},
                {{"fields", "fields"}, name_of(fields), ""}},
      .notes = traffic->notes(),
      .broken = traffic->broken()};
  if (!whole) {
    report.notes.push_back("stopped early: " + grouped(found.flows) + " of " + grouped(traffic->flows()) +
                           " flows were looked at, so there is no verdict");
  }
  if (found.flows == 0) return report;
  report.tables.push_back(tier_table(tiers, spreads, whole));
  for (size_t t = 0; t < tiers.size(); ++t) {
    if (whole && (t > 0 || is_ill(spreads[t]))) report.verdicts.push_back(sentence_of(t, tiers, spreads[t]));
    report.plots.push_back(bars_of(t, spreads[t]));
  }
  if (whole && std::any_of(spreads.begin() + 1, spreads.end(), is_ill)) try_cures(*traffic, tiers, report);
  return report;
}

}  // namespace

const Command kTiers = {
    "tiers",
    "Boxes in a row: what of the later ones is reachable, and what helps.",
    "FILE | --pattern KIND",
    "  roceway-hashlab tiers flows.pcap --paths 4,8\n"
    "  roceway-hashlab tiers --pattern random --flows 100k --paths 4,4 --hash crc32c --seed 0,1\n",
    add_options,
    run};

}  // namespace hashlab
