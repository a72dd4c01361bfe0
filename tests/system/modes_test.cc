// SPDX-License-Identifier: BSD-3-Clause
// What each mode does to a frame, on the bytes that leave; testpmd's modes mean what they mean there.
// Expected frames are built here with their addresses already in the other place.
#include <set>

#include "core/flow_maker.h"
#include "core/icrc.h"
#include "core/packet_view.h"
#include "support/capture.h"
#include "support/frames.h"
#include "support/pcap_file.h"
#include "system/program.h"

namespace {

using namespace system_test;
using namespace test_support;
using Frames = std::vector<Bytes>;

constexpr core::MacAddress kPcapMac = {0x02, 0x70, 0x63,
                                       0x61, 0x70, 0x01};            // net_pcap's second device: "\2pcap\1"
constexpr core::MacAddress kPeerOfPort1 = {0x02, 0, 0, 0, 0, 0x01};  // testpmd's default

// The frames of these tests, towards `dst` and back: `swapped` exchanges what 5tswap exchanges.
Frames frames_of(const core::MacAddress& dst, const core::MacAddress& src, bool swapped) {
  const Ipv4 there, back = {.src = there.dst, .dst = there.src};
  const Ipv6 there6, back6 = {.src = there6.dst, .dst = there6.src};
  const auto v4 = [&](uint8_t proto, const Bytes& payload) {
    Ipv4 header = swapped ? back : there;
    header.proto = proto;
    return ipv4(header, payload);
  };
  const auto v6 = [&](uint8_t next, const Bytes& payload) {
    Ipv6 header = swapped ? back6 : there6;
    header.next = next;
    return ipv6(header, payload);
  };
  const auto ports = [&](auto make, uint16_t a, uint16_t b, const Bytes& payload) {
    return swapped ? make(b, a, payload) : make(a, b, payload);
  };
  const Bytes text = {'r', 'o', 'c', 'e'}, jumbo(8900, 0x5a);
  return {
      padded(ethernet(kIpv4, v4(kUdp, ports(udp, 49152, 4791, bth(0x123456))), dst, src)),
      padded(ethernet(kIpv4, v4(kTcp, ports(tcp, 40000, 443, text)), dst, src)),
      padded(ethernet(kIpv6, v6(kUdp, ports(udp, 5353, 53, text)), dst, src)),
      padded(ethernet(kCTag, vlan(3, 100, kIpv6, v6(kTcp, ports(tcp, 1, 65535, text))), dst, src)),
      padded(ethernet(kIpv4, v4(kIcmp, {8, 0, 0, 0, 0, 1, 0, 2}), dst, src)),
      padded(ethernet(kArp, Bytes(28, 7), dst, src)),
      ethernet(kIpv4, v4(kUdp, ports(udp, 1111, 2222, jumbo)), dst, src),
      ethernet(0x88b5, {}, dst, src),  // 14 bytes and no more
  };
}

class Modes : public SystemTest {
 protected:
  std::string in_and_out(const std::string& mode, const std::string& second_port = "") const {
    return eal_table({"net_pcap0,rx_pcap=" + file("in.pcap"), "net_pcap1,tx_pcap=" + file("out.pcap")}) +
           "[engine]\nmode = \"" + mode + "\"\n" + port_table("net_pcap0") +
           port_table("net_pcap1", "", "mtu = 9000\n" + second_port);
  }
};

TEST_F(Modes, ForwardedFrames) {
  const Frames input = frames_of(kDstMac, kSrcMac, false);
  const std::string next_hop = "next_hop_mac = \"02:11:22:33:44:55\"\n";
  const struct {
    std::string name, config;
    Frames expected;
  } rows[] = {
      {"io", in_and_out("io"), input},
      {"mac", in_and_out("mac"), frames_of(kPeerOfPort1, kPcapMac, false)},
      {"mac with a next hop", in_and_out("mac", next_hop),
       frames_of({0x02, 0x11, 0x22, 0x33, 0x44, 0x55}, kPcapMac, false)},
      {"macswap", in_and_out("macswap"), frames_of(kSrcMac, kDstMac, false)},
      {"5tswap", in_and_out("5tswap"), frames_of(kSrcMac, kDstMac, true)},
  };
  write_capture(file("in.pcap"), input);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Json report = run_to_silence(row.config);
    expect_balanced(report);
    EXPECT_EQ(report["ledger"]["sent"], input.size());
    EXPECT_EQ(report["members"].size(), 0u) << "only the gateway has target groups";
    EXPECT_EQ(read_capture(file("out.pcap")), row.expected);
  }
}

TEST_F(Modes, GatewayRewritesForANextHop) {
  write_capture(file("in.pcap"), frames_of(kDstMac, kSrcMac, false));
  const Json report = run_to_silence(
      eal_table({"net_pcap0,rx_pcap=" + file("in.pcap"), "net_pcap1,tx_pcap=" + file("out.pcap")}) +
      port_table("net_pcap0", "access") +
      port_table("net_pcap1", "uplink", "mtu = 9000\nnext_hop_mac = \"02:11:22:33:44:55\"\n"));
  expect_balanced(report);
  EXPECT_EQ(read_capture(file("out.pcap")), frames_of({0x02, 0x11, 0x22, 0x33, 0x44, 0x55}, kPcapMac, false));
}

TEST_F(Modes, TheMtuIsKeptAtTheExit) {
  // Payload behind Ethernet and tags: 1500 fits, 1501 does not, with and without tags.
  const Bytes fits(1500, 1), too_long(1501, 2);
  write_capture(file("in.pcap"), {ethernet(0x88b5, fits), ethernet(0x88b5, too_long),
                                  ethernet(kSTag, vlan(0, 7, kCTag, vlan(0, 8, 0x88b5, fits))),
                                  ethernet(kSTag, vlan(0, 7, kCTag, vlan(0, 8, 0x88b5, too_long)))});
  const Json report = run_to_silence(
      eal_table({"net_pcap0,rx_pcap=" + file("in.pcap"), "net_pcap1,tx_pcap=" + file("out.pcap")}) +
      port_table("net_pcap0", "access") + port_table("net_pcap1", "uplink"));
  expect_balanced(report);
  EXPECT_EQ(report["dropped"], Json({{"too_big", 2}}));
  const auto out = read_capture(file("out.pcap"));
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].size(), 1514u);
  EXPECT_EQ(out[1].size(), 1522u);
}

TEST_F(Modes, RxOnlyCountsAndFrees) {
  const Frames input = frames_of(kDstMac, kSrcMac, false);
  write_capture(file("in.pcap"), input);
  const Json report = run_to_silence(in_and_out("rxonly"));
  expect_balanced(report);
  EXPECT_EQ(report["ledger"]["received"], input.size());
  EXPECT_EQ(report["dropped"], Json({{"rx_only", input.size()}}));
  EXPECT_TRUE(read_capture(file("out.pcap")).empty());
}

// testpmd's own form: EAL's arguments, "--", and no configuration.
TEST_F(Modes, BenchmarkForm) {
  const Frames input = frames_of(kDstMac, kSrcMac, false);
  write_capture(file("in.pcap"), input);
  const Ended ended =
      run({"--no-pci", "--file-prefix=" + prefix(), "--vdev=net_pcap0,rx_pcap=" + file("in.pcap"),
           "--vdev=net_pcap1,tx_pcap=" + file("out.pcap"), "--", "--fwd", "macswap", "--rxq", "1", "--txq",
           "1", "--burst", "4", "--idle-exit", "0.3", "--report", report_file()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const Json report = read_report();
  expect_balanced(report);
  EXPECT_EQ(report["mode"], "macswap");
  // Without a configuration the MTU is the default, so the jumbo frame stays behind.
  Frames expected = frames_of(kSrcMac, kDstMac, false);
  std::erase_if(expected, [](const Bytes& frame) { return frame.size() > 1522; });
  EXPECT_EQ(read_capture(file("out.pcap")), expected);
  EXPECT_EQ(report["dropped"], Json({{"too_big", 1}}));
  expect_nothing_left();
}

// Ones' complement sum of RFC 1071; 0xffff over data that holds its right checksum.
uint32_t folded_sum(const uint8_t* bytes, size_t size, uint32_t sum = 0) {
  for (size_t i = 0; i < size; ++i) sum += uint32_t{bytes[i]} << (i % 2 == 0 ? 8 : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// What is wrong with a made frame, or nothing.
std::string wrong_in(const Bytes& frame) {
  const bool v6 = core::load_be16(&frame[12]) == kIpv6;
  const uint8_t* ip = &frame[14];
  const size_t header = v6 ? 40 : 20, total = v6 ? 40u + core::load_be16(ip + 4) : core::load_be16(ip + 2);
  if (14 + total > frame.size()) return "length of IP";
  if (!v6 && folded_sum(ip, header) != 0xffff) return "checksum of the IP header";
  const uint8_t* l4 = ip + header;
  const size_t l4_bytes = total - header;
  const uint8_t proto = v6 ? ip[6] : ip[9];
  if (proto == kUdp && core::load_be16(l4 + 4) != l4_bytes) return "length of UDP";
  if (proto == kUdp && core::load_be16(l4 + 2) == 4791) {
    const uint32_t icrc = core::roce_icrc({ip, total - 4}, v6 ? core::L3::ipv6 : core::L3::ipv4);
    for (size_t i = 0; i < 4; ++i) {
      if (ip[total - 4 + i] != (icrc >> 8 * i & 0xff)) return "ICRC";
    }
    return "";
  }
  if (proto != kUdp && proto != kTcp) return "protocol";
  const uint32_t addresses = folded_sum(v6 ? ip + 8 : ip + 12, v6 ? 32 : 8);
  const uint32_t sum = folded_sum(l4, l4_bytes, addresses + proto + static_cast<uint32_t>(l4_bytes));
  return sum == 0xffff ? "" : "checksum of TCP or UDP";
}

std::string flow_of(const Bytes& frame) {
  return std::string(frame.begin() + 14, frame.end());
}

TEST_F(Modes, Generators) {
  const struct {
    std::string mode, kind, ip;
    size_t flows;  // of the pattern that is asked for
    size_t sent;   // of them, that are sent
  } rows[] = {
      {"flowgen", "mixed", "mixed", 200, 200}, {"flowgen", "rocev2", "4", 1, 1},
      {"flowgen", "rocev2", "6", 50, 50},      {"flowgen", "udp", "6", 77, 77},
      {"flowgen", "tcp", "4", 32, 32},         {"txonly", "mixed", "4", 200, 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.mode + " " + row.kind + " over IPv" + row.ip);
    const std::string config = eal_table({"net_pcap1,tx_pcap=" + file("out.pcap")}) + "[engine]\nmode = \"" +
                               row.mode + "\"\n" + port_table("net_pcap1") +
                               "[flowgen]\nflows = " + std::to_string(row.flows) + "\nkind = \"" + row.kind +
                               "\"\nip = \"" + row.ip + "\"\nsizes = [128, 1518, 257]\n";
    const Ended ended =
        run({"--config", write_config(config), "--duration", "0.2", "--report", report_file()});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Json report = read_report();
    expect_balanced(report);
    const auto frames = read_capture(file("out.pcap"));
    EXPECT_EQ(report["ledger"]["generated"], frames.size());
    EXPECT_EQ(report["ports"][0]["driver"]["tx_packets"], frames.size());
    ASSERT_GE(frames.size(), row.flows);

    std::set<std::string> flows;
    for (const Bytes& frame : frames) {
      if (!flows.insert(flow_of(frame)).second) continue;
      EXPECT_EQ(wrong_in(frame), "");
    }
    EXPECT_EQ(flows.size(), row.sent);
  }
}

}  // namespace
