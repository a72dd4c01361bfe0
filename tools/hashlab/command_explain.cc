// SPDX-License-Identifier: BSD-3-Clause
// Command explain: where one packet goes and why, hash beside hash. Main thread.
#include <algorithm>

#include "hashlab/capture.h"
#include "hashlab/command.h"
#include "hashlab/explain.h"
#include "hashlab/options.h"
#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

constexpr std::array<std::string_view, 2> kTags = {"outer", "inner"};

void add_options(OptionList& add) {
  add("packet", "packet N of the capture FILE, from 1 as Wireshark counts", std::nullopt, "N");
  add("frame", "a frame without FCS, two digits a byte", std::nullopt, "HEX");
  add("vlan-tag", "of stacked VLAN tags: " + listed(kTags), "outer", "TAG");
  add_field_options(add);
  add_hash_options(add, "all");
  add_group_options(add);
}

// What is explained, and how it is called.
struct Subject {
  CapturedFrame frame;
  std::string name;
  bool from_tuple = false;  // its MAC addresses are made up
};

Subject subject_of(const Given& given) {
  const std::vector<std::string> words = given.words();
  if (given.has("frame") && given.has("packet")) throw BadInput("--frame --packet: one of the two");
  if (given.has("frame")) {
    if (!words.empty()) throw BadInput(words.front() + ": a frame or a tuple, not both");
    Subject subject{.name = "Frame"};
    subject.frame.bytes = bytes_of_hex("--frame", given.text("frame"));
    subject.frame.frame_bytes = static_cast<uint32_t>(subject.frame.bytes.size());
    return subject;
  }
  if (given.has("packet")) {
    const uint64_t number = given.number("packet", 1, UINT64_MAX);
    if (words.size() != 1)
      throw BadInput("--packet: found " + counted(words.size(), "word") + "; allowed: one FILE");
    return {.frame = frame_of_capture(words.front(), number),
            .name = "Packet " + grouped(number) + " of " + words.front()};
  }
  const core::FiveTuple tuple = tuple_of(words);
  if (given.has("vlan-tag"))
    refuse("vlan-tag", given.text("vlan-tag"), "only of --packet and --frame, a tuple has no tag");
  Subject subject{.name = words_of(tuple), .from_tuple = true};
  subject.frame.bytes = core::frame_of(tuple);
  subject.frame.frame_bytes = static_cast<uint32_t>(subject.frame.bytes.size());
  return subject;
}

std::string_view name_of_l3(core::L3 l3) {
  static constexpr std::array<std::string_view, 3> kNames = {"none", "ipv4", "ipv6"};
  return kNames[static_cast<size_t>(l3)];
}

std::string_view reason_of(core::Verdict verdict) {
  switch (verdict) {
    case core::Verdict::runt:
      return core::name_of(core::DropReason::runt);
    case core::Verdict::mac_control:
      return core::name_of(core::DropReason::mac_control);
    default:
      return core::name_of(core::DropReason::link_local);
  }
}

std::vector<Fact> parse_facts(const core::PacketHeaders& headers, const CapturedFrame& frame) {
  std::vector<Fact> facts = {
      {{"frame_bytes", "frame", Form::count}, uint64_t{frame.frame_bytes}, "bytes without FCS"},
      {{"protocol", "packet"}, std::string(core::name_of(headers.protocol)), ""},
      {{"priority", "priority", Form::count}, uint64_t{core::priority_of(headers)}, ""},
      {{"l3", "network"},
       std::string(name_of_l3(headers.l3)),
       "at byte " + std::to_string(headers.l3_offset)}};
  const std::string why_not = headers.fragment ? "a fragment: ports are taken for zero" : "";
  const std::string where = headers.has_ports ? "at byte " + std::to_string(headers.l4_offset) : why_not;
  facts.push_back({{"has_ports", "ports"}, std::string(headers.has_ports ? "yes" : "no"), where});
  if (headers.vlan_id != 0)
    facts.push_back({{"vlan_id", "VLAN", Form::count}, uint64_t{headers.vlan_id}, ""});
  if (headers.has_dest_qp)
    facts.push_back({{"dest_qp", "dest QP", Form::hex}, uint64_t{headers.dest_qp}, ""});
  return facts;
}

Table key_table(const ParsedPacket& packet) {
  Table table{"key",
              "The key: layout version " + std::to_string(core::kKeyLayoutVersion) + ", " +
                  counted(packet.key.size, "byte"),
              {{"offset", "at", Form::count},
               {"bytes", "bytes", Form::count},
               {"field", "field"},
               {"hex", "hex"},
               {"meaning", "meaning"}},
              {}};
  for (const KeyPart& part : packet.parts) {
    table.rows.push_back(
        {uint64_t{part.offset}, uint64_t{part.bytes.size()}, part.field, hex_of(part.bytes), part.meaning});
  }
  return table;
}

Table way_table(const core::FlowKey& key, const std::vector<HashChoice>& hashes, const Spreader& spreader,
                uint16_t queues_per_nic) {
  Table table{"hashes",
              "Where it goes: bucket of " + grouped(spreader.buckets()) + ", slot = NIC x " +
                  std::to_string(queues_per_nic) + " + queue",
              {{"hash", "hash"},
               {"word", "word", Form::hex},
               {"bucket", "bucket", Form::count},
               {"slot", "slot", Form::count},
               {"nic", "NIC", Form::count},
               {"queue", "queue", Form::count}},
              {}};
  for (const HashChoice& choice : hashes) {
    const WayOfKey way = way_of(key, choice.hash(), spreader, queues_per_nic);
    table.rows.push_back(
        {name_of(choice), uint64_t{way.hash}, uint64_t{way.bucket}, uint64_t{way.slot}, way.nic, way.queue});
  }
  return table;
}

void add_notes(const Subject& subject, const ParsedPacket& packet, const core::KeyFields& fields,
               const std::vector<HashChoice>& hashes, Report& report) {
  if (subject.frame.bytes.size() < subject.frame.frame_bytes) {
    report.notes.push_back("the capture has only " + grouped(subject.frame.bytes.size()) + " of its " +
                           grouped(subject.frame.frame_bytes) + " bytes");
  }
  if (packet.headers.verdict == core::Verdict::malformed) {
    report.notes.push_back(
        "its IP header contradicts itself or the frame: it passes on its MAC addresses, as is "
        "the default of malformed");
  }
  if (fields.symmetric)
    report.notes.push_back(
        "symmetric: the smaller (address, port) pair stands first, whichever the source is");
  const bool by_mac = std::any_of(hashes.begin(), hashes.end(), [](const HashChoice& choice) {
    return choice.algorithm == core::HashAlgorithm::bond_l2 ||
           choice.algorithm == core::HashAlgorithm::bond_l23;
  });
  if (subject.from_tuple && by_mac) {
    report.notes.push_back(
        "bond-l2 and bond-l23 look at MAC addresses, which a tuple does not tell: 02:00:00:00:00:01 "
        "to 02:00:00:00:00:00 is taken; --frame and --packet have their own");
  }
}

Report run(const Given& given) {
  const core::KeyFields fields = fields_of(given, given.text("fields"));
  const std::vector<HashChoice> hashes = hashes_of(given);
  const core::GroupState group = group_of(given);
  const Spreader spreader = spreader_of(given, group);
  const auto tag = given.one_of("vlan-tag", kTags) == 0 ? core::VlanTag::outer : core::VlanTag::inner;
  const Subject subject = subject_of(given);
  const ParsedPacket packet = parse_packet(subject.frame.bytes, subject.frame.frame_bytes, tag, fields);
  Report report{.command = "explain",
                .title = subject.name + " over " + title_of(group) + ", " + given.text("reduction"),
                .facts = parse_facts(packet.headers, subject.frame)};
  if (packet.dropped()) {
    report.verdicts.push_back("Dropped: " + std::string(reason_of(packet.headers.verdict)) +
                              "; the gateway does not forward such a frame, so it has no key.");
    return report;
  }
  report.facts.push_back({{"key", "key"}, hex_of({packet.key.bytes, packet.key.size}), name_of(fields)});
  report.facts.push_back(
      {{"key_layout", "key layout", Form::count}, uint64_t{core::kKeyLayoutVersion}, "version"});
  report.tables = {way_table(packet.key, hashes, spreader, group.queues_per_nic), key_table(packet)};
  add_notes(subject, packet, fields, hashes, report);
  return report;
}

}  // namespace

const Command kExplain = {
    "explain",
    "Where one packet goes and why: key bytes, hash, bucket, queue, NIC; hash beside hash.",
    "SRC DST SPORT DPORT [PROTO] | --packet N FILE | --frame HEX",
    "  roceway-hashlab explain 192.0.2.1 198.51.100.2 10000 4791 udp\n"
    "  roceway-hashlab explain --packet 3 flows.pcap --fields src_ip,dst_ip --hash jenkins\n",
    add_options,
    run};

}  // namespace hashlab
