// SPDX-License-Identifier: BSD-3-Clause
// A report as text for people, JSON or CSV for programs, and a page. Called by main once a command is done.
// Pure, but for write_file.
#pragma once

#include <string>

#include "hashlab/report.h"

namespace hashlab {

// Title, facts, tables with aligned columns (numbers to the right), verdicts, notes, commands. Ends with a
// newline.
std::string text_of(const Report& report);

// {"command", "title", "facts": {name: value}, "tables": {name: [{column: value}]}, "verdicts", "notes",
// "commands"}; numbers in full, of Form::hex as text. One line a member at the top, so that people can read
// it too.
std::string json_of(const Report& report);

// The main table: a line of column names, then its rows; RFC 4180, so lines end with CR and LF. Facts and the
// rest are left out; empty when there is no table.
std::string csv_of(const Report& report);

// One page that holds all of it, with its plots: style, script and library are inside, nothing is asked of a
// network. For a phone as for a desk, light and dark.
std::string page_of(const Report& report);

// Writes a file that takes its name only when complete; a device or a pipe is written to as it is. Throws
// std::runtime_error that names the file.
void write_file(const std::string& file, const std::string& content);

}  // namespace hashlab
