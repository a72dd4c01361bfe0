// SPDX-License-Identifier: BSD-3-Clause
// testpmd's show and clear, in testpmd's shape.
#include "system/commands.h"

namespace system_test {

TypedRows display_rows(const std::string&) {
  const std::string none = ": Operation not supported";
  return {
      {"show port info <ports:ports>",
       {ok("show port info 0",
           {"Infos for port 0 ", "MAC address: ", "Device name: net_null0\n", "Driver name: net_null\n",
            "Link status: up\n", "MTU: 1500\n", "Promiscuous mode: ", "Redirection table size: 128\n",
            "Current number of RX queues: 2\n", "Current number of TX queues: 2\n"}),
        ok("show port info net_ring1", {"Infos for port 1 ", "Driver name: net_ring\n"}),
        ok("show port info all", {"Infos for port 0 ", "Infos for port 1 ", "Infos for port 2 "}),
        error("show port info 7", {"ports: found \"7\"; allowed: 0 (net_null0), 1 (net_ring1)", ", all"})}},
      {"show port summary <ports:ports>",
       {ok("show port summary all",
           {"Number of available ports: 3\n",
            "Port MAC Address       Name         Driver         Status   Link\n", "0    ", "net_null0",
            "net_null", "up", "1    ", "net_ring1", "2    ", "net_null2"}),
        ok("show port summary 1", {"Number of available ports: 3\n", "net_ring1"})}},
      {"show port stats <ports:ports>",
       {comes_to("show port stats 0",
                 {"NIC statistics for port 0 ", "RX-packets: ", "RX-missed: ", "RX-bytes:  ", "RX-errors: ",
                  "RX-nombuf:  ", "TX-packets: ", "TX-errors: ", "TX-bytes:  ",
                  "Throughput (since last show)", "Rx-pps: ", "Rx-bps: ", "Tx-pps: ", "Tx-bps: "}),
        ok("show port stats all", {"NIC statistics for port 0 ", "NIC statistics for port 2 "})}},
      {"show port xstats <ports:ports>",
       {ok("show port xstats 0", {"###### NIC extended statistics for port 0", "rx_good_packets: ",
                                  "tx_good_packets: ", "rx_q0_packets: ", "rx_q1_packets: "})}},
      {"show fwd stats all",
       {comes_to("show fwd stats all --json", {"\"rx_packets\": ", "\"tx_packets\": "}),
        ok("show fwd stats all",
           {"Forward statistics for port 0 ", "RX-packets: ", "RX-dropped: ", "RX-total: ", "TX-packets: ",
            "TX-dropped: ", "TX-total: ", "Forward statistics for port 2 ",
            "Accumulated forward statistics for all ports", "RX-total: "})}},
      {"clear port xstats <ports:ports>",
       {ok("clear port xstats all", {"NIC extended statistics for port 0 cleared"}), ok("stop"),
        ok("show port xstats 1", {"tx_good_packets: "}),
        ok("clear port xstats all", {"NIC extended statistics for port 0 cleared", "port 2 cleared"}),
        ok("show port xstats all", {"rx_good_packets: 0\ntx_good_packets: 0\n"})}},
      {"clear port stats <ports:ports>",
       {ok("clear port stats all",
           {"\n  NIC statistics for port 0 cleared\n", "\n  NIC statistics for port 1 cleared\n"}),
        ok("show port stats 0", {"RX-packets: 0 ", "TX-packets: 0 "})}},
      {"clear fwd stats all",
       {ok("clear fwd stats all", {"Forward statistics count from now"}),
        ok("show fwd stats all", {"Forward statistics for port 0 ", "RX-packets: 0 ", "RX-total: 0\n",
                                  "TX-packets: 0 ", "TX-total: 0\n"})}},
      {"show port <port:port> rss-hash",
       {ok("show port 0 rss-hash", {"RSS functions:\n", "ipv4-udp"}),
        error("show port net_ring1 rss-hash", {"net_ring1", none})}},
      {"show port <port:port> rss-hash key",
       {ok("show port 0 rss-hash key", {"RSS functions:\n", "RSS key:\n"})}},
      {"show port <port:port> rss reta",
       {ok("show port 0 rss reta", {"RSS RETA configuration: hash index=0, queue=",
                                    "RSS RETA configuration: hash index=127, queue="}),
        error("show port 1 rss reta", {"net_ring1: redirection table", none})}},
      {"show port <port:port> rss reta <size:number(1,65535)> <masks>",
       {ok("show port 0 rss reta 128 (0x5,0x0)", {"hash index=0, queue=", "hash index=2, queue="}),
        ok("show port 0 rss reta 128 0x0,0x1", {"hash index=64, queue="}),
        error("show port 0 rss reta 128 (0x5,no)", {"masks: found \"no\"; allowed: "}),
        error("show port 0 rss reta 0 0x1", {"size: found \"0\"; allowed: "})}},
      {"show rxq info <port:port> <queue:number(0,65535)>",
       {error("show rxq info 0 0", {"net_null0: RX queue 0", none}), error("show rxq info 0 9", {"9"})}},
      {"show txq info <port:port> <queue:number(0,65535)>",
       {error("show txq info 0 0", {"net_null0: TX queue 0", none})}},
      {"show port <port:port> rxq <queue:number(0,65535)> desc <descriptor:number(0,65535)> status",
       {error("show port 0 rxq 0 desc 0 status", {"net_null0: RX descriptor 0", none})}},
      {"show port <port:port> txq <queue:number(0,65535)> desc <descriptor:number(0,65535)> status",
       {error("show port 0 txq 0 desc 0 status", {"net_null0: TX descriptor 0", none})}},
      {"show port <port:port> rxq <queue:number(0,65535)> desc used count",
       {error("show port 0 rxq 0 desc used count", {"net_null0", none})}},
      {"show device info <name>",
       {ok("show device info all", {"Infos for device net_null0 ", "Bus name: vdev\n",
                                    "Driver name: net_null", "Port id: 0", "Infos for device net_ring1 "}),
        ok("show device info net_null2", {"Infos for device net_null2 "}),
        error("show device info net_nowhere", {"name: found \"net_nowhere\"; allowed: "})}},
      {"show config rxtx|cores|fwd",
       {ok("show config rxtx",
           {"io packet forwarding packets/burst=32\n", "nb forwarding cores=1 - nb forwarding ports=3\n",
            "port 0: RX queue number: 2 Tx queue number: 2\n", "RX desc=", "TX desc="}),
        ok("show config cores", {"List of forwarding lcores:  1\n"}),
        ok("show config fwd", {"io packet forwarding - ports=3 - cores=1 - streams="})}},
  };
}

namespace {

TEST_F(CommandsTest, DisplayCommands) {
  Running program = start_plain({"net_null0", "net_ring1", "net_null2"},
                                {"--forward-mode", "io", "--rxq", "2", "--txq", "2"});
  Ctl ctl(socket_path());
  type(ctl, display_rows(folder()));
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
