// SPDX-License-Identifier: BSD-3-Clause
// Commands that start and stop forwarding, the help, scripts that load others.
#include "system/commands.h"

namespace system_test {

TypedRows control_rows(const std::string& folder) {
  return {
      {"help",
       {ok("help", {"Help is available for the following sections:", "help control", "help display",
                    "help config", "help ports", "help filters", "help distribution", "help watch",
                    "help settings", "help dumps", "help all"})}},
      {"help <section>",
       {ok("help config", {"set fwd gateway|io|mac", "\n    Set what happens", "set burst "}),
        ok("help all", {"help\n", "show port info", "set burst", "flow create", "dump_devargs"}),
        error("help nonsense", {"section: found \"nonsense\"; allowed: control, display, config, ports, "})}},
      {"stop",
       {ok("stop",
           {"Telling cores to stop...\nWaiting for lcores to finish...\n", "Forward statistics for port 0 ",
            "Forward statistics for port 1 ", "Accumulated forward statistics for all ports", "\nDone.\n"}),
        ok("show config fwd --json", {"\"forwarding\": false"}),
        ok("stop", {"Packet forwarding not started\n"})}},
      {"start",
       {ok("start", {"io packet forwarding - ports=2 - cores=1 - streams=2 - NUMA support enabled, MP "
                     "allocation mode: native\n"
                     "Logical Core 1 (socket 0) forwards packets on 2 streams:\n"
                     "  RX P=0/Q=0 (socket 0) -> TX P=1/Q=0 (socket 0) peer=02:00:00:00:00:01\n"
                     "  RX P=1/Q=0 (socket 0) -> TX P=0/Q=0 (socket 0) peer=02:00:00:00:00:00\n"}),
        ok("show config fwd --json", {"\"forwarding\": true"}),
        ok("start", {"Packet forwarding already started\n"}),
        ok("show fwd stats all", {"RX-packets: 0 ", "RX-total: 0\n"}), ok("stop")}},
      // net_ring gives back what was sent: the bursts go round for as long as it forwards.
      {"start tx_first",
       {ok("start tx_first", {"io packet forwarding"}), comes_to("show ledger --json", {"\"generated\": 64"}),
        ok("stop")}},
      {"start tx_first <bursts:number(1,65535)>",
       {ok("start tx_first 2", {"io packet forwarding"}),
        comes_to("show ledger --json", {"\"generated\": 192"}),
        error("start tx_first 0", {"bursts: found \"0\"; allowed: ", "1 to 65535"})}},
      {"load <file>",
       {ok("load " + folder + "/good", {"Number of packets per burst set to 16\n"}),
        ok("show config rxtx", {"packets/burst=16"}),
        error("load " + folder + "/bad",
              {"Number of packets per burst set to 17\n", "/bad:3: packets: found \"0\"; allowed: "}),
        ok("show config rxtx", {"packets/burst=17"}),
        error("load " + folder + "/nowhere", {"/nowhere: No such file or directory"})}},
      {"quit", {ok("quit")}},  // the last of the program
  };
}

namespace {

TEST_F(CommandsTest, ControlCommands) {
  write_text(file("good"), "# a comment\n\nset burst 16\n");
  write_text(file("bad"), "set burst 17\n\nset burst 0\nset burst 18\n");
  Running program = start_plain({"net_ring0", "net_ring1"}, {"--forward-mode", "io", "--rxq", "1"});
  Ctl ctl(socket_path());
  type(ctl, control_rows(folder()));
  program.expect_says("stopping: ");
  expect_good_end(program, 0);
}

}  // namespace
}  // namespace system_test
