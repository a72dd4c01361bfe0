// SPDX-License-Identifier: BSD-3-Clause
// Tuples, addresses and bytes as people write them: read, refused, and written back.
#include "hashlab/tuple.h"

#include <gtest/gtest.h>

#include "hashlab/run_command.h"
#include "support/frames.h"

namespace hashlab {
namespace {

using test_support::refusal_of;
using Words = std::vector<std::string>;

TEST(Tuple, IsReadAndWrittenBack) {
  struct Row {
    Words words;
    std::string front;  // of the material, hexadecimal
    uint8_t proto;
    bool has_ports;
    std::string written;
  };
  const Row rows[] = {{{"192.0.2.1", "198.51.100.2", "10000", "4791", "udp"},
                       "c0000201c6336402271012b7",
                       17,
                       true,
                       "192.0.2.1 198.51.100.2 10000 4791 udp"},
                      {{"192.0.2.1", "198.51.100.2", "10000", "4791"},
                       "c0000201c6336402271012b7",
                       17,
                       true,
                       "192.0.2.1 198.51.100.2 10000 4791 udp"},
                      {{"10.0.0.1", "10.0.0.2", "0x50", "443", "6"},
                       "0a0000010a000002005001bb",
                       6,
                       true,
                       "10.0.0.1 10.0.0.2 80 443 tcp"},
                      {{"10.0.0.1", "10.0.0.2", "1", "2", "icmp"},
                       "0a0000010a00000200000000",
                       1,
                       false,
                       "10.0.0.1 10.0.0.2 0 0 icmp without ports"},
                      {{"2001:db8::1", "2001:db8::2", "1", "65535", "sctp"},
                       "20010db800000000000000000000000120010db80000000000000000000000020001ffff",
                       132,
                       true,
                       "2001:db8::1 2001:db8::2 1 65535 sctp"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.written);
    const core::KeyMaterial material = material_of(tuple_of(row.words));
    EXPECT_EQ(hex_of({material.front, row.front.size() / 2}), row.front);
    EXPECT_EQ(material.ip_proto, row.proto);
    EXPECT_EQ(material.has_ports, row.has_ports);
    EXPECT_EQ(words_of(material), row.written);
  }
}

TEST(Tuple, RefusesWhatIsNone) {
  struct Row {
    Words words;
    const char* expected;
  };
  const Row rows[] = {
      {{"192.0.2.1", "198.51.100.2", "1"}, "found 3 words; allowed: SRC DST SPORT DPORT [PROTO]"},
      {{"192.0.2", "198.51.100.2", "1", "2"},
       "SRC 192.0.2: not an address; allowed: IPv4 as in 192.0.2.1 or IPv6 as in 2001:db8::1"},
      {{"192.0.2.1", "2001:db8::2", "1", "2"},
       "192.0.2.1 and 2001:db8::2: one is IPv4, the other IPv6; allowed: two alike"},
      {{"192.0.2.1", "198.51.100.2", "65536", "2"}, "SPORT 65536: out of range; allowed: 0 to 65535"},
      {{"192.0.2.1", "198.51.100.2", "1", "x"}, "DPORT x: not a whole number; allowed: 0 to 65535"},
      {{"192.0.2.1", "198.51.100.2", "1", "2", "256"},
       "PROTO 256: unknown protocol; allowed: udp, tcp, sctp, dccp, icmp, icmpv6 or a number 0 to 255"}};
  for (const Row& row : rows) EXPECT_EQ(refusal_of([&] { tuple_of(row.words); }), row.expected);
}

TEST(Tuple, WordsTellFlowsOfOneTupleApart) {
  core::KeyMaterial material = material_of(tuple_of(Words{"192.0.2.1", "198.51.100.2", "10000", "4791"}));
  material.dest_qp = 0x12;
  material.vlan_id = 7;
  EXPECT_EQ(words_of(material), "192.0.2.1 198.51.100.2 10000 4791 udp qp 0x12 vlan 7");

  const test_support::Bytes arp = test_support::padded(test_support::ethernet(test_support::kArp));
  const core::PacketView view{arp.data(), 60, 60};
  EXPECT_EQ(words_of(core::key_material_of(view, core::parse(view))),
            "MAC 02:00:00:00:00:51 to 02:00:00:00:00:d1");
}

TEST(Tuple, SourcePortIsSetInPlace) {
  for (const char* address : {"192.0.2.1", "2001:db8::1"}) {
    core::FiveTuple tuple = tuple_of(Words{address, address, "10000", "4791"});
    core::KeyMaterial material = material_of(tuple);
    EXPECT_EQ(src_port_of(material), 10000);
    set_src_port(material, 51234);
    tuple.src_port = 51234;
    EXPECT_EQ(material, material_of(tuple)) << address;
  }
}

TEST(Prefix, KeepsItsBitsOnly) {
  struct Row {
    const char* text;
    const char* address;
    unsigned bits;
  };
  const Row rows[] = {{"10.1.2.3", "10.1.2.3", 32},
                      {"10.1.2.3/8", "10.0.0.0", 8},
                      {"10.1.2.255/25", "10.1.2.128", 25},
                      {"2001:db8::ff/64", "2001:db8::", 64},
                      {"0.0.0.0/0", "0.0.0.0", 0}};
  for (const Row& row : rows) {
    const core::IpPrefix prefix = prefix_of("--src", row.text);
    EXPECT_EQ(text_of(prefix.address), row.address) << row.text;
    EXPECT_EQ(prefix.bits, row.bits) << row.text;
  }
  EXPECT_EQ(refusal_of([] { prefix_of("--src", "10.0.0.0/33"); }),
            "--src (prefix length) 33: out of range; allowed: 0 to 32");
}

TEST(Hex, TakesTheUsualForms) {
  const std::vector<uint8_t> expected = {0xc0, 0x00, 0x02, 0x01};
  for (const char* text : {"c0000201", "0xC0000201", "c0 00 02 01", "c0:00:02:01"})
    EXPECT_EQ(bytes_of_hex("--hex", text), expected) << text;
  EXPECT_TRUE(bytes_of_hex("--hex", "").empty());
}

TEST(Hex, TellsWhereItIsWrong) {
  EXPECT_EQ(refusal_of([] { bytes_of_hex("--hex", "c0000"); }),
            "--hex c0000: 5 digits; allowed: an even number, two a byte");
  EXPECT_EQ(
      refusal_of([] { bytes_of_hex("--hex", "c0 0g"); }),
      "--hex c0 0g: \"g\" at position 5 is no hexadecimal digit; allowed: two digits a byte, blanks and "
      "colons between");
}

}  // namespace
}  // namespace hashlab
