// SPDX-License-Identifier: BSD-3-Clause
// The commands of the laboratory in the order in which --help lists them; see command.h. Pure.
#include <array>

#include "hashlab/command.h"

namespace hashlab {

std::span<const Command* const> commands() {
  static constexpr std::array<const Command*, 8> kCommands = {&kSpread, &kCompare, &kExplain,   &kCraft,
                                                              &kLoss,   &kTiers,   &kElephants, &kHash};
  return kCommands;
}

}  // namespace hashlab
