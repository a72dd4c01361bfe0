// SPDX-License-Identifier: BSD-3-Clause
// roceway's own: hash, table, members, under traffic of 64 flows over four NICs with 8 buckets.
#include <sys/stat.h>

#include "system/commands.h"

namespace system_test {

TypedRows distribution_rows(const std::string& folder) {
  const std::string keys =
      "hash|toeplitz_key|reuse_rss_hash|seed|fields|symmetric|port_ranges|vlan_tag|owner|queues_per_nic|"
      "buckets_per_queue";
  const std::string port_keys =
      "weight|drain|enabled|domain|liveness|address|next_hop_ip|next_hop_mac|excluded_priorities|speed|group";
  // The next change is told without this one only once this one is published.
  const Step home =
      comes_to("show distribution", {"to uplink: ", "N = 4; 0 are not where the rule has them"});
  return {
      {"show hash",
       {ok("show hash", {"hash", "jenkins", "seed", "fields", "src_ip", "rule", "layout"}),
        ok("show hash --json", {"\"buckets_per_queue\": 2", "\"seed\": 0"}),
        ok("show config fwd", {"Burst kernels: ", " packets at once\n"}),
        ok("show config fwd --json", {"\"burst_kernels\": {", "\"name\": ", "\"packets\": "})}},
      {"show distribution",
       {ok("show distribution",
           {"to uplink: 8 buckets, Q = 1, N = 4; 0 are not where the rule has them, 0 had to move", "NIC",
            "net_null1", "25.00 %", "net_null4", "25.00 %"}),
        comes_to("show distribution", {"fairness over 4 queues: max/mean ", "Jain ", "about 6"})}},
      {"show distribution buckets <group>",
       {ok("show distribution buckets uplink",
           {"q of each bucket to uplink", "NIC 0 is net_null1", "0    1    2    3    0    1    2    3\n"}),
        error("show distribution buckets nowhere", {"group: found \"nowhere\"; allowed: ", "uplink"})}},
      {"set distribution bucket <bucket:number(0,65535)> queue <q:number(0,65535)>",
       {ok("set distribution bucket 1 queue 3",
           {"bucket 1 of uplink uses queue 0 of net_null4\n1 of 8 buckets moved, 1 had to\n"}),
        ok("show distribution buckets uplink", {"0    3    2    3    0    1    2    3\n"}),
        error("set distribution bucket 8 queue 0", {"bucket: found 8; allowed: 0 to 7"}),
        error("set distribution bucket 0 queue 4", {"q: found 4; allowed: 0 to 3"})}},
      {"set distribution bucket <bucket:number(0,65535)> queue <q:number(0,65535)> group <group>",
       {ok("set distribution bucket 0 queue 2 group uplink", {"1 of 8 buckets moved"}),
        ok("show distribution buckets uplink", {"2    3    2    3    0    1    2    3\n"}),
        error("set distribution bucket 0 queue 0 group nowhere", {"group: found \"nowhere\""})}},
      {"clear distribution bucket <bucket:number(0,65535)>",
       {ok("clear distribution bucket 1", {"1 of 8 buckets moved"}),
        error("clear distribution bucket 1", {"bucket 1 of uplink is not pinned"})}},
      {"clear distribution bucket <bucket:number(0,65535)> group <group>",
       {ok("clear distribution bucket 0 group uplink", {"1 of 8 buckets moved"}),
        ok("show distribution buckets uplink", {"0    1    2    3    0    1    2    3\n"})}},
      {"set member <device:port> up|down|drain",
       {ok("set member net_null2 drain", {"2 of 8 buckets moved, 2 had to\n"}),
        comes_to("show distribution", {"net_null2", "drain", "0.00 %"}),
        ok("set member 2 up", {"2 of 8 buckets moved, 2 had to\n"}), home,
        ok("set member net_null3 down", {"2 of 8 buckets moved, 2 had to\n"}),
        comes_to("show events", {"net_null3 of uplink is stopped"}),
        ok("set member net_null3 up", {"no bucket moved\n"}), home,
        error("set member net_null9 up", {"device: found \"net_null9\"; allowed: 0 (net_pcap0)"}),
        error("set member net_null1 sideways", {"\"sideways\"", "up, down, drain"})}},
      {"set member <device:port> weight <weight:number(0,1000)>",
       {ok("set member net_null4 weight 0", {"2 of 8 buckets moved, 2 had to\n"}),
        comes_to("show distribution --json", {"\"net_null4\"", "\"weight\": 0"}),
        ok("set member net_null4 weight 1", {"2 of 8 buckets moved, 2 had to\n"}), home,
        error("set member net_null4 weight 1001", {"weight: found \"1001\"; allowed: ", "0 to 1000"})}},
      {"set domain <domain> up|down",
       {ok("set domain A down", {"4 of 8 buckets moved, 4 had to\n"}),
        ok("show running-config", {"domains_down = [\"A\"]"}),
        comes_to("show distribution", {"net_null1", "0.00 %", "net_null2", "0.00 %"}),
        ok("set domain A up", {"4 of 8 buckets moved, 4 had to\n"}), home,
        error("set domain C down", {"domain: found \"C\"; allowed: A, B"})}},
      {"set distribution " + keys + " <value...>",
       {ok("set distribution hash toeplitz", {"flows are hashed anew"}),
        ok("show hash", {"toeplitz", "key"}),
        ok("set distribution toeplitz_key symmetric"),
        ok("show hash", {"symmetric"}),
        ok("set distribution toeplitz_key microsoft"),
        ok("set distribution reuse_rss_hash true",
           {"forwarding stood still for ",
            " ms\nnote: port net_pcap0 gives no RSS hash of its packets: it is computed "
            "(distribution.reuse_rss_hash)\n"}),
        ok("set distribution reuse_rss_hash false"),
        ok("set distribution hash jenkins"),
        ok("set distribution seed 7"),
        ok("show hash", {"7 (0x00000007)"}),
        ok("set distribution seed 0"),
        ok("set distribution fields src_ip, dst_ip"),
        ok("show hash --json", {"\"fields\": ["}),
        ok("rollback"),
        ok("set distribution symmetric true"),
        ok("show hash", {", symmetric\n"}),
        ok("set distribution symmetric false"),
        ok("set distribution vlan_tag inner"),
        ok("show running-config", {"vlan_tag = \"inner\""}),
        ok("set distribution vlan_tag outer"),
        ok("set distribution port_ranges [\"1000-2000\"]"),
        ok("set distribution port_ranges 1-2, 3-4"),
        ok("show running-config", {"port_ranges = [\"1-2\", \"3-4\"]"}),
        ok("set distribution owner by_hash", {"forwarding stood still for "}),
        ok("set distribution owner per_worker", {"forwarding stood still for "}),
        ok("set distribution queues_per_nic 2"),
        ok("show distribution", {"to uplink: 16 buckets, Q = 2"}),
        ok("set distribution queues_per_nic 1"),
        ok("set distribution buckets_per_queue 4"),
        ok("show distribution", {"to uplink: 16 buckets, Q = 1"}),
        ok("set distribution buckets_per_queue 2"),
        error("set distribution hash md5", {"distribution.hash", "md5", "allowed", "jenkins"}),
        error("set distribution seed x", {"distribution.seed"})}},
      {"set port <port:port> " + port_keys + " <value...>",
       {ok("set port net_null4 weight 2"),
        ok("set port net_null4 weight 1"),
        ok("set port net_null4 drain true"),
        ok("set port net_null4 drain false"),
        ok("set port net_null4 enabled false"),
        ok("set port net_null4 enabled true"),
        ok("set port net_null4 domain C"),
        ok("show running-config", {"domain = \"C\""}),
        ok("set port net_null4 domain \"C#1\" # a comment"),
        ok("show running-config", {"domain = \"C#1\""}),
        error("set port net_null4 domain \"C", {"found a string without its closing \"; allowed: "}),
        ok("set port net_null4 domain B"),
        ok("set port net_null4 address 192.0.2.2"),
        ok("set port net_null4 next_hop_ip 192.0.2.1"),
        ok("set port net_null4 next_hop_mac 02:00:00:00:00:07"),
        ok("show running-config", {"next_hop_mac = \"02:00:00:00:00:07\"", "address = \"192.0.2.2\"",
                                   "next_hop_ip = \"192.0.2.1\""}),
        ok("set port net_null4 liveness probe"),
        ok("set port net_null4 liveness link"),
        ok("set port net_null4 excluded_priorities 6, 7"),
        ok("show running-config", {"excluded_priorities = [6, 7]"}),
        ok("set port net_null4 excluded_priorities []"),
        ok("set port net_null4 speed 25G"),
        ok("set port net_null4 group uplink"),
        error("set port net_null4 weight heavy", {"port[4].weight", "heavy"}),
        error("set port net_null9 weight 1", {"port: found \"net_null9\""})}},
      {"set engine <key> <value...>",
       {ok("set engine burst 48", {"no bucket moved\n"}), ok("show config rxtx", {"packets/burst=48"}),
        ok("set engine idle sleep", {"forwarding stood still for "}), ok("set engine idle busy"),
        error("set engine lcores [2]", {"engine.lcores", "needs a new start of the program"}),
        error("set engine bursts 1", {"bursts", "burst"})}},
      {"set failover <key> <value...>",
       {ok("set failover settle_us 500"), ok("show running-config", {"settle_us = 500"}),
        error("set failover settle 1", {"settle_us"})}},
      {"set flowgen <key> <value...>",
       {ok("set flowgen flows 128"), ok("show running-config", {"flows = 128"}),
        ok("set flowgen sizes 64, 128"), ok("show config txpkts", {"64 128\n"}),
        error("set flowgen kind odd", {"flowgen.kind", "odd"})}},
      {"hash explain <src> <dst> <sport:number(0,65535)> <dport:number(0,65535)> <proto>",
       {ok("hash explain 198.18.0.1 198.51.100.2 10000 4791 udp",
           {"packet", "to        uplink\n", "key", "hash      0x", "bucket", " of 8\n", "queue     q = "}),
        error("hash explain 198.18.0.1 fe80::1 1 2 udp", {"one is IPv4, the other IPv6"}),
        error("hash explain 198.18.0.1 198.51.100.2 1 2 xyz", {"proto: found \"xyz\"; allowed: udp, tcp"}),
        error("hash explain 198.18.0.1 198.51.100.2 1 65536 udp", {"dport: found \"65536\"; allowed: "})}},
      {"hash explain <src> <dst> <sport:number(0,65535)> <dport:number(0,65535)> <proto> from <port:port>",
       {ok("hash explain 198.18.0.1 198.51.100.2 10000 4791 udp from net_pcap0", {"to        uplink\n"}),
        ok("hash explain 198.18.0.1 198.51.100.2 10000 4791 udp from 1", {"to        access\n"}),
        error("hash explain 198.18.0.1 198.51.100.2 1 2 udp from 9", {"port: found \"9\"; allowed: "})}},
      {"hash explain frame <frame...>",
       {ok("hash explain frame @" + folder + "/in.pcap:3", {"to        uplink\n", "queue     q = "}),
        ok("hash explain frame 02 00 00 00 00 02 02 00 00 00 00 01 88 b5 00 00", {"packet"}),
        error("hash explain frame 0z", {"frame: not hexadecimal bytes behind byte 0"}),
        error("hash explain frame @" + folder + "/in.pcap:65", {"65"}),
        error("hash explain frame @/nowhere", {"/nowhere: No such file or directory\n"}),
        error("hash explain frame @" + folder + "/pipe", {"/pipe: is no regular file"})}},
      {"hash craft queue <q:number(0,65535)>",
       {ok("hash craft queue 2", {" udp\n1 found in "}),
        error("hash craft queue 4", {"q: found 4; allowed: 0 to 3"})}},
      {"hash craft queue <q:number(0,65535)> group <group>",
       {ok("hash craft queue 2 group uplink", {" udp\n1 found in "}),
        error("hash craft queue 0 group access",
              {"no port of access can send, so no flow leaves by it (no_tx)"})}},
      {"hash craft queue <q:number(0,65535)> count <count:number(1,200)>",
       {ok("hash craft queue 2 count 5", {" udp\n5 found in "}),
        error("hash craft queue 2 count 201", {"count: found \"201\"; allowed: "})}},
      {"hash craft queue <q:number(0,65535)> count <count:number(1,200)> group <group>",
       {ok("hash craft queue 0 count 2 group uplink", {" udp\n2 found in "}),
        error("hash craft queue 0 count 2 group nowhere", {"group: found \"nowhere\"; allowed: "})}},
  };
}

namespace {

TEST_F(CommandsTest, DistributionCommands) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);  // nobody writes: opening it would wait
  Running program = start_gateway();
  Ctl ctl(socket_path());
  type(ctl, distribution_rows(folder()));
  expect_good_end(program);
}

// Members that are told to stop sending do, as the drivers count, and hash craft's flows go where it says.
TEST_F(CommandsTest, MembersSendAsTold) {
  Running program = start_gateway();
  Ctl ctl(socket_path());
  Telemetry counters(prefix());
  const struct {
    std::string line;
    Ports senders;
  } rows[] = {
      {"set member net_null2 drain", {1, 3, 4}},
      {"set member net_null2 up", {1, 2, 3, 4}},
      {"set member net_null3 down", {1, 2, 4}},
      {"set member net_null3 up", {1, 2, 3, 4}},
      {"set member net_null4 weight 0", {1, 2, 3}},
      {"set member net_null4 weight 1", {1, 2, 3, 4}},
      {"set domain A down", {3, 4}},
      {"set domain A up", {1, 2, 3, 4}},
      {"port stop net_null1", {2, 3, 4}},
      {"port start net_null1", {1, 2, 3, 4}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    EXPECT_EQ(ctl.ask(row.line).status, "ok");
    expect_senders(counters, row.senders);
  }
  const Json crafted = Json::parse(ctl.ask("hash craft queue 3 count 8 --json").text);
  ASSERT_EQ(crafted["tuples"].size(), 8u);
  for (const Json& tuple : crafted["tuples"]) {
    const Json explained = Json::parse(
        ctl.ask("hash explain " + tuple["src"].get<std::string>() + " " + tuple["dst"].get<std::string>() +
                " " + tuple["src_port"].dump() + " " + tuple["dst_port"].dump() + " udp --json")
            .text);
    EXPECT_EQ(explained["device"], "net_null4") << explained;
    EXPECT_EQ(explained["q"], 3);
  }
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
