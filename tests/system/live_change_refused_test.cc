// SPDX-License-Identifier: BSD-3-Clause
// SIGHUP that changes nothing, or not all: what needs a restart is named, a file that cannot be used is told
// and left alone, and what means the same is no difference.
#include <sys/stat.h>

#include <functional>

#include "system/live_change.h"

namespace {

using namespace system_test;

using LiveChangeRefused = LiveChangeTest;

// The line of the difference is all that happens.
TEST_F(LiveChangeRefused, WhatNeedsARestartIsNamed) {
  const std::string text = four_nics();
  const auto with = [&](const std::string& words, const std::string& by) {
    return replaced(text, words, by);
  };
  const struct {
    std::string text, says;
  } rows[] = {
      {with("burst = 32", "mode = \"io\""), "  engine.mode: \"gateway\" -> \"io\": needs a restart\n"},
      {with("burst = 32", "lcores = [\"1@0\"]"),
       "  engine.lcores: (not set) -> [\"1@0\"]: needs a restart\n"},
      {with("burst = 32", "hold_packets = 7"), "  engine.hold_packets: 512 -> 7: needs a restart\n"},
      {with("queues_per_nic = 1", "queues_per_nic = 2"),
       "  distribution.queues_per_nic: 1 -> 2: needs a restart\n"},
      {with("queues_per_nic = 1", "queues_per_nic = 1\nowner = \"by_hash\""),
       "  distribution.owner: \"per_worker\" -> \"by_hash\": needs a restart\n"},
      {replaced_of_nic(text, '3', "mtu = 1500", "mtu = 9000"),
       "  port[3].mtu: 1500 -> 9000: needs a restart\n"},
      {replaced_of_nic(text, '4', "\"uplink\"", "\"access\""),
       "  port[4].group: \"uplink\" -> \"access\": needs a restart\n"},
      {text + port_table("net_null5", "uplink"), "  port[5]: (none) -> \"net_null5\": needs a restart\n"},
      {text.substr(0, text.rfind("[[port]]")), "  port[4]: \"net_null4\" -> (none): needs a restart\n"},
      {with("[\"--no-pci\"", "[\"--no-pci\", \"--no-hpet\""), "eal.args: [\"--no-pci\", \"--vdev=net_pcap0"},
  };
  const std::string config = write_config(text);
  Running program = start(config);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.says);
    change(config, row.text, program);
    program.expect_says(row.says);
  }
  // Of both kinds at once: what can be done is done.
  change(config,
         replaced_of_nic(with("burst = 32", "burst = 8\nmbuf_bytes = 4096"), '1', "mtu", "drain = true\nmtu"),
         program);
  program.expect_says(
      "  engine.burst: 32 -> 8\n  engine.mbuf_bytes: 2048 -> 4096: needs a restart\n  port[1].drain: false "
      "-> true\n");
  program.expect_says(
      "  engine.burst: 32 -> 8, port[1].drain: false -> true: 2 of 8 buckets moved, 2 had to; published ");
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["events"].size(), 1u) << report["events"].dump(1);
  EXPECT_EQ(report["members"][1]["state"], "drained");
}

TEST_F(LiveChangeRefused, FilesThatCannotBeUsedChangeNothing) {
  const std::string text = four_nics();
  const auto with = [&](const std::string& words, const std::string& by) {
    return replaced(text, words, by);
  };
  const std::string config = write_config(text);
  const auto put = [&](const std::string& bytes) { return [=] { write_text(config, bytes); }; };
  const std::string route =
      "[[route]]\nfrom = \"access\"\nto = \"east\"\n[[route]]\nfrom = \"east\"\nto = \"access\"\n";
  struct Row {
    std::string name;
    std::function<void()> change;
    Words says;
  };
  std::vector<Row> rows = {
      {"no TOML", put("[engine\n"), {config + ":1: not valid TOML"}},
      {"nothing", put(""), {"the file sets nothing"}},
      {"unknown key", put(with("weight", "wieght")), {"unknown key \"wieght\"; did you mean \"weight\"?"}},
      {"a number too large",
       put(with("weight = 1", "weight = 1001")),
       {"port[1].weight: found 1001; allowed 0 to 1000"}},
      {"two problems",
       put(replaced(with("weight = 1", "weight = 1001"), "burst = 32", "burst = 0")),
       {"engine.burst: found 0; allowed 1 to 512", "port[1].weight: found 1001; allowed 0 to 1000"}},
      {"unknown domain, and a drain beside it",
       put(replaced(with("= []", "= [\"X\"]"), "mtu", "drain = true\nmtu")),
       {"no port is in domain \"X\""}},
      {"route to an unknown group", put(text + route), {"route[0].to: no port is in group \"east\""}},
      {"no byte of text", put(std::string("[eal]\0", 6)), {"not a text file (byte 6 is zero)"}},
      {"a folder",
       [&] {
         std::filesystem::remove(config);
         std::filesystem::create_directory(config);
       },
       {config + ": cannot be read: Is a directory"}},
      {"a pipe that nobody writes to",
       [&] {
         std::filesystem::remove(config);
         ASSERT_EQ(mkfifo(config.c_str(), 0600), 0);
       },
       {config + ": is a pipe"}},
      {"missing",
       [&] { std::filesystem::remove(config); },
       {config + ": cannot be read: No such file or directory"}},
      // Valid as a whole, but the live part alone is not: its group comes with a port, and that with a
      // restart.
      {"route to a group that needs a restart",
       put(text + port_table("net_null5", "east") + route),
       {config + ":" + std::to_string(3 + lines_in(text + port_table("net_null5", "east"))) + ": ",
        "route[0].to: group \"east\" is new, and a new group needs a restart\n",
        "route[1].from: group \"east\" is new, and a new group needs a restart\n"}},
  };
  if (getuid() != 0) {
    rows.push_back({"no right to read",
                    [&] { chmod(config.c_str(), 0); },
                    {config + ": cannot be read: Permission denied"}});
  }
  Running program = start(config);
  Telemetry counters(prefix());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    row.change();
    program.send(SIGHUP);
    for (const std::string& words : row.says) program.expect_says(words);
    program.expect_says("nothing has changed\n");
    expect_senders(counters, {1, 2, 3, 4});
  }
  std::filesystem::remove(config);
  change(config, text, program);
  program.expect_says(config + " was read again: nothing differs\n");
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["events"].size(), 0u) << report["events"].dump(1);
  EXPECT_EQ(report["moved"]["buckets"], 0);
  for (const Json& member : report["members"]) EXPECT_EQ(member["state"], "up") << member.dump();
}

// The file leaves the number of queues to the workers: it is known to the run alone.
TEST_F(LiveChangeRefused, APinBeyondTheTableOfThisRun) {
  const std::string text = replaced(four_nics(), "queues_per_nic = 1\n", "");
  const auto pinned = [&](const std::string& bucket) {
    return text + "[[pin]]\ngroup = \"uplink\"\ndevice = \"net_null4\"\nqueue = 0\nbucket = " + bucket + "\n";
  };
  const std::string config = write_config(text);
  Running program = start(config);
  change(config, pinned("8"), program);
  program.expect_says(config + ":" + std::to_string(5 + lines_in(text)) +
                      ": pin[0].bucket: found 8; allowed 0 to 7\n");
  program.expect_says("nothing has changed\n");
  change(config, pinned("7"), program);
  program.expect_says("no bucket moved; published ");
  expect_good_end(program);
}

TEST_F(LiveChangeRefused, WhatMeansTheSameIsNoDifference) {
  const std::string text = four_nics();
  const std::string config = write_config(text);
  Running program = start(config, {"--burst", "16"});
  const std::string first_port = text.substr(
      text.find("[[port]]"), text.find("[[port]]", text.find("[[port]]") + 1) - text.find("[[port]]"));
  const std::string rows[] = {
      text,
      "# a comment\n" + replaced(text, "queues_per_nic = 1", "queues_per_nic =   0x1"),
      replaced(text, first_port, "") + first_port,                   // another order of ports
      text + "[[group]]\nname = \"uplink\"\nbroadcast = \"one\"\n",  // the defaults
      replaced(text, "burst = 32", "burst = 64"),                    // the command line wins, now as at start
  };
  for (const std::string& row : rows) {
    change(config, row, program);
    program.expect_says(" was read again: nothing differs\n");
  }
  const Json report = expect_good_end(program);
  EXPECT_EQ(report["events"].size(), 0u) << report["events"].dump(1);
}

// Without [[port]] every device is a port, now as at start.
TEST_F(LiveChangeRefused, DevicesThatNoPortNames) {
  const std::string text = eal_table({"net_null0,no-rx=1"}) + "[engine]\nmode = \"rxonly\"\n";
  const std::string config = write_config(text);
  Running program = start(config);
  change(config, text, program);
  program.expect_says(config + " was read again: nothing differs\n");
  expect_good_end(program);
}

}  // namespace
