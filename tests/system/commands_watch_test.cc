// SPDX-License-Identifier: BSD-3-Clause
// Books, drops, clocks, traces; running configuration, save, undo, under traffic over four NICs.
#include "system/commands.h"

namespace system_test {

TypedRows watch_rows(const std::string&) {
  return {
      {"show report", {ok("show report", {"ledger"}), ok("show report --json", {"\"balanced\""})}},
      {"show ledger",
       {comes_to("show ledger", {"received", "sent", "held", "dropped"}),
        ok("show ledger --json", {"\"all\"", "\"received\"", "\"ports\"", "\"device\": \"net_pcap0\""})}},
      {"show drops",
       {ok("show drops", {"nothing was dropped\n"}), ok("set port net_null1 weight 0"),
        ok("set member net_null2 down"), ok("set member net_null3 down"), ok("set member net_null4 down"),
        comes_to("show drops", {"net_pcap0", "no_member"}), ok("set member net_null4 up"),
        ok("set member net_null3 up"), ok("set member net_null2 up"), ok("set port net_null1 weight 1")}},
      {"show runtime",
       {ok("show runtime", {"lcore ", ": busy ", " %, worst round ", " us\n"}),
        ok("set record-core-cycles on"),
        comes_to("show runtime",
                 {"step", "packets/call", "clocks/packet", "receive", "classify", "distribute"}),
        comes_to("show runtime --json", {"\"hz\"", "\"steps\": [", "\"step\": \"receive\""}),
        ok("set record-core-cycles off")}},
      {"show events",
       {ok("show events", {" s  "}), ok("set distribution seed 3"),
        comes_to("show events", {"set distribution seed 3: "})}},
      {"trace add <packets:number(1,1000)>",
       {ok("show trace", {"no packet was followed yet; trace add N follows the next ones\n"}),
        ok("trace add 1", {"each worker follows the next 1 packet\n"}),
        error("trace add 0", {"packets: found \"0\"; allowed: ", "1 to 1000"}),
        error("trace add 1001", {"packets: found \"1001\""})}},
      {"show trace",
       {comes_to("show trace", {"received", "net_pcap0", "keyed", "hashed", "bucket", "sent", "net_null"})}},
      {"clear trace", {ok("clear trace"), comes_to("show trace", {"no packet was followed"})}},
      {"trace add <packets:number(1,1000)> filter <expression...>",
       {ok("trace add 2 filter udp and dst port 4791", {"the next 2 packets that match\n"}),
        comes_to("show trace", {"net_pcap0"}), ok("clear trace"),
        error("trace add 2 filter udp and nonsense", {"expression: "}), ok("trace add 2 filter arp"),
        comes_to("show trace", {"no packet was followed"})}},
  };
}

TypedRows settings_rows(const std::string& folder) {
  return {
      {"show running-config",
       {ok("show running-config", {"[[port]]\n", "device = \"net_null1\"\n"}),
        ok("show running-config --json", {"\"toml\""})}},
      {"show running-config all",
       {ok("show running-config all",
           {"[engine]\n", "mode = \"gateway\"\n", "burst = 32\n", "[failover]\n"})}},
      {"diff",
       {ok("save " + folder + "/first.toml"), ok("diff", {"nothing differs"}), ok("set burst 16"),
        ok("diff", {"engine.burst: 32 -> 16\n"}), ok("diff --json", {"\"where\": \"engine.burst\""})}},
      {"save <file>",
       {ok("save " + folder + "/saved.toml", {"saved in " + folder + "/saved.toml\n"}),
        ok("diff", {"nothing differs"}), error("save /nowhere/at/all", {"/nowhere/at/all"}),
        ok("save " + folder + "/empty"),
        error("save " + folder + "/in.pcap", {"in.pcap: is a file of this run"}),
        error("save " + folder + "/link.pcap", {"link.pcap: is a file of this run"}),
        error("save " + folder + "/report.json", {"report.json: is a file of this run"}),
        error("save " + folder + "/notes", {"notes: is there and is no settings file (line 1: "}),
        error("save " + folder + "/other.toml", {"no settings file (line 1: unknown table \"package\""})}},
      {"rollback",
       {ok("set member net_null2 weight 3"), ok("rollback", {"port[2].weight: 3 -> 1\n", "buckets moved"}),
        ok("diff", {"nothing differs"})}},
      {"rollback <changes:number(1,64)>",
       {ok("set burst 40"), ok("set member net_null2 weight 3"),
        ok("rollback 2", {"engine.burst: 40 -> 16\n", "port[2].weight: 3 -> 1\n"}),
        ok("diff", {"nothing differs"}), error("rollback 64", {"changes: found 64; "}),
        error("rollback 65", {"changes: found \"65\"; allowed: "})}},
      {"show tech",
       {ok("show tech",
           {"roceway ", "== as decided now\n", "== settings\n", "== diff\n", "== show port summary all\n",
            "== show distribution\n", "== show report\n", "== show drops\n", "== dump_mempool\n"})}},
  };
}

namespace {

TEST_F(CommandsTest, WatchCommands) {
  Running program = start_gateway();
  Ctl ctl(socket_path());
  type(ctl, watch_rows(folder()));
  expect_good_end(program);
}

// What was saved can be started with, and then nothing differs.
TEST_F(CommandsTest, SettingsCommands) {
  {
    Running program = start_gateway();
    Ctl ctl(socket_path());
    write_text(file("empty"), "");
    write_text(file("notes"), "these are no settings\n");
    write_text(file("other.toml"), "[package]\nname = \"other\"\n");
    std::filesystem::create_symlink("in.pcap", file("link.pcap"));
    const std::string capture = read_text(file("in.pcap"));
    type(ctl, settings_rows(folder()));
    EXPECT_TRUE(read_text(file("in.pcap")) == capture);
    EXPECT_EQ(read_text(file("notes")), "these are no settings\n");
    expect_good_end(program);
  }
  Running again(roceway(),
                {"--config", file("saved.toml"), "--ctl", socket_path(), "--report", report_file()}, around(),
                "running");
  Ctl ctl(socket_path());
  type(ctl, {{"", {ok("show config rxtx", {"packets/burst=16\n"}), ok("diff", {"nothing differs"})}}});
  expect_good_end(again);
}

}  // namespace
}  // namespace system_test
