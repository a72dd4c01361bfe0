// SPDX-License-Identifier: BSD-3-Clause
// One packet step by step: the worked example of docs/hashing.md, the places of key bytes, and what is said
// of frames that are dropped.
#include "hashlab/explain.h"

#include <gtest/gtest.h>

#include "hashlab/run_command.h"
#include "hashlab/tuple.h"
#include "support/capture.h"
#include "support/frames.h"

namespace hashlab {
namespace {

using namespace test_support;
using Arguments = std::vector<std::string>;

const Arguments kExample = {"192.0.2.1", "198.51.100.2", "10000", "4791", "udp"};

Arguments with(Arguments front, const Arguments& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

// The RoCEv2 frame of docs/hashing.md, with its queue pair and IP length.
Bytes example_frame() {
  return padded(ethernet(kIpv4, ipv4({}, udp(10000, 4791, bth(0x123456, from_hex("000000000000"))))));
}

TEST(Explain, GivesTheWorkedExample) {
  struct Row {
    const char* hash;
    uint64_t word;
  };
  const Row rows[] = {{"jenkins", 0xdaa7b5a5},       {"crc32c", 0xc7097dde},
                      {"crc32c-rfc", 0xec69c883},    {"toeplitz-microsoft", 0xf828010f},
                      {"toeplitz-mlx5", 0xe416ef96}, {"toeplitz-symmetric", 0xdf4bdf4b}};
  const Report report = run_command(kExplain, kExample);
  EXPECT_EQ(fact(report, "key"), Value("c0000201c6336402271012b7"));
  EXPECT_EQ(fact(report, "key_layout"), Value(uint64_t{1}));
  EXPECT_EQ(fact(report, "protocol"), Value("roce_v2"));
  const Table& hashes = table_of(report, "hashes");
  ASSERT_EQ(hashes.rows.size(), 9u);
  for (size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(cell(hashes, i, "hash"), Value(rows[i].hash));
    EXPECT_EQ(cell(hashes, i, "word"), Value(rows[i].word)) << rows[i].hash;
    EXPECT_EQ(cell(hashes, i, "bucket"), Value(rows[i].word % 512)) << rows[i].hash;
    EXPECT_EQ(cell(hashes, i, "slot"), Value(rows[i].word % 8)) << rows[i].hash;
    EXPECT_EQ(cell(hashes, i, "nic"), Value(rows[i].word % 8 / 2)) << rows[i].hash;
    EXPECT_EQ(cell(hashes, i, "queue"), Value(rows[i].word % 8 % 2)) << rows[i].hash;
  }
}

TEST(Explain, FollowsTheGroup) {
  struct Row {
    Arguments options;
    uint64_t bucket, slot, nic, queue;
  };
  const Row rows[] = {{{"--nics", "4", "--queues", "2"}, 421, 5, 2, 1},
                      {{"--nics", "2", "--queues", "4"}, 421, 5, 1, 1},
                      {{"--nics", "4", "--queues", "2", "--reduction", "modulo"}, 5, 5, 2, 1},
                      {{"--nics", "4", "--queues", "2", "--reduction", "multiply-shift"}, 6, 6, 3, 0}};
  for (const Row& row : rows) {
    const Report report = run_command(kExplain, with(with(kExample, {"--hash", "jenkins"}), row.options));
    const Table& hashes = table_of(report, "hashes");
    ASSERT_EQ(hashes.rows.size(), 1u);
    EXPECT_EQ(cell(hashes, 0, "bucket"), Value(row.bucket)) << report.title;
    EXPECT_EQ(cell(hashes, 0, "slot"), Value(row.slot)) << report.title;
    EXPECT_EQ(cell(hashes, 0, "nic"), Value(row.nic)) << report.title;
    EXPECT_EQ(cell(hashes, 0, "queue"), Value(row.queue)) << report.title;
  }
}

// The table of choices of docs/hashing.md, by the frame itself.
TEST(Explain, FollowsTheFields) {
  struct Row {
    Arguments options;
    const char* key;
    uint64_t word;
  };
  const std::string four = "src_ip,dst_ip,src_port,dst_port";
  const Row rows[] = {{{}, "c0000201c6336402271012b7", 0xdaa7b5a5},
                      {{"--seed", "1"}, "c0000201c6336402271012b7", 0x6f2c9118},
                      {{"--fields", four + ",proto"}, "c0000201c6336402271012b711000000", 0xce5b6861},
                      {{"--fields", four + ",dest_qp"}, "c0000201c6336402271012b700123456", 0x6eab9b98},
                      {{"--fields", "src_ip,dst_ip"}, "c0000201c633640200000000", 0x1b44cd6a},
                      {{"--symmetric"}, "c0000201c6336402271012b7", 0xdaa7b5a5}};
  const std::string frame = hex_of(example_frame());
  for (const Row& row : rows) {
    const Report report = run_command(kExplain, with({"--frame", frame, "--hash", "jenkins"}, row.options));
    EXPECT_EQ(fact(report, "key"), Value(row.key));
    EXPECT_EQ(cell(table_of(report, "hashes"), 0, "word"), Value(row.word)) << row.key;
  }
}

TEST(Explain, PlacesEveryByteOfTheKey) {
  struct Row {
    const char* field;
    unsigned offset;
    const char* bytes;
    const char* meaning;
  };
  core::KeyFields fields;
  fields.src_ip = false;
  fields.proto = fields.vlan = fields.dest_qp = fields.packet_length = fields.port_range = true;
  fields.port_ranges = {{0, 1023}, {1024, 49151}};
  const Bytes tagged = ethernet(kCTag, vlan(3, 7, kIpv4, ipv4({}, udp(10000, 4791, bth(0x123456)))));
  const Row rows[] = {{"src_ip", 0, "00000000", "not chosen: zero"},
                      {"dst_ip", 4, "c6336402", "198.51.100.2"},
                      {"src_port", 8, "2710", "10000"},
                      {"dst_port", 10, "12b7", "4791"},
                      {"proto", 12, "11000000", "udp"},
                      {"vlan", 16, "00000007", "7"},
                      {"dest_qp", 20, "00123456", "1193046"},
                      {"packet_length", 24, "00000028", "40 bytes"},
                      {"port_range", 28, "00000002", "range 2"}};
  const auto size = static_cast<uint32_t>(tagged.size());
  const ParsedPacket packet = parse_packet(tagged, size, core::VlanTag::outer, fields);
  ASSERT_EQ(packet.parts.size(), std::size(rows));
  std::string all;
  for (size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(packet.parts[i].field, rows[i].field);
    EXPECT_EQ(packet.parts[i].offset, rows[i].offset) << rows[i].field;
    EXPECT_EQ(hex_of(packet.parts[i].bytes), rows[i].bytes) << rows[i].field;
    EXPECT_EQ(packet.parts[i].meaning, rows[i].meaning) << rows[i].field;
    all += hex_of(packet.parts[i].bytes);
  }
  EXPECT_EQ(all, hex_of({packet.key.bytes, packet.key.size}));
}

TEST(Explain, SaysWhatIsDropped) {
  struct Row {
    Bytes frame;
    const char* reason;
  };
  const Row rows[] = {{from_hex("0102030405060708090a0b0c0d"), "runt"},
                      {pfc(1, {}), "mac_control"},
                      {padded(ethernet(0x88cc, {}, {0x01, 0x80, 0xc2, 0, 0, 0x0e})), "link_local"}};
  for (const Row& row : rows) {
    const Report report = run_command(kExplain, {"--frame", hex_of(row.frame)});
    ASSERT_EQ(report.verdicts.size(), 1u);
    EXPECT_EQ(report.verdicts[0], std::string("Dropped: ") + row.reason +
                                      "; the gateway does not forward such a frame, so it has no key.");
    EXPECT_TRUE(report.tables.empty());
  }
}

TEST(Explain, PassesAMalformedFrameOnItsMacAddresses) {
  Ipv4 lying;
  lying.version_ihl = 0x41;
  const Report report =
      run_command(kExplain, {"--frame", hex_of(padded(ethernet(kIpv4, ipv4(lying, udp(1, 2)))))});
  EXPECT_EQ(fact(report, "key"), Value("0200000000d1020000000051"));
  EXPECT_EQ(cell(table_of(report, "key"), 0, "field"), Value("dst_mac"));
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].substr(0, 44), "its IP header contradicts itself or the fram");
}

TEST(Explain, TakesAPacketOfACapture) {
  const auto cases = cases_folder();
  if (!cases) GTEST_SKIP() << "no captures here";
  const std::string file = *cases / "pcaps" / "scapy-uts-rocev2-ipv4-uc-send-only.pcap";
  const Report report = run_command(kExplain, {"--packet", "1", file, "--hash", "jenkins"});
  EXPECT_EQ(fact(report, "key"), Value("c0a80007c0a80007c00012b7"));
  EXPECT_EQ(fact(report, "protocol"), Value("roce_v2"));
}

TEST(Explain, RefusesHalfARequest) {
  struct Row {
    Arguments arguments;
    const char* expected;
  };
  const Row rows[] = {{{}, "found 0 words; allowed: SRC DST SPORT DPORT [PROTO]"},
                      {{"--frame", "00", "--packet", "1"}, "--frame --packet: one of the two"},
                      {{"--frame", "00", "x"}, "x: a frame or a tuple, not both"},
                      {{"192.0.2.1", "198.51.100.2", "1", "2", "--vlan-tag", "inner"},
                       "--vlan-tag inner: only of --packet and --frame, a tuple has no tag"},
                      {{"--packet", "1"}, "--packet: found 0 words; allowed: one FILE"}};
  for (const Row& row : rows)
    EXPECT_EQ(refusal_of([&] { run_command(kExplain, row.arguments); }), row.expected);
}

}  // namespace
}  // namespace hashlab
