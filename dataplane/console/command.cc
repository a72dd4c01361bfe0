// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a line; see command.h.
#include "console/command.h"

#include <algorithm>
#include <charconv>

namespace console {

const std::string& Arguments::text(const std::string& name) const {
  static const std::string kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

uint64_t Arguments::number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? 0 : found->second;
}

std::vector<uint64_t> numbers_of(std::string_view word) {
  constexpr size_t kMost = 1024;
  std::vector<uint64_t> numbers;
  while (!word.empty()) {
    const size_t comma = std::min(word.find(','), word.size());
    const std::string_view part = word.substr(0, comma);
    uint64_t first = 0, last = 0;
    const char* const end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, first);
    last = first;
    if (read.ptr != end) std::from_chars(read.ptr + 1, end, last);
    for (uint64_t number = first; number <= last && numbers.size() < kMost; ++number)
      numbers.push_back(number);
    word.remove_prefix(std::min(comma + 1, word.size()));
  }
  return numbers;
}

}  // namespace console
