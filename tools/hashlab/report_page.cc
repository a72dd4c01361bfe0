// SPDX-License-Identifier: BSD-3-Clause
// A report as a page: what its script draws, as JSON, put into page.html. Numbers that are read are written
// here, as the text has them; plots have theirs in full. Called by main once a command is done.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "hashlab/page.h"
#include "hashlab/report_values.h"
#include "hashlab/show.h"

namespace hashlab {
namespace {

using Json = nlohmann::ordered_json;

Json facts_of(const Report& report) {
  Json facts = Json::array();
  for (const Fact& fact : report.facts)
    facts.push_back(
        {{"name", fact.what.title}, {"value", shown(fact.value, fact.what)}, {"remark", fact.remark}});
  return facts;
}

Json table_of(const Table& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const Column& column : table.columns)
    columns.push_back({{"title", column.title}, {"right", right_aligned(column)}});
  for (const std::vector<Value>& values : table.rows) {
    Json row = Json::array();
    for (size_t i = 0; i < values.size(); ++i) row.push_back(shown(values[i], table.columns[i]));
    rows.push_back(std::move(row));
  }
  return {{"title", table.title}, {"columns", columns}, {"rows", rows}};
}

Json plot_of(const Bars& bars) {
  Json series = Json::array();
  for (const Bars::Series& one : bars.series) series.push_back({{"name", one.name}, {"values", one.values}});
  return {{"kind", "bars"},   {"title", bars.title}, {"unit", bars.unit}, {"labels", bars.labels},
          {"series", series}, {"low", bars.low},     {"high", bars.high}, {"band", bars.band}};
}

// In per cent of all that the series counts.
std::vector<double> shares_of(const std::vector<uint64_t>& counts) {
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  std::vector<double> shares;
  for (const uint64_t count : counts) shares.push_back(all == 0 ? 0 : 100 * static_cast<double>(count) / all);
  return shares;
}

Json plot_of(const Histogram& histogram) {
  Json series = Json::array();
  for (const Histogram::Series& one : histogram.series)
    series.push_back({{"name", one.name}, {"shares", shares_of(one.counts)}});
  return {{"kind", "histogram"},    {"title", histogram.title},
          {"unit", histogram.unit}, {"edges", histogram.edges},
          {"series", series},       {"marked", histogram.marked ? Json(*histogram.marked) : Json()},
          {"mark", histogram.mark}};
}

// How far from the best towards the worst, 0 to 1, and beyond; nothing for what is no number.
std::optional<double> shade_of(const Value& value, const HeatMap& map) {
  double number = 0;
  if (const auto* whole = std::get_if<uint64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    return std::nullopt;
  }
  if (!std::isfinite(number)) return std::nullopt;
  if (map.best == map.worst) return 0;
  return (number - map.best) / (map.worst - map.best);
}

Json plot_of(const HeatMap& map) {
  Json cells = Json::array();
  double least = 0, most = 1;  // shades of the scale's ends, and of cells beyond these
  for (const std::vector<Value>& values : map.cells) {
    Json row = Json::array();
    for (const Value& value : values) {
      const std::optional<double> shade = shade_of(value, map);
      least = std::min(least, shade.value_or(0));
      most = std::max(most, shade.value_or(1));
      row.push_back({{"text", shown(value, map.form, map.decimals)},
                     {"shade", shade ? Json(std::clamp(*shade, 0.0, 1.0)) : Json()}});
    }
    cells.push_back(std::move(row));
  }
  const bool rising = map.best <= map.worst;
  const std::string below = rising ? " or less" : " or more", above = rising ? " or more" : " or less";
  return {{"kind", "heat_map"},
          {"title", map.title},
          {"row_title", map.row_title},
          {"column_title", map.column_title},
          {"rows", map.rows},
          {"columns", map.columns},
          {"cells", cells},
          {"best", shown(map.best, map.form, map.decimals) + (least < 0 ? below : "")},
          {"worst", shown(map.worst, map.form, map.decimals) + (most > 1 ? above : "")}};
}

// Within a <script> a "<" could end it, or open a comment in it.
std::string script_data(const Json& json) {
  std::string out;
  for (const char c : json_line(json)) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

std::string html_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

}  // namespace

std::string page_of(const Report& report) {
  Json tables = Json::array(), plots = Json::array();
  for (const Table& table : report.tables) tables.push_back(table_of(table));
  for (const Plot& plot : report.plots)
    plots.push_back(std::visit([](const auto& one) { return plot_of(one); }, plot));
  const Json data = {
      {"command", report.command},
      {"title", report.title},
      {"facts", facts_of(report)},
      {"tables", tables},
      {"plots", plots},
      {"verdicts", report.verdicts},
      {"notes", report.notes},
      {"commands", report.commands},
  };
  const std::string_view title = "{{title}}", place = "{{report}}";
  const size_t at_title = kPage.find(title), at_report = kPage.find(place);
  std::string page(kPage.substr(0, at_title));
  page += html_text(report.title);
  page += kPage.substr(at_title + title.size(), at_report - at_title - title.size());
  page += script_data(data);
  page += kPage.substr(at_report + place.size());
  return page;
}

}  // namespace hashlab
