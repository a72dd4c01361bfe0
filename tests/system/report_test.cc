// SPDX-License-Identifier: BSD-3-Clause
// The report, as a program reads it and as a person does: every documented key with its type, and numbers
// that agree with each other and with what came out. The traffic is of the project's own flow maker.
#include <fcntl.h>
#include <sys/stat.h>

#include <set>

#include "support/capture.h"
#include "system/program.h"

namespace {

using namespace system_test;
using test_support::Ended;
using Type = Json::value_t;

constexpr unsigned kFlows = 2048, kPackets = 3;

class Reports : public SystemTest {
 protected:
  void make_flows() const {
    const Ended ended =
        test_support::Process(roceway_flows(),
                              {"--flows", std::to_string(kFlows), "--packets", std::to_string(kPackets),
                               "--ip", "mixed", "--sizes", "128,512", file("in.pcap")},
                              around())
            .wait();
    ASSERT_EQ(ended.status, 0) << ended.err;
  }
  // The file's order is not that of the groups, and two NICs have unlike weights.
  std::string gateway(const std::string& second_weight = "1") const {
    return eal_table({"net_null7,no-rx=1", "net_pcap0,rx_pcap=" + file("in.pcap"), "net_null2,no-rx=1"}) +
           port_table("net_null7", "uplink") + port_table("net_pcap0", "access") +
           port_table("net_null2", "uplink", "weight = " + second_weight + "\n") +
           "[distribution]\nqueues_per_nic = 4\n";
  }
};

bool is_of(const Json& value, Type type) {
  if (type == Type::number_float) return value.is_number();
  if (type == Type::number_unsigned) return value.is_number_unsigned();
  return value.type() == type;
}

void expect_keys(const std::string& what, const Json& object,
                 const std::vector<std::pair<std::string, Type>>& keys) {
  ASSERT_TRUE(object.is_object()) << what;
  for (const auto& [key, type] : keys) {
    ASSERT_TRUE(object.contains(key)) << what << "." << key;
    EXPECT_TRUE(is_of(object[key], type)) << what << "." << key << " is " << object[key].type_name();
  }
}

TEST_F(Reports, EveryDocumentedKeyHasItsType) {
  constexpr Type kText = Type::string, kCount = Type::number_unsigned, kNumber = Type::number_float,
                 kFlag = Type::boolean, kList = Type::array, kObject = Type::object;
  make_flows();
  const Json report = run_to_silence(gateway());
  expect_keys("report", report,
              {{"version", kText},
               {"seconds", kNumber},
               {"ports", kList},
               {"members", kList},
               {"fairness", kObject},
               {"dropped", kObject},
               {"ledger", kObject},
               {"moved", kObject},
               {"lcores", kList}});
  for (const Json& port : report["ports"]) {
    expect_keys("port", port,
                {{"device", kText},
                 {"group", kText},
                 {"rx_packets", kCount},
                 {"rx_bytes", kCount},
                 {"tx_packets", kCount},
                 {"tx_bytes", kCount}});
  }
  for (const Json& member : report["members"]) {
    expect_keys("member", member,
                {{"device", kText},
                 {"group", kText},
                 {"up", kFlag},
                 {"weight", kCount},
                 {"packets", kCount},
                 {"bytes", kCount},
                 {"queues", kList}});
    for (size_t q = 0; q < member["queues"].size(); ++q) {
      expect_keys("queue", member["queues"][q], {{"queue", kCount}, {"packets", kCount}, {"bytes", kCount}});
      EXPECT_EQ(member["queues"][q]["queue"], q);
    }
  }
  expect_keys("fairness", report["fairness"],
              {{"max_over_mean", kNumber}, {"jain", kNumber}, {"ideal_random_max_over_mean", kNumber}});
  for (const auto& [reason, count] : report["dropped"].items())
    EXPECT_TRUE(count.is_number_unsigned()) << reason;
  expect_keys(
      "ledger", report["ledger"],
      {{"received", kCount}, {"sent", kCount}, {"held", kCount}, {"dropped", kCount}, {"balanced", kFlag}});
  expect_keys("moved", report["moved"], {{"buckets", kCount}, {"needed", kCount}});
  for (const Json& lcore : report["lcores"]) {
    expect_keys("lcore", lcore, {{"lcore", kCount}, {"busy_share", kNumber}, {"worst_round_us", kNumber}});
    EXPECT_GE(lcore["busy_share"].get<double>(), 0);
    EXPECT_LE(lcore["busy_share"].get<double>(), 1);
  }
}

uint64_t sum_of(const Json& list, const char* key) {
  uint64_t sum = 0;
  for (const Json& entry : list) sum += entry[key].get<uint64_t>();
  return sum;
}

TEST_F(Reports, NumbersAgree) {
  make_flows();
  const auto frames = test_support::read_capture(file("in.pcap"));
  ASSERT_EQ(frames.size(), kFlows * kPackets);
  uint64_t bytes = 0;
  for (const auto& frame : frames) bytes += frame.size();

  const Json report = run_to_silence(gateway());
  expect_balanced(report);
  const char* const devices[] = {"net_null7", "net_pcap0", "net_null2"};
  const char* const groups[] = {"uplink", "access", "uplink"};
  ASSERT_EQ(report["ports"].size(), 3u);
  ASSERT_EQ(report["members"].size(), 3u);
  std::vector<uint64_t> loads;
  for (size_t i = 0; i < 3; ++i) {
    const Json& port = report["ports"][i];
    const Json& member = report["members"][i];
    for (const Json& entry : {port, member}) {
      EXPECT_EQ(entry["device"], devices[i]) << "the order of the file";
      EXPECT_EQ(entry["group"], groups[i]);
    }
    EXPECT_EQ(member["packets"], port["tx_packets"]);
    EXPECT_EQ(member["bytes"], port["tx_bytes"]);
    EXPECT_EQ(sum_of(member["queues"], "packets"), member["packets"]);
    EXPECT_EQ(sum_of(member["queues"], "bytes"), member["bytes"]);
    for (const Json& queue : member["queues"]) {
      if (member["group"] == "uplink") loads.push_back(queue["packets"]);
    }
  }
  EXPECT_EQ(report["ports"][1]["rx_packets"], frames.size());
  EXPECT_EQ(report["ports"][1]["rx_bytes"], bytes);
  EXPECT_EQ(sum_of(report["members"], "packets"), frames.size());
  EXPECT_EQ(sum_of(report["members"], "bytes"), bytes);
  EXPECT_EQ(report["ledger"]["received"], frames.size());
  EXPECT_EQ(report["ledger"]["sent"], frames.size());
  EXPECT_EQ(report["dropped"], Json::object());
  EXPECT_EQ(report["moved"], Json({{"buckets", 0}, {"needed", 0}}));

  ASSERT_EQ(loads.size(), 8u);
  const double mean = static_cast<double>(frames.size()) / 8;
  double squares = 0;
  for (const uint64_t load : loads) squares += static_cast<double>(load) * static_cast<double>(load);
  const auto most = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
  EXPECT_NEAR(report["fairness"]["max_over_mean"], most / mean, 1e-6);
  EXPECT_NEAR(report["fairness"]["jain"], 64 * mean * mean / (8 * squares), 1e-6);
  // 256 flows a queue with a deviation of 15; the largest of eight lies 1.42 deviations above the mean.
  EXPECT_NEAR(report["fairness"]["ideal_random_max_over_mean"], 1.083, 0.02);
  EXPECT_LT(report["fairness"]["max_over_mean"].get<double>(), 1.25)
      << "2,048 flows over 8 queues by lookup3";
}

TEST_F(Reports, WeightsShowAndMoveBuckets) {
  make_flows();
  const Json report = run_to_silence(gateway("3"));
  expect_balanced(report);
  EXPECT_EQ(report["members"][2]["weight"], 3);
  EXPECT_GT(report["moved"]["buckets"].get<uint64_t>(), 0u);
  EXPECT_GE(report["moved"]["buckets"].get<uint64_t>(), report["moved"]["needed"].get<uint64_t>());
  const auto heavy = report["members"][2]["packets"].get<double>();
  EXPECT_NEAR(heavy / (kFlows * kPackets), 0.75, 0.05);
}

TEST_F(Reports, TextForPeople) {
  make_flows();
  const Ended ended = run({"--config", write_config(gateway()), "--idle-exit", "0.3"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const char* says : {"mode gateway", "port 1 net_pcap0 (net_pcap) in access", "to uplink: q = jenkins(",
                           "% (4 queues x 2 NICs), nic = q / 4", "packet pool of NUMA node", "to uplink",
                           "fairness over 8 queues: max/mean", "ideal random hash", "lcore ", "6,144",
                           "the ledger balances: received + generated = sent + held + dropped"}) {
    EXPECT_NE(ended.out.find(says), std::string::npos) << "does not say: " << says << "\n" << ended.out;
  }
}

TEST_F(Reports, TheFileIsReplacedWhole) {
  make_flows();
  write_text(report_file(), std::string(100'000, 'x'));
  expect_balanced(run_to_silence(gateway()));
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(file("")))
    left.insert(entry.path().filename());
  left.erase("in.pcap");
  left.erase("report.json");
  EXPECT_EQ(left.size(), 1u) << "only the configuration";
}

// Somebody may read the report from a pipe or from /dev/stdout: what is no file stays what it is.
TEST_F(Reports, APipeStaysAPipe) {
  make_flows();
  ASSERT_EQ(mkfifo(report_file().c_str(), 0600), 0);
  const int fd = open(report_file().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const Ended ended =
      run({"--config", write_config(gateway()), "--idle-exit", "0.3", "--report", report_file()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(std::filesystem::is_fifo(report_file()));
  std::string text(65'536, '\0');
  const ssize_t got = read(fd, text.data(), text.size());
  close(fd);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const Json report = Json::parse(text, nullptr, false);
  EXPECT_TRUE(report.is_object()) << text;
}

// A full disk under stdout is told by the exit status; the JSON report is written all the same.
TEST_F(Reports, AFullDiskIsNoSuccess) {
  make_flows();
  const std::string command = roceway() + " --config " + write_config(gateway()) +
                              " --duration 0.1 --report " + report_file() + " >/dev/full";
  test_support::Process shell("/bin/sh", {"-c", command}, around());
  const Ended ended = shell.wait();
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("could not be printed: No space left on device"), std::string::npos) << ended.err;
  EXPECT_TRUE(Json::parse(read_text(report_file()), nullptr, false).is_object());
}

// So is it under what a script asks for.
TEST_F(Reports, AnAnswerThatCannotBeWrittenIsNoSuccess) {
  make_flows();
  const std::string config = write_config(gateway());
  for (const std::string& words :
       Words{"--help", "--version", "--config " + config + " --check", "ctl --help"}) {
    for (const std::string to : {" >/dev/full", " >&-"}) {
      SCOPED_TRACE(words + to);
      const Ended ended =
          test_support::Process("/bin/sh", {"-c", roceway() + " " + words + to}, around()).wait();
      EXPECT_EQ(ended.status, 1);
      EXPECT_NE(ended.err.find("could not be written"), std::string::npos) << ended.err;
      EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
    }
  }
}

}  // namespace
