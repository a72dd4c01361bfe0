// SPDX-License-Identifier: BSD-3-Clause
// roceway among processes that are not roceway: dpdk-testpmd at the far end of every path, joined by
// net_memif. Peers are killed and started again; the other path goes on, and the books balance.
#include <map>
#include <memory>
#include <sstream>

#include "system/running.h"
#include "system/telemetry.h"

namespace {

using namespace system_test;

// The first program of this name in the folders of PATH; empty when there is none.
std::string found_in_path(const std::string& program) {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable != nullptr ? variable : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return folder + "/" + program;
  }
  return "";
}

std::string memif(const std::string& number, const std::string& role, const std::string& socket) {
  return "net_memif" + number + ",role=" + role + ",id=" + number + ",socket=" + socket +
         ",socket-abstract=no,zero-copy=no";
}

// A dpdk-testpmd with one port. Both of its lcores are on the first CPU that may be used; roceway's worker
// has the last.
class Peer {
 public:
  Peer(const std::string& testpmd, const std::string& prefix, const std::string& vdev,
       const std::string& forward_mode, const test_support::Surroundings& around)
      : folder_(runtime_folder(prefix)), process_(testpmd, words(prefix, vdev, forward_mode), around) {
    until(prefix + " answers", [&] {
      try {
        counters_.emplace(prefix);
        return true;
      } catch (const std::runtime_error&) {
        return false;
      }
    });
  }
  ~Peer() {
    process_.send(SIGKILL);
    process_.wait();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Telemetry& counters() { return *counters_; }
  // Until it has received so many packets more.
  void expect_receives(uint64_t packets) {
    const uint64_t before = counters_->received(0);
    until("the peer has received " + std::to_string(packets) + " packets",
          [&] { return counters_->received(0) >= before + packets; });
  }

 private:
  // With --stats-period it does not wait for a line from its stdin.
  static Words words(const std::string& prefix, const std::string& vdev, const std::string& forward_mode) {
    const std::string cpu = std::to_string(first_cpu());
    return {"--lcores=0@" + cpu + ",1@" + cpu,
            "--no-pci",
            "--no-huge",
            "--no-shconf",
            "-m",
            "64",
            "--file-prefix=" + prefix,
            "--vdev=" + vdev,
            "--",
            "--nb-cores=1",
            "--total-num-mbufs=2048",
            "--stats-period=1",
            "--forward-mode=" + forward_mode};
  }

  std::filesystem::path folder_;
  test_support::Process process_;
  std::optional<Telemetry> counters_;
};

class Peers : public SystemTest {
 protected:
  void SetUp() override {
    testpmd_ = found_in_path("dpdk-testpmd");
    if (testpmd_.empty()) GTEST_SKIP() << "needs dpdk-testpmd";
  }
  // roceway has the servers' ends: they are there before any peer is, and stay when one goes.
  std::string server(const std::string& number) const {
    return memif(number, "server", file("memif" + number));
  }
  std::unique_ptr<Peer> peer(const std::string& number, const std::string& forward_mode) {
    return std::make_unique<Peer>(testpmd_, prefix() + "-peer" + std::to_string(++peers_),
                                  memif(number, "client", file("memif" + number)), forward_mode, around());
  }
  // Two paths, a bucket for each 1 of 128.
  std::string two_paths() const {
    return write_config(eal_table({server("0"), server("1"), server("2")}) +
                        "[distribution]\nqueues_per_nic = 1\n[failover]\nhold_down_ms = 100\n" +
                        port_table("net_memif0", "access") + port_table("net_memif1", "uplink") +
                        port_table("net_memif2", "uplink"));
  }

  std::string testpmd_;
  unsigned peers_ = 0;
};

// A generator sends flows by the gateway to two reflectors, and what they send back returns to it.
TEST_F(Peers, AreKilledAndStartedAgain) {
  Running program(roceway(), {"--config", two_paths(), "--report", report_file()}, around(), "running");
  program.expect_says("net_memif1 of uplink is down (link)");
  auto first = peer("1", "macswap");
  program.expect_says("  net_memif1 of uplink is up: 128 of 128 buckets moved, 128 had to; published ");
  EXPECT_NE(program.said().find(
                "nobody is left in uplink: its packets are dropped until a member returns; published "),
            std::string::npos)
      << program.said();
  EXPECT_NE(program.said().find(" ms after the verdict\n"), std::string::npos) << program.said();
  auto second = peer("2", "macswap");
  program.expect_says("  net_memif2 of uplink is up: 64 of 128 buckets moved, 64 had to; published ");
  auto generator = peer("0", "flowgen");
  program.expect_says("  net_memif0 of access is up: ");
  first->expect_receives(200);
  second->expect_receives(200);
  generator->expect_receives(200);

  second.reset();
  program.expect_says(
      "  net_memif2 of uplink is down (link): 64 of 128 buckets moved, 64 had to; published ");
  first->expect_receives(200);
  generator->expect_receives(200);

  second = peer("2", "macswap");
  program.expect_says("  net_memif2 of uplink is up: 64 of 128 buckets moved, 64 had to; published ");
  second->expect_receives(200);
  generator->expect_receives(200);

  first.reset();
  program.expect_says(
      "  net_memif1 of uplink is down (link): 64 of 128 buckets moved, 64 had to; published ");
  second->expect_receives(200);
  generator->expect_receives(200);

  program.send(SIGINT);
  const test_support::Ended ended = program.wait();
  EXPECT_EQ(ended.status, 0) << "signal " << ended.signal << "\n" << ended.out;
  const Json report = read_report();
  expect_balanced(report);
  EXPECT_EQ(report["pool"]["mbufs"], report["pool"]["back"]);
  const std::map<std::string, std::string> states = {
      {"net_memif0", "up"}, {"net_memif1", "down (link)"}, {"net_memif2", "up"}};
  for (const Json& member : report["members"]) {
    EXPECT_EQ(member["state"], states.at(member["device"])) << member.dump();
    EXPECT_GE(member["packets"].get<uint64_t>(), 200u);
  }
  // For what the generator sent there was a path at any time: only what no ring had room for was lost. (For
  // what came back there was none while its port's link, though up, was on probation.)
  for (const auto& [reason, count] : report["ports"][0]["dropped"].items()) {
    EXPECT_TRUE(reason == "tx_full" || reason == "stopped") << reason << " " << count;
  }
  double before_s = 0;
  Words told;
  for (const Json& event : report["events"]) {
    EXPECT_GE(event["seconds"].get<double>(), before_s);
    before_s = event["seconds"].get<double>();
    const std::string text = event["text"];
    told.push_back(text.substr(0, text.find(": ")));
  }
  EXPECT_EQ(told, (Words{"net_memif0 of access is down (link); net_memif1 of uplink is down (link); "
                         "net_memif2 of uplink is down (link)",
                         "net_memif1 of uplink is up", "net_memif2 of uplink is up",
                         "net_memif0 of access is up", "net_memif2 of uplink is down (link)",
                         "net_memif2 of uplink is up", "net_memif1 of uplink is down (link)"}));
  expect_nothing_left();
}

}  // namespace
