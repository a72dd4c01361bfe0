// SPDX-License-Identifier: BSD-3-Clause
// Checks the invariant CRC against packets whose ICRC was made by other hands: published test vectors and
// captures of Soft-RoCE and of hardware. Then that it stays under what routers change, and only then.
#include "core/icrc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "support/capture.h"
#include "support/frames.h"

namespace {

using core::L3;
using test_support::Bytes;
using test_support::from_hex;

Bytes on_the_wire(uint32_t icrc) {
  return {static_cast<uint8_t>(icrc), static_cast<uint8_t>(icrc >> 8), static_cast<uint8_t>(icrc >> 16),
          static_cast<uint8_t>(icrc >> 24)};
}

const Bytes kUcSendOnly = from_hex(
    "45010040 04784000 4011b4d5 c0a80007 c0a80007 c00012b7 002caca2 2460ffff 000000d3 00cf1710 4630818b"
    "e28935d9 0e9a9550 5401be88 5e500000");

// RoCEv2 over IPv6 with a payload of eight bytes. No published vector exists for it; it is used to compare
// only.
Bytes over_ipv6() {
  return test_support::ipv6({}, test_support::udp(50000, 4791, test_support::bth(0x1234, Bytes(8, 0x5a))));
}

// IHL 6: what follows the header is four bytes further back.
Bytes with_options() {
  return test_support::ipv4({.options = {0x94, 0x04, 0x00, 0x00}},
                            test_support::udp(50000, 4791, test_support::bth(0x1234, Bytes(8, 0x5a))));
}

TEST(Crc32, MatchesPublishedValues) {
  const auto repeated = [](const Bytes& bytes, size_t size) {
    Bytes result;
    for (size_t i = 0; i < size; ++i) result.push_back(bytes[i % bytes.size()]);
    return result;
  };
  const auto text = [](std::string_view characters) { return Bytes(characters.begin(), characters.end()); };
  struct Row {
    const char* name;
    Bytes bytes;
    uint32_t expected;
  };
  const Row rows[] = {
      {"nothing", {}, 0},
      {"check value of the polynomial", text("123456789"), 0xcbf43926},
      {"letters and digits", text("0123456789abcdefghijABCDEFGHIJKL"), 0xb491aab4},
      {"348 bytes", repeated(from_hex("bed723476b8fb3145efb3559"), 348), 0xefaae02f},
      {"1512 bytes", repeated(from_hex("bed723476b8fb3145efb3559"), 1512), 0xac54d294},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(~core::crc32_update(0xffffffff, row.bytes), row.expected);
    const std::span<const uint8_t> all = row.bytes;
    const size_t half = all.size() / 2;
    const uint32_t first = core::crc32_update(0xffffffff, all.first(half));
    EXPECT_EQ(~core::crc32_update(first, all.subspan(half)), row.expected) << "in two pieces";
  }
  EXPECT_EQ(core::crc32_update(0xffffffff, Bytes(8, 0xff)), 0xdebb20e3) << "state behind the missing LRH";
}

TEST(Icrc, MatchesPublishedPackets) {
  struct Row {
    const char* name;
    Bytes packet;
    L3 l3;
    bool roce_v1;
    Bytes expected;
  };
  const Row rows[] = {
      {"UC SEND ONLY", kUcSendOnly, L3::ipv4, false, from_hex("78f353f3")},
      {"RC READ REQUEST",
       from_hex("4500003c be104000 40118a4b c0a83881 c0a83883 df9412b7 00280000 0c00ffff 00000011 8054cb63"
                "00007fee 260fb000 000002b8 00010000"),
       L3::ipv4, false, from_hex("08c6154a")},
      {"RC WRITE ONLY",
       from_hex("4502007c 12344000 4011f139 0a001101 0a001201 e5b312b7 00680000 0a40ffff 00000118 8000002a"
                "00001234 56789abc 00001122 00000040 00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617"
                "18191a1b 1c1d1e1f 20212223 24252627 28292a2b 2c2d2e2f 30313233 34353637 38393a3b 3c3d3e3f"),
       L3::ipv4, false, from_hex("5633e9b7")},
      {"RC ACK",
       from_hex("45000034 27000000 401155b7 7f000001 7f000001 12b712b7 00200000 11000000 00000141 00000456"
                "00000123 00000000"),
       L3::ipv4, false, from_hex("a6918ee5")},
      {"RoCEv1 WRITE ONLY from hardware",
       from_hex("60200000 00281b40 00000000 00000000 0000ffff 0f000002 00000000 00000000 0000ffff 0f000002"
                "0a70ffff 0000010a 80a788bc 000055d4 c0726000 000047b3 00000005 00000000 01000000"),
       L3::ipv6, true, from_hex("e3d856bb")},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(on_the_wire(core::roce_icrc(row.packet, row.l3, row.roce_v1)), row.expected);
  }
}

struct Change {
  const char* name;
  size_t offset;
  uint8_t flipped;
};

void expect_changes(const Bytes& packet, L3 l3, std::initializer_list<Change> changes, bool seen) {
  const uint32_t before = core::roce_icrc(packet, l3);
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    Bytes changed = packet;
    changed.at(change.offset) ^= change.flipped;
    EXPECT_EQ(core::roce_icrc(changed, l3) != before, seen);
  }
}

TEST(Icrc, LeavesOutWhatRoutersChange) {
  expect_changes(kUcSendOnly, L3::ipv4,
                 {{"ECN", 1, 0x03},
                  {"DSCP", 1, 0xfc},
                  {"TTL", 8, 0xff},
                  {"IP checksum, high", 10, 0xff},
                  {"IP checksum, low", 11, 0xff},
                  {"UDP checksum, high", 26, 0xff},
                  {"UDP checksum, low", 27, 0xff},
                  {"FECN", 32, 0x80},
                  {"BECN", 32, 0x40},
                  {"reserved of BTH", 32, 0x3f}},
                 false);
  expect_changes(with_options(), L3::ipv4,
                 {{"ECN", 1, 0x03},
                  {"TTL", 8, 0xff},
                  {"IP checksum", 10, 0xff},
                  {"UDP checksum", 30, 0xff},
                  {"UDP checksum, low", 31, 0xff},
                  {"FECN", 36, 0x80}},
                 false);
  expect_changes(over_ipv6(), L3::ipv6,
                 {{"traffic class, high", 0, 0x0f},
                  {"ECN", 1, 0x30},
                  {"flow label, high", 1, 0x0f},
                  {"flow label, low", 3, 0xff},
                  {"hop limit", 7, 0xff},
                  {"UDP checksum", 46, 0xff},
                  {"UDP checksum, low", 47, 0xff},
                  {"FECN", 52, 0x80}},
                 false);
}

TEST(Icrc, CoversTheRest) {
  expect_changes(kUcSendOnly, L3::ipv4,
                 {{"version", 0, 0x10},
                  {"total length", 3, 0x01},
                  {"ID", 4, 0x01},
                  {"flags", 6, 0x40},
                  {"protocol", 9, 0x01},
                  {"source", 15, 0x01},
                  {"destination", 19, 0x80},
                  {"source port", 20, 0x01},
                  {"destination port", 23, 0x01},
                  {"UDP length", 25, 0x01},
                  {"opcode", 28, 0x20},
                  {"P_Key", 30, 0x80},
                  {"queue pair", 35, 0x01},
                  {"PSN", 39, 0x01},
                  {"first payload byte", 40, 0x01},
                  {"last payload byte", 59, 0x80}},
                 true);
  expect_changes(with_options(), L3::ipv4,
                 {{"option", 20, 0x01},
                  {"source port", 24, 0x01},
                  {"UDP length", 29, 0x01},
                  {"opcode", 32, 0x01},
                  {"queue pair", 39, 0x01},
                  {"payload", 44, 0x01}},
                 true);
  expect_changes(over_ipv6(), L3::ipv6,
                 {{"version", 0, 0x10},
                  {"payload length", 5, 0x01},
                  {"next header", 6, 0x01},
                  {"source", 8, 0x01},
                  {"destination", 39, 0x01},
                  {"source port", 41, 0x01},
                  {"queue pair", 55, 0x01},
                  {"payload", 60, 0x01}},
                 true);
}

// Annex A17.3.3 spelt out: a packet whose masked fields are ones already is plain CRC-32 behind eight ones.
TEST(Icrc, IsPlainCrcOfMaskedPacket) {
  struct Row {
    const char* name;
    Bytes packet;
    L3 l3;
    std::vector<size_t> ones;
  };
  Bytes v6 = over_ipv6();
  v6[0] = 0x6f;
  const Row rows[] = {
      {"IPv4", kUcSendOnly, L3::ipv4, {1, 8, 10, 11, 26, 27, 32}},
      {"IPv4 with options", with_options(), L3::ipv4, {1, 8, 10, 11, 30, 31, 36}},
      {"IPv6", v6, L3::ipv6, {1, 2, 3, 7, 46, 47, 52}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Bytes masked(8, 0xff);
    masked.insert(masked.end(), row.packet.begin(), row.packet.end());
    for (const size_t offset : row.ones) masked.at(8 + offset) = 0xff;
    EXPECT_EQ(core::roce_icrc(row.packet, row.l3), ~core::crc32_update(0xffffffff, masked));
  }
}

// A packet cut inside its headers has no ICRC worth the name, but must not be read past its end.
TEST(Icrc, ReadsNothingBehindAShortPacket) {
  for (size_t size = 0; size < kUcSendOnly.size(); ++size) {
    const auto exact = std::make_unique<uint8_t[]>(size);  // so that the address sanitizer sees the end
    std::copy_n(kUcSendOnly.begin(), size, exact.get());
    Bytes followed(kUcSendOnly.begin(), kUcSendOnly.begin() + static_cast<std::ptrdiff_t>(size));
    followed.resize(size + 80, 0xee);
    EXPECT_EQ(core::roce_icrc({exact.get(), size}, L3::ipv4),
              core::roce_icrc(std::span<const uint8_t>(followed).first(size), L3::ipv4));
  }
}

// ICRC and packet of an untagged IPv4 frame to UDP port 4791; the frame's padding is left out.
struct Captured {
  Bytes packet, icrc;
};
std::optional<Captured> roce_v2_of(const Bytes& frame) {
  if (frame.size() < 58 || frame[12] != 0x08 || frame[13] != 0x00 || frame[14] != 0x45) return std::nullopt;
  if (frame[23] != 17 || frame[36] != 0x12 || frame[37] != 0xb7) return std::nullopt;
  const std::ptrdiff_t total = frame[16] << 8 | frame[17];
  const auto start = frame.begin() + 14;
  return Captured{{start, start + total - 4}, {start + total - 4, start + total}};
}

TEST(Icrc, VerifiesEveryCapturedPacket) {
  const auto cases = test_support::cases_folder();
  if (!cases) GTEST_SKIP() << "no captures: set ROCEWAY_CASES to the folder that holds pcaps/";
  struct Row {
    const char* name;
    size_t packets;
  };
  const Row rows[] = {
      {"softroce-capture_S10000_C1.pcapng", 18},
      {"softroce-RoCE_capture_10_packets.pcapng", 125},
      {"softroce-Frame_req_and_response_5000_bytes-roce-only.pcapng", 13},
      {"softroce-rping_3072_faillire-roce-only.pcapng", 13},
      {"pcapplusplus-fork-rocev2-rc-read-request.pcap", 1},
      {"scapy-uts-rocev2-ipv4-uc-send-only.pcap", 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    size_t packets = 0;
    for (const Bytes& frame : test_support::read_capture((*cases / "pcaps" / row.name).string())) {
      const auto captured = roce_v2_of(frame);
      if (!captured) continue;
      ++packets;
      EXPECT_EQ(on_the_wire(core::roce_icrc(captured->packet, L3::ipv4)), captured->icrc)
          << "packet " << packets;
    }
    EXPECT_EQ(packets, row.packets);
  }
}

TEST(Icrc, VerifiesCapturedRoceV1) {
  const auto cases = test_support::cases_folder();
  if (!cases) GTEST_SKIP() << "no captures: set ROCEWAY_CASES to the folder that holds pcaps/";
  const auto frames =
      test_support::read_capture((*cases / "pcaps/scapy-uts-rocev1-rc-rdma-write-only-real.pcap").string());
  ASSERT_EQ(frames.size(), 1u);
  const std::span<const uint8_t> frame = frames[0];
  const uint32_t icrc = core::roce_icrc(frame.subspan(14, frame.size() - 18), L3::ipv6, true);
  EXPECT_EQ(on_the_wire(icrc), Bytes(frame.end() - 4, frame.end()));
}

}  // namespace
