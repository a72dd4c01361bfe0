// SPDX-License-Identifier: BSD-3-Clause
// The laboratory's answer is the gateway's answer: the same packets through `roceway` and through
// `roceway-hashlab spread` give the same packets per NIC and queue, for every hash, one worker and two. And
// the program as its user meets it: status, streams, files, signals.
#include <sys/stat.h>

#include "core/flow_maker.h"
#include "support/capture.h"
#include "support/pcap_file.h"
#include "system/program.h"

#ifndef ROCEWAY_HASHLAB
#define ROCEWAY_HASHLAB ROCEWAY_SOURCE_DIR "/build/release/roceway-hashlab"
#endif

namespace {

using namespace system_test;
using Frames = std::vector<std::vector<uint8_t>>;

constexpr unsigned kNics = 4, kQueues = 2;
constexpr const char* kNoCases = "no captures: set ROCEWAY_CASES to the folder that holds pcaps/";

struct HashRow {
  const char* lab;      // the name in the laboratory
  const char* gateway;  // keys of [distribution]
};
constexpr HashRow kHashes[] = {{"jenkins", "hash = \"jenkins\"\nseed = 77\n"},
                               {"crc32c", "hash = \"crc32c\"\nseed = 77\n"},
                               {"crc32c-rfc", "hash = \"crc32c-rfc\"\nseed = 77\n"},
                               {"toeplitz-microsoft", "hash = \"toeplitz\"\ntoeplitz_key = \"microsoft\"\n"},
                               {"toeplitz-mlx5", "hash = \"toeplitz\"\ntoeplitz_key = \"mlx5\"\n"},
                               {"toeplitz-symmetric", "hash = \"toeplitz\"\ntoeplitz_key = \"symmetric\"\n"},
                               {"bond-l2", "hash = \"bond-l2\"\n"},
                               {"bond-l23", "hash = \"bond-l23\"\n"},
                               {"bond-l34", "hash = \"bond-l34\"\n"}};

class Hashlab : public SystemTest {
 protected:
  test_support::Ended hashlab(const Words& arguments) const {
    return test_support::Process(program_named("ROCEWAY_HASHLAB", ROCEWAY_HASHLAB), arguments, around())
        .wait();
  }
  // Packets by slot, as `spread` tells them.
  std::vector<uint64_t> of_hashlab(const std::string& capture, const HashRow& hash, const Words& more) const {
    Words words = {"spread", capture, "--json", "--hash", hash.lab, "--mtu", "9702", "--trials", "100"};
    if (std::string(hash.gateway).find("seed") != std::string::npos)
      words.insert(words.end(), {"--seed", "77"});
    words.insert(words.end(), more.begin(), more.end());
    const test_support::Ended ended = hashlab(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    std::vector<uint64_t> packets;
    if (ended.status != 0) return packets;
    const Json report = Json::parse(ended.out);
    for (const Json& row : report["tables"]["queues"]) packets.push_back(row["packets"]);
    return packets;
  }
  // The same of a gateway with a worker for each of `captures`.
  std::vector<uint64_t> of_gateway(const Words& captures, const HashRow& hash, const std::string& more) {
    std::string access = "net_pcap0";
    for (const std::string& capture : captures) access += ",rx_pcap=" + capture;
    Words vdevs = {access};
    std::string ports =
        port_table("net_pcap0", "access", "rx_queues = " + std::to_string(captures.size()) + "\n");
    for (unsigned nic = 1; nic <= kNics; ++nic) {
      const std::string device = "net_null" + std::to_string(nic);
      vdevs.push_back(device + ",no-rx=1");
      ports += port_table(device, "uplink", "mtu = 9702\n");
    }
    std::string lcores;
    for (size_t worker = 1; captures.size() > 1 && worker <= captures.size(); ++worker) {
      lcores += (worker == 1 ? "lcores = [\"" : ", \"") + std::to_string(worker) + "@" +
                std::to_string(first_cpu()) + "\"";
    }
    if (captures.size() > 1) lcores += "]\n";
    const Json report = run_to_silence(eal_table(vdevs) + "[engine]\nmode = \"gateway\"\n" + lcores + ports +
                                       "[distribution]\nqueues_per_nic = " + std::to_string(kQueues) + "\n" +
                                       hash.gateway + more);
    expect_balanced(report);
    std::vector<uint64_t> packets;
    for (unsigned q = 0; q < kNics * kQueues; ++q) {
      packets.push_back(report["members"][1 + q / kQueues]["queues"][q % kQueues]["packets"]);
    }
    return packets;
  }
};

bool is_ethernet(const std::filesystem::path& capture) {
  char error[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> opened(pcap_open_offline(capture.c_str(), error),
                                                              &pcap_close);
  return opened && pcap_datalink(opened.get()) == DLT_EN10MB;
}

// The frames of all captures of Ethernet, those of a maker, and every second of these in a tag.
Frames many_frames(const std::optional<std::filesystem::path>& cases) {
  Frames frames;
  const core::FlowPattern pattern{.flows = 600, .ip = core::IpVersion::mixed, .sizes = {128, 1518}};
  for (uint32_t flow = 0; flow < pattern.flows; ++flow) {
    frames.push_back(core::make_frame(pattern, flow, 0, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}));
    if (flow % 2 == 0) continue;
    const uint8_t tag[] = {0x81, 0x00, 0x60, static_cast<uint8_t>(flow)};
    frames.back().insert(frames.back().begin() + 12, std::begin(tag), std::end(tag));
  }
  if (!cases) return frames;
  for (const auto& capture : test_support::capture_files(*cases)) {
    if (!is_ethernet(capture)) continue;
    const Frames more = test_support::read_capture(capture);
    frames.insert(frames.end(), more.begin(), more.end());
  }
  return frames;
}

TEST_F(Hashlab, SpreadIsWhatTheGatewayCounts) {
  const Frames frames = many_frames(test_support::cases_folder());
  std::array<Frames, 2> halves;
  for (size_t i = 0; i < frames.size(); ++i) halves[i % 2].push_back(frames[i]);
  test_support::write_capture(file("all.pcap"), frames);
  test_support::write_capture(file("even.pcap"), halves[0]);
  test_support::write_capture(file("odd.pcap"), halves[1]);
  for (const HashRow& hash : kHashes) {
    SCOPED_TRACE(hash.lab);
    const std::vector<uint64_t> expected = of_hashlab(file("all.pcap"), hash, {});
    EXPECT_EQ(of_gateway({file("all.pcap")}, hash, ""), expected);
    EXPECT_EQ(of_gateway({file("even.pcap"), file("odd.pcap")}, hash, ""), expected);
  }
}

// Several minutes: suite `matrix`, which tools/test leaves out.
TEST_F(Hashlab, MatrixOfEveryCaptureAndHash) {
  const auto cases = test_support::cases_folder();
  if (!cases) GTEST_SKIP() << kNoCases;
  for (const auto& capture : test_support::capture_files(*cases)) {
    if (!is_ethernet(capture)) continue;
    const test_support::Ended asked = hashlab({"spread", capture, "--trials", "100"});
    if (asked.status == 2) {  // without IP: nothing to tell
      EXPECT_TRUE(asked.err.find("no IP packet") != std::string::npos ||
                  asked.err.find("a gateway forwards") != std::string::npos)
          << capture << asked.err;
      continue;
    }
    const Frames frames = test_support::read_capture(capture);
    std::array<Frames, 2> halves;
    for (size_t i = 0; i < frames.size(); ++i) halves[i % 2].push_back(frames[i]);
    test_support::write_capture(file("even.pcap"), halves[0]);
    test_support::write_capture(file("odd.pcap"), halves[1]);
    for (const HashRow& hash : kHashes) {
      SCOPED_TRACE(capture.filename().string() + ", " + hash.lab);
      const std::vector<uint64_t> expected = of_hashlab(capture, hash, {});
      EXPECT_EQ(of_gateway({capture}, hash, ""), expected);
      EXPECT_EQ(of_gateway({file("even.pcap"), file("odd.pcap")}, hash, ""), expected);
    }
  }
}

TEST_F(Hashlab, EveryChoiceOfFieldsIsTheGateways) {
  test_support::write_capture(file("all.pcap"), many_frames(test_support::cases_folder()));
  struct Row {
    const char* gateway;
    Words lab;
  };
  const Row rows[] = {
      {"fields = [\"src_ip\", \"dst_ip\"]\n", {"--fields", "src_ip,dst_ip"}},
      {"fields = [\"src_port\", \"proto\", \"vlan\"]\nvlan_tag = \"inner\"\n",
       {"--fields", "src_port,proto,vlan", "--vlan-tag", "inner"}},
      {"fields = [\"src_ip\", \"dst_ip\", \"dest_qp\", \"packet_length\", \"port_range\"]\nsymmetric = "
       "true\n",
       {"--fields", "src_ip,dst_ip,dest_qp,packet_length,port_range", "--symmetric"}},
      {"buckets_per_queue = 16\n", {"--buckets-per-queue", "16"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.gateway);
    EXPECT_EQ(of_gateway({file("all.pcap")}, kHashes[0], row.gateway),
              of_hashlab(file("all.pcap"), kHashes[0], row.lab));
  }
}

// pcap's file header, then `packets` frames of one flow each.
std::string capture_bytes(uint32_t packets) {
  Frames frames;
  const core::FlowPattern pattern{.flows = packets, .kind = core::FlowKind::udp};
  for (uint32_t flow = 0; flow < packets; ++flow) {
    frames.push_back(core::make_frame(pattern, flow, 0, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}));
  }
  const TempFolder folder;
  test_support::write_capture(folder.path() / "in.pcap", frames);
  return read_text(folder.path() / "in.pcap");
}

TEST_F(Hashlab, ACaptureThatBreaksOffIsUsedAndToldOf) {
  const std::string whole = capture_bytes(100);
  write_text(file("short.pcap"), whole.substr(0, whole.size() - 7));
  const test_support::Ended ended = hashlab({"spread", file("short.pcap"), "--json"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
  EXPECT_NE(ended.err.find("packet 100"), std::string::npos) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["facts"]["flows"], 99);
}

// The pipe is full again and again while it is written, so the program has read when the signal comes.
TEST_F(Hashlab, CtrlCShowsWhatIsKnown) {
  const std::string whole = capture_bytes(4000);
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  test_support::Process program(program_named("ROCEWAY_HASHLAB", ROCEWAY_HASHLAB),
                                {"spread", file("pipe"), "--json"}, around());
  std::ofstream pipe(file("pipe"), std::ios::binary);
  pipe.write(whole.data(), static_cast<std::streamsize>(whole.size()));
  pipe.flush();
  program.send(SIGINT);
  const test_support::Ended ended = program.wait();
  EXPECT_EQ(ended.status, 130) << ended.err;
  const Json report = Json::parse(ended.out);
  EXPECT_GT(report["facts"]["flows"], 100);
  EXPECT_NE(report["notes"].dump().find("stopped after"), std::string::npos) << report["notes"];
}

// It waits in the opening of the pipe, or in reading it, or has not yet come so far: the answer is the same.
TEST_F(Hashlab, CtrlCBeforeTheFirstPacket) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  for (const Words& words :
       {Words{"spread", file("pipe")}, Words{"explain", "--packet", "5", file("pipe")}}) {
    test_support::Process program(program_named("ROCEWAY_HASHLAB", ROCEWAY_HASHLAB), words, around());
    std::ofstream pipe(file("pipe"), std::ios::binary);
    program.send(SIGTERM);
    pipe.close();
    const test_support::Ended ended = program.wait();
    EXPECT_EQ(ended.status, 143) << ended.err;
    EXPECT_NE(ended.err.find("stopped before its first packet was read"), std::string::npos) << ended.err;
  }
}

TEST_F(Hashlab, OutputThatCannotBeWrittenIsAFault) {
  const std::string program = program_named("ROCEWAY_HASHLAB", ROCEWAY_HASHLAB);
  for (const char* arguments :
       {"--help", "help", "--version", "spread --help", "hash --text a", "hash --text a --json"}) {
    const test_support::Ended ended =
        test_support::Process("/bin/sh", {"-c", "exec '" + program + "' " + arguments + " >/dev/full"})
            .wait();
    EXPECT_EQ(ended.status, 1) << arguments;
    EXPECT_NE(ended.err.find("standard output: cannot be written"), std::string::npos) << ended.err;
  }
}

TEST_F(Hashlab, WritesAPageAndRefusesInOneLine) {
  const test_support::Ended page =
      hashlab({"compare", "--pattern", "counting", "--seeds", "50", "--html", file("page.html"), "--csv"});
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_EQ(lines_in(page.out), 1u + 9 * 6);
  EXPECT_NE(read_text(file("page.html")).find("max/mean over seeds: jenkins"), std::string::npos);

  struct Row {
    Words arguments;
    int status;
    const char* says;
  };
  const Row rows[] = {
      {{}, 2, "Usage"},
      {{"spred"}, 2, "spred: no such command"},
      {{"spread"}, 2, "no input"},
      {{"spread", "--pattern", "random", "--nics", "0"}, 2, "--nics 0: out of range; allowed: 1 to 64"},
      {{"spread", "/nonexistent.pcap"}, 2, "No such file"},
      {{"spread", "--pattern", "random", "--json", "--csv"}, 2, "one of them only"},
      {{"spread", file("page.html"), "--html", file("page.html")}, 2, "is the input; name another file"},
      {{"spread", "--pattern", "random", "--html", "/nonexistent/page.html"}, 1, "/nonexistent/page.html"},
      {{"spread", "--pattern", "random", "--html", "-"}, 2, "--html -: is no file; name one"},
  };
  for (const Row& row : rows) {
    const test_support::Ended ended = hashlab(row.arguments);
    SCOPED_TRACE(ended.err);
    EXPECT_EQ(ended.status, row.status);
    EXPECT_NE(ended.err.find(row.says), std::string::npos) << row.says;
    EXPECT_TRUE(row.arguments.empty() || lines_in(ended.err) == 1);
  }
}

}  // namespace
