// SPDX-License-Identifier: BSD-3-Clause
// The one way in which starting fails: a sentence with cause and fix. Thrown by pmd_glue and control while
// the program starts, on the main thread only; main prints it behind "roceway: " and exits with status 2.
#pragma once

#include <stdexcept>
#include <string>

namespace glue {

class StartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace glue
