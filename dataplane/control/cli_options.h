// SPDX-License-Identifier: BSD-3-Clause
// The one list of options: parsing, help, suggestions and documents read it. Main thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/cli.h"

namespace control {

// Puts `value` into `cli`, or says what is allowed instead.
using Read = std::optional<std::string> (*)(const std::string& value, Cli& cli);

struct Option {
  std::string_view names;  // the first is the one reports use; others after commas
  std::string_view value;  // what the help calls it; empty: takes none
  std::string_view help;
  Read read;
  bool repeats = false;  // may be given several times
};

std::span<const Option> cli_options();

}  // namespace control
