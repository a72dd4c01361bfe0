// SPDX-License-Identifier: BSD-3-Clause
// The whole configuration as values: every setting with its default, and the rules that make a set of
// settings valid. control/settings_file fills it from TOML, control/cli from the command line, tests by hand;
// core/plan is built from it. Values only, copied freely, owned by the control thread.
//
// The names of members are the names of keys in the file (docs/guide.md lists each with its range).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow_hash.h"
#include "core/flow_key.h"
#include "core/flow_maker.h"
#include "core/ip_address.h"
#include "core/simd.h"
#include "core/types.h"

namespace core {

// testpmd's words for what happens to a packet; gateway is roceway's own.
enum class Mode : uint8_t { gateway, io, mac, macswap, five_tuple_swap, rxonly, txonly, flowgen };
std::string_view name_of(Mode mode);  // "5tswap" for five_tuple_swap
std::optional<Mode> mode_of(std::string_view name);

// Which port packets leave by, in modes that do not look at flows: of ports 0, 1, 2, 3 the other one of 0-1
// and 2-3, the next one, or the one they came in by. testpmd's words.
enum class PortTopology : uint8_t { paired, chained, loop };
std::string_view name_of(PortTopology topology);

// What devices hash for their RX queues: all they can of IP, TCP, UDP and SCTP; IP addresses; UDP.
enum class Rss : uint8_t { all, ip, udp };
std::string_view name_of(Rss rss);

enum class Idle : uint8_t { busy, sleep };
// Who sends by a TX queue. per_worker: each worker has queues of its own on every port. by_hash: a port has Q
// queues in all, each with one owner; a packet for another worker's queue is handed to it.
enum class Owner : uint8_t { per_worker, by_hash };
// What tells that a member can carry traffic: its link, or also an answer of its next hop.
enum class Liveness : uint8_t { link, probe };
// From which members of a group flooded frames are taken in: the elected one, or any.
enum class Broadcast : uint8_t { one, any };
enum class Treatment : uint8_t { drop, pass };

// One entry of engine.lcores: 3 is lcore 3 on CPU 3, "2@0" is lcore 2 on CPU 0.
struct LcoreEntry {
  unsigned lcore = 0;
  unsigned cpu = 0;
  friend bool operator==(const LcoreEntry&, const LcoreEntry&) = default;
};

struct EalSettings {
  std::vector<std::string> args;
  bool secondary = false;  // keep files so that dpdk-dumpcap and dpdk-proc-info can attach
};

struct EngineSettings {
  Mode mode = Mode::gateway;
  std::vector<LcoreEntry> lcores;  // workers; empty: those EAL was given, else one on the last allowed CPU
  // Devices that forward, in the order that topology counts in, modes other than gateway; empty: all, in the
  // file's order.
  std::vector<std::string> forwarding_ports;
  PortTopology port_topology = PortTopology::paired;
  Rss rss = Rss::all;
  SimdChoice simd = SimdChoice::automatic;
  uint16_t burst = 32;  // packets asked for per RX call, 1 to kMaxBurst
  Idle idle = Idle::busy;
  uint32_t idle_rounds = 1000;    // empty rounds before the first sleep
  uint32_t idle_sleep_us = 50;    // length of one sleep
  uint32_t hold_packets = 512;    // per TX queue: packets kept when its ring is full, then dropped as tx_full
  uint16_t mbuf_bytes = 2048;     // data room of one mbuf; longer frames are chained
  uint32_t reserve_mbufs = 1024;  // beyond what rings, caches and holds need
  uint32_t reorder_sample = 64;   // the order of one flow in so many is watched; 1: all, 0: none
  bool record_core_cycles = false;         // clocks, calls and packets of every step of a round
  bool record_burst_stats = false;         // how many RX and TX bursts had how many packets
  Treatment link_local = Treatment::drop;  // 01:80:c2:00:00:0x other than MAC control
  Treatment malformed = Treatment::pass;   // IP headers that contradict themselves
};

struct PortSettings {
  std::string device;                 // PCI address or vdev name
  std::string group;                  // needed in mode gateway
  std::optional<uint16_t> rx_queues;  // default 2 x workers, at most what the device has
  uint16_t rx_descriptors = 1024;
  uint16_t tx_descriptors = 1024;
  uint32_t weight = 1;                     // 0 to 1000; 0 keeps the member empty
  uint64_t speed_bps = 0;                  // 0: what the driver says
  uint16_t mtu = 1500;                     // bytes behind Ethernet header and VLAN tags, 68 to 9702
  std::optional<MacAddress> next_hop_mac;  // rewrite: destination this, source the port's own
  std::optional<IpAddress> address;  // the gateway's own here: probes come from it, questions are answered
  std::optional<IpAddress> next_hop_ip;  // who is probed
  Liveness liveness = Liveness::link;
  std::string domain;               // members that fail together (one ToR switch)
  bool enabled = true;              // false: the device is stopped
  bool drain = false;               // true: its flows move away although it is up
  uint8_t excluded_priorities = 0;  // bit p: packets of priority p do not use this member
};

// What a group of ports has of its own; groups that are not listed have the defaults.
struct GroupSettings {
  std::string name;
  Broadcast broadcast = Broadcast::one;
  bool loop_guard = true;  // drop what comes in here with a source MAC just seen on another group
};

// One row of the choice of a target group; first match wins. See core/route.h.
struct RouteSettings {
  std::string from, to, fallback;
  std::optional<IpPrefix> dst;
  std::optional<MacAddress> dst_mac;
  std::optional<uint8_t> priority;
};

// "This bucket of this group's table uses this queue of the rule on this device."
struct PinSettings {
  std::string group, device;
  uint32_t bucket = 0;
  uint16_t queue = 0;
};

struct FailoverSettings {
  uint32_t hold_down_ms = 500;       // good for so long before a member is used again
  uint32_t settle_us = 200;          // a moved bucket's packets wait so long for the old NIC's ring
  uint32_t probe_interval_ms = 100;  // liveness = "probe"
  uint32_t probes = 3;               // so many unanswered: down
  std::vector<std::string> domains_down;
};

struct DistributionSettings {
  HashAlgorithm hash = HashAlgorithm::jenkins;
  ToeplitzKey toeplitz_key = ToeplitzKey::microsoft;
  bool reuse_rss_hash = false;  // take hash toeplitz from devices that compute it
  uint32_t seed = 0;
  KeyFields fields;
  VlanTag vlan_tag = VlanTag::outer;
  Owner owner = Owner::per_worker;
  std::optional<uint16_t> queues_per_nic;  // Q; default the number of workers
  uint16_t buckets_per_queue = 64;         // K
};

// Where events are written.
enum class LogTo : uint8_t { stderr_, syslog };

struct LogSettings {
  LogTo to = LogTo::stderr_;
  uint32_t slow_round_us = 50'000;  // a round longer than this is an event; 0: none is
};

struct MetricsSettings {
  std::string listen;  // "127.0.0.1:9464"; empty: nothing listens
};

struct Settings {
  EalSettings eal;
  EngineSettings engine;
  std::vector<GroupSettings> groups;
  std::vector<RouteSettings> routes;
  std::vector<PinSettings> pins;
  FailoverSettings failover;
  std::vector<PortSettings> ports;  // empty: every port that EAL found, modes other than gateway
  DistributionSettings distribution;
  LogSettings log;
  MetricsSettings metrics;
  FlowPattern flowgen;  // what modes txonly and flowgen send
};

// The numbers a setting may have, both ends included. The file, the command line and validate() share them.
struct Range {
  uint64_t least = 0;
  uint64_t most = 0;
  constexpr bool holds(uint64_t value) const { return value >= least && value <= most; }
};
std::string text_of(Range range);                                  // "68 to 9702"
std::string found_outside(std::string_view found, Range allowed);  // "found 70000; allowed 68 to 9702"

namespace limits {
inline constexpr Range kLcore{0, 127};  // DPDK's own limit is 128 lcores
inline constexpr Range kCpu{0, 1023};
inline constexpr Range kBurst{1, kMaxBurst};
inline constexpr Range kIdleRounds{1, 1'000'000};
inline constexpr Range kIdleSleepUs{1, 100'000};
inline constexpr Range kHoldPackets{0, 65'536};
inline constexpr Range kMbufBytes{512, 16'384};
inline constexpr Range kReserveMbufs{0, 4'194'304};
inline constexpr Range kReorderSample{0, 65'536};
inline constexpr Range kHoldDownMs{0, 600'000};
inline constexpr Range kSettleUs{0, 10'000};
inline constexpr Range kProbeIntervalMs{10, 60'000};
inline constexpr Range kProbes{1, 100};
inline constexpr Range kSlowRoundUs{0, 60'000'000};
inline constexpr Range kPriority{0, kPriorities - 1};
inline constexpr Range kRoutes{0, 64};
inline constexpr Range kPins{0, 4096};
inline constexpr Range kPorts{0, 32};  // as many as Debian's DPDK has (RTE_MAX_ETHPORTS)
inline constexpr Range kRxQueues{1, 256};
inline constexpr Range kDescriptors{32, 32'768};
inline constexpr Range kWeight{0, 1000};
inline constexpr Range kSpeedBps{1'000'000,
                                 1'600'000'000'000};  // 0, not in the range, leaves it to the driver
inline constexpr Range kMtu{68, 9702};
inline constexpr Range kSeed{0, 0xffff'ffff};
inline constexpr Range kQueuesPerNic{1, kMaxQueuesPerNic};
inline constexpr Range kBucketsPerQueue{1, 4096};
inline constexpr Range kL4Port{0, 65'535};
inline constexpr Range kPortRanges{0, 64};
inline constexpr Range kFlows{1, kMaxFlows};
inline constexpr uint64_t kFlowgenBytes = 1'000'000'000;  // frames that are made before the first burst
}  // namespace limits

// What field port_range distinguishes when the file names no ranges: well known, registered and dynamic
// ports, RFC 6335 section 6.
std::vector<PortRange> default_port_ranges();

// One thing wrong. `where` names the key as the file writes it ("port[1].rx_queues", ports counted from 0),
// so that a reader can find the line; `what` is what was found, what is allowed and how to mend it.
struct Problem {
  std::string where;
  std::string what;
};
inline std::string text_of(const Problem& problem) {
  return problem.where + ": " + problem.what;
}
std::vector<std::string> texts_of(const std::vector<Problem>& problems);
std::string in_lines(const std::vector<Problem>& problems);

// Everything that makes settings unusable, in the file's order; empty when they are valid.
std::vector<Problem> validate(const Settings& settings);
// What is allowed but deserves a word (packet_length reorders flows, unequal weights leave the documents'
// rule).
std::vector<Problem> warnings(const Settings& settings);

// The groups that exchange traffic in mode gateway, and the one that `group` sends to; empty for any other
// name.
inline constexpr std::string_view kAccess = "access";
inline constexpr std::string_view kUplink = "uplink";
std::string_view target_of(std::string_view group);

}  // namespace core
