// SPDX-License-Identifier: BSD-3-Clause
// Groups, routes, domains and pins that cannot be meant: --check tells each in one line, with the line of the
// file, and exit status 2. What may be meant is told as a warning, with exit status 0.
#include "system/program.h"

namespace {

using namespace system_test;

class RefusedPaths : public SystemTest {
 protected:
  struct Row {
    std::string name, text;
    std::string at;    // words that the line of the problem has, the last such line counts
    std::string says;  // behind "<file>:<line>: "
  };

  // The only line of stderr, and the exit status.
  void expect_told(const Row& row, int status, const std::string& kind) const {
    SCOPED_TRACE(row.name);
    const std::string config = write_config(row.text);
    const test_support::Ended ended = run({"--config", config, "--check"});
    EXPECT_EQ(ended.status, status) << "signal " << ended.signal << "\n" << ended.out << ended.err;
    EXPECT_EQ(ended.out, status == 0 ? config + ": valid\n" : "");
    EXPECT_EQ(lines_in(ended.err), 1u) << ended.err;
    const size_t at = row.text.rfind(row.at);
    ASSERT_NE(at, std::string::npos) << row.at;
    const std::string line = std::to_string(1 + lines_in(row.text.substr(0, at)));
    const std::string start = "roceway: " + kind + config + ":" + line + ": " + row.says;
    EXPECT_TRUE(ended.err.starts_with(start)) << ended.err << "is not\n" << start;
  }
};

std::string port(const std::string& number, const std::string& group, const std::string& more = "") {
  return port_table("net_null" + number, group, more);
}
std::string route(const std::string& from, const std::string& to, const std::string& more = "") {
  return "[[route]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + more;
}
std::string pin(const std::string& device, const std::string& bucket, const std::string& queue) {
  return "[[pin]]\ngroup = \"uplink\"\ndevice = \"" + device + "\"\nbucket = " + bucket +
         "\nqueue = " + queue + "\n";
}
std::string group(const std::string& name) {
  return "[[group]]\nname = \"" + name + "\"\n";
}
// Two ports in uplink, each with `more`.
std::string pair(const std::string& more = "") {
  return port("0", "access") + port("1", "uplink", more) + port("2", "uplink", more);
}
const std::string kRing = port("0", "local") + port("1", "east") + port("2", "west");
const std::string kBack = route("east", "local") + route("west", "local");
const std::string kQueues = "[distribution]\nqueues_per_nic = 2\n";

TEST_F(RefusedPaths, Routes) {
  const Row rows[] = {
      {"to an unknown group", kRing + route("local", "eats"), "eats",
       "route[0].to: no port is in group \"eats\"; groups: local, east, west"},
      {"from an unknown group", kRing + route("loacl", "east"), "loacl",
       "route[0].from: no port is in group \"loacl\"; groups: local, east, west"},
      {"fallback to an unknown group", kRing + route("local", "east", "fallback = \"wset\"\n"), "wset",
       "route[0].fallback: no port is in group \"wset\"; groups: local, east, west"},
      {"loop", kRing + route("east", "local") + route("west", "west"), "to = \"west\"",
       "route[1].to: sends packets back to where they come from; allowed: another group than \"west\""},
      {"loop by fallback", kRing + route("local", "east", "fallback = \"local\"\n"), "fallback",
       "route[0].fallback: sends packets back to where they come from; allowed: another group than"},
      {"fallback to itself", kRing + route("local", "east", "fallback = \"east\"\n"), "fallback",
       "route[0].fallback: a fallback to itself; name another group, or leave it out"},
      {"without a target", kRing + "[[route]]\nfrom = \"local\"\n", "[[route]]",
       "route[0].to: missing; the group that packets go to; groups: local, east, west"},
      {"prefix too long", kRing + route("local", "east", "dst = \"10.0.0.0/33\"\n"), "dst",
       "route[0].dst: found"},
      {"no prefix", kRing + route("local", "east", "dst = \"ten\"\n"), "dst",
       "route[0].dst: found string \"ten\"; allowed: an IP address or a prefix"},
      {"priority beyond 7", kRing + route("local", "east", "priority = 8\n"), "priority",
       "route[0].priority: found 8; allowed 0 to 7"},
      {"unknown key", kRing + route("local", "east", "dest = \"10.0.0.0/8\"\n"), "dest",
       "route[0]: unknown key \"dest\"; did you mean \"dst\"?"},
      {"one table only", kRing + "[route]\nfrom = \"local\"\nto = \"east\"\n", "[route]",
       "route: found [route]; write [[route]], once for each route"},
      {"group that nothing pairs", port("0", "left") + port("1", "uplink"), "left",
       "port[0].group: a group called \"left\" has no partner"},
  };
  for (const Row& row : rows) expect_told(row, 2, "");
}

TEST_F(RefusedPaths, MembersAndPins) {
  const Row rows[] = {
      {"weight 0 for all", port("0", "access") + port("1", "uplink", "weight = 0\n"), "weight",
       "port[1].weight: every port of group uplink has weight 0; at least one needs more"},
      {"domain with every member",
       port("0", "access") + port("1", "uplink", "domain = \"A\"\n") +
           "[[port]]\ndevice = \"net_null2\"\ngroup = \"uplink\"\ndomain='A'\n",
       "domain = \"A\"", "port[1].domain: every port of group uplink is in domain \"A\": losing it loses"},
      {"unknown domain", pair() + "[failover]\ndomains_down = [\"C\"]\n", "domains_down",
       "failover.domains_down[0]: no port is in domain \"C\"; domains: "},
      {"every domain down",
       port("0", "access") + port("1", "uplink", "domain = \"A\"\n") +
           port("2", "uplink", "domain = \"B\"\n") + "[failover]\ndomains_down = [\"A\", \"B\"]\n",
       "domains_down", "failover.domains_down: takes down every port of group uplink"},
      {"priority without a way", port("0", "access") + port("1", "uplink", "excluded_priorities = [3]\n"),
       "excluded", "port[1].excluded_priorities: priority 3 is excluded on every port of group uplink"},
      {"probe without a next hop",
       pair() + port("3", "uplink", "liveness = \"probe\"\naddress = \"10.0.0.1\"\n"), "[[port]]",
       "port[3].next_hop_ip: missing; liveness \"probe\" asks it"},
      {"probe from one version to the other",
       pair() +
           port("3", "uplink", "liveness = \"probe\"\naddress = \"10.0.0.1\"\nnext_hop_ip = \"fe80::1\"\n"),
       "next_hop_ip", "port[3].next_hop_ip: found IPv6, and address is IPv4"},
      {"hold-down too long", pair() + "[failover]\nhold_down_ms = 600001\n", "hold_down_ms",
       "failover.hold_down_ms: found 600001; allowed 0 to 600000"},
      {"pin to a device of another group", pair() + kQueues + pin("net_null0", "1", "0"), "device",
       "pin[0].device: found \"net_null0\"; ports of group uplink: net_null1, net_null2"},
      {"pin of a bucket that is not there", pair() + kQueues + pin("net_null1", "256", "0"), "bucket",
       "pin[0].bucket: found 256; allowed 0 to 255"},
      {"pin to a queue that is not there", pair() + kQueues + pin("net_null1", "255", "2"), "queue",
       "pin[0].queue: found 2; allowed 0 to 1"},
      {"bucket pinned twice", pair() + kQueues + pin("net_null1", "7", "0") + pin("net_null2", "7", "0"),
       "bucket", "pin[1].bucket: bucket 7 of group uplink is already pin[0]"},
      {"settings of no group", pair() + group("uplnik"), "uplnik",
       "group[0].name: no port is in group \"uplnik\"; groups: access, uplink"},
      {"settings of a group twice", pair() + group("uplink") + group("uplink"), "name",
       "group[1].name: \"uplink\" is already group[0]"},
  };
  for (const Row& row : rows) expect_told(row, 2, "");
}

TEST_F(RefusedPaths, WarningsOnly) {
  const std::string wide = route("local", "east", "dst = \"10.0.0.0/8\"\n");
  const std::string narrow = route("local", "west", "dst = \"10.1.0.0/16\"\n");
  const Row rows[] = {
      {"longer prefix behind the shorter", kRing + wide + narrow + kBack, "10.1.0.0/16",
       "route[1].dst: never reached: route[0] takes all of its packets first; put the longer prefix first"},
      {"behind one that takes all", kRing + route("local", "west") + wide + kBack, "10.0.0.0/8",
       "route[1].dst: never reached: route[0] takes all of its packets first; put the one with more"},
      {"twice the same", kRing + wide + wide + kBack, "dst",
       "route[1].dst: never reached: route[0] takes all of its packets first; leave one of them out"},
      {"group without a route", kRing + route("local", "east") + route("east", "local"), "group = \"west\"",
       "port[2].group: what comes in by group west has no route and is dropped (no_route)"},
      {"every member drained", port("0", "access") + port("1", "uplink", "drain = true\n"), "drain",
       "port[1].drain: every port of group uplink is drained, stopped, of weight 0 or in a domain that is"},
  };
  for (const Row& row : rows) expect_told(row, 0, "warning: ");
  // The harmless order says nothing.
  const std::string config = write_config(kRing + narrow + wide + kBack);
  const test_support::Ended ended = run({"--config", config, "--check"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
}

}  // namespace
