// SPDX-License-Identifier: BSD-3-Clause
// A terminal that gives every key at once, and gets its old ways back on every way out of the program that
// leaves a choice: the end of the object, exit(3), and signals that kill. Used by prompt, on its thread.
#pragma once

#include "console/descriptors.h"

namespace console {

class RawTerminal {
 public:
  // One at a time in a process.
  explicit RawTerminal(int fd);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
};

// The terminal behind `fd` once more, not blocking, so that a slow one can be left without waiting; others
// who have `fd` keep theirs as it is. Holds nothing when that is not allowed.
Descriptor reopen_terminal(int fd);

}  // namespace console
