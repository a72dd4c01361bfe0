// SPDX-License-Identifier: BSD-3-Clause
// toml++ as roceway uses it: compiled in, and without assertions on what is in the file. Version 3.3 asserts
// that a table header such as "[,x]" begins with a key and would end the program; without, the same line is a
// syntax error with its number. Every file of control that needs toml++ includes this one instead.
#pragma once

#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_SHARED_LIB
#define TOML_SHARED_LIB 0
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
