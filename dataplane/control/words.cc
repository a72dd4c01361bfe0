// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them; see words.h.
#include "control/words.h"

#include <cstdio>
#include <cstdlib>

namespace control {

std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string counted(uint64_t number, const std::string& thing) {
  return grouped(number) + ' ' + thing + (number == 1 ? "" : "s");
}

std::string fixed(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, number);
  return text;
}

std::string padded(const std::string& text, int width) {
  const size_t wanted = static_cast<size_t>(std::abs(width));
  if (text.size() >= wanted) return text;
  const std::string fill(wanted - text.size(), ' ');
  return width < 0 ? text + fill : fill + text;
}

}  // namespace control
