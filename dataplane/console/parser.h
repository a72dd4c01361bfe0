// SPDX-License-Identifier: BSD-3-Clause
// From a line to a command and its arguments. DPDK's cmdline library matches the line, so that what completes
// on a terminal is what is understood; where it says no, the table itself says what would have been right.
// Built once from the table, then read only: any thread may parse.
#pragma once

#include <cmdline.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "console/command.h"
#include "console/line.h"

namespace console {

struct Parsed {
  const Command* command = nullptr;  // null: nothing to run
  Arguments arguments;
  bool json = false;    // the line ended in --json
  std::string problem;  // why there is no command; empty for blank lines and comments
};

// What to use instead of a command of testpmd that is not here; nothing for any other line.
using RefusedWord = std::function<std::optional<std::string>(std::string_view line)>;

class Parser {
 public:
  // The table outlives it. Throws std::logic_error for a row that is written wrongly.
  explicit Parser(std::span<const Command> table, RefusedWord refused_word = {});
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Arguments of types number, hex, mac and numbers are checked here; port and ports by the console, which
  // knows the ports.
  Parsed parse(std::string_view line) const;
  // For the prompt: completion by the same rows.
  cmdline_parse_ctx_t* context() const;

 private:
  struct Instances;
  std::unique_ptr<Instances> instances_;
  RefusedWord refused_word_;
};

}  // namespace console
