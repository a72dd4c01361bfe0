// SPDX-License-Identifier: BSD-3-Clause
// The list of every table and key of the settings file, each with the way its value is read, and the walk
// that uses it for reading and for suggestions. A new setting is one row here and one member in
// core/settings.h. Control thread.
#include "control/settings_keys.h"

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "control/nearest.h"
#include "control/printable.h"
#include "control/settings_values.h"

namespace control {
namespace {

// One row of the list. `read` sets a member of Table, or refuses.
template <class Table>
struct Key {
  std::string_view name;
  std::function<void(const Place&, Table&)> read;
};

// Rows of the common kinds. A member may be the value itself or an optional of it.
template <class Table, class Member>
Key<Table> number(std::string_view name, Member Table::*member, core::Range allowed) {
  return {name, [=](const Place& place, Table& table) {
            using Value = typename std::conditional_t<std::is_integral_v<Member>, std::optional<Member>,
                                                      Member>::value_type;
            if (const auto value = whole_number(place, allowed)) table.*member = static_cast<Value>(*value);
          }};
}

template <class Table, class Member>
Key<Table> word(std::string_view name, Member Table::*member, std::vector<Word<Member>> words) {
  return {name, [=, words = std::move(words)](const Place& place, Table& table) {
            if (const auto value = one_of(place, words)) table.*member = *value;
          }};
}

template <class Table>
Key<Table> text(std::string_view name, std::string Table::*member) {
  return {name, [=](const Place& place, Table& table) { read_text(place, table.*member); }};
}

template <class Table>
Key<Table> flag(std::string_view name, bool Table::*member) {
  return {name, [=](const Place& place, Table& table) { read_flag(place, table.*member); }};
}

template <class Table>
Key<Table> seed(uint32_t Table::*member) {
  return {"seed", [=](const Place& place, Table& table) {
            if (const auto value = seed_number(place)) table.*member = *value;
          }};
}

// The words of an enumeration, from its first value to `last`.
template <class Enum>
std::vector<Word<Enum>> words_up_to(Enum last) {
  std::vector<Word<Enum>> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
    words.push_back({name_of(static_cast<Enum>(i)), static_cast<Enum>(i)});
  }
  return words;
}

const std::vector<Key<core::EalSettings>>& eal_keys() {
  using core::EalSettings;
  static const std::vector<Key<EalSettings>> kKeys = {
      {"args", read_args},
      flag("secondary", &EalSettings::secondary),
  };
  return kKeys;
}

const std::vector<Key<core::EngineSettings>>& engine_keys() {
  using core::EngineSettings;
  using core::Idle;
  using core::Treatment;
  static const std::vector<Word<Treatment>> kTreatments = {{"drop", Treatment::drop},
                                                           {"pass", Treatment::pass}};
  static const std::vector<Key<EngineSettings>> kKeys = {
      word("mode", &EngineSettings::mode, words_up_to(core::Mode::flowgen)),
      {"lcores", read_lcores},
      number("burst", &EngineSettings::burst, core::limits::kBurst),
      word("idle", &EngineSettings::idle, {{"busy", Idle::busy}, {"sleep", Idle::sleep}}),
      number("idle_rounds", &EngineSettings::idle_rounds, core::limits::kIdleRounds),
      number("idle_sleep_us", &EngineSettings::idle_sleep_us, core::limits::kIdleSleepUs),
      number("hold_packets", &EngineSettings::hold_packets, core::limits::kHoldPackets),
      number("mbuf_bytes", &EngineSettings::mbuf_bytes, core::limits::kMbufBytes),
      number("reserve_mbufs", &EngineSettings::reserve_mbufs, core::limits::kReserveMbufs),
      word("link_local", &EngineSettings::link_local, kTreatments),
      word("malformed", &EngineSettings::malformed, kTreatments),
  };
  return kKeys;
}

const std::vector<Key<core::PortSettings>>& port_keys() {
  using core::PortSettings;
  static const std::vector<Key<PortSettings>> kKeys = {
      text("device", &PortSettings::device),
      text("group", &PortSettings::group),
      number("rx_queues", &PortSettings::rx_queues, core::limits::kRxQueues),
      number("rx_descriptors", &PortSettings::rx_descriptors, core::limits::kDescriptors),
      number("tx_descriptors", &PortSettings::tx_descriptors, core::limits::kDescriptors),
      number("weight", &PortSettings::weight, core::limits::kWeight),
      {"speed", read_speed},
      number("mtu", &PortSettings::mtu, core::limits::kMtu),
      {"next_hop_mac", read_next_hop},
  };
  return kKeys;
}

const std::vector<Key<core::DistributionSettings>>& distribution_keys() {
  using core::DistributionSettings;
  using core::Owner;
  using core::VlanTag;
  static const std::vector<Key<DistributionSettings>> kKeys = {
      word("hash", &DistributionSettings::hash, words_up_to(core::HashAlgorithm::bond_l34)),
      word("toeplitz_key", &DistributionSettings::toeplitz_key, words_up_to(core::ToeplitzKey::symmetric)),
      seed(&DistributionSettings::seed),
      {"fields", read_fields},
      {"symmetric",
       [](const Place& place, DistributionSettings& d) { read_flag(place, d.fields.symmetric); }},
      {"port_ranges", read_port_ranges},
      word("vlan_tag", &DistributionSettings::vlan_tag,
           {{"outer", VlanTag::outer}, {"inner", VlanTag::inner}}),
      word("owner", &DistributionSettings::owner, {{"per_worker", Owner::per_worker}}),
      number("queues_per_nic", &DistributionSettings::queues_per_nic, core::limits::kQueuesPerNic),
      number("buckets_per_queue", &DistributionSettings::buckets_per_queue, core::limits::kBucketsPerQueue),
  };
  return kKeys;
}

const std::vector<Key<core::FlowPattern>>& flowgen_keys() {
  using core::FlowPattern;
  static const std::vector<Key<FlowPattern>> kKeys = {
      number("flows", &FlowPattern::flows, core::limits::kFlows),
      word("kind", &FlowPattern::kind, words_up_to(core::FlowKind::mixed)),
      word("ip", &FlowPattern::ip, words_up_to(core::IpVersion::mixed)),
      {"sizes", read_sizes},
      seed(&FlowPattern::seed),
  };
  return kKeys;
}

// Names as problems list them: "burst" for keys, [engine] for tables, [[port]] for the list of tables.
template <class Table>
std::string shown(std::string_view name) {
  if (!std::is_same_v<Table, core::Settings>) return '"' + std::string(name) + '"';
  return name == "port" ? "[[port]]" : '[' + std::string(name) + ']';
}

template <class Table>
void refuse_unknown(const Place& table, const toml::key& key, const toml::node& node,
                    const std::vector<Key<Table>>& keys) {
  std::vector<std::string_view> names;
  for (const Key<Table>& known : keys) names.push_back(known.name);
  const auto meant = nearest_word(key.str(), names);
  const bool is_table = node.is_table() || node.is_array_of_tables();
  std::string what = std::string("unknown ") + (is_table ? "table " : "key ") + quoted(key.str());
  if (meant) {
    what += "; did you mean " + shown<Table>(*meant) + '?';
  } else {
    what += "; allowed: ";
    for (size_t i = 0; i < names.size(); ++i) what += (i == 0 ? "" : ", ") + shown<Table>(names[i]);
  }
  table.reading.refuse_unknown(key.source().begin.line, table.where, what, std::string(meant.value_or("")));
}

// Every key of one table, in whatever order the file has them.
template <class Table>
void read_keys(const Place& place, const std::vector<Key<Table>>& keys, Table& table) {
  for (const auto& [name, node] : *place.node.as_table()) {
    const Key<Table>* known = nullptr;
    for (const Key<Table>& key : keys) {
      if (key.name == name.str()) known = &key;
    }
    if (known == nullptr) {
      refuse_unknown(place, name, node, keys);
      continue;
    }
    const std::string prefix = place.where.empty() ? "" : place.where + '.';
    const Place value{place.reading, prefix + std::string(known->name), node};
    value.reading.see(value.where, value.node);
    known->read(value, table);
  }
}

template <class Table>
Key<core::Settings> one_table(std::string_view name, Table core::Settings::*member,
                              const std::vector<Key<Table>>& keys) {
  return {
      name, [=, &keys](const Place& place, core::Settings& settings) {
        if (place.node.is_table()) return read_keys(place, keys, settings.*member);
        place.refuse(place.node.is_array_of_tables()
                         ? "found [[" + std::string(name) + "]]; write [" + std::string(name) + "], only once"
                         : found(place.node) + "; allowed: a table, written [" + std::string(name) + ']');
      }};
}

void read_ports(const Place& place, core::Settings& settings) {
  if (place.node.is_table()) return place.refuse("found [port]; write [[port]], once for each port");
  each_entry(place, "tables, written [[port]], one for each port", [&](const Place& entry) {
    core::PortSettings& port = settings.ports.emplace_back();
    if (entry.node.is_table()) return read_keys(entry, port_keys(), port);
    entry.refuse(found(entry.node) + "; allowed: a table, written [[port]]");
  });
}

const std::vector<Key<core::Settings>>& tables() {
  using core::Settings;
  static const std::vector<Key<Settings>> kTables = {
      one_table("eal", &Settings::eal, eal_keys()),
      one_table("engine", &Settings::engine, engine_keys()),
      {"port", read_ports},
      one_table("distribution", &Settings::distribution, distribution_keys()),
      one_table("flowgen", &Settings::flowgen, flowgen_keys()),
  };
  return kTables;
}

}  // namespace

void read_settings(const toml::table& root, core::Settings& settings, Reading& reading) {
  read_keys(Place{reading, "", root}, tables(), settings);
  core::KeyFields& fields = settings.distribution.fields;
  if (fields.port_range && fields.port_ranges.empty()) fields.port_ranges = core::default_port_ranges();
}

}  // namespace control
