// SPDX-License-Identifier: BSD-3-Clause
// Why a line is no command, told from the table: the word that does not fit, what may stand there, the
// commands that begin so. Pure; called by parser, only when something is already wrong.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "console/syntax.h"

namespace console {

// `words` has one word at least and fits no row.
std::string explain_misfit(std::span<const Row> rows, std::span<const std::string_view> words);
// `words` fits several rows.
std::string explain_ambiguity(std::span<const Row> rows, std::span<const std::string_view> words);
// The word is found where `syntax` is wanted.
std::string found_instead(const SyntaxWord& syntax, std::string_view word);

}  // namespace console
