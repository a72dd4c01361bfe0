// SPDX-License-Identifier: BSD-3-Clause
// testpmd's set: what happens to packets.
#include "system/commands.h"

namespace system_test {

TypedRows config_rows(const std::string&) {
  const std::string none = ": Operation not supported";
  const std::string modes = "gateway|io|mac|macswap|5tswap|rxonly|txonly|flowgen";
  TypedRows rows = {
      {"set burst <packets:number(1,512)>",
       {ok("set burst 64", {"Number of packets per burst set to 64\n"}),
        ok("show config rxtx", {"packets/burst=64\n"}),
        error("set burst 513", {"packets: found \"513\"; allowed: ", "1 to 512"}),
        error("set burst many", {"packets: found \"many\"; allowed: "})}},
      {"set nbcore <count:number(1,127)>",
       {ok("set nbcore 1", {"Number of forwarding cores set to 1\n"}),
        ok("show config cores", {"List of forwarding lcores:  1\n"}),
        error("set nbcore 3", {"count: found 3; allowed: 1 to 1"})}},
      {"set corelist <lcores:numbers>",
       {ok("set corelist 1"), ok("show config cores", {"List of forwarding lcores:  1\n"}),
        error("set corelist 0", {"lcore 0 is no worker lcore of EAL; allowed: 1"}),
        error("set corelist 1,1", {"lcores: 1 is listed twice"})}},
      {"set coremask <mask:hex>",
       {ok("set coremask 2"), ok("set coremask 0x2"), ok("show config cores", {"lcores:  1\n"}),
        error("set coremask 0x0", {"no lcore is left to forward"}),
        error("set coremask 0x5", {"lcore 0 is no worker lcore of EAL"})}},
      {"set nbport <count:number(1,32)>",
       {ok("set nbport 1", {"Number of forwarding ports set to 1\n"}),
        ok("show config fwd", {"RX P=0/Q=0 (socket 0) -> TX P=0/Q=0"}),
        error("set nbport 3", {"count: found 3; allowed: 1 to 2"}), ok("set nbport 2")}},
      {"set portlist <ids:numbers>",
       {ok("set portlist 1,0", {"Number of forwarding ports set to 2\n"}),
        ok("show running-config", {"forwarding_ports = [\"net_ring1\", \"net_null0\"]"}),
        error("set portlist 0,9", {"port 9: there is none"}), ok("set portlist 0,1")}},
      {"set portmask <mask:hex>",
       {ok("set portmask 2", {"Number of forwarding ports set to 1\n"}),
        ok("show running-config", {"forwarding_ports = [\"net_ring1\"]"}),
        error("set portmask 0x10", {"port 4: there is none"}), ok("set portmask 0x3")}},
      {"set txpkts <bytes:numbers>",
       {ok("set txpkts 60,64", {"Frames that are made have 124 bytes without FCS\n"}),
        error("set txpkts 1", {"flowgen.sizes"}), error("set txpkts x", {"bytes: found \"x\"; allowed: "})}},
      {"show config txpkts", {ok("show config txpkts", {"128\n"})}},
      {"set promisc <ports:ports> on|off",
       {ok("set promisc 1 off"), ok("show port info 1", {"Promiscuous mode: disabled"}),
        ok("set promisc net_ring1 on"), ok("show port info 1", {"Promiscuous mode: enabled"}),
        error("set promisc 0 off", {"net_null0: promiscuous mode", none}),
        error("set promisc 1 maybe", {"\"maybe\"", "on, off"})}},
      {"set allmulti <ports:ports> on|off",
       {ok("set allmulti 1 on"), ok("show port info 1", {"Allmulticast mode: enabled"}),
        ok("set allmulti 1 off"), ok("show port info 1", {"Allmulticast mode: disabled"})}},
      {"set eth-peer <port:port> <mac:mac>",
       {ok("set eth-peer 1 02:00:00:00:00:99"), ok("show config fwd", {"peer=02:00:00:00:00:99"}),
        error("set eth-peer 1 02:00:00:00:00", {"mac: found \"02:00:00:00:00\"; allowed: "})}},
      {"set verbose <level:number(0,65535)>",
       {ok("set verbose 0"), ok("set verbose 1", {"trace add N"}),
        error("set verbose x", {"level: found \"x\""})}},
      {"set link-down port <port:port>",
       {ok("set link-down port 1"), ok("show port info 1", {"Link status: down"}),
        error("set link-down port 0", {"net_null0: link down", none})}},
      {"set link-up port <port:port>",
       {ok("set link-up port 1"), ok("show port info 1", {"Link status: up"}),
        error("set link-up port 2", {"port: found \"2\"; allowed: 0 (net_null0), 1 (net_ring1)"})}},
      {"set record-core-cycles on|off",
       {ok("set record-core-cycles on"),
        comes_to("show runtime",
                 {"lcore 1: busy ", "step", "calls", "packets", "clocks/packet", "receive", "forward"}),
        ok("set record-core-cycles off"),
        ok("show runtime", {"clocks of each step are not recorded: set record-core-cycles on"})}},
      {"set record-burst-stats on|off",
       {ok("set record-burst-stats on"), comes_to("show runtime --json", {"\"busy_share\""}),
        comes_to("show runtime", {"RX-bursts"}), ok("set record-burst-stats off"),
        ok("show running-config all", {"record_burst_stats = false"})}},
      {"set log <type> <level>",
       {ok("set log pmd.net.ring debug"), ok("dump_log_types", {"pmd.net.ring, level is debug\n"}),
        ok("set log global 7"), ok("set log pmd.net.ring 6"),
        ok("dump_log_types", {"pmd.net.ring, level is notice\n"}),
        error("set log pmd.net.ring 99", {"level: found \"99\"; allowed: 1 to 8, "}),
        error("set log no.such.type 7", {"no.such.type"})}},
  };
  // One after the other, and back.
  Typed plain{"set fwd " + modes,
              {error("set fwd csum", {"\"set fwd csum\" is testpmd's and not here; instead: "}),
               error("set fwd gateway", {"port[0].group: missing; mode gateway needs it"})}};
  Typed retry{"set fwd " + modes + " retry", {error("set fwd gateway retry", {"port[0].group: missing"})}};
  for (const std::string mode : {"rxonly", "txonly", "flowgen", "mac", "5tswap", "macswap", "io"}) {
    const Step shown = ok("show config fwd", {mode + " packet forwarding - ports=2"});
    const std::string said = "Set " + mode + " packet forwarding mode";
    plain.steps.insert(plain.steps.end(), {ok("set fwd " + mode, {said + "\n", "stood still for "}), shown});
    retry.steps.insert(retry.steps.end(),
                       {ok("set fwd " + mode + " retry", {said + " with retry\n"}), shown});
  }
  rows.push_back(plain);
  rows.push_back(retry);
  return rows;
}

namespace {

TEST_F(CommandsTest, ConfigCommands) {
  Running program = start_plain({"net_null0", "net_ring1"}, {"--forward-mode", "io"});
  Ctl ctl(socket_path());
  type(ctl, config_rows(folder()));
  expect_good_end(program);
}

// Frames that are made have the size that was set.
TEST_F(CommandsTest, SizesOfMadeFrames) {
  Running program = start_plain({"net_null0"}, {"--forward-mode", "txonly"});
  Ctl ctl(socket_path());
  type(ctl, {{"set txpkts <bytes:numbers>",
              {ok("stop"), ok("set txpkts 196"), ok("clear port stats all"), ok("start"),
               comes_to("show ledger --json", {"\"generated\": "}), ok("stop")}}});
  const Json counted = Json::parse(ctl.ask("show ledger --json").text);
  EXPECT_GT(counted["all"]["generated"], 0);
  const Json port = Json::parse(ctl.ask("show port info 0 --json").text);
  EXPECT_EQ(port[0]["device"], "net_null0");
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
