// SPDX-License-Identifier: BSD-3-Clause
// parse and make_flow_key on captures of real and of broken traffic: what must hold for every frame at every
// window, and what named captures are known to hold. Skipped when the captures are not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/flow_key.h"
#include "support/capture.h"
#include "support/parse_checks.h"
#include "support/parse_expect.h"

namespace {

using namespace core;
using namespace test_support;
using Frames = std::vector<std::vector<uint8_t>>;

class ParseCapture : public testing::Test {
 protected:
  void SetUp() override {
    cases_ = cases_folder();
    if (!cases_) GTEST_SKIP() << "no captures: set ROCEWAY_CASES to the folder that holds pcaps/";
  }
  Frames frames_of(const std::string& file) const { return read_capture(*cases_ / "pcaps" / file); }

  std::optional<std::filesystem::path> cases_;
};

std::string key_of(const std::vector<uint8_t>& frame, const KeyFields& fields = {}) {
  const PacketView view = whole_view(frame);
  FlowKey key;
  make_flow_key(view, parse(view), fields, key);
  return std::string(key.bytes, key.bytes + key.size);
}

std::set<std::string> keys_of(const Frames& frames, const KeyFields& fields = {}) {
  std::set<std::string> keys;
  for (const auto& frame : frames) keys.insert(key_of(frame, fields));
  return keys;
}

// One window of a frame, at the end of `room`, so that a sanitizer sees one byte read too many. The second
// view says that the frame itself ends there.
void check_window(const std::vector<uint8_t>& frame, uint32_t window, const KeyFields& fields,
                  std::vector<uint8_t>& room) {
  uint8_t* start = room.data() + room.size() - window;
  std::copy_n(frame.data(), window, start);
  for (const uint32_t frame_bytes : {static_cast<uint32_t>(frame.size()), window}) {
    const PacketView view{start, window, frame_bytes};
    for (const VlanTag tag : {VlanTag::outer, VlanTag::inner}) {
      const PacketHeaders headers = parse(view, tag);
      const char* broken = broken_headers(view, headers);
      ASSERT_EQ(broken, nullptr) << broken;
      FlowKey key;
      make_flow_key(view, headers, fields, key);
      broken = broken_key(headers, fields, key);
      ASSERT_EQ(broken, nullptr) << broken;
    }
  }
}

TEST_F(ParseCapture, EveryFrameAtEveryWindow) {
  const KeyFields fields = {.proto = true,
                            .vlan = true,
                            .dest_qp = true,
                            .packet_length = true,
                            .port_range = true,
                            .symmetric = true,
                            .port_ranges = {{4791, 4791}, {0, 1023}}};
  const auto files = capture_files(*cases_);
  ASSERT_FALSE(files.empty());
  std::vector<uint8_t> room(kParseWindowBytes);
  for (const auto& file : files) {
    const Frames frames = read_capture(file);
    EXPECT_FALSE(frames.empty()) << file;
    for (size_t i = 0; i < frames.size(); ++i) {
      SCOPED_TRACE(file.filename().string() + " frame " + std::to_string(i + 1));
      const uint32_t longest = std::min<uint32_t>(static_cast<uint32_t>(frames[i].size()), kParseWindowBytes);
      for (uint32_t window = 0; window <= longest; ++window) check_window(frames[i], window, fields, room);
      if (HasFatalFailure()) return;
    }
  }
}

// Captures whose frames are all of one kind. Counts as tshark gives them.
TEST_F(ParseCapture, NamedCaptures) {
  struct Row {
    const char* file;
    Verdict verdict;
    Protocol protocol;
    L3 l3;
    size_t packets, ports, fragments;
  };
  const Row rows[] = {
      {"netdev-ml-ax88772-pause-quanta0-real.pcap", Verdict::mac_control, Protocol::control, L3::none, 1, 0,
       0},
      {"netdev-ml-hibmcge-mz-pause-ffff.pcap", Verdict::mac_control, Protocol::control, L3::none, 1, 0, 0},
      {"scapy-uts-pause-1234.pcap", Verdict::mac_control, Protocol::control, L3::none, 1, 0, 0},
      {"scapy-uts-macctl-other-opcodes.pcap", Verdict::mac_control, Protocol::control, L3::none, 2, 0, 0},
      {"sonic-pfcgen-global-pause-ffff-18byte.pcap", Verdict::mac_control, Protocol::control, L3::none, 1, 0,
       0},
      {"sonic-pfcgen-class3-ffff-34byte.pcap", Verdict::mac_control, Protocol::control, L3::none, 1, 0, 0},
      {"sonic-pfcgen-class34-xoff-then-xon.pcap", Verdict::mac_control, Protocol::control, L3::none, 4, 0, 0},
      {"nxp-aiop-pfc-8class-quanta.pcap", Verdict::mac_control, Protocol::control, L3::none, 1, 0, 0},
      {"tcpdump-LACP.pcap", Verdict::link_local, Protocol::control, L3::none, 20, 0, 0},
      {"tcpdump-802.1ad_QinQ.pcap", Verdict::forward, Protocol::arp, L3::none, 2, 0, 0},
      {"tcpdump-loopback.pcap", Verdict::forward, Protocol::other, L3::none, 6, 0, 0},
      {"trex-udp_1pkt_mpls.pcap", Verdict::forward, Protocol::mpls, L3::none, 17, 0, 0},
      {"zeek-pppoe-over-qinq.pcap", Verdict::forward, Protocol::other, L3::none, 86, 0, 0},
      {"zeek-vlan-qinqinq.pcap", Verdict::forward, Protocol::tcp, L3::ipv4, 14, 14, 0},
      {"arkime-twovlan.pcap", Verdict::forward, Protocol::tcp, L3::ipv4, 6, 6, 0},
      {"trex-hlt_vlans_vm.pcap", Verdict::forward, Protocol::udp, L3::ipv4, 20, 20, 0},
      {"arkime-sctp-www.pcap", Verdict::forward, Protocol::sctp, L3::ipv4, 84, 84, 0},
      {"arkime-gre-sample.pcap", Verdict::forward, Protocol::gre, L3::ipv4, 40, 0, 0},
      {"packetnet-gre_all_options.pcap", Verdict::forward, Protocol::gre, L3::ipv4, 10, 0, 0},
      {"tcpdump-geneve.pcap", Verdict::forward, Protocol::geneve, L3::ipv4, 39, 39, 0},
      {"libpcap-vxlan.pcap", Verdict::forward, Protocol::vxlan, L3::ipv4, 10, 10, 0},
      {"zeek-vxlan-triple-v2.pcap", Verdict::forward, Protocol::vxlan, L3::ipv4, 1, 1, 0},
      {"tcpdump-gso-ipv6-vxlan-ipv4.pcap", Verdict::forward, Protocol::vxlan, L3::ipv6, 1, 1, 0},
      {"packetnet-vxlan_custom_port.pcap", Verdict::forward, Protocol::udp, L3::ipv4, 1, 1, 0},
      {"ndpi-4in4tunnel.pcap", Verdict::forward, Protocol::ip_in_ip, L3::ipv4, 5, 0, 0},
      {"trex-udp_1pkt_simple_test.pcap", Verdict::forward, Protocol::udp, L3::ipv4, 10, 10, 0},
      {"zeek-ipv6-hbh-routing0.pcap", Verdict::forward, Protocol::udp, L3::ipv6, 1, 1, 0},
      {"packetnet-udp-ip-fragmented.pcap", Verdict::forward, Protocol::udp, L3::ipv4, 14, 12, 2},
      {"jnetpcap-ipv6-udp-fragmented.pcap", Verdict::forward, Protocol::udp, L3::ipv6, 6, 2, 4},
      {"zeek-ipv6-reassembly-state-leak.pcap", Verdict::forward, Protocol::udp, L3::ipv6, 92, 0, 92},
      {"ndpi-ip_fragmented_garbage.pcap", Verdict::forward, Protocol::tcp, L3::ipv4, 1252, 0, 1252},
      {"libpcap-ipv6_ext_headers.pcap", Verdict::forward, Protocol::ip_other, L3::ipv6, 1, 0, 0},
      {"zeek-ip-bogus-header-len.pcap", Verdict::malformed, Protocol::malformed, L3::none, 1, 0, 0},
      {"zeek-ipv4-truncated-broken-header.pcap", Verdict::malformed, Protocol::malformed, L3::none, 1, 0, 0},
      {"tcpdump-ipv4_invalid_hdr_length.pcap", Verdict::malformed, Protocol::malformed, L3::none, 1, 0, 0},
      {"tcpdump-ipv6_39_byte_header.pcap", Verdict::malformed, Protocol::malformed, L3::none, 1, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.file);
    const Frames frames = frames_of(row.file);
    EXPECT_EQ(frames.size(), row.packets);
    size_t ports = 0, fragments = 0;
    for (const auto& frame : frames) {
      const PacketHeaders headers = parse_whole(frame);
      EXPECT_EQ(static_cast<int>(headers.verdict), static_cast<int>(row.verdict));
      EXPECT_EQ(name_of(headers.protocol), name_of(row.protocol));
      EXPECT_EQ(static_cast<int>(headers.l3), static_cast<int>(row.l3));
      ports += headers.has_ports;
      fragments += headers.fragment;
    }
    EXPECT_EQ(ports, row.ports);
    EXPECT_EQ(fragments, row.fragments);
  }
}

TEST_F(ParseCapture, QueuePairs) {
  struct Row {
    const char* file;
    std::multiset<uint32_t> expected;
  };
  const auto times = [](std::initializer_list<std::pair<uint32_t, int>> counts) {
    std::multiset<uint32_t> all;
    for (const auto& [qp, count] : counts)
      for (int i = 0; i < count; ++i) all.insert(qp);
    return all;
  };
  const Row rows[] = {
      {"softroce-Frame_req_and_response_5000_bytes-roce-only.pcapng",
       times({{0x01, 5}, {0x11, 2}, {0x22, 6}})},
      {"softroce-RoCE_capture_10_packets.pcapng", times({{0x01, 5}, {0x11, 120}})},
      {"softroce-capture_S10000_C1.pcapng", times({{0x01, 5}, {0x11, 13}})},
      {"softroce-rping_3072_faillire-roce-only.pcapng", times({{0x01, 5}, {0x68, 8}})},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.file);
    std::multiset<uint32_t> found;
    for (const auto& frame : frames_of(row.file)) {
      const PacketHeaders headers = parse_whole(frame);
      EXPECT_EQ(headers.has_dest_qp, headers.protocol == Protocol::roce_v2);
      if (headers.has_dest_qp) found.insert(headers.dest_qp);
    }
    EXPECT_EQ(found, row.expected);
  }
  const Frames v1 = frames_of("scapy-uts-rocev1-rc-rdma-write-only-real.pcap");
  ASSERT_EQ(v1.size(), 1u);
  EXPECT_EQ(name_of(parse_whole(v1[0]).protocol), "roce_v1");
  EXPECT_TRUE(parse_whole(v1[0]).has_dest_qp);
}

TEST_F(ParseCapture, FragmentsOfOneDatagramHaveOneKey) {
  const Frames v4 = frames_of("packetnet-udp-ip-fragmented.pcap");
  ASSERT_EQ(v4.size(), 14u);
  EXPECT_EQ(key_of(v4[0]), key_of(v4[1]));
  EXPECT_EQ(key_of(v4[3]), key_of(v4[4]));
  EXPECT_NE(key_of(v4[0]), key_of(v4[3])) << "whole datagrams of that flow have ports in their key";

  const Frames v6 = frames_of("jnetpcap-ipv6-udp-fragmented.pcap");
  ASSERT_EQ(v6.size(), 6u);
  for (size_t i = 3; i < 6; ++i) EXPECT_EQ(key_of(v6[i], {.proto = true}), key_of(v6[2], {.proto = true}));

  const Frames padded = frames_of("pcpp-frag_with_padding.pcap");
  ASSERT_EQ(padded.size(), 8u);
  EXPECT_EQ(padded[7].size(), 60u);
  EXPECT_EQ(parse_whole(padded[7]).l3_bytes, 28u) << "padding is not counted";
}

TEST_F(ParseCapture, PriorityTagHashesLikeNone) {
  const Frames frames = frames_of("zeek-http-vlan-0.pcap");
  ASSERT_EQ(frames.size(), 14u);
  for (const auto& frame : frames) {
    const PacketHeaders headers = parse_whole(frame);
    EXPECT_EQ(int{headers.pcp}, 5);
    EXPECT_EQ(headers.vlan_id, 0);
    std::vector<uint8_t> untagged = frame;
    untagged.erase(untagged.begin() + 12, untagged.begin() + 16);
    EXPECT_EQ(key_of(frame, {.vlan = true}), key_of(untagged, {.vlan = true}));
  }
  EXPECT_EQ(keys_of(frames).size(), 2u) << "one connection, two directions";
}

// The same two directions of one connection untagged, in VLAN 42 and in VLAN 10 over 20.
TEST_F(ParseCapture, EqualConnectionsInDifferentVlans) {
  const Frames frames = frames_of("zeek-vlan-collisions.pcap");
  ASSERT_EQ(frames.size(), 42u);
  EXPECT_EQ(keys_of(frames).size(), 2u);
  EXPECT_EQ(keys_of(frames, {.vlan = true}).size(), 6u);
  EXPECT_EQ(keys_of(frames, {.symmetric = true}).size(), 1u);
  EXPECT_EQ(keys_of(frames, {.vlan = true, .symmetric = true}).size(), 3u);
}

}  // namespace
