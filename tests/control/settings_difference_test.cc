// SPDX-License-Identifier: BSD-3-Clause
// What differs between two settings, what of it takes effect at once, and that every value is written as text
// that reads back to it.
#include "control/settings_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "control/settings_keys.h"
#include "support/settings_text.h"

namespace {

using control::difference;
using control::SettingChange;
using control::with_live_changes;
using core::Settings;
using test_support::Lines;
using test_support::written;

Settings read(const std::string& text) {
  const control::LoadedSettings loaded = control::parse_settings(text, "f");
  EXPECT_EQ(loaded.problems, Lines{}) << text;
  return loaded.settings;
}

Lines lines_of(const Settings& before, const Settings& after) {
  Lines lines;
  for (const SettingChange& change : difference(before, after)) lines.push_back(text_of(change));
  return lines;
}

// Two ports in each of two groups, all at their defaults.
Settings four_ports() {
  Settings settings;
  for (const char* device : {"net_null0", "net_null1", "net_null2", "net_null3"}) {
    settings.ports.push_back({.device = device, .group = settings.ports.size() < 2 ? "access" : "uplink"});
  }
  return settings;
}

// Names of keys and whether they are live, as "port.weight".
struct KeyLister {
  template <class Table>
  void table(std::string_view name, Table Settings::*, const std::vector<control::Key<Table>>& keys) {
    for (const auto& key : keys)
      (key.when == control::When::now ? live : restart)
          .insert(std::string(name) + '.' + std::string(key.name));
  }
  template <class Table>
  void list(std::string_view name, std::vector<Table> Settings::*,
            const std::vector<control::Key<Table>>& keys) {
    table(name, static_cast<Table Settings::*>(nullptr), keys);
  }
  std::set<std::string> live, restart;
};

// "port[2].weight" as "port.weight".
std::string without_number(std::string where) {
  const size_t open = where.find('['), close = where.find(']');
  return open == std::string::npos ? where : where.erase(open, close - open + 1);
}

TEST(SettingsText, EveryKeyReadsBackToAnEqualValue) {
  Settings listed;  // one entry of each list at its defaults, named as in the files
  listed.groups = {{.name = "hosts"}};
  listed.ports = {{.device = "net_null0"}, {.device = "net_null1"}};
  std::set<std::string> seen;
  for (const std::string& text : {test_support::kEveryKey, test_support::kEveryPath}) {
    const Settings settings = read(text);
    EXPECT_EQ(lines_of(settings, read(written(settings))), Lines{});
    EXPECT_EQ(written(read(written(settings))), written(settings));
    for (const SettingChange& change : difference(listed, settings))
      seen.insert(without_number(change.where));
    // Keys of entries without a partner are told in one line, those that make a partner never differ.
    if (!settings.routes.empty()) {
      Settings bare = settings;
      for (core::RouteSettings& route : bare.routes) route = {};
      for (core::PinSettings& pin : bare.pins) pin = {.group = pin.group, .device = "", .bucket = pin.bucket};
      for (const SettingChange& change : difference(bare, settings))
        seen.insert(without_number(change.where));
    }
  }
  KeyLister keys;
  control::visit_tables(keys);
  std::set<std::string> expected = keys.live;
  expected.insert(keys.restart.begin(), keys.restart.end());
  for (const char* partner : {"group.name", "port.device", "pin.group", "pin.bucket"})
    expected.erase(partner);
  for (const char* entry : {"port", "route", "pin"}) seen.erase(entry);
  EXPECT_EQ(seen, expected);  // a key that no file sets to another value than its default has not been tried
}

TEST(SettingsText, DefaultsReadBack) {
  Settings io;
  io.engine.mode = core::Mode::io;
  EXPECT_EQ(lines_of(io, read(written(io))), Lines{});
  EXPECT_EQ(lines_of(four_ports(), read(written(four_ports()))), Lines{});
  EXPECT_EQ(written(four_ports()).substr(0, 60),
            "[eal]\nargs = []\nsecondary = false\n[engine]\nmode = \"gateway\"\n");
}

template <class Table>
std::string text_of_key(const std::vector<control::Key<Table>>& keys, const std::string& name,
                        const Table& table) {
  for (const auto& key : keys) {
    if (key.name == name) return key.text(table);
  }
  return "no such key";
}

TEST(SettingsText, Values) {
  struct Row {
    std::string key;
    std::function<void(core::PortSettings&)> set;
    std::string expected;
  };
  using Port = core::PortSettings;
  const std::vector<Row> rows = {
      {"rx_queues", [](Port&) {}, ""},
      {"rx_queues", [](Port& p) { p.rx_queues = 4; }, "4"},
      {"weight", [](Port& p) { p.weight = 0; }, "0"},
      {"group", [](Port&) {}, ""},
      {"domain", [](Port& p) { p.domain = "a\"b\\c\n\x01\x7f\u00e9"; },
       "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\u00e9\""},
      {"drain", [](Port& p) { p.drain = true; }, "true"},
      {"enabled", [](Port& p) { p.enabled = false; }, "false"},
      {"liveness",
       [](Port& p) {
         p.address = {false, {192, 0, 2, 1}};
         p.next_hop_ip = {false, {192, 0, 2, 2}};
         p.liveness = core::Liveness::probe;
       },
       "\"probe\""},
      {"speed", [](Port&) {}, ""},
      {"speed", [](Port& p) { p.speed_bps = 100'000'000'000; }, "\"100G\""},
      {"speed", [](Port& p) { p.speed_bps = 1'600'000'000'000; }, "\"1600G\""},
      {"speed", [](Port& p) { p.speed_bps = 2'500'000'000; }, "\"2.5G\""},
      {"speed", [](Port& p) { p.speed_bps = 2'550'000'000; }, "\"2550M\""},
      {"speed", [](Port& p) { p.speed_bps = 100'000'000; }, "\"100M\""},
      {"speed", [](Port& p) { p.speed_bps = 1'000'001; }, "1000001"},
      {"excluded_priorities", [](Port&) {}, "[]"},
      {"excluded_priorities", [](Port& p) { p.excluded_priorities = 0xff; }, "[0, 1, 2, 3, 4, 5, 6, 7]"},
      {"next_hop_mac", [](Port&) {}, ""},
      {"next_hop_mac",
       [](Port& p) {
         p.next_hop_mac = {{2, 0xab, 0, 0, 0, 1}};
       },
       "\"02:ab:00:00:00:01\""},
      {"address", [](Port&) {}, ""},
      {"address",
       [](Port& p) {
         p.address = {false, {192, 0, 2, 1}};
       },
       "\"192.0.2.1\""},
      {"address",
       [](Port& p) {
         p.address = {true, {0x20, 1, 0xd, 0xb8}};
       },
       "\"2001:db8::\""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.key + " = " + row.expected);
    Settings settings;
    settings.engine.mode = core::Mode::io;
    settings.ports = {{.device = "a"}};
    row.set(settings.ports[0]);
    EXPECT_EQ(text_of_key(control::port_keys(), row.key, settings.ports[0]), row.expected);
    const Settings back = read(written(settings));
    ASSERT_EQ(back.ports.size(), 1u);
    EXPECT_EQ(back.ports[0].domain, settings.ports[0].domain);
    EXPECT_EQ(back.ports[0].speed_bps, settings.ports[0].speed_bps);
    EXPECT_EQ(back.ports[0].excluded_priorities, settings.ports[0].excluded_priorities);
    EXPECT_EQ(back.ports[0].address, settings.ports[0].address);
    EXPECT_EQ(lines_of(settings, back), Lines{});
  }
}

TEST(SettingsText, ZeroBytesAndListsInArguments) {
  using namespace std::string_literals;
  Settings settings;
  settings.engine.mode = core::Mode::io;
  settings.eal.args = {"--file-prefix=\0x"s, "'", "\"\"\"", "\t#"};
  EXPECT_EQ(read(written(settings)).eal.args, settings.eal.args);
  settings.engine.lcores = {{3, 3}, {127, 1023}};
  settings.distribution.fields.port_range = true;
  settings.distribution.fields.port_ranges = core::default_port_ranges();
  const Settings back = read(written(settings));
  EXPECT_EQ(back.engine.lcores, settings.engine.lcores);
  EXPECT_EQ(back.distribution.fields, settings.distribution.fields);
}

TEST(SettingsDifference, WhichKeysAreLive) {
  KeyLister keys;
  control::visit_tables(keys);
  EXPECT_EQ(keys.live, (std::set<std::string>{"distribution.hash",
                                              "distribution.toeplitz_key",
                                              "distribution.seed",
                                              "distribution.fields",
                                              "distribution.symmetric",
                                              "distribution.port_ranges",
                                              "distribution.vlan_tag",
                                              "engine.forwarding_ports",
                                              "engine.port_topology",
                                              "log.slow_round_us",
                                              "engine.burst",
                                              "engine.record_core_cycles",
                                              "engine.record_burst_stats",
                                              "engine.link_local",
                                              "engine.malformed",
                                              "group.name",
                                              "group.broadcast",
                                              "group.loop_guard",
                                              "port.weight",
                                              "port.next_hop_mac",
                                              "port.address",
                                              "port.next_hop_ip",
                                              "port.liveness",
                                              "port.domain",
                                              "port.enabled",
                                              "port.drain",
                                              "port.excluded_priorities",
                                              "route.from",
                                              "route.to",
                                              "route.fallback",
                                              "route.dst",
                                              "route.dst_mac",
                                              "route.priority",
                                              "pin.group",
                                              "pin.device",
                                              "pin.bucket",
                                              "pin.queue",
                                              "failover.hold_down_ms",
                                              "failover.settle_us",
                                              "failover.probe_interval_ms",
                                              "failover.probes",
                                              "failover.domains_down"}));
}

struct Row {
  std::string name;
  std::function<void(Settings&)> change;  // of four_ports()
  Lines expected;
};

// In both directions: what is added one way is gone the other way.
TEST(SettingsDifference, Lines) {
  const std::vector<Row> rows = {
      {"nothing", [](Settings&) {}, {}},
      {"a live key", [](Settings& s) { s.ports[2].weight = 3; }, {"port[2].weight: 1 -> 3"}},
      {"a key that needs a restart",
       [](Settings& s) { s.ports[2].mtu = 9000; },
       {"port[2].mtu: 1500 -> 9000: needs a restart"}},
      {"set where nothing was",
       [](Settings& s) {
         s.ports[1].domain = "tor1";
         s.ports[1].rx_queues = 2;
       },
       {"port[1].rx_queues: (not set) -> 2: needs a restart", "port[1].domain: (not set) -> \"tor1\""}},
      {"several tables, in the order of the keys",
       [](Settings& s) {
         s.flowgen.sizes = {64, 1518};
         s.distribution.fields.vlan = true;
         s.distribution.fields.symmetric = true;
         s.failover.domains_down = {"A"};
         s.engine.malformed = core::Treatment::drop;
         s.engine.lcores = {{1, 1}, {2, 0}};
         s.eal.args = {"--no-pci"};
       },
       {"eal.args: [] -> [\"--no-pci\"]: needs a restart",
        "engine.lcores: (not set) -> [1, \"2@0\"]: needs a restart", "engine.malformed: \"pass\" -> \"drop\"",
        "failover.domains_down: [] -> [\"A\"]",
        "distribution.fields: [\"src_ip\", \"dst_ip\", \"src_port\", \"dst_port\"] -> [\"src_ip\", "
        "\"dst_ip\", "
        "\"src_port\", \"dst_port\", \"vlan\"]",
        "distribution.symmetric: false -> true", "flowgen.sizes: [64] -> [64, 1518]: needs a restart"}},
      {"the order of ports alone", [](Settings& s) { std::reverse(s.ports.begin(), s.ports.end()); }, {}},
      {"a port elsewhere in the file",
       [](Settings& s) {
         s.ports[3].drain = true;
         std::swap(s.ports[0], s.ports[3]);
       },
       {"port[0].drain: false -> true"}},
      {"a port more",
       [](Settings& s) { s.ports.push_back({.device = "net_null4", .weight = 7}); },
       {"port[4]: (none) -> \"net_null4\": needs a restart"}},
      {"a port less",
       [](Settings& s) { s.ports.erase(s.ports.begin() + 1); },
       {"port[1]: \"net_null1\" -> (none): needs a restart"}},
      {"another device",
       [](Settings& s) { s.ports[1].device = "0000:01:00.0"; },
       {"port[1]: \"net_null1\" -> \"0000:01:00.0\": needs a restart"}},
      {"a group with the defaults", [](Settings& s) { s.groups = {{.name = "uplink"}}; }, {}},
      {"a group of its own",
       [](Settings& s) {
         s.groups = {{.name = "access"},
                     {.name = "uplink", .broadcast = core::Broadcast::any, .loop_guard = false}};
       },
       {"group[1].broadcast: \"one\" -> \"any\"", "group[1].loop_guard: true -> false"}},
      {"routes",
       [](Settings& s) {
         s.routes = {
             {.from = "access", .to = "uplink", .dst = core::IpPrefix{{false, {10}}, 8}, .priority = 3}, {}};
       },
       {"route[0]: (none) -> { from = \"access\", to = \"uplink\", dst = \"10.0.0.0/8\", priority = 3 }",
        "route[1]: (none) -> {}"}},
      {"a pin",
       [](Settings& s) { s.pins = {{.group = "uplink", .device = "net_null2", .bucket = 17, .queue = 1}}; },
       {"pin[0]: (none) -> { group = \"uplink\", device = \"net_null2\", bucket = 17, queue = 1 }"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Settings before = four_ports();
    Settings after = before;
    row.change(after);
    EXPECT_EQ(lines_of(before, after), row.expected);
    const auto there = difference(before, after), back = difference(after, before);
    ASSERT_EQ(there.size(), back.size());
    for (const SettingChange& change : there) {
      const auto undone = [&](const SettingChange& other) {
        return without_number(other.where) == without_number(change.where) && other.before == change.after &&
               other.after == change.before && other.when == change.when;
      };
      EXPECT_EQ(std::count_if(back.begin(), back.end(), undone), 1) << text_of(change);
    }
  }
}

TEST(SettingsDifference, EntriesOfListsFindTheirPartners) {
  Settings before = four_ports();
  before.groups = {{.name = "access", .loop_guard = false},
                   {.name = "uplink", .broadcast = core::Broadcast::any}};
  before.routes = {{.from = "access", .to = "uplink", .priority = 1}, {.from = "uplink", .to = "access"}};
  before.pins = {{"access", "net_null0", 1, 0}, {"uplink", "net_null2", 1, 0}, {"uplink", "net_null2", 2, 0}};
  Settings after = before;
  after.groups = {{.name = "uplink", .broadcast = core::Broadcast::any}};
  after.routes = {{.from = "uplink", .to = "access"}};
  after.pins = {{"uplink", "net_null3", 1, 0}, {"access", "net_null0", 1, 2}, {"access", "net_null1", 2, 0}};
  EXPECT_EQ(lines_of(before, after),
            (Lines{"group[0].loop_guard: false -> true", "route[0].from: \"access\" -> \"uplink\"",
                   "route[0].to: \"uplink\" -> \"access\"", "route[0].priority: 1 -> (not set)",
                   "route[1]: { from = \"uplink\", to = \"access\" } -> (none)",
                   "pin[0].device: \"net_null2\" -> \"net_null3\"", "pin[1].queue: 0 -> 2",
                   "pin[2]: { group = \"uplink\", device = \"net_null2\", bucket = 2, queue = 0 } -> "
                   "{ group = \"access\", device = \"net_null1\", bucket = 2, queue = 0 }"}));
}

TEST(LiveChanges, TakeWhatIsLiveAndLeaveTheRest) {
  const Settings before = four_ports();
  Settings after = before;
  after.engine.burst = 7;
  after.engine.hold_packets = 7;
  after.distribution.seed = 7;
  after.failover.probes = 7;
  after.routes = {{.from = "access", .to = "uplink"}};
  after.groups = {{.name = "access", .loop_guard = false}};
  after.pins = {{"uplink", "net_null2", 1, 0}};
  after.ports = {{.device = "net_null9"}, before.ports[2], before.ports[0]};
  after.ports[1].weight = 7;
  after.ports[1].mtu = 700;
  const Settings merged = with_live_changes(before, after);
  EXPECT_EQ(lines_of(before, merged),
            (Lines{"engine.burst: 32 -> 7", "group[0].loop_guard: true -> false", "port[2].weight: 1 -> 7",
                   "route[0]: (none) -> { from = \"access\", to = \"uplink\" }",
                   "pin[0]: (none) -> { group = \"uplink\", device = \"net_null2\", bucket = 1, queue = 0 }",
                   "failover.probes: 3 -> 7", "distribution.seed: 0 -> 7"}));
  EXPECT_EQ(lines_of(merged, after), (Lines{"engine.hold_packets: 512 -> 7: needs a restart",
                                            "port[0]: (none) -> \"net_null9\": needs a restart",
                                            "port[1].mtu: 1500 -> 700: needs a restart",
                                            "port[1]: \"net_null1\" -> (none): needs a restart",
                                            "port[3]: \"net_null3\" -> (none): needs a restart"}));
  ASSERT_EQ(merged.ports.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(merged.ports[i].device, before.ports[i].device);
}

// Every key at once, both ways: what stays different is exactly what is not live.
TEST(LiveChanges, EveryKey) {
  for (const std::string& text : {test_support::kEveryKey, test_support::kEveryPath}) {
    const Settings set = read(text);
    Settings plain;
    for (const core::PortSettings& port : set.ports) plain.ports.push_back({.device = port.device});
    for (const auto& [before, after] : {std::pair(plain, set), std::pair(set, plain)}) {
      std::vector<SettingChange> live, rest;
      for (const SettingChange& change : difference(before, after))
        (change.live() ? live : rest).push_back(change);
      EXPECT_FALSE(live.empty());
      const Settings merged = with_live_changes(before, after);
      EXPECT_EQ(difference(before, merged), live);
      EXPECT_EQ(difference(merged, after), rest);
    }
  }
}

}  // namespace
