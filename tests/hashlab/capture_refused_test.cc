// SPDX-License-Identifier: BSD-3-Clause
// Captures that cannot be read, or not to their end: refused in one line that says what is needed, or used as
// far as they are whole; and one frame asked for by its number.
#include "hashlab/capture_bytes.h"

namespace {

using hashlab::Capture;
using hashlab::Flow;
using namespace test_support;
using CaptureRefused = CaptureTest;

TEST_F(CaptureRefused, WhatIsWholeOfATruncatedFileIsUsed) {
  const Bytes file_bytes = pcap_of(whole({udp(1), udp(2), udp(3, 1000)}));
  const Bytes next_generation = pcapng_of(whole({udp(1), udp(2), udp(3, 1000)}), {1});
  struct Row {
    const char* name;
    Bytes bytes;
    std::string broken;
  };
  const auto cut = [](Bytes bytes, size_t by) {
    bytes.resize(bytes.size() - by);
    return bytes;
  };
  Bytes damaged = file_bytes;
  damaged[24 + 2 * 76 + 11] = 0x7f;  // the high byte of the third packet's captured length
  const Row rows[] = {{"in its bytes", cut(file_bytes, 1),
                       "ends in the middle of packet 3 (truncated dump file; tried to read 1000 captured "
                       "bytes, only got 999); the 2 before it are used"},
                      {"in its header", cut(file_bytes, 1015),
                       "ends in the middle of packet 3 (truncated dump file; tried to read 16 header bytes, "
                       "only got 1); the 2 before it are used"},
                      {"pcapng", cut(next_generation, 500),
                       "ends in the middle of packet 3 (truncated pcapng dump file; tried to read 1024 "
                       "bytes, only got 524); the 2 before it are used"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string name = write(row.bytes);
    const auto capture = Capture::read(name, {});
    EXPECT_EQ(flows_of(*capture), (std::vector<Flow>{flow(udp(1), 1, 60), flow(udp(2), 1, 60)}));
    EXPECT_EQ(capture->counts().broken, row.broken);
    EXPECT_EQ(capture->broken(), "capture " + name + " " + row.broken);
    EXPECT_EQ(capture->notes(), std::vector<std::string>{capture->broken() + "."});
  }
  const auto capture = Capture::read(write(damaged), {});
  EXPECT_EQ(capture->counts().packets, 2u);
  EXPECT_EQ(capture->counts().broken.find("cannot be read from packet 3 on ("), 0u)
      << capture->counts().broken;
}

TEST_F(CaptureRefused, WhatCannotBeReadIsRefusedInOneLine) {
  const std::string needs = "; needs a pcap or pcapng file, unpacked, or - for standard input";
  const std::string ethernet_only =
      ", needs EN10MB (Ethernet); capture on an Ethernet interface, or give the frames Ethernet headers, as "
      "with `tcprewrite --dlt=enet`";
  const std::string malformed =
      " with an IP header that contradicts itself or was captured in part); without it only MAC addresses "
      "are "
      "hashed, so take one with whole IP headers";
  const Bytes short_frame = udp(1);
  struct Row {
    Bytes bytes;
    std::string expected;
  };
  const Row rows[] = {
      {{}, "capture F: is empty" + needs},
      {{'#', '!', '/', 'b', 'i', 'n', '/', 's', 'h'}, "capture F: unknown file format" + needs},
      {pcap_of({}), "capture F: holds no packet"},
      {pcap_of(whole({udp(1)}), kMicroseconds, false, 101),
       "capture F: link type is RAW (12)" + ethernet_only},
      {pcap_of(whole({udp(1)}), kMicroseconds, false, 147),
       "capture F: link type is unknown (147)" + ethernet_only},
      {pcapng_of(whole({udp(1)}), {101, 1}), "capture F: link type is RAW (12)" + ethernet_only},
      {pcapng_of(whole({udp(1)}), {1, 101}),
       "capture F: cannot be read from packet 1 on (an interface has a type 101 different from the type of "
       "the first interface); with `editcap -F pcap`, interfaces of one link type become one"},
      {pcap_of(whole({pause_frame(), lldp(), Bytes(5), pause_frame()})),
       "capture F: no packet that a gateway forwards among its 4 (1 shorter than an Ethernet header, 2 MAC "
       "control, 1 link-local); take one with IP packets"},
      {pcap_of(whole({arp(), arp()})),
       "capture F: no IP packet among its 2; without it only MAC addresses are hashed, so take one with IP "
       "packets"},
      {pcap_of(whole({arp(), contradictory()})),
       "capture F: no readable IP header among its 2 (1" + malformed},
      {pcap_of({{Bytes(short_frame.begin(), short_frame.begin() + 16), 60},
                {Bytes(short_frame.begin(), short_frame.begin() + 33), 60}}),
       "capture F: no readable IP header among its 2 (2" + malformed}};
  for (const Row& row : rows) EXPECT_EQ(refusal(write(row.bytes)), row.expected);

  Bytes first_cut = pcap_of(whole({udp(1)}));
  first_cut.pop_back();
  EXPECT_EQ(refusal(write(first_cut)),
            "capture F: ends in the middle of packet 1 (truncated dump file; tried to read 60 captured "
            "bytes, only got 59)");
  EXPECT_EQ(refusal(file("absent.pcap")), "capture F: No such file or directory" + needs);
  EXPECT_EQ(refusal(folder_), "capture F: is a folder" + needs);
}

TEST_F(CaptureRefused, OneFrameByItsNumber) {
  Bytes kept = udp(2);
  kept.resize(40);
  Bytes bytes = pcap_of({{udp(1), 60}, {kept, 1000}, {pause_frame(), 60}});
  const hashlab::CapturedFrame frame = hashlab::frame_of_capture(write(bytes), 2);
  EXPECT_EQ(frame.bytes, kept);
  EXPECT_EQ(frame.frame_bytes, 1000u);
  EXPECT_EQ(hashlab::frame_of_capture(file("in.pcap"), 3).bytes, pause_frame());
  const std::string name = file("in.pcap");
  EXPECT_EQ(refusal(name, [&] { hashlab::frame_of_capture(name, 4); }), "capture F: has no packet 4, only 3");
  EXPECT_EQ(refusal(name, [&] { hashlab::frame_of_capture(name, 0); }),
            "packet 0: packets are counted from 1");
  bytes.pop_back();
  write(bytes);
  EXPECT_EQ(refusal(name, [&] { hashlab::frame_of_capture(name, 3); }),
            "capture F: has no packet 3, only 2; it ends in the middle of packet 3 (truncated dump file; "
            "tried to read 60 captured bytes, only got 59); the 2 before it are used");
}

}  // namespace
