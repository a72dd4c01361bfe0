// SPDX-License-Identifier: BSD-3-Clause
// Bytes to lines; see line.h.
#include "console/line.h"

#include "control/words.h"

namespace console {
namespace {

// Length of the UTF-8 character that `text` begins with; 0 when there is none. Overlong forms, surrogates and
// what is beyond U+10FFFF are none (RFC 3629, section 4).
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : length;
}

std::string hex_of(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 2) return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // C1
  return (first < 0x20 && first != '\t') || first == 0x7f;
}

// Where the comment of a line begins, and whether a string was open there. A quote opens a string where a
// TOML value could begin, not in the middle of a word (it's); a backslash escapes in "..." only, as in TOML.
struct Scanned {
  size_t comment = std::string_view::npos;
  char open = 0;  // the quote of a string that is not closed
};
Scanned scan(std::string_view line) {
  constexpr std::string_view kBeforeValue = " \t[,=";
  Scanned scanned;
  for (size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (scanned.open != 0) {
      if (c == '\\' && scanned.open == '"') ++at;
      if (c == scanned.open) scanned.open = 0;
    } else if (c == '#') {
      scanned.comment = at;
      break;
    } else if ((c == '"' || c == '\'') && (at == 0 || kBeforeValue.find(line[at - 1]) != kBeforeValue.npos)) {
      scanned.open = c;
    }
  }
  return scanned;
}

}  // namespace

std::string line_too_long(size_t bytes) {
  return "line of " + control::grouped(bytes) + " bytes; allowed: up to " + control::grouped(kMostLineBytes);
}

std::optional<std::string> problem_of_line(std::string_view line) {
  if (line.size() > kMostLineBytes) return line_too_long(line.size());
  for (size_t at = 0; at < line.size();) {
    const size_t length = utf8_length(line.substr(at));
    const std::string where =
        hex_of(static_cast<unsigned char>(line[at])) + " at byte " + std::to_string(at + 1);
    if (length == 0) return "found " + where + ", which is not UTF-8; allowed: UTF-8 text";
    if (is_control(line.substr(at, length)))
      return "found control character " + where + "; allowed: text, blanks and tabs";
    at += length;
  }
  if (const char open = scan(line).open; open != 0)
    return std::string("found a string without its closing ") + open + "; allowed: both quotes, or none";
  return std::nullopt;
}

std::string_view without_comment(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  line = line.substr(0, scan(line).comment);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) + 1 - first);
}

bool has_comment(std::string_view line) {
  return scan(line).comment != line.npos;
}

void LineSplitter::feed(std::string_view bytes) {
  buffer_.erase(0, start_);
  start_ = 0;
  buffer_ += bytes;
  if (!has_line()) forget_what_is_too_long();
}

void LineSplitter::forget_what_is_too_long() {
  const size_t unfinished = buffer_.size() - start_;
  if (unfinished <= kMostLineBytes + 1) return;  // one more: it may be a CR
  forgotten_ += unfinished;
  buffer_.clear();
  start_ = 0;
}

LineSplitter::Line LineSplitter::take(size_t end) {
  std::string_view text = std::string_view(buffer_).substr(start_, end - start_);
  if (text.ends_with('\r')) text.remove_suffix(1);
  Line line;
  line.bytes = forgotten_ + text.size();
  if (!line.too_long()) line.text = text;
  start_ = end;
  forgotten_ = 0;
  return line;
}

std::optional<LineSplitter::Line> LineSplitter::next() {
  const size_t end = buffer_.find('\n', start_);
  if (end == std::string::npos) return std::nullopt;
  Line line = take(end);
  ++start_;
  if (!has_line()) forget_what_is_too_long();
  return line;
}

std::optional<LineSplitter::Line> LineSplitter::rest() {
  if (start_ == buffer_.size() && forgotten_ == 0) return std::nullopt;
  return take(buffer_.size());
}

bool LineSplitter::overflows() const {
  return !has_line() && forgotten_ + buffer_.size() - start_ > kMostLineBytes + 1;
}

}  // namespace console
