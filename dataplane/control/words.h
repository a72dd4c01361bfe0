// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them. Pure; used by everything in control that prints.
#pragma once

#include <cstdint>
#include <string>

namespace control {

std::string grouped(uint64_t number);                            // 1,234,567
std::string counted(uint64_t number, const std::string& thing);  // 1 queue; 1,234 queues
std::string fixed(double number, int decimals);                  // 3.14
std::string padded(const std::string& text, int width);  // to the left edge for width < 0, else to the right

}  // namespace control
