// SPDX-License-Identifier: BSD-3-Clause
// From start to end: what stops a run, that its books are told however it is stopped, and that nothing is
// left on the machine, also after it was killed.

#include "core/flow_maker.h"
#include "support/frames.h"
#include "support/pcap_file.h"
#include "system/program.h"

namespace {

using namespace system_test;
using test_support::Ended;
using test_support::Process;

class Life : public SystemTest {
 protected:
  // Traffic without end: a capture of 64 flows over and over, into a sink.
  std::string endless(const std::string& eal = "") const {
    std::vector<std::vector<uint8_t>> frames;
    for (uint32_t flow = 0; flow < 64; ++flow)
      frames.push_back(core::make_frame({.flows = 64}, flow, 0, {}, {}));
    return endless_of(frames, eal);
  }
  std::string endless_of(const std::vector<std::vector<uint8_t>>& frames, const std::string& eal = "") const {
    test_support::write_capture(file("in.pcap"), frames);
    return write_config(
        eal_table({"net_pcap0,rx_pcap=" + file("in.pcap") + ",infinite_rx=1", "net_null1,no-rx=1"}, eal) +
        port_table("net_pcap0", "access") + port_table("net_null1", "uplink"));
  }
  Words with_report(const std::string& config, const Words& more = {}) const {
    Words words = {"--config", config, "--report", report_file()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void expect_good_end(const Ended& ended, const std::string& why) const {
    EXPECT_EQ(ended.status, 0) << "signal " << ended.signal << "\n" << ended.out << ended.err;
    EXPECT_NE(ended.out.find("stopping: " + why), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("the ledger balances"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("mbufs are back"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.err, "");
    const Json report = read_report();
    expect_balanced(report);
    EXPECT_EQ(report["pool"]["mbufs"], report["pool"]["back"]);
    expect_nothing_left();
  }
};

TEST_F(Life, SignalsStopARun) {
  const struct {
    std::string name;
    int signal;
    std::string once_it_says;
  } rows[] = {
      {"SIGINT while running", SIGINT, "running"},
      {"SIGTERM while running", SIGTERM, "running"},
      {"SIGTERM while starting", SIGTERM, "roceway "},
      {"SIGINT while starting", SIGINT, "roceway "},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Process program(roceway(), with_report(endless()), around());
    ASSERT_TRUE(program.wait_for(row.once_it_says)) << program.wait().err;
    program.send(row.signal);
    expect_good_end(program.wait(), "received signal " + std::to_string(row.signal));
  }
}

// Before the program waits for signals they end it as they end any program; from then on it ends in order. At
// no moment is anything left.
TEST_F(Life, SignalRightAfterStart) {
  const std::string config = endless();
  for (int attempt = 0; attempt < 4; ++attempt) {
    SCOPED_TRACE(attempt);
    Process program(roceway(), with_report(config), around());
    program.send(SIGTERM);
    const Ended ended = program.wait();
    if (ended.signal != SIGTERM) expect_good_end(ended, "received signal 15");
    expect_nothing_left();
  }
}

// timeout(1) signals the process and then its group: both at once are one wish to stop.
TEST_F(Life, TwoSignalsAtOnceAreOne) {
  const std::string config = endless();
  Process program(roceway(), with_report(config), around());
  ASSERT_TRUE(program.wait_for("running")) << program.wait().err;
  program.send(SIGSTOP);
  program.send(SIGINT);
  program.send(SIGTERM);
  program.send(SIGCONT);
  expect_good_end(program.wait(), "received signal");
}

// A pipe that nobody reads keeps the program at its last step, however long stopping takes.
TEST_F(Life, SecondSignalForces) {
  const std::string config = endless();
  {
    const std::string pipe = file("unread");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    Process program(roceway(), {"--config", config, "--report", pipe}, around());
    ASSERT_TRUE(program.wait_for("running")) << program.wait().err;
    program.send(SIGINT);
    ASSERT_TRUE(program.wait_for("the ledger balances")) << program.wait().err;
    program.send(SIGTERM);
    const Ended ended = program.wait();
    EXPECT_EQ(ended.signal, SIGTERM) << "status " << ended.status << "\n" << ended.out << ended.err;
  }
  expect_good_end(run(with_report(config, {"--duration", "0.1"})), "0.1 s are over");
}

TEST_F(Life, KilledThenStartedAgain) {
  const std::string config = endless();
  for (int kills = 0; kills < 2; ++kills) {
    Process program(roceway(), with_report(config), around());
    ASSERT_TRUE(program.wait_for("running")) << program.wait().err;
    program.send(SIGKILL);
    EXPECT_EQ(program.wait().signal, SIGKILL);
  }
  expect_good_end(run(with_report(config, {"--duration", "0.1"})), "0.1 s are over");
}

size_t hugepage_files(const std::string& prefix) {
  size_t files = 0;
  std::ifstream mounts("/proc/mounts");
  for (std::string device, folder, type, rest;
       mounts >> device >> folder >> type && std::getline(mounts, rest);) {
    std::error_code ignored;
    if (type != "hugetlbfs") continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      files += entry.path().filename().string().starts_with(prefix + "map_");
    }
  }
  return files;
}

// With eal.secondary the run keeps files in the runtime folder and in hugetlbfs while it lives.
TEST_F(Life, FilesForSecondaryProcessesGoToo) {
  const std::string config = endless("secondary = true\n");
  {
    Process program(roceway(), with_report(config), around());
    if (!program.wait_for("running")) {
      const Ended ended = program.wait();
      EXPECT_EQ(ended.status, 2);
      EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
      ASSERT_NE(ended.err.find("hugepages"), std::string::npos) << ended.err;
      GTEST_SKIP() << "needs hugepages and a hugetlbfs mount that can be written";
    }
    EXPECT_TRUE(std::filesystem::exists(runtime_folder(prefix()) / "mp_socket"));
    EXPECT_GT(hugepage_files(prefix()), 0u);
    program.send(SIGKILL);
    program.wait();
  }
  expect_good_end(run(with_report(config, {"--duration", "0.1"})), "0.1 s are over");
  EXPECT_EQ(hugepage_files(prefix()), 0u);
}

TEST_F(Life, ReaderOfTheOutputGoesAway) {
  const std::string config = endless();
  for (const bool at_once : {false, true}) {
    SCOPED_TRACE(at_once ? "before the first line" : "while running");
    std::filesystem::remove(report_file());
    Process program(roceway(), with_report(config, {"--duration", "0.3", "--stats-period", "0.05"}),
                    around());
    if (!at_once) {
      ASSERT_TRUE(program.wait_for("running")) << program.wait().err;
    }
    program.close_stdout();
    const Ended ended = program.wait();
    EXPECT_EQ(ended.status, 0) << "signal " << ended.signal << "\n" << ended.err;
    expect_balanced(read_report());
    expect_nothing_left();
  }
}

TEST_F(Life, TimeLimits) {
  const struct {
    std::string name;
    Words limits;
    std::string why;
  } rows[] = {
      {"duration", {"--duration", "0.3"}, "0.3 s are over"},
      {"data is never idle", {"--idle-exit", "0.5", "--duration", "1.2"}, "1.2 s are over"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    expect_good_end(run(with_report(endless(), row.limits)), row.why);
    EXPECT_GT(read_report()["ledger"]["sent"].get<uint64_t>(), 0u);
  }
  // Control frames are no data: they do not keep a run alive.
  const std::vector<std::vector<uint8_t>> pause = {test_support::pfc(0x08, {0, 0, 0, 0xffff})};
  const Ended ended = run(with_report(endless_of(pause), {"--idle-exit", "0.2", "--duration", "5"}));
  expect_good_end(ended, "no data packet for 0.2 s");
  const Json report = read_report();
  EXPECT_GT(report["dropped"].value("mac_control", 0u), 0u);
  EXPECT_EQ(report["ledger"]["sent"], 0);
}

TEST_F(Life, StatisticsWhileRunning) {
  const Ended ended = run(with_report(endless(), {"--duration", "0.55", "--stats-period", "0.1"}));
  expect_good_end(ended, "0.6 s are over");
  size_t lines = 0;
  for (size_t at = ended.out.find(" s  RX "); at != std::string::npos; at = ended.out.find(" s  RX ", at + 1))
    ++lines;
  EXPECT_GE(lines, 1u);
  EXPECT_LE(lines, 5u);
}

}  // namespace
