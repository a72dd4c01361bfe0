// SPDX-License-Identifier: BSD-3-Clause
// The one way in which a command refuses what it was given: one sentence with what is wrong, where, what is
// allowed. main prints it; exit status 2.
#pragma once

#include <stdexcept>

namespace hashlab {

struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace hashlab
