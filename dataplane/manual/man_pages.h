// SPDX-License-Identifier: BSD-3-Clause
// The manual pages, made of the rows that the program itself goes by: options, commands, keys of the settings
// file. Only what no row says is prose here. Text for man(7); called by roceway-manual when the program is
// built.
#pragma once

#include <string>

namespace manual {

std::string program_page();   // roceway(8)
std::string settings_page();  // roceway.toml(5)

}  // namespace manual
