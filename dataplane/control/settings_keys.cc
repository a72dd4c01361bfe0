// SPDX-License-Identifier: BSD-3-Clause
// The list of every key of the settings file: how its value is read and written, whether it may change while
// packets move; and the walk that uses it for reading and for suggestions. A new setting is one row here and
// one member in core/settings.h. Control thread.
#include "control/settings_keys.h"

#include <algorithm>

#include "control/nearest.h"
#include "control/printable.h"
#include "core/distribution_table.h"

namespace control {

const std::vector<Key<core::EalSettings>>& eal_keys() {
  using core::EalSettings;
  static const std::vector<Key<EalSettings>> kKeys = {
      form("args", kProgram, &EalSettings::args, read_strings, strings_text,
           "a list of strings, one for each argument",
           "EAL's arguments: devices (--vdev=..., -a ...), --no-pci and others"),
      flag("secondary", kProgram, &EalSettings::secondary,
           "keep EAL's files so that dpdk-dumpcap and dpdk-proc-info can attach"),
  };
  return kKeys;
}

const std::vector<Key<core::EngineSettings>>& engine_keys() {
  using core::EngineSettings;
  using core::Idle;
  using core::Treatment;
  namespace limits = core::limits;
  static const std::vector<Word<Treatment>> kTreatments = {{"drop", Treatment::drop},
                                                           {"pass", Treatment::pass}};
  static const std::vector<Key<EngineSettings>> kKeys = {
      word("mode", kRestart, &EngineSettings::mode, words_up_to(core::Mode::flowgen),
           "what happens to a packet"),
      form("lcores", kProgram, &EngineSettings::lcores, read_lcores, lcores_text,
           "a list of lcores, as [2, 3] or [\"1@0\", \"2@0\"] (lcore@CPU)",
           "the workers; by default one, on the last CPU allowed"),
      form("forwarding_ports", kLive, &EngineSettings::forwarding_ports, read_strings, strings_text,
           "a list of devices",
           "ports that forward, in the order that port_topology counts in; by default all. Not for gateway"),
      word("port_topology", kLive, &EngineSettings::port_topology, words_up_to(core::PortTopology::loop),
           "which port packets leave by: 0 with 1 and 2 with 3, the next one, or the same. Not for gateway"),
      word("rss", kRestart, &EngineSettings::rss, words_up_to(core::Rss::udp),
           "what devices hash for their RX queues: all they can of IP, UDP, TCP and SCTP, IP only, UDP only"),
      word("simd", kRestart, &EngineSettings::simd, words_up_to(core::SimdChoice::avx512),
           "how many packets are parsed and hashed at once: 4, 8 or 16, or auto, the widest that the CPU has "
           "or --force-max-simd-bitwidth allows"),
      number("burst", kLive, &EngineSettings::burst, limits::kBurst,
             "packets asked for at once; larger: fewer calls, more delay"),
      word("idle", kRestart, &EngineSettings::idle, {{"busy", Idle::busy}, {"sleep", Idle::sleep}},
           "what a worker without packets does; sleep spares a CPU"),
      number("idle_rounds", kRestart, &EngineSettings::idle_rounds, limits::kIdleRounds,
             "empty rounds in a row before a worker sleeps"),
      number("idle_sleep_us", kRestart, &EngineSettings::idle_sleep_us, limits::kIdleSleepUs,
             "length of one sleep, in microseconds; it bounds the delay of the first packet"),
      number("hold_packets", kRestart, &EngineSettings::hold_packets, limits::kHoldPackets,
             "packets kept for each TX queue when its ring is full; 0: none"),
      number("mbuf_bytes", kProgram, &EngineSettings::mbuf_bytes, limits::kMbufBytes,
             "room of one mbuf; more for jumbo frames on a NIC without scatter"),
      number("reserve_mbufs", kRestart, &EngineSettings::reserve_mbufs, limits::kReserveMbufs,
             "mbufs beyond what rings, caches and holds need"),
      number("reorder_sample", kRestart, &EngineSettings::reorder_sample, limits::kReorderSample,
             "the order of one flow in so many is watched; 0: of none"),
      flag("record_core_cycles", kLive, &EngineSettings::record_core_cycles,
           "count clocks, calls and packets of each step, for show runtime"),
      flag("record_burst_stats", kLive, &EngineSettings::record_burst_stats,
           "count RX and TX bursts by their packets, for show runtime"),
      word("link_local", kLive, &EngineSettings::link_local, kTreatments,
           "frames to 01:80:c2:00:00:0x (LLDP, LACP, STP), in mode gateway"),
      word("malformed", kLive, &EngineSettings::malformed, kTreatments,
           "frames whose IP header contradicts itself or the frame, in mode gateway"),
  };
  return kKeys;
}

const std::vector<Key<core::GroupSettings>>& group_keys() {
  using core::Broadcast;
  using core::GroupSettings;
  static const std::vector<Key<GroupSettings>> kKeys = {
      text("name", kLive, &GroupSettings::name, "the name of a group", "the group; needed"),
      word("broadcast", kLive, &GroupSettings::broadcast, {{"one", Broadcast::one}, {"any", Broadcast::any}},
           "from which members flooded frames are taken: the elected one, or any (a static LAG)"),
      flag("loop_guard", kLive, &GroupSettings::loop_guard,
           "drop what comes in with a source that was just seen on another group"),
  };
  return kKeys;
}

const std::vector<Key<core::PortSettings>>& port_keys() {
  using core::Liveness;
  using core::PortSettings;
  namespace limits = core::limits;
  static const std::vector<Key<PortSettings>> kKeys = {
      text("device", kProgram, &PortSettings::device, "a PCI address or the name of a vdev",
           "the device; needed"),
      text("group", kRestart, &PortSettings::group, "the name of a group",
           "the group it belongs to; needed in mode gateway"),
      number("rx_queues", kRestart, &PortSettings::rx_queues, limits::kRxQueues,
             "RX queues; by default 2 for each worker, at most what the device has"),
      number("rx_descriptors", kRestart, &PortSettings::rx_descriptors, limits::kDescriptors,
             "size of an RX ring; larger stands longer bursts and takes memory"),
      number("tx_descriptors", kRestart, &PortSettings::tx_descriptors, limits::kDescriptors,
             "size of a TX ring; the driver may round both"),
      number("weight", kLive, &PortSettings::weight, limits::kWeight,
             "share of the port in its group; 0 keeps it empty"),
      form("speed", kRestart, &PortSettings::speed_bps, read_speed, speed_text,
           "as \"100G\", \"2.5G\", or bits per second; 1M to 1600G",
           "the link's speed, for use in reports; by default what the driver says"),
      number("mtu", kRestart, &PortSettings::mtu, limits::kMtu,
             "longest packet that leaves here, in bytes behind the Ethernet header and its tags"),
      form("next_hop_mac", kLive, &PortSettings::next_hop_mac, read_mac, mac_text, "a MAC address",
           "rewrites frames that leave here: destination this, source the port's own"),
      form("address", kLive, &PortSettings::address, read_address, address_text, "an IP address",
           "the gateway's own here: probes come from it, questions for it are answered"),
      form("next_hop_ip", kLive, &PortSettings::next_hop_ip, read_address, address_text, "an IP address",
           "who is probed under liveness = \"probe\""),
      word("liveness", kLive, &PortSettings::liveness, {{"link", Liveness::link}, {"probe", Liveness::probe}},
           "what tells that the port can carry traffic: its link, or also answers of the next hop"),
      text("domain", kLive, &PortSettings::domain, "any string",
           "a name for what fails together, as one ToR switch"),
      flag("enabled", kLive, &PortSettings::enabled, "false: the device is stopped"),
      flag("drain", kLive, &PortSettings::drain, "true: its flows move away, in order, although it is up"),
      form("excluded_priorities", kLive, &PortSettings::excluded_priorities, read_priorities, priorities_text,
           "a list of 0 to 7", "packets of these priorities do not use this port"),
  };
  return kKeys;
}

const std::vector<Key<core::RouteSettings>>& route_keys() {
  using core::RouteSettings;
  static const std::vector<Key<RouteSettings>> kKeys = {
      text("from", kLive, &RouteSettings::from, "the name of a group",
           "takes packets that came in by this group; needed"),
      text("to", kLive, &RouteSettings::to, "the name of a group", "and sends them to this one; needed"),
      text("fallback", kLive, &RouteSettings::fallback, "the name of a group",
           "or to this one, while no port of the other can be used"),
      form("dst", kLive, &RouteSettings::dst, read_prefix, prefix_text,
           "an IP address or prefix, as \"10.0.0.0/8\"", "only packets to it"),
      form("dst_mac", kLive, &RouteSettings::dst_mac, read_mac, mac_text, "a MAC address",
           "only frames to it"),
      number("priority", kLive, &RouteSettings::priority, core::limits::kPriority,
             "only packets of this priority"),
  };
  return kKeys;
}

const std::vector<Key<core::PinSettings>>& pin_keys() {
  using core::PinSettings;
  // What any table can have; validate() knows the size of this one.
  static constexpr core::Range kBuckets{0, core::kMaxBuckets - 1};
  static constexpr core::Range kQueues{0, core::kMaxQueuesPerNic - 1};
  static const std::vector<Key<PinSettings>> kKeys = {
      text("group", kLive, &PinSettings::group, "the name of a group", "the group whose table it is; needed"),
      text("device", kLive, &PinSettings::device, "the device of a port of the group",
           "the bucket goes to this port; needed"),
      needed_number("bucket", kLive, &PinSettings::bucket, kBuckets,
                    "the bucket; needed. The table must have it"),
      needed_number("queue", kLive, &PinSettings::queue, kQueues,
                    "and to this queue of the rule; needed. Below queues_per_nic"),
  };
  return kKeys;
}

const std::vector<Key<core::FailoverSettings>>& failover_keys() {
  using core::FailoverSettings;
  namespace limits = core::limits;
  static const std::vector<Key<FailoverSettings>> kKeys = {
      number("hold_down_ms", kLive, &FailoverSettings::hold_down_ms, limits::kHoldDownMs,
             "milliseconds for which all must be well before a port is used again"),
      number("settle_us", kLive, &FailoverSettings::settle_us, limits::kSettleUs,
             "microseconds that a moved bucket's packets wait for the old NIC to send what it has"),
      number("probe_interval_ms", kLive, &FailoverSettings::probe_interval_ms, limits::kProbeIntervalMs,
             "milliseconds between two questions to a next hop"),
      number("probes", kLive, &FailoverSettings::probes, limits::kProbes,
             "so many unanswered in a row: down"),
      form("domains_down", kLive, &FailoverSettings::domains_down, read_strings, strings_text,
           "a list of domains", "ports of these domains are not used"),
  };
  return kKeys;
}

const std::vector<Key<core::DistributionSettings>>& distribution_keys() {
  using core::DistributionSettings;
  using core::KeyFields;
  using core::Owner;
  using core::VlanTag;
  namespace limits = core::limits;
  const Key<KeyFields> fields = {
      .name = "fields",
      .when = kLive,
      .read = read_fields,
      .text = fields_text,
      .copy = copy_fields,
      .allowed =
          "a list of src_ip, dst_ip, src_port, dst_port, proto, vlan, dest_qp, packet_length, port_range",
      .help = "what a flow is"};
  const auto of_fields = [](const Key<KeyFields>& key) { return within(&DistributionSettings::fields, key); };
  static const std::vector<Key<DistributionSettings>> kKeys = {
      word("hash", kLive, &DistributionSettings::hash, words_up_to(core::HashAlgorithm::bond_l34),
           "the hash function"),
      word("toeplitz_key", kLive, &DistributionSettings::toeplitz_key,
           words_up_to(core::ToeplitzKey::symmetric), "key of hash toeplitz"),
      flag("reuse_rss_hash", kRestart, &DistributionSettings::reuse_rss_hash,
           "take the hash of UDP and TCP from devices that compute it; needs hash toeplitz of the four "
           "fields"),
      seed(kLive, &DistributionSettings::seed,
           "another seed, another spread; boxes in a row need unlike seeds"),
      of_fields(fields),
      of_fields(
          flag("symmetric", kLive, &KeyFields::symmetric, "both directions of a connection get one key")),
      of_fields(form("port_ranges", kLive, &KeyFields::port_ranges, read_port_ranges, port_ranges_text,
                     "a list as [\"0-1023\"], up to 64",
                     "ranges of field port_range; by default well known, registered, dynamic")),
      word("vlan_tag", kLive, &DistributionSettings::vlan_tag,
           {{"outer", VlanTag::outer}, {"inner", VlanTag::inner}},
           "whose id field vlan takes, and whose priority counts"),
      word("owner", kRestart, &DistributionSettings::owner,
           {{"per_worker", Owner::per_worker}, {"by_hash", Owner::by_hash}},
           "who sends by a TX queue: each worker by its own, or the one worker that owns it"),
      number("queues_per_nic", kRestart, &DistributionSettings::queues_per_nic, limits::kQueuesPerNic,
             "Q of the rule: TX queues on each NIC; by default the number of workers"),
      number("buckets_per_queue", kRestart, &DistributionSettings::buckets_per_queue,
             limits::kBucketsPerQueue, "K: more buckets give finer shares under unequal weights"),
  };
  return kKeys;
}

const std::vector<Key<core::LogSettings>>& log_keys() {
  using core::LogSettings;
  using core::LogTo;
  static const std::vector<Key<LogSettings>> kKeys = {
      word("to", kProgram, &LogSettings::to, {{"stderr", LogTo::stderr_}, {"syslog", LogTo::syslog}},
           "where events are written"),
      number("slow_round_us", kLive, &LogSettings::slow_round_us, core::limits::kSlowRoundUs,
             "a round that lasts longer is an event; 0: none"),
  };
  return kKeys;
}

const std::vector<Key<core::MetricsSettings>>& metrics_keys() {
  using core::MetricsSettings;
  static const std::vector<Key<MetricsSettings>> kKeys = {
      text("listen", kProgram, &MetricsSettings::listen, "ADDRESS:PORT, as \"127.0.0.1:9464\"",
           "where the status page and the metrics are served; by default nowhere")};
  return kKeys;
}

const std::vector<Key<core::FlowPattern>>& flowgen_keys() {
  using core::FlowPattern;
  static const std::vector<Key<FlowPattern>> kKeys = {
      number("flows", kRestart, &FlowPattern::flows, core::limits::kFlows, "how many flows"),
      word("kind", kRestart, &FlowPattern::kind, words_up_to(core::FlowKind::mixed),
           "what they are; mixed: the three in turn"),
      word("ip", kRestart, &FlowPattern::ip, words_up_to(core::IpVersion::mixed),
           "of which IP version; mixed: the two in turn"),
      form("sizes", kRestart, &FlowPattern::sizes, read_sizes, sizes_text,
           "a list of bytes with FCS, up to 9220", "frame lengths, taken in turn by flow number"),
      seed(kRestart, &FlowPattern::seed, "other addresses, ports and queue pairs"),
  };
  return kKeys;
}

namespace {

// A table or key that may stand somewhere, and how problems list it: "burst", [engine], [[port]].
struct Known {
  std::string_view name;
  std::string shown;
};

void refuse_unknown(const Place& table, const toml::key& key, const toml::node& node,
                    const std::vector<Known>& known) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Known& one : known) {
    names.push_back(one.name);
    all += (all.empty() ? "" : ", ") + one.shown;
  }
  const auto meant = nearest_word(key.str(), names);
  const auto is_meant = [&](const Known& one) { return one.name == meant; };
  const bool is_table = node.is_table() || node.is_array_of_tables();
  std::string what = std::string("unknown ") + (is_table ? "table " : "key ") + quoted(key.str());
  what += meant ? "; did you mean " + std::find_if(known.begin(), known.end(), is_meant)->shown + '?'
                : "; allowed: " + all;
  table.reading.refuse_unknown(key.source().begin.line, table.where, what, std::string(meant.value_or("")));
}

// Every key of one table, in whatever order the file has them.
template <class Table>
void read_keys(const Place& place, const std::vector<Key<Table>>& keys, Table& table) {
  for (const auto& [name, node] : *place.node.as_table()) {
    const auto named = [&name = name](const Key<Table>& key) { return key.name == name.str(); };
    const auto key = std::find_if(keys.begin(), keys.end(), named);
    if (key == keys.end()) {
      std::vector<Known> known;
      for (const Key<Table>& one : keys) known.push_back({one.name, '"' + std::string(one.name) + '"'});
      refuse_unknown(place, name, node, known);
      continue;
    }
    const Place value{place.reading, place.where + '.' + std::string(key->name), node};
    value.reading.see(value.where, value.node);
    key->read(value, table);
  }
  for (const Key<Table>& key : keys) {
    if (!key.needed || place.node.as_table()->contains(key.name)) continue;
    place.reading.refuse_missing(place.where + '.' + std::string(key.name),
                                 "missing; allowed " + key.allowed);
  }
}

// Visits the list of tables once for each table of the file, and reads the one that has its name.
class TableReader {
 public:
  TableReader(const Place& place, core::Settings& settings)
      : place_(place), name_(place.where), settings_(settings) {}

  template <class Table>
  void table(std::string_view name, Table core::Settings::*member, const std::vector<Key<Table>>& keys) {
    const std::string shown = '[' + std::string(name) + ']';
    if (!is_it(name, shown)) return;
    if (place_.node.is_table()) return read_keys(place_, keys, settings_.*member);
    place_.refuse(place_.node.is_array_of_tables()
                      ? "found [" + shown + "]; write " + shown + ", only once"
                      : found(place_.node) + "; allowed: a table, written " + shown);
  }

  template <class Table>
  void list(std::string_view name, std::vector<Table> core::Settings::*member,
            const std::vector<Key<Table>>& keys) {
    const std::string one(name), shown = "[[" + one + "]]";
    if (!is_it(name, shown)) return;
    if (place_.node.is_table()) {
      return place_.refuse("found [" + one + "]; write " + shown + ", once for each " + one);
    }
    each_entry(place_, "tables, written " + shown + ", one for each " + one, [&](const Place& entry) {
      Table& table = (settings_.*member).emplace_back();
      if (entry.node.is_table()) return read_keys(entry, keys, table);
      entry.refuse(found(entry.node) + "; allowed: a table, written " + shown);
    });
  }

  const std::vector<Known>& known() const { return known_; }
  bool was_known() const { return was_known_; }

 private:
  bool is_it(std::string_view name, const std::string& shown) {
    known_.push_back({name, shown});
    if (name != name_) return false;
    place_.reading.see(place_.where, place_.node);
    return was_known_ = true;
  }

  const Place& place_;
  std::string_view name_;
  core::Settings& settings_;
  std::vector<Known> known_;
  bool was_known_ = false;
};

}  // namespace

void read_settings(const toml::table& root, core::Settings& settings, Reading& reading) {
  for (const auto& [name, node] : root) {
    const Place place{reading, std::string(name.str()), node};
    TableReader reader(place, settings);
    visit_tables(reader);
    if (!reader.was_known()) refuse_unknown(Place{reading, "", root}, name, node, reader.known());
  }
  core::KeyFields& fields = settings.distribution.fields;
  if (fields.port_range && fields.port_ranges.empty()) fields.port_ranges = core::default_port_ranges();
}

}  // namespace control
