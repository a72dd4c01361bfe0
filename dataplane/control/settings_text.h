// SPDX-License-Identifier: BSD-3-Clause
// Writes settings as a file that reads back to equal settings: what differs from the defaults, or everything.
// Used by `show running-config` and `save` on the control thread. Pure.
#pragma once

#include <string>

#include "core/settings.h"

namespace control {

// TOML, keys in the order of control/settings_keys. `all`: also keys that have their default value.
std::string settings_text(const core::Settings& settings, bool all);

}  // namespace control
