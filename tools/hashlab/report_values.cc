// SPDX-License-Identifier: BSD-3-Clause
// One value in the forms of report.h; see report_values.h.
#include "hashlab/report_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace hashlab {
namespace {

constexpr size_t kHexDigits = 8;
constexpr double kPercent = 100;

template <typename... How>
std::string digits(auto number, How... how) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before its point
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, how...);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

// "-1234.5" -> "-1,234.5"
std::string grouped(std::string number) {
  const size_t first = number.starts_with('-') ? 1 : 0;
  for (size_t at = std::min(number.find('.'), number.size()); at > first + 3;) number.insert(at -= 3, 1, ',');
  return number;
}

std::string hex(uint64_t number) {
  const std::string text = digits(number, 16);
  return "0x" + std::string(kHexDigits - std::min(kHexDigits, text.size()), '0') + text;
}

std::string fixed(double number, unsigned decimals) {
  return grouped(digits(number, std::chars_format::fixed, static_cast<int>(decimals)));
}

std::string shown_number(uint64_t number, Form form, unsigned decimals) {
  switch (form) {
    case Form::text:
      return digits(number);
    case Form::count:
      return grouped(digits(number));
    case Form::number:
      return fixed(static_cast<double>(number), decimals);
    case Form::percent:
      return fixed(static_cast<double>(number) * kPercent, decimals) + " %";
    case Form::hex:
      return hex(number);
  }
  return {};
}

std::string shown_number(double number, Form form, unsigned decimals) {
  if (!std::isfinite(number)) return "-";
  switch (form) {
    case Form::text:
    case Form::hex:  // no whole number has come: shown as it is
      return digits(number);
    case Form::count:
      return fixed(number, 0);
    case Form::number:
      return fixed(number, decimals);
    case Form::percent:
      return fixed(number * kPercent, decimals) + " %";
  }
  return {};
}

}  // namespace

std::string shown(const Value& value, Form form, unsigned decimals) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<uint64_t>(&value)) return shown_number(*whole, form, decimals);
  if (const auto* real = std::get_if<double>(&value)) return shown_number(*real, form, decimals);
  return "-";
}

nlohmann::ordered_json json_value(const Value& value, Form form) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<uint64_t>(&value)) {
    if (form == Form::hex) return hex(*whole);
    return *whole;
  }
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr || !std::isfinite(*real)) return nullptr;
  return *real;
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace hashlab
