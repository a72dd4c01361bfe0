// SPDX-License-Identifier: BSD-3-Clause
// What a command of the laboratory found, as values: facts, tables, plots, a verdict. Commands fill one in
// and know nothing of how it is shown; report_text, report_json, report_csv and report_page each show any of
// them. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hashlab {

// How a column's numbers are written for people. JSON and CSV have them in full.
enum class Form : uint8_t {
  text,     // as it is; aligned left
  count,    // a whole number
  number,   // with `decimals`
  percent,  // a share of 1, shown times 100 with `decimals` and a % sign
  hex       // 0x and eight digits
};

// monostate: there is no such value; shown as "-", null, empty.
using Value = std::variant<std::monostate, std::string, uint64_t, double>;

struct Column {
  std::string name;   // for programs, with its unit: "max_over_mean", "ideal_p95", "moved_share"
  std::string title;  // for people: "max/mean"
  Form form = Form::text;
  unsigned decimals = 3;  // of number and percent
};

struct Table {
  std::string name;   // for programs: "queues"
  std::string title;  // for people
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  // each as long as `columns`
};

// One value with a name, in the head of a report.
struct Fact {
  Column what;
  Value value;
  std::string remark;  // behind it, for people; may be empty
};

// One bar for each label; `low` and `high`, where given, are the band that chance leaves (one entry a bar).
// More than one series stands side by side.
struct Bars {
  struct Series {
    std::string name;
    std::vector<double> values;
  };
  std::string title, unit;  // unit of the values: "packets"
  std::vector<std::string> labels;
  std::vector<Series> series;
  std::vector<double> low, high;
  std::string band;  // what the band is: "5 to 95 % of ideal draws"
};

// How often each value occurred. Bin i reaches from edges[i] to edges[i + 1]. A page shows counts as parts of
// their series, so that series of unlike length can be compared.
struct Histogram {
  struct Series {
    std::string name;
    std::vector<uint64_t> counts;
  };
  std::string title, unit;  // unit along the axis: "max/mean"
  std::vector<double> edges;
  std::vector<Series> series;
  std::optional<double> marked;  // a value worth a line across, say this run's own
  std::string mark;              // what it is
};

// A matrix whose cells are shaded by value, between `best` (none) and `worst` (full).
struct HeatMap {
  std::string title, row_title, column_title;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<Value>> cells;
  Form form = Form::number;
  unsigned decimals = 3;
  double best = 1, worst = 2;
};

using Plot = std::variant<Bars, Histogram, HeatMap>;

struct Report {
  std::string command;  // "spread"
  std::string title;    // one line: what was asked, of what
  std::vector<Fact> facts;
  std::vector<Table> tables;          // the first is the main one: --csv writes it alone
  std::vector<Plot> plots;            // of the page only
  std::vector<std::string> verdicts;  // sentences: what it means, what to change
  std::vector<std::string> notes;     // what was left out, taken for granted or cut short
  std::vector<std::string> commands;  // for roceway's prompt
  std::string broken;  // where the input ends too early; empty when it is whole. Exit status 2 then
};

}  // namespace hashlab
