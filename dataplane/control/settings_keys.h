// SPDX-License-Identifier: BSD-3-Clause
// The walk over a parsed settings file by the one list of its tables and keys. Called by
// control/settings_file, on the control thread.
#pragma once

#include "control/settings_reading.h"
#include "control/toml.h"
#include "core/settings.h"

namespace control {

// Sets what the file sets and leaves the rest at its default; notes in `reading` what it refuses.
void read_settings(const toml::table& root, core::Settings& settings, Reading& reading);

}  // namespace control
