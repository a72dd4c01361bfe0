// SPDX-License-Identifier: BSD-3-Clause
// What cannot be started as asked: exit status 2 and one line with the cause and a fix, before any packet
// moves, and nothing left behind.
#include "core/flow_maker.h"
#include "support/pcap_file.h"
#include "system/program.h"

namespace {

using namespace system_test;

const std::string kNull0 = "net_null0,no-rx=1", kNull1 = "net_null1,no-rx=1";

class Refused : public SystemTest {
 protected:
  struct Row {
    std::string name;
    Words arguments;
    std::string says;
  };

  void expect_refused(const Row& row) const {
    SCOPED_TRACE(row.name);
    const test_support::Ended ended = run(row.arguments);
    EXPECT_EQ(ended.status, 2) << "signal " << ended.signal << "\n" << ended.out << ended.err;
    EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
    EXPECT_TRUE(ended.err.starts_with("roceway: ")) << ended.err;
    EXPECT_NE(ended.err.find(row.says), std::string::npos) << ended.err << "does not say: " << row.says;
    EXPECT_EQ(ended.out.find("running"), std::string::npos) << ended.out;
    expect_nothing_left();
  }
  // Each row is a configuration; all of them would run for a moment only if they were taken.
  void expect_config_refused(const std::string& name, const std::string& text, const std::string& says,
                             const Words& more = {}) const {
    Words arguments = {"--config", write_config(text), "--duration", "0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused({name, arguments, says});
  }
};

std::string io(const Words& vdevs, const std::string& rest) {
  return eal_table(vdevs) + rest + "[engine]\nmode = \"io\"\n";
}

TEST_F(Refused, Arguments) {
  const std::string good =
      write_config(io({kNull0, kNull1}, port_table("net_null0") + port_table("net_null1")));
  std::filesystem::create_directory(file("folder"));
  const std::string prefix_option = "--file-prefix=" + prefix();
  const Row rows[] = {
      {"EAL word without --", {"--vdev=net_null0"}, "--vdev: put EAL options before --"},
      {"EAL word of one letter", {"-l", "0,1"}, "-l: put EAL options before --"},
      {"unknown option", {"--confg", good}, "did you mean --config?"},
      {"option far from all others", {"--frobnicate"}, "--frobnicate: unknown option; see --help"},
      {"plain word", {good}, "not an option"},
      {"unknown EAL option", {"--nonsense", prefix_option, "--", "--fwd", "io"}, "'--nonsense'"},
      {"own option among EAL's", {"--fwd", "io", "--"}, "--fwd: put roceway's options behind --"},
      {"bad mode", {"--config", good, "--fwd", "bridge"}, "found \"bridge\"; allowed: gateway, io, mac"},
      {"duration that is no number", {"--config", good, "--duration", "abc"}, "--duration: found \"abc\""},
      {"duration of nothing", {"--config", good, "--duration", "0"}, "--duration: found \"0\""},
      {"option without its value", {"--config"}, "--config: needs a value"},
      {"option twice", {"--config", good, "--burst", "32", "--burst", "64"}, "--burst: found twice"},
      {"burst too long", {"--config", good, "--burst", "513"}, "allowed: a whole number 1 to 512"},
      {"check of nothing", {"--check"}, "--check: needs --config FILE"},
      {"gateway without groups", {"--fwd", "gateway"}, "gateway needs --config FILE"},
      {"configuration missing", {"--config", file("none.toml")}, "none.toml: cannot be read: No such file"},
      {"configuration is a folder", {"--config", file("folder")}, "folder: cannot be read: Is a directory"},
      {"more workers than lcores",
       {"--config", good, "--nb-cores", "9"},
       "--nb-cores 9: EAL has 1 worker lcore"},
      {"report into a missing folder",
       {"--config", good, "--report", file("none/report.json")},
       "none/report.json: cannot be written: No such file or directory"},
      {"report is a folder",
       {"--config", good, "--report", file("folder")},
       "folder: is a folder; name a file"},
      {"report onto the configuration", {"--config", good, "--report", good}, "is a file of this run"},
      {"report onto a capture that will be written",
       {"--no-pci", prefix_option, "--vdev=net_pcap0,tx_pcap=" + file("new.pcap"), "--", "--report",
        file("new.pcap")},
       "is a file of this run"},
      {"vdev without its interface",
       {"--no-pci", prefix_option, "--vdev=net_null0", "--vdev=net_pcap0,iface=nosuch0", "--", "--fwd", "io"},
       "nosuch0"},
      {"peer of a port that is not there",
       {"--config", good, "--fwd", "mac", "--eth-peer", "9,02:00:00:00:00:01"},
       "--eth-peer: found port 9; allowed: 0 to 1"},
      {"peer of a port that EAL has not",
       {"--no-pci", prefix_option, "--vdev=net_null0", "--vdev=net_null1", "--", "--fwd", "mac", "--eth-peer",
        "2,02:00:00:00:00:01"},
       "--eth-peer: found port 2; allowed: 0 to 1"},
      {"no port at all", {"--no-pci", prefix_option, "--", "--fwd", "io"}, "there is no port"},
  };
  for (const Row& row : rows) expect_refused(row);
}

TEST_F(Refused, Configurations) {
  const std::string two_ports = port_table("net_null0") + port_table("net_null1");
  const auto nulls = [&](const std::string& rest) { return io({kNull0, kNull1}, rest); };
  const std::string pinned = eal_table({kNull0, kNull1}) + port_table("net_null0", "access") +
                             port_table("net_null1", "uplink") +
                             "[[pin]]\ngroup = \"uplink\"\ndevice = \"net_null1\"\nqueue = 0\nbucket = 64\n";
  const std::string outs = "net_pcap1,tx_pcap=" + file("0.pcap") + ",tx_pcap=" + file("1.pcap");
  const struct {
    std::string name, text, says;
  } rows[] = {
      {"missing NIC", nulls(port_table("net_null0") + port_table("0000:7f:00.0")),
       "port \"0000:7f:00.0\": EAL has no such device (it has: net_null0, net_null1)"},
      {"lcore beyond DPDK's", nulls(two_ports) + "lcores = [999]\n", "engine.lcores[0]: found 999"},
      {"CPU that is not there", nulls(two_ports) + "lcores = [\"1@999\"]\n", "CPU 999 is not there"},
      {"lcore named twice", nulls(two_ports) + "lcores = [\"1@0\", \"1@0\"]\n", "engine.lcores[1]"},
      {"lcores and -l",
       "[eal]\nargs = [\"--no-pci\", \"-l\", \"0\"]\n[engine]\nmode = \"io\"\nlcores = [0]\n",
       "eal.args choose lcores too"},
      {"more RX queues than the device has",
       io({outs, kNull0}, port_table("net_pcap1", "", "rx_queues = 7\n") + port_table("net_null0")),
       "asked for 7"},
      {"more TX queues than the device has",
       io({outs, kNull0}, port_table("net_pcap1") + port_table("net_null0")) +
           "[distribution]\nqueues_per_nic = 3\n",
       "net_pcap1 has 2 TX queue(s)"},
      {"two ports of one name", nulls(two_ports + port_table("net_null0")), "port[2].device"},
      {"gateway without uplink",
       eal_table({kNull0}) + "[engine]\nmode = \"gateway\"\n" + port_table("net_null0", "access"), "uplink"},
      {"vdev of no driver", io({kNull0, "net_nonsense1"}, two_ports), "net_nonsense1"},
      {"syntax error", "[engine\nmode = \"io\"\n", ".toml:1"},
      {"unknown key", "[engine]\nbrust = 32\nmode = \"io\"\n", ".toml:2: engine: unknown key \"brust\""},
      {"unknown key's nearest", "[engine]\nbrust = 32\nmode = \"io\"\n", "did you mean \"burst\"?"},
      {"wrong type", "[engine]\nburst = \"32\"\nmode = \"io\"\n",
       ".toml:2: engine.burst: found string \"32\""},
      {"pool larger than memory",
       "[eal]\nargs = [\"--no-pci\", \"--no-huge\", \"-m\", \"64\", \"--vdev=net_null0,no-rx=1\"]\n"
       "[engine]\nmode = \"rxonly\"\nreserve_mbufs = 100000\n" +
           port_table("net_null0"),
       "MB are free"},
      {"pin beyond the table of one worker", pinned,
       ".toml:" + std::to_string(lines_in(pinned)) + ": pin[0].bucket: found 64; allowed 0 to 63"},
  };
  for (const auto& row : rows) expect_config_refused(row.name, row.text, row.says);
}

TEST_F(Refused, Captures) {
  const std::vector<std::vector<uint8_t>> frames = {core::make_frame({}, 0, 0, {}, {})};
  test_support::write_capture(file("good.pcap"), frames);
  test_support::write_capture(file("raw.pcap"), frames, DLT_RAW);
  test_support::write_capture(file("sll.pcap"), frames, DLT_LINUX_SLL);
  write_text(file("text.pcap"), "these are no packets, and there are many of them\n");
  write_text(file("empty.pcap"), "");
  std::filesystem::create_directory(file("folder.pcap"));
  const struct {
    std::string name, capture, says;
  } rows[] = {
      {"missing", file("none.pcap"), "none.pcap: No such file or directory"},
      {"RAW", file("raw.pcap"), "raw.pcap: link type is RAW, needs EN10MB (Ethernet)"},
      {"LINUX_SLL", file("sll.pcap"), "sll.pcap: link type is LINUX_SLL, needs EN10MB (Ethernet)"},
      {"not a capture", file("text.pcap"), "text.pcap: unknown file format"},
      {"empty", file("empty.pcap"), "empty.pcap: truncated dump file"},
      {"folder", file("folder.pcap"), "folder.pcap: is a folder"},
      {"second of two", file("good.pcap") + ",rx_pcap=" + file("raw.pcap"), "raw.pcap: link type is RAW"},
  };
  for (const auto& row : rows) {
    const std::string text =
        io({"net_pcap0,rx_pcap=" + row.capture, kNull0}, port_table("net_pcap0") + port_table("net_null0"));
    expect_config_refused(row.name, text, row.says);
    expect_config_refused(row.name + ", --check", text, row.says, {"--check"});
  }
  expect_config_refused("folder of the output missing",
                        io({"net_pcap0,tx_pcap=" + file("none/out.pcap"), kNull0},
                           port_table("net_pcap0") + port_table("net_null0")),
                        "none/out.pcap: its folder is not there");
}

TEST_F(Refused, TooFewDescriptors) {
  const std::string config =
      write_config(io({kNull0, kNull1}, port_table("net_null0") + port_table("net_null1")));
  for (const std::string limit : {"5", "10", "20", "30"}) {
    SCOPED_TRACE(limit);
    const test_support::Ended ended =
        test_support::Process("/bin/sh",
                              {"-c", "ulimit -n " + limit + "; exec \"$0\" \"$@\"", roceway(), "--config",
                               config, "--duration", "0.1"},
                              around())
            .wait();
    EXPECT_EQ(ended.status, 2) << "signal " << ended.signal << "\n" << ended.out << ended.err;
    EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
    EXPECT_TRUE(ended.err.starts_with("roceway: too few file descriptors: ")) << ended.err;
  }
}

TEST_F(Refused, NoRightToRead) {
  if (getuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::vector<std::vector<uint8_t>> frames = {core::make_frame({}, 0, 0, {}, {})};
  test_support::write_capture(file("secret.pcap"), frames);
  std::filesystem::permissions(file("secret.pcap"), std::filesystem::perms::none);
  expect_config_refused("capture", io({"net_pcap0,rx_pcap=" + file("secret.pcap")}, port_table("net_pcap0")),
                        "secret.pcap: Permission denied");
}

TEST_F(Refused, SecondInstance) {
  const std::string config =
      write_config(io({kNull0, kNull1}, port_table("net_null0") + port_table("net_null1")));
  test_support::Process first(roceway(), {"--config", config}, around());
  ASSERT_TRUE(first.wait_for("running")) << first.wait().err;
  const test_support::Ended second = run({"--config", config, "--duration", "0.1"});
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(lines_in(second.err), 1u) << second.err;
  EXPECT_NE(second.err.find("(process " + std::to_string(first.pid()) + ")"), std::string::npos)
      << second.err;
  EXPECT_TRUE(std::filesystem::exists(runtime_folder(prefix()))) << "the second took the first one's files";

  const test_support::Ended other =
      run({"--file-prefix=" + prefix() + "-b", "--", "--config", config, "--duration", "0.1"});
  EXPECT_EQ(other.status, 0) << "a prefix of its own is the fix that was told\n" << other.err;

  first.send(SIGINT);
  const test_support::Ended ended = first.wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("the ledger balances"), std::string::npos) << ended.out;
  expect_nothing_left();
}

}  // namespace
