// SPDX-License-Identifier: BSD-3-Clause
// The status page, made of status_page.html by embed_page.py when the program is built: one file that asks no
// other server for anything. Read only; any thread.
#pragma once

#include <string_view>

namespace console {

extern const std::string_view kStatusPage;
// Its Content-Security-Policy: it may run its own script, by that script's hash, use its own style and fetch
// from its own server, nothing else.
extern const std::string_view kStatusPagePolicy;

}  // namespace console
