// SPDX-License-Identifier: BSD-3-Clause
// Writes a file so that whoever reads it finds the old text or the new one, never half of it. Control thread.
#pragma once

#include <optional>
#include <string>

namespace console {

// Replaces `file`, or makes it. What went wrong, in words; the old file is then as it was.
std::optional<std::string> save_file(const std::string& file, const std::string& text);

}  // namespace console
