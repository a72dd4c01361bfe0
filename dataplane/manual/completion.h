// SPDX-License-Identifier: BSD-3-Clause
// What a shell completes behind `roceway`: options and their words, and behind `roceway ctl` commands, word
// by word, out of the rows. Called by roceway-manual when the program is built.
#pragma once

#include <string>

namespace manual {

std::string bash_completion();
// The same function, through zsh's emulation of bash's completion.
std::string zsh_completion();

}  // namespace manual
