// SPDX-License-Identifier: BSD-3-Clause
// Settings files: what good ones set, how addresses are written, what is said of text that is not TOML and of
// files that cannot be read.
#include "control/settings_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/settings_text.h"

#ifndef ROCEWAY_SOURCE_DIR
#define ROCEWAY_SOURCE_DIR "."
#endif

namespace {

using control::LoadedSettings;
using control::parse_settings;
using test_support::expect_problems;
using test_support::kIo;
using test_support::kTables;
using test_support::Lines;

TEST(SettingsFile, WhatIsNotToml) {
  using namespace std::string_literals;
  expect_problems({
      {"empty", "", {"f: the file sets nothing; give it at least one table, as in [engine]"}},
      {"comments alone",
       "# burst = 3\n\n",
       {"f: the file sets nothing; give it at least one table, as in [engine]"}},
      {"binary",
       "\x7f"
       "ELF\0\1"s,
       {"f: not a text file (byte 5 is zero)"}},
  });
  const std::string outside = " stands outside of quotes and comments";
  expect_problems({
      {"curly quotes", "[engine]\nmode = \u201cio\u201d\n", {"f:2: not valid TOML: \u201c" + outside}},
      {"accent in a key", "# caf\u00e9\n\u00e9 = 1\n", {"f:2: not valid TOML: \u00e9" + outside}},
      {"after a string", "a = \"\u00e9\\\"\"\u00e9\n", {"f:1: not valid TOML: \u00e9" + outside}},
      {"after a long string",
       "a = \"\"\"\n\u00e9\"\n\"\"\"\u00a0\n",
       {"f:3: not valid TOML: \u00a0" + outside}},
      {"after a literal string", "a = '\\'\u3000\n", {"f:1: not valid TOML: \u3000" + outside}},
      {"in strings, quoted keys and comments",
       kIo + "eal.args = [\"\u00e9\", '\u3000', \"\"\"\n\ufb01\"\"\"] # \ufdfa\n\"\u00e9\" = 1 # \u00e9\n",
       {"f:4: unknown key \"\u00e9\"; allowed: " + kTables}},
  });
  // The rest of these lines is toml++'s own words.
  const std::vector<test_support::SettingsRow> rows = {
      {"key twice", "[engine]\nburst = 1\nburst = 2\n", {"f:3: not valid TOML: ", "'burst'"}},
      {"table twice", "[engine]\nburst = 1\n\n[engine]\n", {"f:4: not valid TOML: ", "'engine'"}},
      {"[port] after [[port]]", "[[port]]\n[port]\n", {"f:2: not valid TOML: ", "'port'"}},
      {"no quotes", "[engine]\nmode = io\n", {"f:2: not valid TOML: ", ""}},
      {"no end of table", "[engine\n", {"f:1: not valid TOML: ", ""}},
      {"no key in a table header", "[eal]\n[,x]\n", {"f:2: not valid TOML: ", ""}},
      {"no end of string", "[engine]\nmode = \"io\n", {"f:2: not valid TOML: ", ""}},
      {"too large for 64 bits", "[engine]\nburst = 99999999999999999999\n", {"f:2: not valid TOML: ", "64"}},
      {"not UTF-8", "[engine]\nmode = \"\xff\"\n", {"f:2: not valid TOML: ", "utf-8"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Lines problems = parse_settings(row.text, "f").problems;
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_TRUE(problems[0].starts_with(row.expected[0])) << problems[0];
    EXPECT_NE(problems[0].find(row.expected[1]), std::string::npos) << problems[0];
    EXPECT_EQ(problems[0].find('\n'), std::string::npos);
  }
}

TEST(SettingsFile, EveryKeyReachesItsSetting) {
  const LoadedSettings loaded = parse_settings(test_support::kEveryKey, "f");
  ASSERT_EQ(loaded.problems, Lines{});
  const core::Settings& s = loaded.settings;
  EXPECT_EQ(s.eal.args, (Lines{"--no-huge", "-m", "512"}));
  EXPECT_TRUE(s.eal.secondary);
  EXPECT_EQ(s.engine.mode, core::Mode::macswap);
  EXPECT_EQ(s.engine.lcores, (std::vector<core::LcoreEntry>{{1, 1}, {2, 0}}));
  EXPECT_EQ(s.engine.burst, 64);
  EXPECT_EQ(s.engine.idle, core::Idle::sleep);
  EXPECT_EQ(s.engine.idle_rounds, 7u);
  EXPECT_EQ(s.engine.idle_sleep_us, 8u);
  EXPECT_EQ(s.engine.hold_packets, 9u);
  EXPECT_EQ(s.engine.mbuf_bytes, 4096);
  EXPECT_EQ(s.engine.reserve_mbufs, 10u);
  EXPECT_EQ(s.engine.reorder_sample, 11u);
  EXPECT_TRUE(s.engine.record_core_cycles);
  EXPECT_TRUE(s.engine.record_burst_stats);
  EXPECT_EQ(s.engine.link_local, core::Treatment::pass);
  EXPECT_EQ(s.engine.malformed, core::Treatment::drop);
  ASSERT_EQ(s.ports.size(), 2u);
  EXPECT_EQ(s.ports[0].device, "net_null0");
  EXPECT_EQ(s.ports[0].group, "access");
  EXPECT_EQ(s.ports[0].rx_queues, 3);
  EXPECT_EQ(s.ports[0].rx_descriptors, 512);
  EXPECT_EQ(s.ports[0].tx_descriptors, 256);
  EXPECT_EQ(s.ports[0].weight, 5u);
  EXPECT_EQ(s.ports[0].speed_bps, 2'500'000'000u);
  EXPECT_EQ(s.ports[0].mtu, 9000);
  EXPECT_EQ(s.ports[0].next_hop_mac, (core::MacAddress{2, 0xab, 0, 0, 0, 1}));
  EXPECT_EQ(s.ports[1].device, "net_null1");
  EXPECT_EQ(s.ports[1].speed_bps, 10'000'000u);
  EXPECT_EQ(s.ports[1].mtu, core::PortSettings{}.mtu);
  EXPECT_EQ(s.distribution.hash, core::HashAlgorithm::crc32c_rfc);
  EXPECT_EQ(s.engine.simd, core::SimdChoice::portable);
  EXPECT_EQ(s.distribution.toeplitz_key, core::ToeplitzKey::mlx5);
  EXPECT_TRUE(s.distribution.reuse_rss_hash);
  EXPECT_EQ(s.distribution.seed, 0x5eedu);
  const core::KeyFields fields{.src_ip = false,
                               .dst_ip = true,
                               .src_port = false,
                               .dst_port = false,
                               .proto = true,
                               .vlan = true,
                               .dest_qp = true,
                               .packet_length = false,
                               .port_range = true,
                               .symmetric = true,
                               .port_ranges = {{0, 79}, {80, 80}}};
  EXPECT_EQ(s.distribution.fields, fields);
  EXPECT_EQ(s.distribution.vlan_tag, core::VlanTag::inner);
  EXPECT_EQ(s.distribution.owner, core::Owner::by_hash);
  EXPECT_EQ(s.distribution.queues_per_nic, 4);
  EXPECT_EQ(s.distribution.buckets_per_queue, 32);
  const core::FlowPattern flowgen{.flows = 12,
                                  .kind = core::FlowKind::udp,
                                  .ip = core::IpVersion::v6,
                                  .sizes = {66, 9220},
                                  .seed = 0xffff'ffff};
  EXPECT_EQ(s.flowgen, flowgen);
  EXPECT_EQ(
      loaded.warnings,
      (Lines{
          "f:39: distribution.toeplitz_key: has no effect with hash \"crc32c-rfc\", only with \"toeplitz\"",
          "f:40: distribution.reuse_rss_hash: has no effect with hash \"crc32c-rfc\", only with "
          "\"toeplitz\""}));
}

TEST(SettingsFile, ProblemsThatAreFoundLaterHaveTheirLinesToo) {
  const std::vector<core::Problem> later = {{"port[1].device", "c"}, {"eal.args", "d"}, {"engine.mode", "a"}};
  const LoadedSettings loaded =
      parse_settings("[engine]\nmode = \"io\"\n[[port]]\ndevice = \"a\"\n[[port]]\ndevice = \"b\"\n", "f");
  ASSERT_EQ(loaded.problems, Lines{});
  EXPECT_EQ(loaded.placed(later), (Lines{"f: eal.args: d", "f:2: engine.mode: a", "f:6: port[1].device: c"}));
  EXPECT_EQ(LoadedSettings{}.placed(later), (Lines{"port[1].device: c", "eal.args: d", "engine.mode: a"}))
      << "no file";
}

TEST(SettingsFile, EveryKeyOfPathsReachesItsSetting) {
  const LoadedSettings loaded = parse_settings(test_support::kEveryPath, "f");
  ASSERT_EQ(loaded.problems, Lines{});
  EXPECT_EQ(loaded.warnings, Lines{});
  const core::Settings& s = loaded.settings;
  ASSERT_EQ(s.groups.size(), 2u);
  EXPECT_EQ(s.groups[0].name, "hosts");
  EXPECT_EQ(s.groups[0].broadcast, core::Broadcast::any);
  EXPECT_FALSE(s.groups[0].loop_guard);
  EXPECT_EQ(s.groups[1].name, "right");
  EXPECT_EQ(s.groups[1].broadcast, core::Broadcast::one);
  EXPECT_TRUE(s.groups[1].loop_guard);
  ASSERT_EQ(s.ports.size(), 4u);
  EXPECT_EQ(s.ports[1].domain, "tor \"A\"");
  EXPECT_FALSE(s.ports[1].enabled);
  EXPECT_TRUE(s.ports[1].drain);
  EXPECT_EQ(s.ports[1].excluded_priorities, 1 << 3 | 1 << 7);
  EXPECT_EQ(s.ports[1].liveness, core::Liveness::probe);
  EXPECT_EQ(s.ports[1].address, (core::IpAddress{false, {192, 0, 2, 1}}));
  EXPECT_EQ(s.ports[1].next_hop_ip, (core::IpAddress{false, {192, 0, 2, 254}}));
  EXPECT_EQ(s.ports[2].address,
            (core::IpAddress{true, {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}));
  EXPECT_EQ(s.ports[2].next_hop_ip,
            (core::IpAddress{true, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 2}}));
  EXPECT_EQ(s.ports[3].domain, "");
  EXPECT_TRUE(s.ports[3].enabled);
  EXPECT_FALSE(s.ports[3].drain);
  EXPECT_EQ(s.ports[3].excluded_priorities, 0);
  EXPECT_EQ(s.ports[3].liveness, core::Liveness::link);
  EXPECT_EQ(s.ports[3].address, std::nullopt);
  ASSERT_EQ(s.routes.size(), 4u);
  EXPECT_EQ(s.routes[0].from, "hosts");
  EXPECT_EQ(s.routes[0].to, "left");
  EXPECT_EQ(s.routes[0].fallback, "right");
  EXPECT_EQ(s.routes[0].dst, (core::IpPrefix{{false, {10}}, 8}));
  EXPECT_EQ(s.routes[0].dst_mac, (core::MacAddress{2, 0, 0, 0, 0, 15}));
  EXPECT_EQ(s.routes[0].priority, 0);
  EXPECT_EQ(s.routes[1].dst, (core::IpPrefix{*s.ports[2].address, 128}));
  EXPECT_EQ(s.routes[1].priority, std::nullopt);
  EXPECT_EQ(s.routes[2].fallback, "");
  EXPECT_EQ(s.routes[2].dst, std::nullopt);
  EXPECT_EQ(s.routes[2].dst_mac, std::nullopt);
  ASSERT_EQ(s.pins.size(), 1u);
  EXPECT_EQ(s.pins[0].group, "left");
  EXPECT_EQ(s.pins[0].device, "net_null2");
  EXPECT_EQ(s.pins[0].bucket, 17u);
  EXPECT_EQ(s.pins[0].queue, 1);
  EXPECT_EQ(s.failover.hold_down_ms, 0u);
  EXPECT_EQ(s.failover.settle_us, 1u);
  EXPECT_EQ(s.failover.probe_interval_ms, 20u);
  EXPECT_EQ(s.failover.probes, 4u);
  EXPECT_EQ(s.failover.domains_down, Lines{"tor \"A\""});
}

TEST(SettingsFile, Prefixes) {
  struct Row {
    std::string written;
    core::IpPrefix expected;
  };
  using Bytes = std::array<uint8_t, 16>;
  Bytes ones;
  ones.fill(0xff);
  Bytes first_127 = ones;
  first_127[15] = 0xfe;
  const std::vector<Row> rows = {
      {"0.0.0.0/0", {{false, {}}, 0}},
      {"128.0.0.0/1", {{false, {128}}, 1}},
      {"10.128.0.0/9", {{false, {10, 128}}, 9}},
      {"192.0.2.254/31", {{false, {192, 0, 2, 254}}, 31}},
      {"192.0.2.255/32", {{false, {192, 0, 2, 255}}, 32}},
      {"192.0.2.255", {{false, {192, 0, 2, 255}}, 32}},
      {"::/0", {{true, {}}, 0}},
      {"fe80::/10", {{true, {0xfe, 0x80}}, 10}},
      {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127", {{true, first_127}, 127}},
      {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", {{true, ones}, 128}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.written);
    const LoadedSettings loaded = parse_settings(
        "[[port]]\ndevice = \"a\"\ngroup = \"access\"\n[[port]]\ndevice = \"b\"\ngroup = \"uplink\"\n"
        "[[route]]\nfrom = \"access\"\nto = \"uplink\"\ndst = \"" +
            row.written + "\"\n",
        "f");
    ASSERT_EQ(loaded.problems, Lines{});
    ASSERT_EQ(loaded.settings.routes.size(), 1u);
    EXPECT_EQ(loaded.settings.routes[0].dst, row.expected);
  }
}

TEST(SettingsFile, AddressesThatAreRefused) {
  const std::string allowed = "; allowed: an IP address as in \"192.0.2.1\" or \"2001:db8::1\"";
  for (const std::string wrong : {"", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1/24", " 192.0.2.1",
                                  "2001:db8::1::", "fe80::1%eth0", "tor1", "192.0.2.1:80"}) {
    expect_problems({{wrong,
                      kIo + "[[port]]\ndevice = \"a\"\naddress = \"" + wrong + "\"\nnext_hop_ip = 5\n",
                      {"f:4: port[0].address: found string \"" + wrong + '"' + allowed,
                       "f:5: port[0].next_hop_ip: found 5" + allowed}}});
  }
  expect_problems({{"a zero byte behind an address",
                    kIo + "[[port]]\ndevice = \"a\"\naddress = \"192.0.2.1\\u0000\"\n",
                    {"f:4: port[0].address: found string \"192.0.2.1\\x00\"" + allowed}}});
}

TEST(SettingsFile, PrefixesThatAreRefused) {
  const std::string allowed =
      "; allowed: an IP address or a prefix, as in \"192.0.2.1\", \"10.0.0.0/8\", \"2001:db8::/32\"";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"10.0.0.0/", allowed},
      {"10.0.0.0/-1", allowed},
      {"10.0.0.0/8/8", allowed},
      {"10.0.0.0/255.0.0.0", allowed},
      {"/8", allowed},
      {"10/8", allowed},
      {"10.0.0.0/33", "; allowed /0 to /32"},
      {"2001:db8::/129", "; allowed /0 to /128"},
      {"10.0.0.1/0", ", with bits set beyond the first 0; did you mean \"0.0.0.0/0\"?"},
      {"10.1.2.3/8", ", with bits set beyond the first 8; did you mean \"10.0.0.0/8\"?"},
      {"10.255.0.0/9", ", with bits set beyond the first 9; did you mean \"10.128.0.0/9\"?"},
      {"192.0.2.255/31", ", with bits set beyond the first 31; did you mean \"192.0.2.254/31\"?"},
      {"2001:db8::1/32", ", with bits set beyond the first 32; did you mean \"2001:db8::/32\"?"},
      {"::3/127", ", with bits set beyond the first 127; did you mean \"::2/127\"?"},
  };
  for (const auto& [written, what] : rows) {
    expect_problems({{written,
                      kIo + "[[route]]\ndst = \"" + written + "\"\n",
                      {"f:3: route[0].dst: found string \"" + written + '"' + what}}});
  }
  expect_problems({{"not a string, and a MAC",
                    kIo + "[[route]]\n[[route]]\ndst = 10\ndst_mac = \"10.0.0.1\"\n",
                    {"f:4: route[1].dst: found 10" + allowed,
                     "f:5: route[1].dst_mac: found string \"10.0.0.1\"; allowed: a MAC address as in "
                     "\"02:00:00:00:00:01\""}}});
}

TEST(SettingsFile, PacketLengthAndDefaultPortRanges) {
  const LoadedSettings loaded =
      parse_settings(kIo + "[distribution]\nfields = [\"src_ip\", \"packet_length\", \"port_range\"]\n", "f");
  ASSERT_EQ(loaded.problems, Lines{});
  EXPECT_TRUE(loaded.settings.distribution.fields.packet_length);
  EXPECT_EQ(loaded.settings.distribution.fields.port_ranges,
            (std::vector<core::PortRange>{{0, 1023}, {1024, 49151}, {49152, 65535}}));
  EXPECT_EQ(loaded.warnings,
            Lines{"f:3: distribution.fields: packet_length sends packets of one flow by several "
                  "queues: they can arrive in another order"});
}

TEST(SettingsFile, ForeignLineEndsAndByteOrderMark) {
  const LoadedSettings loaded = parse_settings("\xef\xbb\xbf[engine]\r\nmode = \"io\"\r\nburst = 7\r\n", "f");
  ASSERT_EQ(loaded.problems, Lines{});
  EXPECT_EQ(loaded.settings.engine.burst, 7);
}

class SettingsFileOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("settings_file_test." + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(SettingsFileOnDisk, ReadsAFile) {
  const std::string path = folder_ / "good.toml";
  std::ofstream(path) << "[engine]\nmode = \"io\"\nburst = 600\n";
  EXPECT_EQ(control::load_settings_file(path).problems,
            Lines{path + ":3: engine.burst: found 600; allowed 1 to 512"});
}

TEST_F(SettingsFileOnDisk, SaysWhyAFileCannotBeRead) {
  const std::string missing = folder_ / "missing.toml";
  EXPECT_EQ(control::load_settings_file(missing).problems,
            Lines{missing + ": cannot be read: No such file or directory"});
  EXPECT_EQ(control::load_settings_file(folder_).problems,
            Lines{folder_.string() + ": cannot be read: Is a directory"});
  const std::string large = folder_ / "large.toml";
  std::ofstream(large) << std::string((1 << 20) + 1, '#');
  EXPECT_EQ(control::load_settings_file(large).problems,
            Lines{large + ": cannot be read: longer than 1 MiB; is it a settings file?"});
  const std::string empty = folder_ / "empty.toml";
  std::ofstream(empty).flush();
  EXPECT_EQ(control::load_settings_file(empty).problems,
            Lines{empty + ": the file sets nothing; give it at least one table, as in [engine]"});
}

TEST(SettingsFile, FilesInConfigsAreValidAndSayWhatTheyShow) {
  const std::filesystem::path folder = std::filesystem::path(ROCEWAY_SOURCE_DIR) / "configs";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no folder " << folder;
  unsigned seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path());
    ++seen;
    const LoadedSettings loaded = control::load_settings_file(entry.path());
    EXPECT_EQ(loaded.problems, Lines{});
    std::ifstream file(entry.path());
    std::string first_line;
    std::getline(file, first_line);
    EXPECT_TRUE(first_line.starts_with("# ") && first_line.size() > 2) << first_line;
  }
  EXPECT_GE(seen, 3u);
}

}  // namespace
