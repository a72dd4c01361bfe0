// SPDX-License-Identifier: BSD-3-Clause
// What commands act on, and the way of a line: matched against the one table of commands, its arguments
// checked, run. A changing command edits a copy of the settings and gives it to `change`; nothing else alters
// a running data plane. Control thread; other threads come through control/errands.
#pragma once

#include <string>
#include <string_view>

#include "console/command.h"
#include "control/engine.h"

namespace console {

class Console {
 public:
  // `engine` outlives it.
  explicit Console(control::Engine& engine) : engine_(engine) {}

  // One line, without its newline. A blank line or a comment (#) answers nothing.
  Answer run(std::string_view line);

  control::Engine& engine() { return engine_; }

 private:
  control::Engine& engine_;
};

}  // namespace console
