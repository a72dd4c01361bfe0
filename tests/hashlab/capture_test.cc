// SPDX-License-Identifier: BSD-3-Clause
// Captures read into flows: every packet is counted somewhere, and flows are those that the gateway's own
// code sees, in the order of their first packets.
#include "support/capture.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>

#include "core/flow_maker.h"
#include "hashlab/capture_bytes.h"
#include "hashlab/progress.h"

namespace {

using hashlab::Capture;
using hashlab::Flow;
using namespace test_support;

TEST_F(CaptureTest, EveryFormatGivesTheSameFlows) {
  const std::vector<Record> records = whole({udp(1), udp(2), udp(1), udp(3), udp(2), udp(1)});
  struct Row {
    const char* name;
    Bytes bytes;
  };
  const Row rows[] = {{"microseconds", pcap_of(records)},
                      {"nanoseconds", pcap_of(records, kNanoseconds)},
                      {"big-endian", pcap_of(records, kMicroseconds, true)},
                      {"big-endian nanoseconds", pcap_of(records, kNanoseconds, true)},
                      {"pcapng", pcapng_of(records, {1})},
                      {"pcapng, two interfaces", pcapng_of(records, {1, 1})},
                      {"pcapng, big-endian", pcapng_of(records, {1}, true)}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto capture = Capture::read(write(row.bytes), {});
    EXPECT_EQ(flows_of(*capture),
              (std::vector<Flow>{flow(udp(1), 3, 180), flow(udp(2), 2, 120), flow(udp(3), 1, 60)}));
    EXPECT_EQ(capture->counts().packets, 6u);
    EXPECT_EQ(capture->counts().bytes, 360u);
    EXPECT_EQ(capture->notes(), std::vector<std::string>{});
    EXPECT_EQ(capture->broken(), "");
    EXPECT_EQ(capture->name(), "capture " + file("in.pcap"));
  }
}

TEST_F(CaptureTest, EveryPacketIsCountedSomewhere) {
  const Bytes runt(13, 0xff);
  const auto capture = Capture::read(write(pcap_of(whole({udp(1), runt, arp(), contradictory(), pause_frame(),
                                                          lldp(), pause_frame(), udp(1)}))),
                                     {});
  const hashlab::CaptureCounts& counts = capture->counts();
  EXPECT_EQ(counts.packets, 8u);
  EXPECT_EQ(counts.bytes, 7 * 60u + 13);
  EXPECT_EQ(counts.forwarded, 4u);
  EXPECT_EQ(counts.without_ip, 2u);
  EXPECT_EQ(counts.malformed, 1u);
  EXPECT_EQ(counts.cut_short, 0u);
  EXPECT_EQ(counts.runt, 1u);
  EXPECT_EQ(counts.mac_control, 2u);
  EXPECT_EQ(counts.link_local, 1u);
  EXPECT_EQ(flows_of(*capture), (std::vector<Flow>{flow(udp(1), 2, 120), flow(arp(), 2, 120)}));
  EXPECT_EQ(capture->notes(),
            (std::vector<std::string>{"4 packets of 8 left out, as a gateway drops them: 1 shorter than an "
                                      "Ethernet header, 2 MAC control, 1 link-local.",
                                      "2 packets without IP, hashed on MAC addresses; of these 1 with an IP "
                                      "header that contradicts itself or was captured in part."}));
}

// By what was captured of it, the VLAN tag not counted, as the gateway does.
TEST_F(CaptureTest, WhatIsLongerThanTheMtuIsLeftOut) {
  Bytes longest = udp(2), longer = udp(3), kept = udp(4);
  longest.resize(14 + 1500), longer.resize(14 + 1501);
  const auto capture =
      Capture::read(write(pcap_of({{longest, 1514}, {longer, 1515}, {kept, 9000}})), {.mtu_bytes = 1500});
  EXPECT_EQ(capture->counts().too_big, 1u);
  EXPECT_EQ(capture->counts().forwarded, 2u);
  EXPECT_EQ(capture->notes().front(),
            "1 packet of 3 left out, as a gateway drops them: 1 longer than the MTU.");
}

TEST_F(CaptureTest, LengthMakesFlowsOnlyWhenAsked) {
  const auto with_length = [](uint16_t l3_bytes) {
    Bytes frame = udp(1, 200);
    core::store_be16(&frame[16], l3_bytes);
    return frame;
  };
  const std::string name = write(pcap_of(whole({with_length(100), with_length(150), with_length(100)})));
  EXPECT_EQ(Capture::read(name, {})->flows(), 1u);
  const std::vector<Flow> flows = flows_of(*Capture::read(name, {.by_length = true}));
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0], (Flow{material_of(with_length(100), 200, true), 2, 400}));
  EXPECT_EQ(flows[1].material.length_bytes, 150u);
}

TEST_F(CaptureTest, VlanTagIsTheChosenOne) {
  Bytes frame = udp(1);
  const Bytes tags = {0x88, 0xa8, 0, 7, 0x81, 0, 0, 9};
  frame.insert(frame.begin() + 12, tags.begin(), tags.end());
  const std::string name = write(pcap_of(whole({frame})));
  EXPECT_EQ(flows_of(*Capture::read(name, {}))[0].material.vlan_id, 7);
  EXPECT_EQ(flows_of(*Capture::read(name, {.vlan_tag = core::VlanTag::inner}))[0].material.vlan_id, 9);
}

// A frame of 1,000 bytes of which 40 were kept: ports are there, the length is that on the wire.
TEST_F(CaptureTest, FramesCutByTheSnapLengthAreUsed) {
  Bytes kept = udp(1);
  kept.resize(40);
  const auto capture = Capture::read(write(pcap_of({{kept, 1000}, {udp(1), 60}})), {.by_length = false});
  EXPECT_EQ(flows_of(*capture), (std::vector<Flow>{{material_of(kept, 1000), 2, 1060}}));
  EXPECT_EQ(capture->counts().cut_short, 1u);
  EXPECT_EQ(capture->notes(),
            std::vector<std::string>{"1 packet captured in part only; bytes are counted as on the wire."});
}

TEST_F(CaptureTest, ManyFlowsKeepTheirOrder) {
  constexpr uint32_t kFlows = 40'000;  // more than two chunks of the table, and its index grows
  core::FlowPattern pattern{.flows = kFlows, .ip = core::IpVersion::mixed, .sizes = {90}};
  std::vector<Record> records;
  for (uint32_t packet = 0; packet < 2; ++packet) {
    for (uint32_t n = 0; n < kFlows; ++n)
      records.push_back({core::make_frame(pattern, n, packet, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}), 86});
  }
  const auto capture = Capture::read(write(pcap_of(records)), {});
  ASSERT_EQ(capture->flows(), kFlows);
  const std::vector<Flow> flows = flows_of(*capture);
  for (uint32_t n = 0; n < kFlows; ++n) ASSERT_EQ(flows[n], flow(records[n].captured, 2, 172)) << n;
  std::vector<Flow> part(20'000);
  capture->fill(10'000, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), flows.begin() + 10'000));
}

// A child reads from a pipe that stays open. Once it has taken all there is, it is asked to stop, and its
// read ends by the signal, or else by the pipe's end behind it.
// Whether a process waits for something, as in the opening of a pipe.
bool is_asleep(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(stat, line);
  const size_t behind_name = line.rfind(") ");
  return behind_name != std::string::npos && line[behind_name + 2] == 'S';
}

TEST_F(CaptureTest, StoppingKeepsWhatWasRead) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    hashlab::catch_signals();
    const auto capture = Capture::read(file("pipe"), {});
    const std::vector<std::string> stopped = {capture->name() +
                                              ": stopped after 3 packets; only these are used."};
    _exit(capture->flows() == 2 && capture->notes() == stopped && capture->broken().empty() ? 0 : 1);
  }
  const int pipe = open(file("pipe").c_str(), O_WRONLY);
  const Bytes bytes = pcap_of(whole({udp(1), udp(2), udp(1)}));
  ASSERT_EQ(::write(pipe, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  for (int left = 1; left > 0;) ASSERT_EQ(ioctl(pipe, FIONREAD, &left), 0);
  while (!is_asleep(child)) sched_yield();  // waits for more: it has used all that it took
  kill(child, SIGINT);
  close(pipe);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(CaptureTest, StoppedBeforeThereIsAnythingToKeep) {
  const std::string name = write(pcap_of(whole({udp(1)})));
  const pid_t child = fork();
  if (child == 0) {
    hashlab::catch_signals();
    raise(SIGTERM);
    _exit(refusal(name) == "capture F: stopped before its first packet was read" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A child waits for a pipe, with a writer that writes nothing and with none at all.
TEST_F(CaptureTest, StoppedWhileItWaitsForTheFirstByte) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  for (const bool writer : {true, false}) {
    for (const bool one_frame : {false, true}) {
      const pid_t child = fork();
      if (child == 0) {
        hashlab::catch_signals();
        const std::string name = file("pipe");
        const std::string said = refusal(name, [&] {
          if (one_frame)
            hashlab::frame_of_capture(name, 5);
          else
            Capture::read(name, {});
        });
        _exit(said == "capture F: stopped before its first packet was read" ? 0 : 1);
      }
      const int pipe = writer ? open(file("pipe").c_str(), O_WRONLY) : -1;  // until the child reads
      while (!writer && !is_asleep(child)) sched_yield();
      kill(child, SIGINT);
      if (writer) close(pipe);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << writer << one_frame << status;
    }
  }
}

// Against plain code: the flows of every capture there is, found with a map.
TEST_F(CaptureTest, RealCapturesGiveTheFlowsOfTheGatewaysCode) {
  const auto cases = test_support::cases_folder();
  if (!cases) GTEST_SKIP() << "no folder of captures beside the source";
  size_t read = 0;
  for (const auto& path : test_support::capture_files(*cases)) {
    SCOPED_TRACE(path.filename().string());
    std::unique_ptr<Capture> capture;
    try {
      capture = Capture::read(path, {.by_length = true});
    } catch (const hashlab::BadInput&) {
      continue;
    }
    std::map<std::string, uint64_t> expected;  // packets by key of every field
    const core::KeyFields every{.proto = true, .vlan = true, .dest_qp = true, .packet_length = true};
    const auto key_of = [](const core::FlowKey& key) {
      return std::string(key.bytes, key.bytes + key.size) + std::to_string(key.mac_fold);
    };
    std::map<std::string, uint64_t> found;
    for (const Bytes& frame : test_support::read_capture(path)) {
      const auto bytes = static_cast<uint32_t>(frame.size());
      const core::PacketView view{frame.data(), std::min(bytes, core::kParseWindowBytes), bytes};
      const core::PacketHeaders headers = core::parse(view);
      if (headers.verdict != core::Verdict::forward && headers.verdict != core::Verdict::malformed) continue;
      core::FlowKey key;
      core::make_flow_key(view, headers, every, key);
      expected[key_of(key)] += 1;
    }
    for (const Flow& flow : flows_of(*capture)) {
      core::FlowKey key;
      core::make_flow_key(flow.material, every, key);
      found[key_of(key)] += flow.packets;
    }
    EXPECT_EQ(found, expected);
    ++read;
  }
  EXPECT_GT(read, 50u);
}

}  // namespace
