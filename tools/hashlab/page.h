// SPDX-License-Identifier: BSD-3-Clause
// The page of a report before a report is in it: page.html with Chart.js inside, made by
// console/embed_page.py when the program is built. Read only; any thread.
#pragma once

#include <string_view>

namespace hashlab {

// With {{title}} and {{report}} once each, in this order.
extern const std::string_view kPage;

}  // namespace hashlab
