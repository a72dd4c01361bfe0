// SPDX-License-Identifier: BSD-3-Clause
// Lines that cannot be run, bytes that are no lines, clients that go away: one clear answer each, nothing
// changes, nothing is left.
#include <filesystem>
#include <fstream>

#include "system/commands.h"

namespace system_test {
namespace {

size_t descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + "/fd"), end;
  return static_cast<size_t>(std::distance(begin(all), end));
}

uint64_t resident_kb_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    uint64_t kb = 0;
    if (word == "VmRSS:" && status >> kb) return kb;
  }
  throw std::runtime_error("no VmRSS of " + std::to_string(pid));
}

TEST_F(CommandsTest, RefusedLines) {
  const Step rows[] = {
      error("frobnicate", {"\"frobnicate\": unknown command", "\"help\" tells them all\n"}),
      error("shwo port stats all", {"\"shwo\": unknown command; did you mean show?"}),
      error("show prot stats all", {"\"show\": found \"prot\"", "did you mean port?"}),
      error("set", {"\"set\": not complete; next: "}),
      error("set burst", {"\"set burst\": not complete; next: <packets:number(1,512)>"}),
      error("set burst 32 64", {"\"64\"", "allowed: nothing more"}),
      error("set burst 0", {"packets: found \"0\"; allowed: ", "1 to 512"}),
      error("set burst -1", {"packets: found \"-1\"; allowed: "}),
      error("set burst 1.5", {"packets: found \"1.5\"; allowed: "}),
      error("set burst 99999999999999999999", {"packets: found \"99999999999999999999\"; allowed: "}),
      error("set eth-peer 1 00:11:22:33:44:5g", {"mac: found \"00:11:22:33:44:5g\"; allowed: "}),
      error("set promisc 0 perhaps", {"\"perhaps\"", "allowed: on, off"}),
      error("set member net_null7 up",
            {"device: found \"net_null7\"; allowed: 0 (net_pcap0), 1 (net_null1)"}),
      error("set distribution queues_per_nic 100000", {"distribution.queues_per_nic", "100000", "allowed"}),
      error("set port net_null1 address 300.1.1.1/24", {"port[1].address", "300.1.1.1/24"}),
      error("set port net_pcap0 group nowhere", {"nowhere"}),
      error("port config mtu 1 60000", {"port[1].mtu"}),
      error("set portlist 0,1", {"forwarding_ports"}),
      error("set engine mbuf_bytes 4096", {"engine.mbuf_bytes", "needs a new start of the program"}),
      error("port attach net_null9", {"packets are being forwarded; stop comes first"}),
      error("port detach 1", {"packets are being forwarded; stop comes first"}),
      error("rollback", {"changes: found 1; nothing was changed by commands"}),
      error("stop --json", {"--json: only what shows something has it; \"stop\" was not run"}),
      ok("show config fwd --json", {"\"forwarding\": true"}),
      error("set burst 4 --json", {"was not run"}),
      ok("show config rxtx --json", {"\"burst\": 32"}),
      error("start tx_first", {"tx_first: mode gateway makes no packets of its own"}),
      error("load /nowhere", {"/nowhere: No such file or directory"}),
      error("load /", {"/: not a file; allowed: "}),
      error("set burst 16\x01", {"found control character 0x01 at byte 13; allowed: "}),
      error(std::string("set burst \0 16", 14), {"found control character 0x00 at byte 11"}),
      error("set burst 16\x1b[2J", {"found control character 0x1b at byte 13"}),
      error("set burst \xff", {"found 0xff at byte 11, which is not UTF-8; allowed: UTF-8 text"}),
      error("set burst \xc0\xb1", {"found 0xc0 at byte 11, which is not UTF-8"}),
      error("set member net_null1 up " + std::string(3000, 'x'), {"allowed: nothing more"}),
      error("show hash --jsno", {"\"--jsno\""}),
      ok("# a comment"),
      ok(""),
      ok("\t show hash \r", {"seed"}),
  };
  Running program = start_gateway();
  Ctl ctl(socket_path());
  const std::string before = ctl.ask("show running-config all").text;
  for (const Step& row : rows) {
    type(ctl, row);
    EXPECT_EQ(ctl.ask("show running-config all").text, before) << row.line << " changed it";
  }
  type(ctl, ok("diff", {"nothing differs"}));
  expect_good_end(program);
}

TEST_F(CommandsTest, LinesThatAreTooLong) {
  Running program = start_gateway();
  Ctl witness(socket_path());
  {
    Ctl ctl(socket_path());
    const std::string longest = "set burst 16 #" + std::string(4095 - 14, 'x');
    EXPECT_EQ(ctl.ask(longest).status, "ok");
    const Ctl::Heard heard = ctl.ask(longest + 'x');
    EXPECT_EQ(heard.status, "bye");
    EXPECT_TRUE(says(heard.text, {"line of 4,096 bytes; allowed: up to 4,095\n"}));
    EXPECT_FALSE(ctl.hear());
  }
  const std::string megabyte(1 << 20, 'y');
  uint64_t resident_kb = 0;
  for (int i = 0; i < 40; ++i) {
    Ctl ctl(socket_path());
    ctl.send(megabyte);
    EXPECT_EQ(ctl.hear()->status, "bye");
    if (i == 4) resident_kb = resident_kb_of(program.pid());
  }
  EXPECT_LT(resident_kb_of(program.pid()), resident_kb + 8 * 1024) << "40 lines of 1 MiB are kept";
  EXPECT_TRUE(says(witness.ask("show config rxtx").text, {"packets/burst=16\n"}));
  expect_good_end(program);
}

TEST_F(CommandsTest, HalfCommandsAreNotRun) {
  Running program = start_gateway();
  Ctl witness(socket_path());
  {
    Ctl ctl(socket_path());
    ctl.send("set burst 1");
    ctl.ends_input();
    EXPECT_FALSE(ctl.hear());
  }
  {
    SCOPED_TRACE("a line in pieces, and two lines at once");
    Ctl ctl(socket_path());
    for (const char* piece : {"set", " bur", "st 1", "7\nset burst 18\nset burst 1"}) ctl.send(piece);
    EXPECT_TRUE(says(ctl.hear()->text, {"set to 17\n"}));
    EXPECT_TRUE(says(ctl.hear()->text, {"set to 18\n"}));
    ctl.ends_input();
    EXPECT_FALSE(ctl.hear());
  }
  EXPECT_TRUE(says(witness.ask("show config rxtx").text, {"packets/burst=18\n"}));
  expect_good_end(program);
}

TEST_F(CommandsTest, ClientsThatHangUpLeaveNothing) {
  Running program = start_gateway();
  Ctl witness(socket_path());
  witness.ask("show hash");
  const size_t before = descriptors_of(program.pid());
  for (int i = 0; i < 50; ++i) {
    Ctl ctl(socket_path());
    switch (i % 5) {
      case 0:  // says nothing
        break;
      case 1:
        ctl.send("set burs");
        break;
      case 2:  // takes none of its answers
        for (int line = 0; line < 20; ++line) ctl.send("show report --json\n");
        break;
      case 3:  // goes in the middle of an answer
        ctl.send("show report --json\nshow tech\n");
        ctl.hear();
        break;
      case 4:
        ctl.send(std::string(100'000, 'z'));
        break;
    }
  }
  until("descriptors are closed", [&] { return descriptors_of(program.pid()) == before; });
  EXPECT_EQ(witness.ask("show hash").status, "ok");
  expect_good_end(program);
}

// roceway ctl, the client: answers on stdout, what is refused on stderr with status 2.
TEST_F(CommandsTest, ClientOfTheShell) {
  Running program = start_gateway();
  const auto ctl = [&](const Words& words) {
    Words all = {"ctl", "--ctl", socket_path()};
    all.insert(all.end(), words.begin(), words.end());
    return run(all);
  };
  const auto set = ctl({"set", "burst", "20"});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_TRUE(says(set.out, {"Number of packets per burst set to 20\n"}));
  const auto refused = ctl({"set", "burst", "0"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(says(refused.err, {"roceway ctl: packets: found \"0\"; allowed: "}));
  const auto json = ctl({"show", "ledger", "--json"});
  EXPECT_TRUE(Json::accept(json.out)) << json.out;
  const auto elsewhere = run({"ctl", "--ctl", file("nowhere.sock"), "show", "hash"});
  EXPECT_EQ(elsewhere.status, 1);
  EXPECT_TRUE(says(elsewhere.err, {"nowhere.sock"}));
  EXPECT_EQ(ctl({"quit"}).status, 0);
  program.expect_says("stopping: ");
  expect_good_end(program, 0);
}

}  // namespace
}  // namespace system_test
