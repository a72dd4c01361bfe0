// SPDX-License-Identifier: BSD-3-Clause
// How one value of a report is written: for people, as text and page share it, and for programs. Called by
// the report_ files, on the thread that shows. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hashlab/report.h"

namespace hashlab {

// A number that is not finite is no value, here as in JSON: "-".
std::string shown(const Value& value, Form form, unsigned decimals);  // "1,234.5", "12.5 %", "0x0000abcd"
inline std::string shown(const Value& value, const Column& column) {
  return shown(value, column.form, column.decimals);
}

// Numbers in full and as numbers, but hex as text: "0x0000abcd".
nlohmann::ordered_json json_value(const Value& value, Form form);

// One line, whatever bytes it holds: text that is not UTF-8 is mended.
std::string json_line(const nlohmann::ordered_json& json);

// Numbers to the right.
inline bool right_aligned(const Column& column) {
  return column.form != Form::text;
}

}  // namespace hashlab
