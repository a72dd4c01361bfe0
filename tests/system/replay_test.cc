// SPDX-License-Identifier: BSD-3-Clause
// Captures of real and of broken traffic through the gateway: what goes in comes out byte for byte on the
// queue that the rule gives, in order, or is missing for a reason that is counted. What is expected is
// computed from the capture by core's parse, key and lookup3 and a plain modulo: this test is about the
// way through the program; what parse must say of these captures stands in tests/core/parse_capture_test.
#include <array>
#include <map>

#include "core/flow_hash.h"
#include "core/flow_key.h"
#include "core/flow_maker.h"
#include "support/capture.h"
#include "support/pcap_file.h"
#include "system/program.h"

namespace {

using namespace system_test;
using test_support::read_capture;
using Frames = std::vector<std::vector<uint8_t>>;

constexpr unsigned kNics = 4, kQueues = 2;
constexpr uint32_t kMtu = 9702;
constexpr const char* kNoCases = "no captures: set ROCEWAY_CASES to the folder that holds pcaps/";

struct Expected {
  std::array<Frames, kNics * kQueues> queues;  // by the rule's q
  std::map<std::string, uint64_t> dropped;
  uint64_t bytes = 0;
};

std::string drop_reason(const core::PacketHeaders& headers, size_t frame_bytes) {
  switch (headers.verdict) {
    case core::Verdict::runt:
      return "runt";
    case core::Verdict::mac_control:
      return "mac_control";
    case core::Verdict::link_local:
      return "link_local";
    case core::Verdict::malformed:  // passes by default
    case core::Verdict::forward:
      break;
  }
  return frame_bytes > kMtu + headers.l3_offset ? "too_big" : "";
}

Expected expect(const Frames& frames) {
  Expected expected;
  for (const auto& frame : frames) {
    const auto bytes = static_cast<uint32_t>(frame.size());
    const core::PacketView view{frame.data(), std::min(bytes, core::kParseWindowBytes), bytes};
    const core::PacketHeaders headers = core::parse(view);
    expected.bytes += bytes;
    if (const std::string reason = drop_reason(headers, bytes); !reason.empty()) {
      ++expected.dropped[reason];
      continue;
    }
    core::FlowKey key;
    core::make_flow_key(view, headers, {}, key);
    expected.queues[core::jenkins_lookup3({key.bytes, key.size}, 0) % (kQueues * kNics)].push_back(frame);
  }
  return expected;
}

// One net_pcap for the hosts, four for the NICs, each with two queues for every worker.
std::string gateway(const Words& inputs, unsigned workers, const std::string& folder) {
  std::string access = "net_pcap0";
  for (const std::string& input : inputs) access += ",rx_pcap=" + input;
  Words vdevs = {access};
  std::string ports =
      port_table("net_pcap0", "access", "rx_queues = " + std::to_string(inputs.size()) + "\n");
  for (unsigned nic = 0; nic < kNics; ++nic) {
    const std::string device = "net_pcap" + std::to_string(nic + 1);
    std::string vdev = device;
    for (unsigned queue = 0; queue < workers * kQueues; ++queue) {
      vdev += ",tx_pcap=" + folder + "/out" + std::to_string(nic) + "-" + std::to_string(queue) + ".pcap";
    }
    vdevs.push_back(vdev);
    ports += port_table(device, "uplink", "mtu = " + std::to_string(kMtu) + "\n");
  }
  std::string lcores;
  for (unsigned worker = 1; workers > 1 && worker <= workers; ++worker) {
    lcores += (worker == 1 ? "lcores = [\"" : ", \"") + std::to_string(worker) + "@" +
              std::to_string(first_cpu()) + "\"";
  }
  if (workers > 1) lcores += "]\n";
  return eal_table(vdevs) + "[engine]\nmode = \"gateway\"\n" + lcores + ports +
         "[distribution]\nqueues_per_nic = " + std::to_string(kQueues) + "\n";
}

// Empty when `frames` are the expected ones in their order, else where they part.
std::string difference(const Frames& frames, const Frames& expected) {
  for (size_t i = 0; i < std::min(frames.size(), expected.size()); ++i) {
    if (frames[i] != expected[i]) return "frame " + std::to_string(i) + " differs";
  }
  if (frames.size() == expected.size()) return "";
  return std::to_string(frames.size()) + " frames instead of " + std::to_string(expected.size());
}

class Replay : public SystemTest {
 protected:
  Frames sent(unsigned nic, unsigned queue) const {
    return read_capture(file("out" + std::to_string(nic) + "-" + std::to_string(queue) + ".pcap"));
  }
  std::string here() const { return std::filesystem::path(report_file()).parent_path(); }

  const std::optional<std::filesystem::path> cases_ = test_support::cases_folder();
};

bool is_ethernet(const std::filesystem::path& capture) {
  char error[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> opened(pcap_open_offline(capture.c_str(), error),
                                                              &pcap_close);
  return opened && pcap_datalink(opened.get()) == DLT_EN10MB;
}

void expect_books(const Json& report, const Expected& expected, size_t frames) {
  expect_balanced(report);
  EXPECT_EQ(report["ledger"]["received"], frames);
  EXPECT_EQ(report["ports"][0]["rx_bytes"], expected.bytes);
  EXPECT_EQ(report["dropped"], Json(expected.dropped.empty() ? Json::object() : Json(expected.dropped)));
  for (unsigned q = 0; q < expected.queues.size(); ++q) {
    const Json& member = report["members"][1 + q / kQueues];  // members[0] is the access port
    EXPECT_EQ(member["queues"][q % kQueues]["packets"], expected.queues[q].size()) << "q " << q;
  }
}

TEST_F(Replay, EveryCaptureLeavesByTheRule) {
  if (!cases_) GTEST_SKIP() << kNoCases;
  size_t replayed = 0;
  for (const auto& capture : test_support::capture_files(*cases_)) {
    SCOPED_TRACE(capture.filename().string());
    if (!is_ethernet(capture)) continue;
    const Frames frames = read_capture(capture);
    const Expected expected = expect(frames);
    expect_books(run_to_silence(gateway({capture}, 1, here())), expected, frames.size());
    for (unsigned q = 0; q < expected.queues.size(); ++q) {
      EXPECT_EQ(difference(sent(q / kQueues, q % kQueues), expected.queues[q]), "") << "q " << q;
    }
    expect_nothing_left();
    ++replayed;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(replayed, 0u);
}

TEST_F(Replay, CapturesOfAnotherLinkTypeAreRefused) {
  if (!cases_) GTEST_SKIP() << kNoCases;
  size_t refused = 0;
  for (const auto& capture : test_support::capture_files(*cases_)) {
    SCOPED_TRACE(capture.filename().string());
    if (is_ethernet(capture)) continue;
    const test_support::Ended ended = run({"--config", write_config(gateway({capture}, 1, here()))});
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
    EXPECT_NE(ended.err.find("needs EN10MB (Ethernet)"), std::string::npos) << ended.err;
    ++refused;
  }
  if (refused == 0) GTEST_SKIP() << "all captures are of Ethernet";
}

// Puts the frames of a flow all into one of two captures.
std::array<Frames, 2> split_by_flow(const Frames& frames) {
  std::array<Frames, 2> halves;
  for (const auto& frame : frames) {
    const auto bytes = static_cast<uint32_t>(frame.size());
    const core::PacketView view{frame.data(), std::min(bytes, core::kParseWindowBytes), bytes};
    core::FlowKey key;
    core::make_flow_key(view, core::parse(view), {}, key);
    halves[core::jenkins_lookup3({key.bytes, key.size}, 77) % 2].push_back(frame);
  }
  return halves;
}

Frames made_flows() {
  const core::FlowPattern pattern{.flows = 96, .ip = core::IpVersion::mixed, .sizes = {128, 1518}};
  Frames frames;
  for (uint32_t packet = 0; packet < 30; ++packet) {
    for (uint32_t flow = 0; flow < pattern.flows; ++flow) {
      frames.push_back(core::make_frame(pattern, flow, packet, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}));
    }
  }
  return frames;
}

Frames real_flows(const std::filesystem::path& cases) {
  Frames real;
  for (const char* name : {"tcpreplay-test-test.pcap", "ipfixprobe-bstats.pcap", "pktgen-dpdk-big.pcap",
                           "arkime-sctp-www.pcap", "packets-ipv6_fragments.pcapng", "tcpdump-geneve.pcap"}) {
    const Frames frames = read_capture(cases / "pcaps" / name);
    real.insert(real.end(), frames.begin(), frames.end());
  }
  return real;
}

// Two workers share one CPU and take turns at any moment. A worker sends the rule's queue by a hardware queue
// of its own, so for each rule's queue there are two files: each must be exactly what one of the two captures
// gives.
TEST_F(Replay, TwoWorkersKeepEveryFlowInOrder) {
  struct Row {
    std::string name;
    Frames frames;
  };
  std::vector<Row> rows = {{"flows of the maker", made_flows()}};
  if (cases_) rows.push_back({"flows of real captures", real_flows(*cases_)});
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto halves = split_by_flow(row.frames);
    const std::array<Expected, 2> expected = {expect(halves[0]), expect(halves[1])};
    ASSERT_GT(std::min(halves[0].size(), halves[1].size()), 100u);
    for (size_t i = 0; i < 2; ++i)
      test_support::write_capture(file("in" + std::to_string(i) + ".pcap"), halves[i]);

    const Json report = run_to_silence(gateway({file("in0.pcap"), file("in1.pcap")}, 2, here()));
    expect_balanced(report);
    EXPECT_EQ(report["ledger"]["received"], row.frames.size());
    ASSERT_EQ(report["lcores"].size(), 2u);
    for (unsigned q = 0; q < kNics * kQueues; ++q) {
      const Frames first = sent(q / kQueues, q % kQueues), second = sent(q / kQueues, kQueues + q % kQueues);
      const std::string straight =
          difference(first, expected[0].queues[q]) + difference(second, expected[1].queues[q]);
      const std::string crossed =
          difference(first, expected[1].queues[q]) + difference(second, expected[0].queues[q]);
      EXPECT_TRUE(straight.empty() || crossed.empty()) << "q " << q << ": " << straight << ", or " << crossed;
      const Json& queues = report["members"][1 + q / kQueues]["queues"];
      ASSERT_EQ(queues.size(), kQueues) << "reports count by the rule's q";
      EXPECT_EQ(queues[q % kQueues]["packets"], first.size() + second.size());
    }
  }
}

}  // namespace
