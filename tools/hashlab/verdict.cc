// SPDX-License-Identifier: BSD-3-Clause
// From figures to sentences; see verdict.h. Pure.
#include "hashlab/verdict.h"

#include <array>
#include <cmath>

#include "hashlab/words.h"

namespace hashlab {
namespace {

// A spread that chance makes more rarely than this is not chance's.
constexpr double kRare = 0.001;
// What of max/mean nobody minds; what is not worth a word, however sure it is; and what a mean of draws must
// have more than another to be told.
constexpr double kEvenEnough = 1.10, kNothing = 1.02, kClearlyMore = 1.05;

bool is_rare(double found, const Draws& draws) {
  return found > draws.p95 * (1 + kRare) && draws.at_least(found) < kRare;
}
bool is_rare(const Evenness& found, const Ideal& ideal) {
  return is_rare(found.max_over_mean, ideal.max_over_mean) || is_rare(found.chi_squared, ideal.chi_squared);
}

// The load that is less even, when its keys are so unlike that chance alone makes it less even than flows.
const JudgedLoad* uneven_load(const Judged& judged) {
  const Draws& keys_fall = judged.of_keys.max_over_mean;
  const JudgedLoad* worst = nullptr;
  for (const JudgedLoad* load : {&judged.packets, &judged.bytes}) {
    const double found = load->found.max_over_mean;
    const bool sizes_matter = load->of_keys.max_over_mean.mean > kClearlyMore * keys_fall.mean;
    if (found <= kEvenEnough || found <= keys_fall.p95 || !sizes_matter) continue;
    if (worst == nullptr || found > kClearlyMore * worst->found.max_over_mean) worst = load;
  }
  return worst;
}

std::string range_of(const Draws& draws) {
  return fixed(draws.p5, 2) + " to " + fixed(draws.p95, 2);
}

std::string used_text(const Evenness& found) {
  if (found.used == found.of) return "unevenly over all " + grouped(found.of) + " queues";
  return "on " + grouped(found.used) + " of " + grouped(found.of) + " queues";
}

// The figure that gives it away, beside chance.
std::string figure_of(const Evenness& found, const Ideal& ideal) {
  if (is_rare(found.max_over_mean, ideal.max_over_mean)) {
    return "max/mean " + fixed(found.max_over_mean, 2) + " where an ideal random hash gives " +
           range_of(ideal.max_over_mean);
  }
  return "chi-squared " + fixed(found.chi_squared, 0) + " where an ideal random hash gives " +
         fixed(ideal.chi_squared.p5, 0) + " to " + fixed(ideal.chi_squared.p95, 0);
}

// How the rivals work, as far as it explains a collapse.
std::string nature_of(const HashChoice& hash) {
  using core::HashAlgorithm;
  switch (hash.algorithm) {
    case HashAlgorithm::bond_l2:
      return "It is an XOR of the two MAC addresses and sees nothing else. ";
    case HashAlgorithm::bond_l23:
      return "It is an XOR of MAC and IP addresses: it sees no ports, and what changes alike in source and "
             "destination "
             "cancels. ";
    case HashAlgorithm::bond_l34:
      return "It is an XOR of IP addresses and TCP or UDP ports: it sees no other field, and what changes "
             "alike in "
             "source and destination cancels. ";
    case HashAlgorithm::toeplitz:
      if (hash.key != core::ToeplitzKey::symmetric) break;
      return "With this key it is an XOR of 16-bit words, twice over: what changes alike in source and "
             "destination "
             "cancels, and only 16 bits differ. ";
    case HashAlgorithm::jenkins:
    case HashAlgorithm::crc32c:
    case HashAlgorithm::crc32c_rfc:
      break;
  }
  return "";
}

std::vector<std::string> blame_hash(const Judged& judged) {
  const bool jenkins = judged.hash.algorithm == core::HashAlgorithm::jenkins;
  const std::string advice = jenkins ? "Try another seed: compare shows how a thousand of them do."
                                     : "Take jenkins (with --symmetric where both directions must have one "
                                       "queue); compare ranks all over "
                                       "this input.";
  return {"The hash is to blame: " + name_of(judged.hash) + " puts " + counted(judged.flows, "flow") + " " +
              used_text(judged.found) + ", " + figure_of(judged.found, judged.of_keys) + ".",
          nature_of(judged.hash) + advice};
}

std::vector<std::string> blame_table(const Judged& judged) {
  const bool by_largest = is_rare(judged.found.max_over_mean, judged.of_keys.max_over_mean);
  const Draws& through = by_largest ? judged.of_table.max_over_mean : judged.of_table.chi_squared;
  return {"The table is to blame: " + judged.table + " cannot give the queues their shares; " +
              counted(judged.flows, "flow") + " are " + used_text(judged.found) + ", " +
              figure_of(judged.found, judged.of_keys) + ", and through this table " +
              fixed(through.p5, by_largest ? 2 : 0) + " to " + fixed(through.p95, by_largest ? 2 : 0) + ".",
          "Take more buckets (--buckets-per-queue, --maglev-slots), or weights that they can be divided by."};
}

std::vector<std::string> blame_fields(const Judged& judged) {
  return {"The fields are to blame: " + name_of(judged.fields) + " tell " + grouped(judged.keys) + " of " +
              counted(judged.flows, "flow") + " apart, so max/mean is " +
              fixed(judged.found.max_over_mean, 2) + "; if every flow had a key of its own it would be " +
              range_of(judged.of_flows.max_over_mean) + ".",
          "Hash what differs between the flows: ports, proto, dest_qp for RoCEv2 queue pairs, vlan for "
          "tenants; compare "
          "ranks the choices."};
}

std::vector<std::string> blame_count(const Judged& judged) {
  const Draws& chance = judged.of_keys.max_over_mean;
  return {"No fault of the hash: " + counted(judged.keys, "key") + " on " +
              counted(judged.found.of, "queue") + (judged.keys == 1 ? " is" : " are") +
              " this uneven by chance alone, max/mean " + fixed(judged.found.max_over_mean, 2) +
              "; an ideal random hash gives " + range_of(chance) +
              " in 90 of 100 draws, and as much as here or more in " +
              percent(chance.at_least(judged.found.max_over_mean), 0) + ".",
          "Only more flows help (about " + grouped(flows_needed(judged.found.of, kEvenEnough)) +
              " for a max/mean of 1.10), fewer queues, or flows that are placed by hand: see craft and "
              "elephants."};
}

std::vector<std::string> blame_size(const Judged& judged) {
  const JudgedLoad& load = *uneven_load(judged);
  const std::string what = &load == &judged.packets ? "packets" : "bytes";
  const double share = static_cast<double>(load.largest) / static_cast<double>(load.all);
  return {"A few large flows are to blame: max/mean is " + fixed(judged.found.max_over_mean, 2) +
              " by flows, as chance has it, and " + fixed(load.found.max_over_mean, 2) + " by " + what +
              "; the largest flow has " + percent(share, 1) + " of the " + what +
              ", a queue's fair part is " + percent(1.0 / judged.found.of, 1) + ".",
          "No hash mends that; elephants --by " + what +
              " shows what splitting the large ones or moving buckets would."};
}

}  // namespace

std::string_view name_of(Cause cause) {
  constexpr std::array<std::string_view, 6> kNames = {"even", "few flows", "fields",
                                                      "hash", "table",     "large flows"};
  return kNames[static_cast<size_t>(cause)];
}

uint64_t flows_needed(uint32_t slots, double max_over_mean) {
  const double n = slots, over = max_over_mean - 1;
  return static_cast<uint64_t>(std::ceil(2 * n * std::log(n) / (over * over)));
}

Cause cause_of(const Judged& judged) {
  const double found = judged.found.max_over_mean;
  if (found > kNothing && is_rare(judged.found, judged.of_keys)) {
    return is_rare(judged.found, judged.of_table) ? Cause::hash : Cause::table;
  }
  const bool keys_matter =
      judged.of_keys.max_over_mean.mean > kClearlyMore * judged.of_flows.max_over_mean.mean;
  const bool outside =
      found > judged.of_flows.max_over_mean.p95;  // else keys of their own would do no better
  if (found > kEvenEnough && keys_matter && outside) return Cause::fields;
  if (uneven_load(judged) != nullptr) return Cause::large_flows;
  return found > kEvenEnough ? Cause::few_flows : Cause::none;
}

std::vector<std::string> sentences_of(const Judged& judged, Cause cause) {
  switch (cause) {
    case Cause::hash:
      return blame_hash(judged);
    case Cause::table:
      return blame_table(judged);
    case Cause::fields:
      return blame_fields(judged);
    case Cause::few_flows:
      return blame_count(judged);
    case Cause::large_flows:
      return blame_size(judged);
    case Cause::none:
      break;
  }
  const Draws& chance = judged.of_keys.max_over_mean;
  const bool evener = judged.found.max_over_mean < chance.p5;
  return {"Even: max/mean " + fixed(judged.found.max_over_mean, 2) + " over " +
          counted(judged.found.of, "queue") +
          (evener ? ", evener than chance (" : ", as even as an ideal random hash (") + range_of(chance) +
          ")" + (evener ? ": the hash counts along with these flows; do not expect it of others." : ".")};
}

}  // namespace hashlab
