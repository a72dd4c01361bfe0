// SPDX-License-Identifier: BSD-3-Clause
// Settings files: what good ones set, what is said of text that is not TOML and of files that cannot be read.
#include "control/settings_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

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
  const LoadedSettings loaded = parse_settings(R"(
[eal]
args = ["--no-huge", "-m", "512"]
secondary = true
[engine]
mode = "macswap"
lcores = [1, "2@0"]
burst = 64
idle = "sleep"
idle_rounds = 7
idle_sleep_us = 8
hold_packets = 9
mbuf_bytes = 4096
reserve_mbufs = 10
link_local = "pass"
malformed = "drop"
[[port]]
device = "net_null0"
group = "access"
rx_queues = 3
rx_descriptors = 512
tx_descriptors = 256
weight = 5
speed = "2.5G"
mtu = 9000
next_hop_mac = "02:Ab:00:00:00:01"
[[port]]
device = "net_null1"
speed = 10000000
[distribution]
hash = "crc32c-rfc"
toeplitz_key = "mlx5"
seed = "0x5EED"
fields = ["dst_ip", "proto", "vlan", "dest_qp", "port_range"]
symmetric = true
port_ranges = ["0-79", "80-80"]
vlan_tag = "inner"
owner = "per_worker"
queues_per_nic = 4
buckets_per_queue = 32
[flowgen]
flows = 12
kind = "udp"
ip = "6"
sizes = [66, 9220]
seed = 0xffffffff
)",
                                               "f");
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
  EXPECT_EQ(s.distribution.toeplitz_key, core::ToeplitzKey::mlx5);
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
      Lines{
          "f:32: distribution.toeplitz_key: has no effect with hash \"crc32c-rfc\", only with \"toeplitz\""});
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
