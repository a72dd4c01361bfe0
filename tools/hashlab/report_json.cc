// SPDX-License-Identifier: BSD-3-Clause
// A report as JSON for programs: facts and rows by the names that programs use, values in full. Called by
// main once a command is done.
#include "hashlab/report_values.h"
#include "hashlab/show.h"

namespace hashlab {
namespace {

using Json = nlohmann::ordered_json;

Json facts_of(const Report& report) {
  Json facts = Json::object();
  for (const Fact& fact : report.facts) facts[fact.what.name] = json_value(fact.value, fact.what.form);
  return facts;
}

Json rows_of(const Table& table) {
  Json rows = Json::array();
  for (const std::vector<Value>& values : table.rows) {
    Json row = Json::object();
    for (size_t i = 0; i < values.size(); ++i)
      row[table.columns[i].name] = json_value(values[i], table.columns[i].form);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json tables_of(const Report& report) {
  Json tables = Json::object();
  for (const Table& table : report.tables) tables[table.name] = rows_of(table);
  return tables;
}

}  // namespace

std::string json_of(const Report& report) {
  const std::pair<const char*, Json> members[] = {
      {"command", report.command},   {"title", report.title},       {"facts", facts_of(report)},
      {"tables", tables_of(report)}, {"verdicts", report.verdicts}, {"notes", report.notes},
      {"commands", report.commands},
  };
  std::string out;
  for (const auto& [name, value] : members)
    out += (out.empty() ? "{\n  \"" : ",\n  \"") + std::string(name) + "\": " + json_line(value);
  return out + "\n}\n";
}

}  // namespace hashlab
