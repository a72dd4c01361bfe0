// SPDX-License-Identifier: BSD-3-Clause
// Shows a user's own words inside a one-line message. Called by control/settings_values, settings_keys and
// cli on the main thread, only when something is already wrong.
#pragma once

#include <string>
#include <string_view>

namespace control {

// On one line, without control characters, and never longer than a line should be; whole UTF-8 characters.
inline std::string printable(std::string_view text) {
  constexpr size_t kLongest = 60;
  constexpr std::string_view kHex = "0123456789abcdef";
  size_t end = text.size();
  if (end > kLongest) {
    end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  }
  std::string out;
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return end < text.size() ? out + "..." : out;
}

inline std::string quoted(std::string_view text) {
  return '"' + printable(text) + '"';
}

}  // namespace control
