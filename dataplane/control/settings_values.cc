// SPDX-License-Identifier: BSD-3-Clause
// Single values of a settings file; see settings_values.h. Control thread.
#include "control/settings_values.h"

#include <charconv>
#include <cmath>

#include "control/printable.h"

namespace control {
namespace {

std::string decimal(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

// All of `text` as an unsigned number.
std::optional<uint64_t> digits(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// 3 or "2@0".
void read_lcore(const Place& place, core::EngineSettings& engine) {
  const auto number = place.node.value_exact<int64_t>();
  const std::string written =
      number ? std::to_string(*number) : std::string(place.node.value_exact<std::string_view>().value_or(""));
  const size_t at = written.find('@');
  const auto lcore = digits(std::string_view(written).substr(0, at));
  const auto cpu = at == std::string::npos ? lcore : digits(std::string_view(written).substr(at + 1));
  if (!lcore || !cpu || !core::limits::kLcore.holds(*lcore) || !core::limits::kCpu.holds(*cpu)) {
    const auto unlike_any = static_cast<unsigned>(core::limits::kCpu.most + 1 + engine.lcores.size());
    engine.lcores.push_back({unlike_any, unlike_any});
    return place.refuse(found(place.node) + "; allowed: an lcore " + core::text_of(core::limits::kLcore) +
                        ", or lcore and CPU as in \"2@0\"");
  }
  engine.lcores.push_back({static_cast<unsigned>(*lcore), static_cast<unsigned>(*cpu)});
}

// "100G", "2.5G", "10M", or a whole number of bit/s; nothing when it is neither.
std::optional<uint64_t> speed_in(const toml::node& node) {
  if (const auto number = node.value_exact<int64_t>()) {
    return *number < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(*number));
  }
  const std::string_view text = node.value_exact<std::string_view>().value_or("");
  if (text.size() < 2 || (text.back() != 'M' && text.back() != 'G')) return std::nullopt;
  double amount = 0;
  const char* const unit = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), unit, amount, std::chars_format::fixed);
  if (error != std::errc{} || end != unit || !(amount >= 0 && amount <= 1e6)) return std::nullopt;
  return static_cast<uint64_t>(std::llround(amount * (*unit == 'G' ? 1e9 : 1e6)));
}

std::optional<core::MacAddress> mac_in(std::string_view text) {
  core::MacAddress mac{};
  if (text.size() != 3 * mac.size() - 1) return std::nullopt;
  for (size_t i = 0; i < mac.size(); ++i) {
    const auto byte = digits(text.substr(3 * i, 2), 16);
    if (!byte || (i > 0 && text[3 * i - 1] != ':')) return std::nullopt;
    mac[i] = static_cast<uint8_t>(*byte);
  }
  return mac;
}

}  // namespace

std::string found(const toml::node& node) {
  if (const auto text = node.value_exact<std::string_view>()) return "found string " + quoted(*text);
  if (const auto number = node.value_exact<int64_t>()) return "found " + std::to_string(*number);
  if (const auto number = node.value_exact<double>()) return "found " + decimal(*number);
  if (const auto truth = node.value_exact<bool>()) return *truth ? "found true" : "found false";
  if (node.is_array()) return "found a list";
  return node.is_table() ? "found a table" : "found a date or time";
}

std::optional<uint64_t> whole_number(const Place& place, core::Range allowed) {
  const auto number = place.node.value_exact<int64_t>();
  if (!number) {
    place.refuse(found(place.node) + "; allowed: a whole number " + core::text_of(allowed));
  } else if (*number < 0 || !allowed.holds(static_cast<uint64_t>(*number))) {
    place.refuse(core::found_outside(std::to_string(*number), allowed));
  } else {
    return static_cast<uint64_t>(*number);
  }
  return std::nullopt;
}

std::optional<uint32_t> seed_number(const Place& place) {
  std::optional<uint64_t> value;
  if (const auto hex = place.node.value_exact<std::string_view>()) {
    if (hex->starts_with("0x")) value = digits(hex->substr(2), 16);
  } else if (const auto number = place.node.value_exact<int64_t>(); number && *number >= 0) {
    value = static_cast<uint64_t>(*number);
  }
  if (value && core::limits::kSeed.holds(*value)) return static_cast<uint32_t>(*value);
  place.refuse(found(place.node) + "; allowed: a whole number " + core::text_of(core::limits::kSeed) +
               ", or \"0x0\" to \"0xffffffff\"");
  return std::nullopt;
}

void read_flag(const Place& place, bool& flag) {
  const auto value = place.node.value_exact<bool>();
  if (!value) return place.refuse(found(place.node) + "; allowed: true, false");
  flag = *value;
}

void read_text(const Place& place, std::string& text) {
  const auto value = place.node.value_exact<std::string>();
  if (!value) return place.refuse(found(place.node) + "; allowed: a string");
  text = *value;
}

void each_entry(const Place& place, const std::string& allowed,
                const std::function<void(const Place&)>& read) {
  const toml::array* list = place.node.as_array();
  if (list == nullptr) return place.refuse(found(place.node) + "; allowed: " + allowed);
  for (size_t i = 0; i < list->size(); ++i) {
    const Place entry{place.reading, place.where + '[' + std::to_string(i) + ']', *list->get(i)};
    entry.reading.see(entry.where, entry.node);
    read(entry);
  }
}

void read_args(const Place& place, core::EalSettings& eal) {
  eal.args.clear();
  each_entry(place, "a list of strings",
             [&](const Place& entry) { read_text(entry, eal.args.emplace_back()); });
}

void read_lcores(const Place& place, core::EngineSettings& engine) {
  each_entry(place, "a list of lcores, as in [1, 2] or [\"2@0\"]",
             [&](const Place& entry) { read_lcore(entry, engine); });
}

void read_speed(const Place& place, core::PortSettings& port) {
  const auto speed = speed_in(place.node);
  if (!speed || !core::limits::kSpeedBps.holds(*speed)) {
    return place.refuse(
        found(place.node) +
        "; allowed: a speed as in \"100G\", \"2.5G\", \"10M\" or a number of bit/s, 1M to 1600G");
  }
  port.speed_bps = *speed;
}

void read_next_hop(const Place& place, core::PortSettings& port) {
  const auto mac = mac_in(place.node.value_exact<std::string_view>().value_or(""));
  if (!mac) return place.refuse(found(place.node) + "; allowed: a MAC address as in \"02:00:00:00:00:01\"");
  port.next_hop_mac = mac;
}

void read_fields(const Place& place, core::DistributionSettings& distribution) {
  static const std::vector<Word<bool core::KeyFields::*>> kFields = [] {
    std::vector<Word<bool core::KeyFields::*>> words;
    for (const core::KeyFieldName& field : core::kKeyFieldNames) words.push_back({field.name, field.chosen});
    return words;
  }();
  core::KeyFields& fields = distribution.fields;
  for (const auto& field : kFields) fields.*field.value = false;
  each_entry(place, "a list of " + names_of(kFields), [&](const Place& entry) {
    if (const auto field = one_of(entry, kFields)) fields.** field = true;
  });
}

void read_port_ranges(const Place& place, core::DistributionSettings& distribution) {
  each_entry(place, "a list of port ranges, as in [\"0-1023\"]", [&](const Place& entry) {
    const std::string_view written = entry.node.value_exact<std::string_view>().value_or("");
    const size_t dash = written.find('-');
    const auto first = digits(written.substr(0, dash));
    const auto last = dash == std::string_view::npos ? std::nullopt : digits(written.substr(dash + 1));
    if (!first || !last || !core::limits::kL4Port.holds(*first) || !core::limits::kL4Port.holds(*last)) {
      distribution.fields.port_ranges.emplace_back();
      return entry.refuse(found(entry.node) + "; allowed: two ports " + core::text_of(core::limits::kL4Port) +
                          ", as in \"1024-49151\"");
    }
    distribution.fields.port_ranges.push_back({static_cast<uint16_t>(*first), static_cast<uint16_t>(*last)});
  });
}

void read_sizes(const Place& place, core::FlowPattern& flowgen) {
  // The shortest frame of any pattern; validate() knows the one of this pattern.
  const core::Range any{core::shortest_frame(core::FlowKind::udp, core::IpVersion::v4), core::kMaxFrameBytes};
  flowgen.sizes.clear();
  each_entry(place, "a list of frame lengths in bytes, as in [64, 1518]", [&](const Place& entry) {
    flowgen.sizes.push_back(static_cast<uint16_t>(whole_number(entry, any).value_or(any.least)));
  });
}

}  // namespace control
