// SPDX-License-Identifier: BSD-3-Clause
// Command craft: tuples that lead to a wanted queue, or have a wanted hash. What is given as one value stays,
// what is given as a range is chosen from. Main thread.
#include <algorithm>

#include "hashlab/command.h"
#include "hashlab/craft.h"
#include "hashlab/explain.h"
#include "hashlab/options.h"
#include "hashlab/progress.h"
#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

constexpr Range kDynamicPorts = {49152, 65535};  // of RoCEv2 sources
constexpr Range kUserPorts = {1024, 65535};

void add_options(OptionList& add) {
  add("nic", "the wanted NIC; the first is 0", std::nullopt, "N");
  add("queue", "the wanted queue of that NIC", "0", "Q");
  add("slot", "instead: NIC x queues + queue", std::nullopt, "Q");
  add("hash-value", "instead: the wanted hash, 32 bits", std::nullopt, "WORD");
  add("count", "how many tuples", "10", "N");
  add("src", "source address; a prefix: any of its addresses but the first and the last", "198.18.0.1",
      "ADDRESS");
  add("dst", "destination address", "198.19.0.1", "ADDRESS");
  add("sport", "source port, or FIRST-LAST; else 49152-65535 for UDP to 4791, 1024-65535 elsewhere",
      std::nullopt, "PORTS");
  add("dport", "destination port, or FIRST-LAST", "4791", "PORTS");
  add("proto", "udp, tcp, another name or a number", "udp", "PROTO");
  add("tries", "hashes that a search asks for at most", "100M", "N");
  add_field_options(add);
  add_one_hash_option(add, "jenkins");
  add_group_options(add);
}

Range range_of(const std::string& of, const std::string& text) {
  const std::vector<std::string> ends = split(text, '-');
  if (ends.empty() || ends.size() > 2) throw BadInput(of + " " + text + ": allowed: a port, or FIRST-LAST");
  const auto first = static_cast<uint32_t>(whole_number(of, ends.front(), 0, 65535));
  const auto last = static_cast<uint32_t>(whole_number(of, ends.back(), 0, 65535));
  if (first > last) throw BadInput(of + " " + text + ": ends before it begins");
  return {first, last};
}

// The last four bytes of the addresses of a prefix. IPv6 prefixes shorter than 96 bits have more; these do.
Range address_range_of(const core::IpPrefix& prefix) {
  const uint32_t first = core::load_be32(prefix.address.bytes.data() + (prefix.address.v6 ? 12 : 0));
  const unsigned fixed_bits = prefix.address.v6 ? std::max<unsigned>(prefix.bits, 96) - 96 : prefix.bits;
  const auto last = static_cast<uint32_t>(first | (uint64_t{UINT32_MAX} >> fixed_bits));
  return last - first < 2 ? Range{first, last} : Range{first + 1, last - 1};
}

CraftSpace space_of(const Given& given) {
  const core::IpPrefix src = prefix_of("--src", given.text("src"));
  CraftSpace space;
  space.base = {.src = src.address,
                .dst = address_of("--dst", given.text("dst")),
                .proto = proto_of("--proto", given.text("proto"))};
  check_one_version(space.base.src, space.base.dst);
  space.src_end = address_range_of(src);
  if (!material_of(space.base).has_ports) {
    if (given.has("sport") || given.has("dport"))
      throw BadInput("--proto " + given.text("proto") + ": has no ports; leave out --sport and --dport");
    return space;
  }
  space.dst_port = range_of("--dport", given.text("dport"));
  const bool roce =
      space.dst_port.fixed() && space.dst_port.first == core::kRoceV2Port && space.base.proto == 17;
  space.src_port = given.has("sport") ? range_of("--sport", given.text("sport"))
                   : roce             ? kDynamicPorts
                                      : kUserPorts;
  space.base.src_port = static_cast<uint16_t>(space.src_port.first);
  space.base.dst_port = static_cast<uint16_t>(space.dst_port.first);
  return space;
}

CraftGoal goal_of(const Given& given, const core::GroupState& group) {
  const int goals = int{given.has("nic")} + int{given.has("slot")} + int{given.has("hash-value")};
  if (goals != 1) throw BadInput("one of --nic N --queue Q, --slot Q, --hash-value WORD must be given");
  if (given.has("queue") && !given.has("nic")) throw BadInput("--queue: only with --nic");
  if (given.has("hash-value"))
    return {.hash = static_cast<uint32_t>(given.number("hash-value", 0, UINT32_MAX)), .slot = 0};
  const uint64_t queues = group.queues_per_nic;
  const uint64_t slot = given.has("slot") ? given.number("slot", 0, group.members.size() * queues - 1)
                                          : given.number("nic", 0, group.members.size() - 1) * queues +
                                                given.number("queue", 0, queues - 1);
  return {.hash = {}, .slot = static_cast<core::Slot>(slot)};
}

std::string text_of(const CraftGoal& goal, uint16_t queues_per_nic) {
  if (!goal.hash)
    return "NIC " + std::to_string(goal.slot / queues_per_nic) + " queue " +
           std::to_string(goal.slot % queues_per_nic);
  const uint32_t word = *goal.hash;
  const uint8_t bytes[] = {static_cast<uint8_t>(word >> 24), static_cast<uint8_t>(word >> 16),
                           static_cast<uint8_t>(word >> 8), static_cast<uint8_t>(word)};
  return "hash 0x" + hex_of(bytes);
}

// "no source port of 49152 to 65535", "no source address of 10.0.0.0/8"
std::string none_of(const CraftSpace& space, const Given& given) {
  const auto ports = [](const Range& range) {
    return std::to_string(range.first) + " to " + std::to_string(range.last);
  };
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "no " : ", ") + what; };
  if (!space.src_port.fixed()) add("source port of " + ports(space.src_port));
  if (!space.src_end.fixed()) add("source address of " + given.text("src"));
  if (!space.dst_port.fixed()) add("destination port of " + ports(space.dst_port));
  return text.empty() ? "the tuple " + words_of(space.base) + " does not give " : text + " gives ";
}

void check_reachable(const CraftGoal& goal, const Spreader& spreader, const core::GroupState& group) {
  const std::vector<core::Slot>& table = spreader.table();
  if (goal.hash || std::find(table.begin(), table.end(), goal.slot) != table.end()) return;
  const core::MemberState& member = group.members[goal.slot / group.queues_per_nic];
  throw BadInput(text_of(goal, group.queues_per_nic) + ": no bucket leads there" +
                 (!member.up           ? ", the NIC is down"
                  : member.weight == 0 ? ", the weight of the NIC is 0"
                                       : ""));
}

Table table_of(const CraftResult& result, const CraftRequest& request, const Spreader& spreader,
               uint16_t queues_per_nic) {
  Table table{"tuples",
              "Tuples",
              {{"src", "source"},
               {"dst", "destination"},
               {"src_port", "sport"},
               {"dst_port", "dport"},
               {"proto", "proto"},
               {"word", "hash", Form::hex},
               {"bucket", "bucket", Form::count},
               {"slot", "slot", Form::count},
               {"nic", "NIC", Form::count},
               {"queue", "queue", Form::count}},
              {}};
  const core::FlowHash hash = request.hash.hash();
  for (const core::FiveTuple& tuple : result.tuples) {
    core::FlowKey key;
    core::make_flow_key(material_of(tuple), request.fields, key);
    const WayOfKey way = way_of(key, hash, spreader, queues_per_nic);
    table.rows.push_back({hashlab::text_of(tuple.src), hashlab::text_of(tuple.dst), uint64_t{tuple.src_port},
                          uint64_t{tuple.dst_port}, proto_name(tuple.proto), uint64_t{way.hash},
                          uint64_t{way.bucket}, uint64_t{way.slot}, way.nic, way.queue});
  }
  return table;
}

CraftRequest request_of(const Given& given, const core::GroupState& group) {
  const std::vector<HashChoice> hashes = hashes_of(given);
  if (hashes.size() != 1) refuse("hash", given.text("hash"), "one hash only");
  return {.space = space_of(given),
          .fields = fields_of(given, given.text("fields")),
          .hash = hashes.front(),
          .reduction = reduction_of(given),
          .goal = goal_of(given, group),
          .count = static_cast<uint32_t>(given.number("count", 1, 100'000)),
          .most_tries = given.number("tries", 1, uint64_t{1} << 40)};
}

Report run(const Given& given) {
  const std::vector<std::string> words = given.words();
  if (!words.empty())
    throw BadInput(words.front() + ": not expected; what is wanted is told by options, see --help");
  const core::GroupState group = group_of(given);
  const Spreader spreader = spreader_of(given, group);
  const CraftRequest request = request_of(given, group);
  check_reachable(request.goal, spreader, group);
  const CraftResult result = craft(request, spreader);
  const std::string goal = text_of(request.goal, group.queues_per_nic), hash = name_of(request.hash);
  if (result.tuples.empty() && !stopped()) {
    const std::string none = result.complete ? none_of(request.space, given) : "found no tuple that gives ";
    throw BadInput(none + goal + " under " + hash + ": " + result.why);
  }
  Report report{.command = "craft",
                .title = "Tuples for " + goal + " under " + hash + " over " + title_of(group) + ", " +
                         given.text("reduction")};
  report.facts = {{{"found", "found", Form::count}, uint64_t{result.tuples.size()}, ""},
                  {{"how", "how"},
                   std::string(result.solved ? "solved" : "searched"),
                   result.solved ? "as linear equations" : grouped(result.tries) + " tuples tried"},
                  {{"fields", "fields"}, name_of(request.fields), ""}};
  report.tables.push_back(table_of(result, request, spreader, group.queues_per_nic));
  if (!result.why.empty()) {
    report.notes.push_back(grouped(result.tuples.size()) + " of " + grouped(request.count) +
                           " wanted: " + result.why);
  }
  if (!result.tuples.empty()) report.commands.push_back("hash explain " + words_of(result.tuples.front()));
  return report;
}

}  // namespace

const Command kCraft = {
    "craft",
    "Tuples that lead to a wanted queue, or have a wanted hash.",
    "--nic N --queue Q | --slot Q | --hash-value WORD",
    "  roceway-hashlab craft --nic 2 --queue 1 --src 192.0.2.1 --dst 198.51.100.2\n"
    "  roceway-hashlab craft --slot 5 --hash toeplitz-mlx5 --dport 443 --proto tcp --count 100\n"
    "  roceway-hashlab craft --hash-value 0xdeadbeef --hash crc32c --src 10.0.0.0/8\n",
    add_options,
    run};

}  // namespace hashlab
