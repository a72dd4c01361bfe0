// SPDX-License-Identifier: BSD-3-Clause
// Numbers in sentences, as people write them. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace hashlab {

// 1234567 as "1,234,567".
std::string grouped(uint64_t number);
// "1 flow", "1,024 flows".
std::string counted(uint64_t number, const std::string& what);
// With so many decimals.
std::string fixed(double number, unsigned decimals);
// 0.125 as "12.5 %".
std::string percent(double share, unsigned decimals);

}  // namespace hashlab
