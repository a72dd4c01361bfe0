// SPDX-License-Identifier: BSD-3-Clause
// Options and their values among EAL's arguments; see eal_options.h. Pure.
#include "core/eal_options.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <optional>

namespace core {
namespace {

// The value that stands in the option's own word ("--vdev=x", "-l0,1"), empty for one that stands behind it;
// nothing when the word is not this option.
std::optional<std::string_view> in_own_word(std::string_view arg, std::string_view name) {
  if (arg == name) return std::string_view();
  if (!arg.starts_with(name)) return std::nullopt;
  const std::string_view rest = arg.substr(name.size());
  if (!name.starts_with("--")) return rest;
  return rest.starts_with('=') ? std::optional(rest.substr(1)) : std::nullopt;
}

}  // namespace

bool has_option(const std::vector<std::string>& args, std::initializer_list<std::string_view> names) {
  return std::any_of(args.begin(), args.end(), [&](const std::string& arg) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return in_own_word(arg, name).has_value(); });
  });
}

std::vector<std::string> option_values(const std::vector<std::string>& args, std::string_view name) {
  std::vector<std::string> values;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto value = in_own_word(args[i], name);
    if (!value) continue;
    if (!value->empty()) {
      values.emplace_back(*value);
    } else if (args[i] == name && i + 1 < args.size()) {
      values.push_back(args[++i]);
    }
  }
  return values;
}

unsigned most_simd_bits(const std::vector<std::string>& eal_args) {
  const std::vector<std::string> values = option_values(eal_args, "--force-max-simd-bitwidth");
  const unsigned long bits = values.empty() ? 0 : std::strtoul(values.back().c_str(), nullptr, 0);
  return bits == 0 ? UINT_MAX : static_cast<unsigned>(bits);
}

bool names_lcores(const std::vector<std::string>& eal_args) {
  return has_option(eal_args, {"-l", "-c", "-s", "--lcores"});
}

}  // namespace core
