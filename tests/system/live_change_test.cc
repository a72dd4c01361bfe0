// SPDX-License-Identifier: BSD-3-Clause
// SIGHUP while packets move: what may change at once does, and is seen in the drivers' counters; when it
// comes at odd moments, nothing is lost.
#include "system/live_change.h"

namespace {

using namespace system_test;

size_t times(const std::string& text, const std::string& words) {
  size_t count = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

using LiveChange = LiveChangeTest;

TEST_F(LiveChange, TakesEffectUnderTraffic) {
  const std::string text = four_nics();
  const auto of_nic = [&](char nic, const std::string& words, const std::string& by) {
    return replaced_of_nic(text, nic, words, by);
  };
  const std::string pins =
      "[[pin]]\ngroup = \"uplink\"\nbucket = 1\ndevice = \"net_null4\"\nqueue = 0\n"
      "[[pin]]\ngroup = \"uplink\"\nbucket = 5\ndevice = \"net_null4\"\nqueue = 0\n";
  const struct {
    std::string name, text;
    Words says;
    Ports senders;
    Words says_after;  // when the first text is back
  } rows[] = {
      {"weight 0",
       of_nic('4', "weight = 1", "weight = 0"),
       {"  port[4].weight: 1 -> 0\n", "  port[4].weight: 1 -> 0: 2 of 8 buckets moved, 2 had to; published "},
       {1, 2, 3},
       {"  port[4].weight: 0 -> 1: 2 of 8 buckets moved, 2 had to; published "}},
      {"weight 5",
       of_nic('1', "weight = 1", "weight = 5"),
       {"  port[1].weight: 1 -> 5\n", "  port[1].weight: 1 -> 5: 3 of 8 buckets moved, 3 had to; published "},
       {1, 2, 3, 4},
       {"  port[1].weight: 5 -> 1: 3 of 8 buckets moved, 3 had to; published "}},
      {"drain",
       of_nic('2', "mtu", "drain = true\nmtu"),
       {"  port[2].drain: false -> true\n",
        "  port[2].drain: false -> true: 2 of 8 buckets moved, 2 had to; published "},
       {1, 3, 4},
       {"  port[2].drain: true -> false: 2 of 8 buckets moved, 2 had to; published "}},
      {"domain",
       replaced(text, "domains_down = []", "domains_down = [\"A\"]"),
       {"  failover.domains_down: [] -> [\"A\"]\n",
        "  failover.domains_down: [] -> [\"A\"]: 4 of 8 buckets moved, 4 had to; published "},
       {3, 4},
       {"  failover.domains_down: [\"A\"] -> []: 4 of 8 buckets moved, 4 had to; published "}},
      {"stop of a port",
       of_nic('3', "mtu", "enabled = false\nmtu"),
       {"  port[3].enabled: true -> false\n",
        "  port[3].enabled: true -> false: 2 of 8 buckets moved, 2 had to; published ",
        "  net_null3 of uplink is stopped\n"},
       {1, 2, 4},
       {"  port[3].enabled: false -> true: no bucket moved; published ",
        "  net_null3 of uplink is up: 2 of 8 buckets moved, 2 had to; published "}},
      {"pins",
       text + pins,
       {"  pin[0]: (none) -> { group = \"uplink\", device = \"net_null4\", bucket = 1, queue = 0 }\n",
        "2 of 8 buckets moved, 2 had to"},
       {1, 3, 4},
       {"pin[1]: { group = \"uplink\", device = \"net_null4\", bucket = 5, queue = 0 } -> (none): 2 of 8 "
        "buckets moved, 2 had to"}},
  };
  const std::string config = write_config(text);
  Running program = start(config);
  Telemetry counters(prefix());
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    change(config, row.text, program);
    for (const std::string& words : row.says) program.expect_says(words);
    expect_senders(counters, row.senders);
    change(config, text, program);
    for (const std::string& words : row.says_after) program.expect_says(words);
    expect_senders(counters, {1, 2, 3, 4});
  }
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["moved"]["buckets"], 0) << "equal states, equal tables";
  EXPECT_EQ(report["events"].size(), 14u) << report["events"].dump(1);
  EXPECT_EQ(report["ledger"]["dropped"], 0) << report["dropped"].dump();
}

TEST_F(LiveChange, SignalsInQuickSuccession) {
  const std::string text = four_nics();
  const std::string config = write_config(text);
  const auto weight = [&](const std::string& value) {
    return replaced(text, "weight = 1", "weight = " + value);
  };
  Running program = start(config);
  program.send(SIGSTOP);
  change(config, weight("2"), program);
  change(config, weight("3"), program);
  program.send(SIGCONT);
  program.expect_says("  port[1].weight: 1 -> 3: ");
  for (int i = 0; i < 50; ++i) change(config, weight(i % 2 == 0 ? "4" : "5"), program);
  change(config, weight("7"), program);
  // What was read is always told; of so many events the log leaves some out.
  program.expect_says(" -> 7\n");
  EXPECT_EQ(times(program.said(), "1 -> 2"), 0u) << "two signals at once are one, and the last file counts";
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["members"][1]["weight"], 7);
}

TEST_F(LiveChange, SignalWhileStarting) {
  const std::string config = write_config(four_nics());
  Running program = start(config, {}, "roceway ");
  program.send(SIGHUP);
  program.expect_says(config + " was read again: nothing differs\n");
  expect_good_end(program);
}

TEST_F(LiveChange, WithoutAFileItEndsTheRun) {
  Running program(roceway(),
                  {"--no-pci", "--file-prefix=" + prefix(), "--vdev=net_null0", "--vdev=net_null1,no-rx=1",
                   "--", "--fwd", "io", "--report", report_file()},
                  around(), "running");
  const Json report = expect_good_end(program, SIGHUP);
  EXPECT_NE(program.said().find("stopping: received signal 1 (Hangup)"), std::string::npos) << program.said();
  EXPECT_EQ(report["mode"], "io");
}

// What is left out of use when the run ends is in the books as well.
TEST_F(LiveChange, EndsWithAStoppedPort) {
  const std::string text = four_nics();
  const std::string config = write_config(text);
  Running program = start(config);
  Telemetry counters(prefix());
  expect_senders(counters, {1, 2, 3, 4});
  change(config, replaced_of_nic(text, '2', "mtu", "enabled = false\nmtu"), program);
  program.expect_says("  net_null2 of uplink is stopped\n");
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["members"][2]["state"], "stopped");
  EXPECT_GT(report["members"][2]["packets"].get<uint64_t>(), 0u);
  EXPECT_EQ(report["moved"]["buckets"], 2);
}

TEST_F(LiveChange, WarningsAreSaidWhenTheyAreNew) {
  const std::string text = replaced(four_nics(), "weight = 1", "weight = 3");
  const std::string other = replaced(text, "weight = 3", "weight = 4");
  const std::string config = write_config(text);
  Running program = start(config);
  const std::string warning = "warning: " + config + ":";
  const struct {
    std::string text, says;
    size_t warnings;  // so far
  } rows[] = {
      {text, " was read again: nothing differs\n", 1},
      {replaced(text, "hold_down_ms = 100", "hold_down_ms = 90"), "hold_down_ms: 100 -> 90: no bucket moved",
       1},
      {other, "  port[1].weight: 3 -> 4", 2},
      {other, " was read again: nothing differs\n", 2},
      {replaced(other, "weight = 4", "weight = 1"), "  port[1].weight: 4 -> 1", 2},
      {other, "  port[1].weight: 1 -> 4", 3},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.says);
    change(config, row.text, program);
    program.expect_says(row.says);
    EXPECT_EQ(times(program.said(), warning), row.warnings) << program.said();
  }
  expect_good_end(program);
}

// Nobody is at the other end of port 5.
TEST_F(LiveChange, APortIsStartedWhoseLinkIsDown) {
  const std::string text =
      replaced(four_nics(), "\"--vdev=net_null4",
               "\"--vdev=net_memif5,role=server,socket-abstract=no,socket=" + file("memif5") +
                   "\", \"--vdev=net_null4") +
      port_table("net_memif5", "uplink", "enabled = true\n");
  const std::string config = write_config(replaced(text, "enabled = true", "enabled = false"));
  Running program = start(config);
  change(config, text, program);
  program.expect_says(
      "  port[5].enabled: false -> true: no bucket moved; the link of net_memif5 of uplink is down: it "
      "takes "
      "no bucket yet; published ");
  program.expect_says(" ms after the file was read\n");
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["members"][5]["state"], "down (link)");
}

TEST_F(LiveChange, NobodyLeftAndBack) {
  const std::string text = four_nics();
  std::string drained = text;
  for (const char nic : {'1', '2', '3', '4'})
    drained = replaced_of_nic(drained, nic, "mtu", "drain = true\nmtu");
  const std::string config = write_config(text);
  Running program = start(config);
  Telemetry counters(prefix());
  change(config, drained, program);
  program.expect_says("warning: " + config + ":");
  program.expect_says(
      "every port of group uplink is drained, stopped, of weight 0 or in a domain that is down");
  program.expect_says(
      "port[1].drain: false -> true, port[2].drain: false -> true, port[3].drain: false -> true and 1 "
      "more: 8 of 8 buckets moved, 8 had to; nobody is left in uplink: its packets are dropped until a "
      "member "
      "returns; published ");
  const uint64_t before = counters.received(0);
  until("packets come in that nobody takes", [&] { return counters.received(0) > before + 10'000; });
  change(config, text, program);
  program.expect_says("port[1].drain: true -> false, ");
  expect_senders(counters, {1, 2, 3, 4});
  const Json report = expect_good_end(program);
  EXPECT_GE(report["dropped"].value("no_member", 0u), 9'000u) << report["dropped"].dump();
}

TEST_F(LiveChange, Routes) {
  write_flows();
  const std::string back =
      "[[route]]\nfrom = \"east\"\nto = \"local\"\n[[route]]\nfrom = \"west\"\nto = \"local\"\n";
  const std::string east =
      "[[route]]\nfrom = \"local\"\nto = \"east\"\nfallback = \"west\"\ndst = \"10.0.0.0/8\"\n";
  const std::string west = "[[route]]\nfrom = \"local\"\nto = \"west\"\n";
  const std::string ports =
      eal_table({"net_pcap0,rx_pcap=" + file("in.pcap") + ",infinite_rx=1", "net_null1,no-rx=1",
                 "net_null2,no-rx=1", "net_null3,no-rx=1", "net_null4,no-rx=1"}) +
      "[distribution]\nqueues_per_nic = 1\nbuckets_per_queue = 2\n" + port_table("net_pcap0", "local") +
      port_table("net_null1", "east", "drain = false\n") +
      port_table("net_null2", "east", "drain = false\n") + port_table("net_null3", "west") +
      port_table("net_null4", "west");
  const std::string text = ports + east + west + back;
  const auto drained = [](const std::string& of, char nic) {
    return replaced_of_nic(of, nic, "drain = false", "drain = true");
  };
  const struct {
    std::string name, text;
    Words says;
    Ports senders;
  } rows[] = {
      {"another prefix",
       replaced(text, "10.0.0.0/8", "192.0.2.0/24"),
       {"  route[0].dst: \"10.0.0.0/8\" -> \"192.0.2.0/24\"\n"},
       {3, 4}},
      {"the prefix again", text, {"  route[0].dst: \"192.0.2.0/24\" -> \"10.0.0.0/8\"\n"}, {1, 2}},
      {"one port of the target is drained",
       drained(text, '1'),
       {"  port[1].drain: false -> true\n", "2 of 4 buckets moved, 2 had to"},
       {2}},
      {"both are, and the fallback is taken",
       drained(drained(text, '1'), '2'),
       {"  port[2].drain: false -> true\n", "nobody is left in east: its packets go to fallback west; "},
       {3, 4}},
      {"both are back", text, {"  port[2].drain: true -> false\n"}, {1, 2}},
      {"another target",
       replaced(replaced(text, "to = \"east\"\nfallback = \"west\"", "to = \"west\"\nfallback = \"east\""),
                "10.0", "10.0"),
       {"  route[0].to: \"east\" -> \"west\"\n  route[0].fallback: \"west\" -> \"east\"\n"},
       {3, 4}},
      {"a route less", ports + west + back, {"  route[3]: "}, {3, 4}},
  };
  const std::string config = write_config(text);
  Running program = start(config);
  Telemetry counters(prefix());
  expect_senders(counters, {1, 2});
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    change(config, row.text, program);
    for (const std::string& words : row.says) program.expect_says(words);
    expect_senders(counters, row.senders);
  }
  change(config, ports + back, program);
  program.expect_says("warning: " + config + ":");
  program.expect_says("what comes in by group local has no route and is dropped (no_route)");
  const uint64_t before = counters.received(0);
  until("packets come in without a route", [&] { return counters.received(0) > before + 10'000; });
  const Json report = expect_good_end(program);
  EXPECT_GE(report["dropped"].value("no_route", 0u), 9'000u) << report["dropped"].dump();
}

}  // namespace
