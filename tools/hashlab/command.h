// SPDX-License-Identifier: BSD-3-Clause
// The commands of the laboratory, one row each. A command adds its options, and makes a report of what was
// given; main parses, shows and ends. A new command is one file and one row in commands.cc.
#pragma once

#include <span>
#include <string_view>

#include "hashlab/given.h"
#include "hashlab/report.h"

namespace hashlab {

struct Command {
  std::string_view name;
  std::string_view about;     // one line
  std::string_view usage;     // what stands behind the name: "FILE | --pattern KIND"
  std::string_view examples;  // lines for the end of --help
  void (*add_options)(OptionList& add);
  Report (*run)(const Given& given);
};

extern const Command kSpread, kCompare, kExplain, kCraft, kLoss, kTiers, kElephants, kHash;
std::span<const Command* const> commands();

}  // namespace hashlab
