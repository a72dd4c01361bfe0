// SPDX-License-Identifier: BSD-3-Clause
// SIGHUP: reads the settings file again and changes the running data plane by what differs. Control thread.
#pragma once

#include <string>
#include <vector>

#include "control/cli.h"
#include "control/engine.h"

namespace control {

// Reads cli.config with the command line over it. An invalid file is told on stderr and changes nothing.
// Otherwise every difference is printed on stdout; live keys are applied at once, the others are named as
// needing a restart. `warnings`: those of the last reading that was taken; only others are told, and those of
// this one take their place.
bool reread_settings(Engine& engine, const Cli& cli, std::vector<std::string>& warnings);

}  // namespace control
