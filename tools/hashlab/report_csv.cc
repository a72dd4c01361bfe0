// SPDX-License-Identifier: BSD-3-Clause
// The main table of a report as CSV by RFC 4180, whose lines end with CR and LF. Called by main once a
// command is done.
#include "hashlab/report_values.h"
#include "hashlab/show.h"

namespace hashlab {
namespace {

// RFC 4180, section 2: quotes around what would be read as the end of a field, and quotes in it doubled.
std::string field_of(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string field_of(const Value& value, Form form) {
  if (const auto* text = std::get_if<std::string>(&value)) return field_of(*text);
  const nlohmann::ordered_json json = json_value(value, form);
  if (json.is_null()) return "";
  return json.is_string() ? json.get<std::string>() : json.dump();
}

}  // namespace

std::string csv_of(const Report& report) {
  if (report.tables.empty()) return "";
  const Table& table = report.tables.front();
  std::string out;
  const auto add = [&out, &table](size_t i, const std::string& field) {
    out += field + (i + 1 < table.columns.size() ? "," : "\r\n");
  };
  for (size_t i = 0; i < table.columns.size(); ++i) add(i, field_of(table.columns[i].name));
  for (const std::vector<Value>& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) add(i, field_of(row[i], table.columns[i].form));
  }
  return out;
}

}  // namespace hashlab
