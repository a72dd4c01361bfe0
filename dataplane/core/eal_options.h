// SPDX-License-Identifier: BSD-3-Clause
// Looks for options among EAL's arguments, in the forms in which EAL takes them. Used by core/settings and by
// pmd_glue before EAL starts, on the main thread. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// True when `args` hold one of the options: "-l 0,1", "-l0,1", "--lcores=0,1" or "--lcores 0,1"; "-mx" is not
// "--mx".
bool has_option(const std::vector<std::string>& args, std::initializer_list<std::string_view> names);
// The values of one such option, in their order, in any of the four forms.
std::vector<std::string> option_values(const std::vector<std::string>& args, std::string_view name);
// Widest registers that --force-max-simd-bitwidth allows, in bits; without it, and for 0, any.
unsigned most_simd_bits(const std::vector<std::string>& eal_args);
// True when an EAL option among them chooses lcores.
bool names_lcores(const std::vector<std::string>& eal_args);

}  // namespace core
