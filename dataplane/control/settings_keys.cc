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
      form("args", kProgram, &EalSettings::args, read_strings, strings_text),
      flag("secondary", kProgram, &EalSettings::secondary),
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
      word("mode", kRestart, &EngineSettings::mode, words_up_to(core::Mode::flowgen)),
      form("lcores", kProgram, &EngineSettings::lcores, read_lcores, lcores_text),
      form("forwarding_ports", kLive, &EngineSettings::forwarding_ports, read_strings, strings_text),
      word("port_topology", kLive, &EngineSettings::port_topology, words_up_to(core::PortTopology::loop)),
      word("rss", kRestart, &EngineSettings::rss, words_up_to(core::Rss::udp)),
      number("burst", kLive, &EngineSettings::burst, limits::kBurst),
      word("idle", kRestart, &EngineSettings::idle, {{"busy", Idle::busy}, {"sleep", Idle::sleep}}),
      number("idle_rounds", kRestart, &EngineSettings::idle_rounds, limits::kIdleRounds),
      number("idle_sleep_us", kRestart, &EngineSettings::idle_sleep_us, limits::kIdleSleepUs),
      number("hold_packets", kRestart, &EngineSettings::hold_packets, limits::kHoldPackets),
      number("mbuf_bytes", kProgram, &EngineSettings::mbuf_bytes, limits::kMbufBytes),
      number("reserve_mbufs", kRestart, &EngineSettings::reserve_mbufs, limits::kReserveMbufs),
      number("reorder_sample", kRestart, &EngineSettings::reorder_sample, limits::kReorderSample),
      flag("record_core_cycles", kLive, &EngineSettings::record_core_cycles),
      flag("record_burst_stats", kLive, &EngineSettings::record_burst_stats),
      word("link_local", kLive, &EngineSettings::link_local, kTreatments),
      word("malformed", kLive, &EngineSettings::malformed, kTreatments),
  };
  return kKeys;
}

const std::vector<Key<core::GroupSettings>>& group_keys() {
  using core::Broadcast;
  using core::GroupSettings;
  static const std::vector<Key<GroupSettings>> kKeys = {
      text("name", kLive, &GroupSettings::name),
      word("broadcast", kLive, &GroupSettings::broadcast, {{"one", Broadcast::one}, {"any", Broadcast::any}}),
      flag("loop_guard", kLive, &GroupSettings::loop_guard),
  };
  return kKeys;
}

const std::vector<Key<core::PortSettings>>& port_keys() {
  using core::Liveness;
  using core::PortSettings;
  namespace limits = core::limits;
  static const std::vector<Key<PortSettings>> kKeys = {
      text("device", kProgram, &PortSettings::device),
      text("group", kRestart, &PortSettings::group),
      number("rx_queues", kRestart, &PortSettings::rx_queues, limits::kRxQueues),
      number("rx_descriptors", kRestart, &PortSettings::rx_descriptors, limits::kDescriptors),
      number("tx_descriptors", kRestart, &PortSettings::tx_descriptors, limits::kDescriptors),
      number("weight", kLive, &PortSettings::weight, limits::kWeight),
      form("speed", kRestart, &PortSettings::speed_bps, read_speed, speed_text),
      number("mtu", kRestart, &PortSettings::mtu, limits::kMtu),
      form("next_hop_mac", kLive, &PortSettings::next_hop_mac, read_mac, mac_text),
      form("address", kLive, &PortSettings::address, read_address, address_text),
      form("next_hop_ip", kLive, &PortSettings::next_hop_ip, read_address, address_text),
      word("liveness", kLive, &PortSettings::liveness,
           {{"link", Liveness::link}, {"probe", Liveness::probe}}),
      text("domain", kLive, &PortSettings::domain),
      flag("enabled", kLive, &PortSettings::enabled),
      flag("drain", kLive, &PortSettings::drain),
      form("excluded_priorities", kLive, &PortSettings::excluded_priorities, read_priorities,
           priorities_text),
  };
  return kKeys;
}

const std::vector<Key<core::RouteSettings>>& route_keys() {
  using core::RouteSettings;
  static const std::vector<Key<RouteSettings>> kKeys = {
      text("from", kLive, &RouteSettings::from),
      text("to", kLive, &RouteSettings::to),
      text("fallback", kLive, &RouteSettings::fallback),
      form("dst", kLive, &RouteSettings::dst, read_prefix, prefix_text),
      form("dst_mac", kLive, &RouteSettings::dst_mac, read_mac, mac_text),
      number("priority", kLive, &RouteSettings::priority, core::limits::kPriority),
  };
  return kKeys;
}

const std::vector<Key<core::PinSettings>>& pin_keys() {
  using core::PinSettings;
  // What any table can have; validate() knows the size of this one.
  static constexpr core::Range kBuckets{0, core::kMaxBuckets - 1};
  static constexpr core::Range kQueues{0, core::kMaxQueuesPerNic - 1};
  static const std::vector<Key<PinSettings>> kKeys = {
      text("group", kLive, &PinSettings::group),
      text("device", kLive, &PinSettings::device),
      needed_number("bucket", kLive, &PinSettings::bucket, kBuckets),
      needed_number("queue", kLive, &PinSettings::queue, kQueues),
  };
  return kKeys;
}

const std::vector<Key<core::FailoverSettings>>& failover_keys() {
  using core::FailoverSettings;
  namespace limits = core::limits;
  static const std::vector<Key<FailoverSettings>> kKeys = {
      number("hold_down_ms", kLive, &FailoverSettings::hold_down_ms, limits::kHoldDownMs),
      number("settle_us", kLive, &FailoverSettings::settle_us, limits::kSettleUs),
      number("probe_interval_ms", kLive, &FailoverSettings::probe_interval_ms, limits::kProbeIntervalMs),
      number("probes", kLive, &FailoverSettings::probes, limits::kProbes),
      form("domains_down", kLive, &FailoverSettings::domains_down, read_strings, strings_text),
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
      .name = "fields", .when = kLive, .read = read_fields, .text = fields_text, .copy = copy_fields};
  const auto of_fields = [](const Key<KeyFields>& key) { return within(&DistributionSettings::fields, key); };
  static const std::vector<Key<DistributionSettings>> kKeys = {
      word("hash", kLive, &DistributionSettings::hash, words_up_to(core::HashAlgorithm::bond_l34)),
      word("toeplitz_key", kLive, &DistributionSettings::toeplitz_key,
           words_up_to(core::ToeplitzKey::symmetric)),
      seed(kLive, &DistributionSettings::seed),
      of_fields(fields),
      of_fields(flag("symmetric", kLive, &KeyFields::symmetric)),
      of_fields(form("port_ranges", kLive, &KeyFields::port_ranges, read_port_ranges, port_ranges_text)),
      word("vlan_tag", kLive, &DistributionSettings::vlan_tag,
           {{"outer", VlanTag::outer}, {"inner", VlanTag::inner}}),
      word("owner", kRestart, &DistributionSettings::owner,
           {{"per_worker", Owner::per_worker}, {"by_hash", Owner::by_hash}}),
      number("queues_per_nic", kRestart, &DistributionSettings::queues_per_nic, limits::kQueuesPerNic),
      number("buckets_per_queue", kRestart, &DistributionSettings::buckets_per_queue,
             limits::kBucketsPerQueue),
  };
  return kKeys;
}

const std::vector<Key<core::LogSettings>>& log_keys() {
  using core::LogSettings;
  using core::LogTo;
  static const std::vector<Key<LogSettings>> kKeys = {
      word("to", kProgram, &LogSettings::to, {{"stderr", LogTo::stderr_}, {"syslog", LogTo::syslog}}),
      number("slow_round_us", kLive, &LogSettings::slow_round_us, core::limits::kSlowRoundUs),
  };
  return kKeys;
}

const std::vector<Key<core::MetricsSettings>>& metrics_keys() {
  using core::MetricsSettings;
  static const std::vector<Key<MetricsSettings>> kKeys = {text("listen", kProgram, &MetricsSettings::listen)};
  return kKeys;
}

const std::vector<Key<core::FlowPattern>>& flowgen_keys() {
  using core::FlowPattern;
  static const std::vector<Key<FlowPattern>> kKeys = {
      number("flows", kRestart, &FlowPattern::flows, core::limits::kFlows),
      word("kind", kRestart, &FlowPattern::kind, words_up_to(core::FlowKind::mixed)),
      word("ip", kRestart, &FlowPattern::ip, words_up_to(core::IpVersion::mixed)),
      form("sizes", kRestart, &FlowPattern::sizes, read_sizes, sizes_text),
      seed(kRestart, &FlowPattern::seed),
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
    if (key.needed.empty() || place.node.as_table()->contains(key.name)) continue;
    place.reading.refuse_missing(place.where + '.' + std::string(key.name), "missing; allowed " + key.needed);
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
