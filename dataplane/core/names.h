// SPDX-License-Identifier: BSD-3-Clause
// From a word of the user to an enumerator: the words stand in the enum's order. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace core {

template <typename Enum, size_t N>
std::optional<Enum> value_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace core
