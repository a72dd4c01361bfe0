// SPDX-License-Identifier: BSD-3-Clause
// Scripts that were written for testpmd 22.11, and what of testpmd is refused. Where dpdk-testpmd is
// installed, it runs the same script, and what it calls its numbers is what roceway calls them.
#include <regex>
#include <set>
#include <sstream>

#include "system/commands.h"

namespace system_test {
namespace {

using test_support::Ended;
using test_support::Process;

// 40 commands and quit. net_ring gives back what it sends, so that the packets of tx_first go round.
constexpr const char* kScript = R"(# written for testpmd 22.11
show port summary all
show port info 0
show port info all
show port stats all
show port xstats 0
show device info all
show config rxtx
show config cores
show config fwd
set fwd mac
set fwd macswap retry
set fwd 5tswap
set fwd io
set nbcore 1
set corelist 1
set coremask 0x2
set nbport 2
set portlist 0,1
set portmask 0x3
set burst 16
set txpkts 128
set promisc all off
set promisc 0 on
set allmulti all on
set eth-peer 0 02:00:00:00:00:99
set verbose 0
set log global 7
set record-burst-stats on
port stop all
port config all rxd 512
port config all txd 512
port config all burst 32
port start all
start tx_first 2
show fwd stats all
clear fwd stats all
show port stats all
clear port stats all
stop
dump_devargs
quit
)";

// "RX-packets:", "Number of available ports:": words before a colon that stand at a line's beginning or
// behind blanks. What is between the words of a label is one blank.
std::set<std::string> labels_of(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from), end = text.find(to, text.find('\n', begin));
  if (begin == std::string::npos || end == std::string::npos)
    throw std::runtime_error("not said: " + (begin == std::string::npos ? from : to));
  const std::string block = text.substr(begin, end - begin);
  static const std::regex kLabel("(^|\\s)([A-Za-z]+-[A-Za-z]+) ?:");
  std::set<std::string> labels;
  for (auto at = std::sregex_iterator(block.begin(), block.end(), kLabel); at != std::sregex_iterator(); ++at)
    labels.insert((*at)[2]);
  return labels;
}

class CommandsScript : public CommandsTest {
 protected:
  Words eal_words() const {
    return {"-l",
            "0,1",
            "--no-huge",
            "-m",
            "600",
            "--no-pci",
            "--vdev=net_ring0",
            "--vdev=net_ring1",
            "--file-prefix",
            prefix(),
            "--"};
  }
  // With a pipe as its stdin, which gives `text` and ends.
  Ended piped(const Words& program, const std::string& text, const Words& more) const {
    write_text(file("stdin"), text);
    Words words = {"-c", "cat \"$0\" | \"$@\"", file("stdin")};
    for (const Words& part : {program, eal_words(), more})
      words.insert(words.end(), part.begin(), part.end());
    return Process("/bin/sh", words, around()).wait();
  }
  Ended from_file(const std::string& text, const Words& more) const {
    write_text(file("script"), text);
    Words words = eal_words();
    words.insert(words.end(), {"--cmdline-file", file("script")});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void expect_ran(const Ended& ended) const {
    EXPECT_EQ(ended.status, 0) << "signal " << ended.signal << "\n" << ended.out << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(says(ended.out,
                     {"Number of available ports: 2", "Set mac packet forwarding mode",
                      "Number of packets per burst set to 16", "Stopping ports...", "Starting ports...",
                      "io packet forwarding - ports=2 - cores=1 - streams=2", "Forward statistics for port 0",
                      "NIC statistics for port 0", "NIC statistics for port 0 cleared",
                      "Telling cores to stop...", "Done.", "stopping: "}));
    EXPECT_EQ(ended.out.find("roceway>"), std::string::npos) << "a prompt, but nobody types";
    expect_balanced(read_report());
    expect_nothing_left();
  }
};

TEST_F(CommandsScript, RunsUnchanged) {
  {
    SCOPED_TRACE("through a pipe");
    expect_ran(
        piped({roceway()}, kScript, {"-i", "--forward-mode", "io", "--rxq", "1", "--report", report_file()}));
  }
  {
    SCOPED_TRACE("--cmdline-file");
    expect_ran(from_file(kScript, {"--forward-mode", "io", "--rxq", "1", "--report", report_file()}));
  }
  {
    SCOPED_TRACE("--cmdline-file and -i: the end of stdin ends it");
    std::string without_quit = kScript;
    without_quit.resize(without_quit.rfind("quit"));
    write_text(file("script"), without_quit);
    expect_ran(piped({roceway()}, "",
                     {"-i", "--forward-mode", "io", "--rxq", "1", "--cmdline-file", file("script"),
                      "--report", report_file()}));
  }
}

TEST_F(CommandsScript, SaysWhatTestpmdSays) {
  const Ended there = Process("/bin/sh", {"-c", "command -v dpdk-testpmd"}, around()).wait();
  if (there.status != 0) GTEST_SKIP() << "dpdk-testpmd is not installed";
  const Ended ours = piped({roceway()}, kScript, {"-i", "--forward-mode", "io", "--rxq", "1"});
  // A line at a time: testpmd echoes its commands past its own buffer.
  const Ended theirs = piped({"stdbuf", "-oL", "dpdk-testpmd"}, kScript, {"-i", "--total-num-mbufs=4096"});
  ASSERT_EQ(theirs.status, 0) << theirs.out << theirs.err;
  const struct {
    std::string from, to;
  } blocks[] = {{"NIC statistics for port 0", "####\n"},
                {"Forward statistics for port 0", "----\n"},
                {"Accumulated forward statistics for all ports", "++++\n"}};
  for (const auto& block : blocks) {
    SCOPED_TRACE(block.from);
    std::set<std::string> expected = labels_of(theirs.out, block.from, block.to);
    for (const char* in_show_runtime : {"RX-bursts", "TX-bursts"}) expected.erase(in_show_runtime);
    EXPECT_GE(expected.size(), 6u);
    EXPECT_EQ(labels_of(ours.out, block.from, block.to), expected);
  }
  // Whole lines of what does not count or measure anything.
  for (const std::string line :
       {"Number of available ports: 2\n",
        "Port MAC Address       Name         Driver         Status   Link\n",
        "  nb forwarding cores=1 - nb forwarding ports=2\n", "List of forwarding lcores:  1\n",
        "Set mac packet forwarding mode\n", "Set 5tswap packet forwarding mode\n",
        "Set macswap packet forwarding mode with retry\n", "Number of forwarding cores set to 1\n",
        "Number of forwarding ports set to 2\n", "Number of packets per burst set to 16\n",
        "  port 0: RX queue number: 1 Tx queue number: 1\n", "Stopping ports...\n",
        "Logical Core 1 (socket 0) forwards packets on 2 streams:\n",
        "  RX P=0/Q=0 (socket 0) -> TX P=1/Q=0 (socket 0) peer=02:00:00:00:00:01\n",
        "  RX P=1/Q=0 (socket 0) -> TX P=0/Q=0 (socket 0) peer=02:00:00:00:00:99\n",
        "  NIC statistics for port 0 cleared\n", "Telling cores to stop...\n",
        "Waiting for lcores to finish...\n", "\nDone.\n"}) {
    EXPECT_NE(theirs.out.find(line), std::string::npos) << "testpmd does not say " << line;
    EXPECT_NE(ours.out.find(line), std::string::npos) << "roceway does not say " << line;
  }
}

// A script stops at its first line that fails, and the program tells where and ends with 2.
TEST_F(CommandsScript, StopsAtTheFirstLineThatFails) {
  const struct {
    std::string name, text;
    Words says;
  } rows[] = {
      {"unknown", "set burst 8\n\nset brust 9\nset burst 10\n", {":3: \"set\": found \"brust\"", "burst"}},
      {"the last line without its end", "set burst 8\nset burst 0", {":2: packets: found \"0\""}},
      {"of testpmd", "csum set ip hw 0\n", {":1: \"csum\" is testpmd's and not here; instead: "}},
      {"a control character", "set burst \x01\n", {":1: found control character 0x01 at byte 11"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Ended of_pipe = piped({roceway()}, row.text, {"-i", "--forward-mode", "io", "--rxq", "1"});
    EXPECT_EQ(of_pipe.status, 2) << of_pipe.out;
    Words told = row.says;
    told.front() = "roceway: stdin" + told.front();
    EXPECT_TRUE(says(of_pipe.err, told));
    const Ended of_file = from_file(row.text, {"--forward-mode", "io", "--rxq", "1"});
    EXPECT_EQ(of_file.status, 2) << of_file.out;
    EXPECT_TRUE(says(of_file.err, row.says));
    for (const Ended* ended : {&of_pipe, &of_file})
      EXPECT_EQ(ended->out.find("burst set to 10"), std::string::npos) << "it went on";
  }
}

// What testpmd has and roceway has not, as console/instead_of.cc lists it: each says what to use instead.
TEST_F(CommandsScript, RefusedCommandsOfTestpmd) {
  Running program = start_plain({"net_null0", "net_null1"}, {"--forward-mode", "io", "--rxq", "1"});
  Ctl ctl(socket_path());
  for (const std::string line : {"set default",
                                 "set flow_ctrl rx on tx on 300 50 10 1 mac_ctrl_frame_fwd on autoneg on 0",
                                 "set pfc_ctrl rx on tx on 300 50 10 0 0",
                                 "set pfc_queue_ctrl 0 rx on 1 0 tx on 1 0 100",
                                 "set burst tx delay 10 retry 3",
                                 "set txsplit on",
                                 "set txtimes 1,1",
                                 "set link_check on",
                                 "set stat_qmap rx 0 0 0",
                                 "set xstats-hide-zero on",
                                 "set bonding mode 1 0",
                                 "create bonded device 1 0",
                                 "add bonding slave 0 1",
                                 "remove bonding slave 0 1",
                                 "show bonding config 0",
                                 "port config all speed 10000 duplex full",
                                 "port config 0 speed 10000 duplex full",
                                 "port close 0",
                                 "csum set ip hw 0",
                                 "tso set 800 0",
                                 "gso set segsz 1400",
                                 "set port 0 gro on",
                                 "set port 0 gso on",
                                 "vlan set strip on 0",
                                 "rx_vlan add 1 0",
                                 "tx_vlan set 0 1",
                                 "mac_addr add 0 02:00:00:00:00:01",
                                 "mcast_addr add 0 01:00:5e:00:00:01",
                                 "dump_socket_mem",
                                 "show port dcb_tc 0",
                                 "show port fdir 0",
                                 "show port 0 dcb_tc",
                                 "show port 0 macs",
                                 "show port 0 flow_ctrl",
                                 "show port 0 fec_mode",
                                 "show port 0 rx_offload capabilities",
                                 "show port 0 ptypes",
                                 "show config rxoffs",
                                 "show config rxpkts",
                                 "show config txtimes",
                                 "set port 0 queue 0 rate 10",
                                 "port config 0 rx_offload vlan_strip on",
                                 "port config 0 rss-hash-key ipv4 00",
                                 "port 0 rxq 0 stop",
                                 "port config 0 dcb vt off 4 pfc off",
                                 "clear port info 0",
                                 "clear port fdir 0",
                                 "flow dump 0 all f",
                                 "flow indirect_action 0 create"}) {
    SCOPED_TRACE(line);
    const Ctl::Heard heard = ctl.ask(line);
    EXPECT_EQ(heard.status, "error");
    EXPECT_TRUE(says(heard.text, {"\" is testpmd's and not here; instead: "}));
  }
  EXPECT_TRUE(says(ctl.ask("diff").text, {"nothing differs"}));
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
