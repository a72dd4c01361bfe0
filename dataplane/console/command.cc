// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a line; see command.h.
#include "console/command.h"

namespace console {

const std::string& Arguments::text(const std::string& name) const {
  static const std::string kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

uint64_t Arguments::number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? 0 : found->second;
}

}  // namespace console
