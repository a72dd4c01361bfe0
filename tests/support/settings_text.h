// SPDX-License-Identifier: BSD-3-Clause
// Rows of settings text and of the lines that must be said of it; files that set every key; settings written
// as a file. Called by tests only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/settings_file.h"
#include "control/settings_keys.h"

namespace test_support {

using Lines = std::vector<std::string>;

struct SettingsRow {
  std::string name;
  std::string text;
  Lines expected;  // problems, each with its line in a file called "f"
};

inline void expect_problems(const std::vector<SettingsRow>& rows) {
  for (const SettingsRow& row : rows) {
    SCOPED_TRACE(row.name);
    const control::LoadedSettings loaded = control::parse_settings(row.text, "f");
    EXPECT_EQ(loaded.problems, row.expected);
    EXPECT_EQ(loaded.warnings, Lines{});
  }
}

// Valid as it stands, one line; a row goes on from line 2.
inline const std::string kIo = "engine.mode = \"io\"\n";
inline const std::string kTables =
    "[eal], [engine], [[group]], [[port]], [[route]], [[pin]], [failover], [distribution], [log], [metrics], "
    "[flowgen]";

// Every key but those of mode gateway, none at its default.
inline const std::string kEveryKey = R"(
[eal]
args = ["--no-huge", "-m", "512"]
secondary = true
[engine]
mode = "macswap"
lcores = [1, "2@0"]
forwarding_ports = ["net_null1", "net_null0"]
port_topology = "chained"
rss = "ip"
simd = "portable"
burst = 64
idle = "sleep"
idle_rounds = 7
idle_sleep_us = 8
hold_packets = 9
mbuf_bytes = 4096
reserve_mbufs = 10
reorder_sample = 11
record_core_cycles = true
record_burst_stats = true
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
reuse_rss_hash = true
seed = "0x5EED"
fields = ["dst_ip", "proto", "vlan", "dest_qp", "port_range"]
symmetric = true
port_ranges = ["0-79", "80-80"]
vlan_tag = "inner"
owner = "by_hash"
queues_per_nic = 4
buckets_per_queue = 32
[log]
to = "syslog"
slow_round_us = 13
[metrics]
listen = "127.0.0.1:9464"
[flowgen]
flows = 12
kind = "udp"
ip = "6"
sizes = [66, 9220]
seed = 0xffffffff
)";

// Every key of mode gateway that says who is used for what, none at its default.
inline const std::string kEveryPath = R"(
[[group]]
name = "hosts"
broadcast = "any"
loop_guard = false
[[group]]
name = "right"
[[port]]
device = "net_null0"
group = "hosts"
[[port]]
device = "net_null1"
group = "left"
domain = "tor \"A\""
enabled = false
drain = true
excluded_priorities = [7, 3, 3]
liveness = "probe"
address = "192.0.2.1"
next_hop_ip = "192.0.2.254"
next_hop_mac = "02:00:00:00:00:01"
[[port]]
device = "net_null2"
group = "left"
liveness = "probe"
address = "2001:DB8:0::1"
next_hop_ip = "::ffff:192.0.2.2"
[[port]]
device = "net_null3"
group = "right"
[[route]]
from = "hosts"
to = "left"
fallback = "right"
dst = "10.0.0.0/8"
dst_mac = "02:00:00:00:00:0f"
priority = 0
[[route]]
from = "hosts"
to = "right"
dst = "2001:db8::1"
[[route]]
from = "left"
to = "hosts"
[[route]]
from = "right"
to = "hosts"
[[pin]]
group = "left"
device = "net_null2"
bucket = 17
queue = 1
[failover]
hold_down_ms = 0
settle_us = 1
probe_interval_ms = 20
probes = 4
domains_down = ["tor \"A\""]
[distribution]
queues_per_nic = 2
)";

// Writes every key that `text` has a text for, table after table.
class SettingsWriter {
 public:
  explicit SettingsWriter(const core::Settings& settings) : settings_(settings) {}

  template <class Table>
  void table(std::string_view name, Table core::Settings::*member,
             const std::vector<control::Key<Table>>& keys) {
    write('[' + std::string(name) + ']', keys, settings_.*member);
  }
  template <class Table>
  void list(std::string_view name, std::vector<Table> core::Settings::*member,
            const std::vector<control::Key<Table>>& keys) {
    for (const Table& entry : settings_.*member) write("[[" + std::string(name) + "]]", keys, entry);
  }
  const std::string& text() const { return text_; }

 private:
  template <class Table>
  void write(const std::string& header, const std::vector<control::Key<Table>>& keys, const Table& table) {
    text_ += header + '\n';
    for (const control::Key<Table>& key : keys) {
      const std::string value = key.text(table);
      if (!value.empty()) text_ += std::string(key.name) + " = " + value + '\n';
    }
  }

  const core::Settings& settings_;
  std::string text_;
};

inline std::string written(const core::Settings& settings) {
  SettingsWriter writer(settings);
  control::visit_tables(writer);
  return writer.text();
}

}  // namespace test_support
