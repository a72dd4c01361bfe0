// SPDX-License-Identifier: BSD-3-Clause
// Single values of a settings file; see settings_values.h. Control thread.
#include "control/settings_values.h"

#include <arpa/inet.h>

#include <algorithm>
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
void read_lcore(const Place& place, std::vector<core::LcoreEntry>& lcores) {
  const auto number = place.node.value_exact<int64_t>();
  const std::string written =
      number ? std::to_string(*number) : std::string(place.node.value_exact<std::string_view>().value_or(""));
  const size_t at = written.find('@');
  const auto lcore = digits(std::string_view(written).substr(0, at));
  const auto cpu = at == std::string::npos ? lcore : digits(std::string_view(written).substr(at + 1));
  if (!lcore || !cpu || !core::limits::kLcore.holds(*lcore) || !core::limits::kCpu.holds(*cpu)) {
    const auto unlike_any = static_cast<unsigned>(core::limits::kCpu.most + 1 + lcores.size());
    lcores.push_back({unlike_any, unlike_any});
    return place.refuse(found(place.node) + "; allowed: an lcore " + core::text_of(core::limits::kLcore) +
                        ", or lcore and CPU as in \"2@0\"");
  }
  lcores.push_back({static_cast<unsigned>(*lcore), static_cast<unsigned>(*cpu)});
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

// `address` with all bits but the first `bits` zero.
core::IpAddress first_bits(core::IpAddress address, unsigned bits) {
  for (size_t i = 0; i < address.bytes.size(); ++i) {
    const unsigned kept = std::min<size_t>(bits - std::min<size_t>(bits, 8 * i), 8);
    address.bytes[i] = static_cast<uint8_t>(address.bytes[i] & 0xff00 >> kept);
  }
  return address;
}

std::string hex(uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {kDigits[byte >> 4], kDigits[byte & 15]};
}

template <class Value, class Text>
std::string list_text(const std::vector<Value>& values, const Text& text) {
  std::string list = "[";
  for (const Value& value : values) list += (list.size() == 1 ? "" : ", ") + text(value);
  return list + ']';
}

}  // namespace

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

std::optional<core::IpAddress> address_in(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;  // inet_pton would stop there
  core::IpAddress address{.v6 = text.find(':') != std::string_view::npos};
  const int family = address.v6 ? AF_INET6 : AF_INET;
  if (inet_pton(family, std::string(text).c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

std::string bare_text(const core::IpAddress& address) {
  char buffer[INET6_ADDRSTRLEN];
  return inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), buffer, sizeof buffer);
}

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

void read_seed(const Place& place, uint32_t& seed) {
  std::optional<uint64_t> value;
  if (const auto hex = place.node.value_exact<std::string_view>()) {
    if (hex->starts_with("0x")) value = digits(hex->substr(2), 16);
  } else if (const auto number = place.node.value_exact<int64_t>(); number && *number >= 0) {
    value = static_cast<uint64_t>(*number);
  }
  if (!value || !core::limits::kSeed.holds(*value)) {
    return place.refuse(found(place.node) + "; allowed: a whole number " +
                        core::text_of(core::limits::kSeed) + ", or \"0x0\" to \"0xffffffff\"");
  }
  seed = static_cast<uint32_t>(*value);
}

void read_flag(const Place& place, bool& flag) {
  const auto value = place.node.value_exact<bool>();
  if (!value) return place.refuse(found(place.node) + "; allowed: true, false");
  flag = *value;
}

void read_string(const Place& place, std::string& text) {
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

void read_strings(const Place& place, std::vector<std::string>& texts) {
  texts.clear();
  each_entry(place, "a list of strings",
             [&](const Place& entry) { read_string(entry, texts.emplace_back()); });
}

void read_lcores(const Place& place, std::vector<core::LcoreEntry>& lcores) {
  each_entry(place, "a list of lcores, as in [1, 2] or [\"2@0\"]",
             [&](const Place& entry) { read_lcore(entry, lcores); });
}

void read_speed(const Place& place, uint64_t& speed_bps) {
  const auto speed = speed_in(place.node);
  if (!speed || !core::limits::kSpeedBps.holds(*speed)) {
    return place.refuse(
        found(place.node) +
        "; allowed: a speed as in \"100G\", \"2.5G\", \"10M\" or a number of bit/s, 1M to 1600G");
  }
  speed_bps = *speed;
}

void read_mac(const Place& place, std::optional<core::MacAddress>& mac) {
  const auto value = mac_in(place.node.value_exact<std::string_view>().value_or(""));
  if (!value) return place.refuse(found(place.node) + "; allowed: a MAC address as in \"02:00:00:00:00:01\"");
  mac = value;
}

void read_address(const Place& place, std::optional<core::IpAddress>& address) {
  const auto value = address_in(place.node.value_exact<std::string_view>().value_or(""));
  if (!value) {
    return place.refuse(found(place.node) +
                        "; allowed: an IP address as in \"192.0.2.1\" or \"2001:db8::1\"");
  }
  address = value;
}

void read_prefix(const Place& place, std::optional<core::IpPrefix>& prefix) {
  const std::string_view written = place.node.value_exact<std::string_view>().value_or("");
  const size_t slash = written.find('/');
  const auto address = address_in(written.substr(0, slash));
  const unsigned all = address && address->v6 ? 128 : 32;
  const auto bits = slash == std::string_view::npos ? all : digits(written.substr(slash + 1));
  if (!address || !bits) {
    return place.refuse(
        found(place.node) +
        "; allowed: an IP address or a prefix, as in \"192.0.2.1\", \"10.0.0.0/8\", \"2001:db8::/32\"");
  }
  if (*bits > all) {
    return place.refuse(found(place.node) + "; allowed /0 to /" + std::to_string(all));
  }
  const core::IpPrefix value{first_bits(*address, static_cast<unsigned>(*bits)), static_cast<uint8_t>(*bits)};
  if (value.address != *address) {
    return place.refuse(found(place.node) + ", with bits set beyond the first " + std::to_string(*bits) +
                        "; did you mean " + prefix_text(value) + '?');
  }
  prefix = value;
}

void read_priorities(const Place& place, uint8_t& priorities) {
  priorities = 0;
  each_entry(place, "a list of priorities, as in [3, 4]", [&](const Place& entry) {
    const auto priority = whole_number(entry, core::limits::kPriority);
    if (priority) priorities = static_cast<uint8_t>(priorities | 1u << *priority);
  });
}

void read_fields(const Place& place, core::KeyFields& fields) {
  static const std::vector<Word<bool core::KeyFields::*>> kFields = [] {
    std::vector<Word<bool core::KeyFields::*>> words;
    for (const core::KeyFieldName& field : core::kKeyFieldNames) words.push_back({field.name, field.chosen});
    return words;
  }();
  for (const auto& field : kFields) fields.*field.value = false;
  each_entry(place, "a list of " + names_of(kFields), [&](const Place& entry) {
    if (const auto field = one_of(entry, kFields)) fields.** field = true;
  });
}

void read_port_ranges(const Place& place, std::vector<core::PortRange>& ranges) {
  ranges.clear();
  each_entry(place, "a list of port ranges, as in [\"0-1023\"]", [&](const Place& entry) {
    const std::string_view written = entry.node.value_exact<std::string_view>().value_or("");
    const size_t dash = written.find('-');
    const auto first = digits(written.substr(0, dash));
    const auto last = dash == std::string_view::npos ? std::nullopt : digits(written.substr(dash + 1));
    if (!first || !last || !core::limits::kL4Port.holds(*first) || !core::limits::kL4Port.holds(*last)) {
      ranges.emplace_back();
      return entry.refuse(found(entry.node) + "; allowed: two ports " + core::text_of(core::limits::kL4Port) +
                          ", as in \"1024-49151\"");
    }
    ranges.push_back({static_cast<uint16_t>(*first), static_cast<uint16_t>(*last)});
  });
}

void read_sizes(const Place& place, std::vector<uint16_t>& sizes) {
  // The shortest frame of any pattern; validate() knows the one of this pattern.
  const core::Range any{core::shortest_frame(core::FlowKind::udp, core::IpVersion::v4), core::kMaxFrameBytes};
  sizes.clear();
  each_entry(place, "a list of frame lengths in bytes, as in [64, 1518]", [&](const Place& entry) {
    sizes.push_back(static_cast<uint16_t>(whole_number(entry, any).value_or(any.least)));
  });
}

std::string string_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {  // TOML 1.0, basic strings: what must be escaped
      out += "\\u00" + hex(byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string strings_text(const std::vector<std::string>& texts) {
  return list_text(texts, [](const std::string& text) { return string_text(text); });
}

std::string lcores_text(const std::vector<core::LcoreEntry>& lcores) {
  if (lcores.empty()) return "";
  return list_text(lcores, [](const core::LcoreEntry& entry) {
    const std::string lcore = std::to_string(entry.lcore);
    return entry.cpu == entry.lcore ? lcore : string_text(lcore + '@' + std::to_string(entry.cpu));
  });
}

std::string speed_text(uint64_t speed_bps) {
  constexpr uint64_t kMega = 1'000'000, kGiga = 1'000'000'000;
  if (speed_bps == 0) return "";
  if (speed_bps % kGiga == 0) return string_text(std::to_string(speed_bps / kGiga) + 'G');
  if (speed_bps > kGiga && speed_bps % (kGiga / 10) == 0) {
    const std::string tenths = std::to_string(speed_bps % kGiga / (kGiga / 10));
    return string_text(std::to_string(speed_bps / kGiga) + '.' + tenths + 'G');
  }
  if (speed_bps % kMega == 0) return string_text(std::to_string(speed_bps / kMega) + 'M');
  return std::to_string(speed_bps);
}

std::string mac_text(const std::optional<core::MacAddress>& mac) {
  if (!mac) return "";
  std::string text;
  for (const uint8_t byte : *mac) text += (text.empty() ? "" : ":") + hex(byte);
  return string_text(text);
}

std::string address_text(const std::optional<core::IpAddress>& address) {
  return address ? string_text(bare_text(*address)) : "";
}

std::string prefix_text(const std::optional<core::IpPrefix>& prefix) {
  return prefix ? string_text(bare_text(prefix->address) + '/' + std::to_string(prefix->bits)) : "";
}

std::string priorities_text(uint8_t priorities) {
  std::vector<unsigned> set;
  for (unsigned priority = 0; priority < core::kPriorities; ++priority) {
    if ((priorities >> priority & 1) != 0) set.push_back(priority);
  }
  return list_text(set, [](unsigned priority) { return std::to_string(priority); });
}

std::string fields_text(const core::KeyFields& fields) {
  std::vector<std::string> names;
  for (const core::KeyFieldName& field : core::kKeyFieldNames) {
    if (fields.*field.chosen) names.emplace_back(field.name);
  }
  return strings_text(names);
}

std::string port_ranges_text(const std::vector<core::PortRange>& ranges) {
  if (ranges.empty()) return "";
  return list_text(ranges, [](core::PortRange range) {
    return string_text(std::to_string(range.first) + '-' + std::to_string(range.last));
  });
}

std::string sizes_text(const std::vector<uint16_t>& sizes) {
  return list_text(sizes, [](uint16_t size) { return std::to_string(size); });
}

void copy_fields(const core::KeyFields& from, core::KeyFields& to) {
  for (const core::KeyFieldName& field : core::kKeyFieldNames) to.*field.chosen = from.*field.chosen;
}

}  // namespace control
