// SPDX-License-Identifier: BSD-3-Clause
// Groups of options and what they stand for; see options.h. Main thread.
#include "hashlab/options.h"

#include <algorithm>
#include <array>

#include "core/settings.h"
#include "hashlab/capture.h"
#include "hashlab/pattern.h"
#include "hashlab/words.h"

namespace hashlab {

namespace {

using Kinds = std::vector<PatternKind>;

// An option of patterns, and the kinds that it means something to.
struct PatternOption {
  const char *name, *about, *by_default, *value;
  Kinds kinds;  // empty: all
};

const std::vector<PatternOption>& pattern_options() {
  using enum PatternKind;
  const static Kinds counted = {random, counting, same_ports, even_ports, elephants},
                     hosts = {roce_qps, clos, all_reduce, all_to_all}, large = {elephants};
  const static std::vector<PatternOption> kAll = {
      {"flows", "flows of random, counting, same-ports, even-ports; mice of elephants", "1024", "N", counted},
      {"hosts", "hosts of clos, all-reduce, all-to-all; of roce-qps: that send to one more", "8", "N", hosts},
      {"qps", "queue pairs between two hosts, of the same", "8", "N", hosts},
      {"elephants", "flows that carry most, of elephants", "16", "N", large},
      {"elephant-share", "the part of all packets that they carry", "0.8", "SHARE", large},
      {"zipf", "how unlike the mice are: 0 alike, 1 as Zipf has it", "1", "EXPONENT", large},
      {"mice", "instead: packets of the mice, with commas, taken in turn", "", "LIST", large},
      {"packets",
       "packets of each flow, by default 1; of clos on average, by default 8; of the smallest mouse",
       "",
       "N",
       {}},
      {"frame-bytes", "length of frames, without FCS", "64", "N", {}},
      {"ip", "4 or 6", "4", "VERSION", {}},
      {"pattern-seed", "another seed, other addresses, ports and queue pairs", "1", "N", {}},
  };
  return kAll;
}

constexpr std::array<const char*, 2> kCaptureOptions = {"mtu", "vlan-tag"};
constexpr std::array<std::string_view, 2> kTags = {"outer", "inner"}, kVersions = {"4", "6"};

// What means nothing here is refused: whoever gave it expects that it does something.
void refuse_options_of_others(const Given& given, std::optional<PatternKind> kind) {
  for (const PatternOption& option : pattern_options()) {
    if (!given.has(option.name)) continue;
    if (!kind) refuse(option.name, given.text(option.name), "belongs to --pattern, not to a capture");
    const Kinds& kinds = option.kinds;
    if (kinds.empty() || std::find(kinds.begin(), kinds.end(), *kind) != kinds.end()) continue;
    std::vector<std::string_view> names;
    for (const PatternKind other : kinds) names.push_back(name_of(other));
    refuse(option.name, given.text(option.name),
           "means nothing to --pattern " + std::string(name_of(*kind)) + ", only to " + listed(names));
  }
  for (const char* option : kCaptureOptions) {
    if (kind && given.has(option))
      refuse(option, given.text(option), "belongs to a capture, not to --pattern");
  }
}

Pattern pattern_of(const Given& given, PatternKind kind) {
  Pattern pattern;
  pattern.kind = kind;
  pattern.flows = given.number("flows", 1, kMostPatternFlows);
  pattern.hosts = static_cast<uint32_t>(given.number("hosts", 1, 65'536));
  pattern.qps = static_cast<uint32_t>(given.number("qps", 1, 65'536));
  pattern.elephants = given.number("elephants", 1, 1'000'000);
  pattern.elephant_share = given.real("elephant-share", 0, 0.999);
  pattern.zipf = given.real("zipf", 0, 4);
  pattern.mice_packets = given.numbers("mice", 1, 1'000'000'000);
  if (!pattern.mice_packets.empty() && given.has("zipf")) throw BadInput("--mice --zipf: one of them only");
  constexpr uint64_t kUnlike = 8;  // flows of clos are of unlike sizes, around their mean
  pattern.packets = given.has("packets")        ? given.number("packets", 1, 1'000'000)
                    : kind == PatternKind::clos ? kUnlike
                                                : 1;
  pattern.frame_bytes = static_cast<uint32_t>(given.number("frame-bytes", 60, 9216));
  pattern.ipv6 = given.one_of("ip", kVersions) == 1;
  pattern.seed = given.number("pattern-seed", 0, UINT64_MAX);
  return pattern;
}

}  // namespace

void add_traffic_options(OptionList& add) {
  add("pattern", "instead of a file: " + listed(kPatternNames), std::nullopt, "KIND");
  for (const PatternOption& option : pattern_options()) {
    add(option.name, option.about, option.by_default, option.value);
  }
  add("mtu", "of a capture, longer packets are left out, as a gateway drops them; 0: none", "0", "BYTES");
  add("vlan-tag", "of stacked VLAN tags: outer or inner", "outer", "TAG");
}

std::unique_ptr<Traffic> traffic_of(const Given& given, bool by_length) {
  const std::vector<std::string>& files = given.words();
  if (files.size() > 1) throw BadInput(files[1] + ": one capture only");
  if (given.has("pattern")) {
    const auto kind = static_cast<PatternKind>(given.one_of("pattern", kPatternNames));
    if (!files.empty()) throw BadInput(files.front() + ": a capture or --pattern, not both");
    refuse_options_of_others(given, kind);
    return make_traffic(pattern_of(given, kind));
  }
  if (files.empty()) throw BadInput("no input: give a capture, or --pattern KIND; --help tells more");
  refuse_options_of_others(given, std::nullopt);
  const bool outer = given.one_of("vlan-tag", kTags) == 0;
  return Capture::read(files.front(),
                       {.vlan_tag = outer ? core::VlanTag::outer : core::VlanTag::inner,
                        .mtu_bytes = static_cast<uint32_t>(given.number("mtu", 0, core::limits::kMtu.most)),
                        .by_length = by_length});
}

void add_field_options(OptionList& add) {
  std::vector<std::string_view> names;
  for (const core::KeyFieldName& field : core::kKeyFieldNames) names.push_back(field.name);
  add("fields", "what is hashed, with commas: " + listed(names), name_of(core::KeyFields()), "LIST");
  add_key_options(add);
}

void add_key_options(OptionList& add) {
  std::string ranges;
  for (const core::PortRange& range : core::default_port_ranges()) {
    ranges += (ranges.empty() ? "" : ",") + std::to_string(range.first) + "-" + std::to_string(range.last);
  }
  add.flag("symmetric", "both directions of a connection have one key");
  add("port-ranges", "of field port_range: FIRST-LAST,...", ranges, "LIST");
}

core::KeyFields fields_of(const Given& given, std::string_view names) {
  core::KeyFields fields = key_fields_of(names);
  fields.symmetric |= given.flag("symmetric");
  // Of several choices, as compare has them, another may have the field.
  if (given.has("port-ranges") && given.text("fields") == names && !fields.port_range) {
    refuse("port-ranges", given.text("port-ranges"), "means nothing without port_range among the --fields");
  }
  for (const std::string& range : given.list("port-ranges")) {
    const std::vector<std::string> ends = split(range, '-');
    if (ends.size() != 2) refuse("port-ranges", range, "not a range; write FIRST-LAST, as in 0-1023");
    const auto first = static_cast<uint16_t>(whole_number("--port-ranges", ends[0], 0, 65'535));
    const auto last = static_cast<uint16_t>(whole_number("--port-ranges", ends[1], 0, 65'535));
    if (first > last) refuse("port-ranges", range, "ends before it begins");
    if (fields.port_range) fields.port_ranges.push_back({first, last});
  }
  return fields;
}

void add_hash_options(OptionList& add, const char* hash_default) {
  std::string names;
  for (const HashChoice& choice : all_hashes()) names += (names.empty() ? "" : ", ") + name_of(choice);
  add("hash", "with commas, or all: " + names, hash_default, "LIST");
  add("seed", "of jenkins, crc32c and crc32c-rfc; decimal or 0x", "0", "N");
}

void add_one_hash_option(OptionList& add, const char* hash_default) {
  std::vector<std::string> names;
  for (const HashChoice& choice : all_hashes()) names.push_back(name_of(choice));
  add("hash", listed(std::vector<std::string_view>(names.begin(), names.end())), hash_default, "NAME");
  add("seed", "of jenkins, crc32c and crc32c-rfc; decimal or 0x", "0", "N");
}

std::vector<HashChoice> hashes_of(const Given& given) {
  const auto seed = static_cast<uint32_t>(given.number("seed", 0, UINT32_MAX));
  std::vector<HashChoice> choices;
  if (given.text("hash") == "all")
    choices = all_hashes();
  else
    for (const std::string& name : given.list("hash")) choices.push_back(hash_choice_of(name));
  if (choices.empty()) refuse("hash", "", "names no hash");
  const auto takes_seed = [](const HashChoice& choice) { return core::takes_seed(choice.algorithm); };
  if (given.has("seed") && std::none_of(choices.begin(), choices.end(), takes_seed)) {
    refuse("seed", given.text("seed"), given.text("hash") + " takes none");
  }
  for (HashChoice& choice : choices) choice.seed = takes_seed(choice) ? seed : 0;
  return choices;
}

void add_group_options(OptionList& add) {
  add("nics", "members of the group, 1 to 64", "4", "N");
  add("queues", "queues on each, 1 to 64", "2", "Q");
  add("weights", "share of each NIC, with commas; else alike", "", "LIST");
  add("down", "NICs that are down, with commas; the first is 0", "", "LIST");
  add("reduction", "from hash to queue: " + listed(kReductionNames), "resilient", "NAME");
  add("buckets-per-queue", "of resilient; by default 64, fewer where more than 1,024 queues would have them",
      "", "K");
  add("maglev-slots", "of maglev: a prime", std::to_string(kMaglevSlots), "N");
}

core::GroupState group_of(const Given& given) {
  core::GroupState group;
  const auto nics = static_cast<size_t>(given.number("nics", 1, core::kMaxMembers));
  group.members.resize(nics);
  group.queues_per_nic = static_cast<uint16_t>(given.number("queues", 1, core::kMaxQueuesPerNic));
  const uint64_t most_buckets = core::kMaxBuckets / (nics * group.queues_per_nic);
  group.buckets_per_queue = static_cast<uint16_t>(
      given.has("buckets-per-queue")
          ? given.number("buckets-per-queue", 1, most_buckets)
          : std::min<uint64_t>(core::DistributionSettings().buckets_per_queue, most_buckets));
  const std::vector<uint64_t> weights = given.numbers("weights", 0, core::limits::kWeight.most);
  if (!weights.empty() && weights.size() != nics) {
    refuse("weights", given.text("weights"),
           std::to_string(weights.size()) + " of them; allowed: one for each of the " + std::to_string(nics) +
               " NICs");
  }
  for (size_t i = 0; i < weights.size(); ++i) group.members[i].weight = static_cast<uint32_t>(weights[i]);
  for (const uint64_t nic : given.numbers("down", 0, nics - 1)) group.members[nic].up = false;
  const bool some = std::any_of(group.members.begin(), group.members.end(),
                                [](const core::MemberState& member) { return member.usable(); });
  if (!some) throw BadInput("--down, --weights: no NIC is left that may be used");
  return group;
}

Reduction reduction_of(const Given& given) {
  return static_cast<Reduction>(given.one_of("reduction", kReductionNames));
}

uint32_t maglev_slots_of(const Given& given) {
  return static_cast<uint32_t>(given.number("maglev-slots", 2, 16'777'213));
}

Spreader spreader_of(const Given& given, const core::GroupState& group) {
  const Reduction reduction = reduction_of(given);
  const auto belongs = [&](const char* option, Reduction to) {
    if (given.has(option) && reduction != to) {
      refuse(option, given.text(option), "belongs to --reduction " + std::string(name_of(to)));
    }
  };
  belongs("buckets-per-queue", Reduction::resilient);
  belongs("maglev-slots", Reduction::maglev);
  return Spreader(reduction, group, maglev_slots_of(given));
}

std::string title_of(const core::GroupState& group) {
  return counted(group.members.size(), "NIC") + " x " + counted(group.queues_per_nic, "queue");
}

}  // namespace hashlab
