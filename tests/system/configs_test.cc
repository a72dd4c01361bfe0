// SPDX-License-Identifier: BSD-3-Clause
// Every configuration of the source tree is valid and runs as it stands; help, version and check answer
// without starting anything; the flow maker's program does what its help says.
#include <set>

#include "support/capture.h"
#include "system/program.h"

namespace {

using namespace system_test;
using test_support::Ended;

class Configs : public SystemTest {
 protected:
  test_support::Surroundings in_sources() const { return {ROCEWAY_SOURCE_DIR, {}}; }
  static std::vector<std::string> shipped() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(ROCEWAY_SOURCE_DIR "/configs")) {
      if (entry.path().extension() == ".toml") files.push_back("configs/" + entry.path().filename().string());
    }
    return files;
  }
  // EAL makes its runtime folder first of all: where none is made, EAL was not started.
  Ended run_without_eal(const Words& arguments, const std::string& folder) const {
    const std::string runtime = file("runtime");
    const Ended ended =
        test_support::Process(roceway(), arguments, {folder, {{"RUNTIME_DIRECTORY", runtime}}}).wait();
    EXPECT_FALSE(std::filesystem::exists(runtime)) << "EAL was started";
    return ended;
  }
};

TEST_F(Configs, EachIsValidAndRuns) {
  const auto files = shipped();
  ASSERT_GE(files.size(), 3u);
  for (const std::string& config : files) {
    SCOPED_TRACE(config);
    const Ended checked = run_without_eal({"--config", config, "--check"}, ROCEWAY_SOURCE_DIR);
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_EQ(checked.out, config + ": valid\n");
    EXPECT_EQ(checked.err, "");

    const Ended ended = test_support::Process(roceway(),
                                              {"--file-prefix=" + prefix(), "--", "--config", config,
                                               "--duration", "0.3", "--report", report_file()},
                                              in_sources())
                            .wait();
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    const Json report = read_report();
    expect_balanced(report);
    EXPECT_GT(report["ledger"]["sent"].get<uint64_t>(), 0u);
    expect_nothing_left();
  }
}

TEST_F(Configs, AnswersWithoutEal) {
  const struct {
    std::string name;
    Words arguments;
    std::string says;
  } rows[] = {
      {"help", {"--help"}, "--config FILE"},
      {"short help", {"-h"}, "--idle-exit S"},
      {"help among EAL's words", {"--help", "--"}, "--config FILE"},
      {"short help among EAL's words", {"-h", "--"}, "--config FILE"},
      {"help wins over mistakes", {"--help", "--nonsense"}, "--report FILE"},
      {"version", {"--version"}, "roceway "},
      {"short version", {"-v"}, "roceway "},
      {"version behind --", {"--no-pci", "--", "--version"}, "roceway "},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Ended ended = run_without_eal(row.arguments, file(""));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_NE(ended.out.find(row.says), std::string::npos) << ended.out;
  }
}

TEST_F(Configs, WarningsAreNoErrors) {
  const std::string config =
      write_config(eal_table({"net_null0,no-rx=1", "net_null1,no-rx=1"}) + port_table("net_null0", "access") +
                   port_table("net_null1", "uplink") +
                   "[distribution]\nfields = [\"src_ip\", \"dst_ip\", \"packet_length\"]\n");
  const Ended ended = run_without_eal({"--config", config, "--check"}, file(""));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
  EXPECT_NE(ended.err.find("warning: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("packet_length"), std::string::npos) << ended.err;
}

TEST_F(Configs, FlowMakersProgram) {
  const Words small = {"--flows", "100", "--packets", "3", "--kind", "rocev2", "--sizes", "128"};
  const auto make = [&](Words more, const std::string& to) {
    more.insert(more.begin(), small.begin(), small.end());
    more.push_back(to);
    return test_support::Process(roceway_flows(), more, around()).wait();
  };
  const auto frames_in = [&](const std::string& name) { return test_support::read_capture(file(name)); };
  ASSERT_EQ(make({}, file("a.pcap")).status, 0);
  ASSERT_EQ(make({}, file("again.pcap")).status, 0);
  ASSERT_EQ(make({"--seed", "2"}, file("seed.pcap")).status, 0);
  ASSERT_EQ(make({"--interleave=false"}, file("runs.pcap")).status, 0);

  const auto frames = frames_in("a.pcap");
  EXPECT_EQ(frames.size(), 300u);
  EXPECT_EQ(read_text(file("a.pcap")), read_text(file("again.pcap"))) << "the same words, the same bytes";
  EXPECT_NE(frames, frames_in("seed.pcap"));
  std::set<std::vector<uint8_t>> addresses;
  for (const auto& frame : frames) {
    EXPECT_EQ(frame.size(), 124u) << "128 with FCS";
    addresses.insert({frame.begin() + 26, frame.begin() + 34});
  }
  EXPECT_EQ(addresses.size(), 100u);
  auto runs = frames_in("runs.pcap");
  ASSERT_EQ(runs.size(), 300u);
  EXPECT_EQ(runs[1], frames[100]) << "flow after flow: packet 1 of flow 0 comes second";

  const Ended refused = make({"--kind", "sctp"}, file("b.pcap"));
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_EQ(lines_in(refused.err), 1u) << refused.err;
}

}  // namespace
