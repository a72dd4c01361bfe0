// SPDX-License-Identifier: BSD-3-Clause
// Numbers in sentences; see words.h. Pure.
#include "hashlab/words.h"

#include <cstdio>

namespace hashlab {

std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string counted(uint64_t number, const std::string& what) {
  return grouped(number) + " " + what + (number == 1 ? "" : "s");
}

std::string fixed(double number, unsigned decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(decimals), number);
  return text;
}

std::string percent(double share, unsigned decimals) {
  return fixed(100 * share, decimals) + " %";
}

}  // namespace hashlab
