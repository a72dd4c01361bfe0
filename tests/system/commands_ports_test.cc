// SPDX-License-Identifier: BSD-3-Clause
// Devices that start, stop, come, go and are set up anew; rules in their steering; DPDK's dumps.
#include "system/commands.h"

namespace system_test {

TypedRows ports_rows(const std::string&) {
  const std::string none = ": Operation not supported";
  const std::string stop_first = "packets are being forwarded; stop comes first";
  return {
      {"port stop <ports:ports>",
       {ok("port stop 1", {"Stopping ports...\n"}), ok("show running-config", {"enabled = false"}),
        error("port stop 9", {"ports: found \"9\"; allowed: 0 (net_null0), 1 (net_ring1), all"})}},
      {"port start <ports:ports>",
       {ok("port start 1", {"Starting ports...\n"}), ok("diff", {"nothing differs"}), ok("port stop all"),
        ok("port start all", {"Starting ports...\n"})}},
      {"port config all rxq|txq|rxd|txd|burst <count:number(1,32768)>",
       {ok("port config all rxq 2", {"forwarding stood still for "}),
        ok("show config rxtx", {"port 0: RX queue number: 2 ", "port 1: RX queue number: 2 "}),
        ok("port config all txq 2"), ok("show config rxtx", {"Tx queue number: 2\n"}),
        ok("port config all rxd 256"), ok("show config rxtx", {"RX desc=256 "}),
        ok("port config all txd 512"), ok("show config rxtx", {"TX desc=512 "}),
        ok("port config all burst 24"), ok("show config rxtx", {"packets/burst=24\n"}),
        error("port config all burst 1000", {"engine.burst", "1000", "1 to 512"}),
        error("port config all rxq 0", {"count: found \"0\"; allowed: "}),
        error("port config all rxx 1", {"\"rxx\"", "rxq"})}},
      {"port config mtu <port:port> <bytes:number(1,65535)>",
       {ok("port config mtu 0 1400", {"forwarding stood still for "}),
        ok("show port info 0", {"MTU: 1400\n"}), error("port config mtu 0 20", {"port[0].mtu"}),
        ok("port config mtu 0 1500")}},
      {"port config <port:port> rss reta <entries>",
       {ok("port config 0 rss reta (0,1),(5,1)"),
        ok("show port 0 rss reta 128 (0x21,0x0)", {"hash index=0, queue=1\n", "hash index=5, queue=1\n"}),
        ok("port config 0 rss reta (0,0)"), ok("show port 0 rss reta", {"hash index=0, queue=0\n"}),
        error("port config 0 rss reta (0,1),(5)", {"entries: found \"(0,1),(5)\"; allowed: "}),
        error("port config 0 rss reta (128,0)", {"hash index", "128"}),
        error("port config 0 rss reta (0,2)", {"queue", "2"})}},
      {"set port <port:port> rxq <queue:number(0,65535)> avail_thresh <percent:number(0,99)>",
       {error("set port 0 rxq 0 avail_thresh 50", {"net_null0: available threshold of RX queue 0", none}),
        error("set port 0 rxq 0 avail_thresh 100", {"percent: found \"100\"; allowed: "})}},
      {"port attach <device>",
       {error("port attach net_null2", {stop_first}), ok("stop"),
        ok("port attach net_null2,size=128",
           {"Attaching a new port...\nPort 2 is attached. Now total ports is 3\nDone\n"}),
        ok("show port summary all", {"Number of available ports: 3\n", "net_null2"}),
        error("port attach net_null2", {"net_null2: is there already"}),
        error("port attach net_nonesuch0",
              {"net_nonesuch0: cannot be attached: EAL said: ", "net_nonesuch0"}),
        error("port attach net_pcap7,rx_pcap=/nowhere.pcap",
              {"capture /nowhere.pcap: No such file or directory"}),
        error("port attach net_pcap7,iface=nosuch0", {"cannot be attached: EAL said: ", "nosuch0"}),
        ok("start"), ok("show config fwd", {"ports=3"})}},
      {"port detach <port:port>",
       {error("port detach 2", {stop_first}), ok("stop"),
        ok("port detach 2", {"Removing a device...\nDevice is detached\nNow total ports is 2 and rollback "
                             "begins anew\nDone\n"}),
        ok("show port summary all", {"Number of available ports: 2\n"}),
        error("show port info 2", {"ports: found \"2\""}), ok("start"), ok("stop")}},
      {"port reset <ports:ports>",
       {error("port reset 0", {"net_null0: reset", none}),
        error("port reset 3", {"ports: found \"3\"; allowed: "})}},
      {"port config all rss <types>",
       {error("port config all rss ip", {"RSS type: found \"ip\"; this device has: none"}),
        error("port config all rss nonsense", {"RSS type", "nonsense"})}},
  };
}

// No device in software without privileges has rte_flow; tests/glue/flow_rules_test.cc plays one.
TypedRows filters_rows(const std::string&) {
  const std::string none = ": Function not implemented\n";
  const std::string rule = "ingress pattern eth / ipv4 / udp dst is 4791 / end actions queue index 0 / end";
  return {
      {"flow validate <port:port> <rule...>",
       {error("flow validate 0 " + rule, {"net_null0", none}),
        error("flow validate 0 ingress pattern eth / nonsense / end actions drop / end", {"nonsense"})}},
      {"flow create <port:port> <rule...>",
       {error("flow create 0 " + rule, {"net_null0", none}),
        error("flow create 0 ingress pattern eth / end actions", {"actions"})}},
      {"flow list <port:port>", {ok("flow list 0"), error("flow list 9", {"port: found \"9\""})}},
      {"flow query <port:port> <rule:number(0,4294967295)> count",
       {error("flow query 0 0 count", {"flow rule: found 0; allowed: nothing, the port has no rule"})}},
      {"flow destroy <port:port> rule <rule:number(0,4294967295)>",
       {error("flow destroy 0 rule 0", {"flow rule: found 0; allowed: nothing, the port has no rule"})}},
      {"flow flush <port:port>", {error("flow flush 0", {"net_null0: flow rules", none})}},
      {"flow isolate <port:port> 0|1|on|off",
       {error("flow isolate 0 1", {"net_null0", none}), error("flow isolate 0 0", {none}),
        error("flow isolate 0 on", {none}), error("flow isolate 0 off", {none}),
        error("flow isolate 0 2", {"\"2\"", "0, 1, on, off"})}},
  };
}

TypedRows dumps_rows(const std::string&) {
  return {
      {"dump_physmem", {ok("dump_physmem", {"Segment ", "len:"})}},
      {"dump_memzone", {ok("dump_memzone", {"Zone ", "name:"})}},
      {"dump_struct_sizes", {ok("dump_struct_sizes", {"sizeof(struct rte_mbuf) = 128\n"})}},
      {"dump_mempool", {ok("dump_mempool", {"mempool <", "size="})}},
      {"dump_mempool <name>",
       {ok("dump_mempool packets_0_1", {"mempool <packets_0_1>"}),
        error("dump_mempool nowhere", {"nowhere"})}},
      {"dump_ring", {ok("dump_ring", {"ring <"})}},
      {"dump_ring <name>",
       {ok("dump_ring ETH_RXTX0_net_ring1", {"ring <ETH_RXTX0_net_ring1>"}),
        error("dump_ring nowhere", {"nowhere"})}},
      {"dump_devargs", {ok("dump_devargs", {"net_null0", "net_ring1"})}},
      {"dump_log_types", {ok("dump_log_types", {"lib.eal"})}},
  };
}

namespace {

TEST_F(CommandsTest, PortsFiltersAndDumps) {
  Running program = start_plain({"net_null0", "net_ring1"}, {"--forward-mode", "io"});
  Ctl ctl(socket_path());
  type(ctl, ports_rows(folder()));
  type(ctl, filters_rows(folder()));
  type(ctl, dumps_rows(folder()));
  expect_good_end(program);
}

// Where every port has RSS, what it hashes can be set.
TEST_F(CommandsTest, RssTypesOfAllPorts) {
  Running program = start_plain({"net_null0", "net_null1"}, {"--forward-mode", "io", "--rxq", "2"});
  Ctl ctl(socket_path());
  type(ctl, {{"port config all rss <types>",
              {ok("port config all rss udp"), ok("show port 0 rss-hash", {"RSS functions:\n", "ipv4-udp"}),
               ok("port config all rss ip"), ok("show port 1 rss-hash", {"RSS functions:\n", "ipv4"})}}});
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
