// SPDX-License-Identifier: BSD-3-Clause
// From TOML to settings: reads the file, walks the tables with the list of keys (control/settings_keys), adds
// what core::validate finds and gives every problem its line. Called by main and by commands, on the control
// thread.
#include "control/settings_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "control/settings_keys.h"
#include "control/toml.h"

namespace control {
namespace {

constexpr size_t kMostFileBytes = 1 << 20;

// A problem of toml++ may span lines and end in a full stop; ours is one line without.
std::string in_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

// Length of the string delimiter at `at`: 3 for """ and ''', 1 for " and ', 0 for anything else.
size_t delimiter_bytes(std::string_view text, size_t at) {
  const char quote = text[at];
  if (quote != '"' && quote != '\'') return 0;
  return text.substr(at, 3) == std::string(3, quote) ? 3 : 1;
}

// The first character beyond ASCII that is in no string and no comment: TOML has no place for it (curly
// quotes come with text copied from documents). toml++ 3.3 must not see it: its table of Unicode white space
// has a hole there.
std::optional<size_t> stray_character(std::string_view text) {
  std::string_view open;  // the delimiter of the string that `at` is in; "#" in a comment
  for (size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' && open.size() != 3) {
      open = {};
    } else if (open == "#") {
      continue;
    } else if (!open.empty()) {
      if (c == '\\' && open[0] == '"') {
        if (text.substr(at + 1, 1) != "\n") ++at;
      } else if (text.substr(at).starts_with(open)) {
        at += std::exchange(open, {}).size() - 1;
      }
    } else if (const size_t bytes = delimiter_bytes(text, at); bytes > 0) {
      open = text.substr(at, bytes);
      at += bytes - 1;
    } else if (c == '#') {
      open = text.substr(at, 1);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return at;
    }
  }
  return std::nullopt;
}

// Its bytes, as far as they belong together.
std::string_view character_at(std::string_view text, size_t at) {
  const auto continues = [&](size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; };
  size_t bytes = 1;
  while (bytes < 4 && at + bytes < text.size() && continues(at + bytes)) ++bytes;
  return text.substr(at, bytes);
}

std::optional<toml::table> parse_toml(std::string_view text, Reading& reading) {
  if (const auto at = stray_character(text)) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n');
    reading.refuse_line(
        static_cast<unsigned>(line),
        "not valid TOML: " + std::string(character_at(text, *at)) + " stands outside of quotes and comments");
    return std::nullopt;
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    reading.refuse_line(error.source().begin.line, "not valid TOML: " + in_one_line(error.description()));
  } catch (
      const std::exception& error) {  // what toml++ lets through of the standard library, out of memory say
    reading.refuse_line(0, "cannot be read as TOML: " + in_one_line(error.what()));
  }
  return std::nullopt;
}

// Reads all of `path`, or says why not.
std::optional<std::string> read_file(const std::string& path, std::string& why) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  std::string text(kMostFileBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  if (text.size() > kMostFileBytes) {
    why = "longer than 1 MiB; is it a settings file?";
    return std::nullopt;
  }
  return text;
}

}  // namespace

LoadedSettings load_settings_file(const std::string& path, const Override& command_line) {
  std::string why;
  const std::optional<std::string> text = read_file(path, why);
  if (!text) return {.settings = {}, .problems = {path + ": cannot be read: " + why}, .warnings = {}};
  return parse_settings(*text, path, command_line);
}

LoadedSettings parse_settings(std::string_view text, const std::string& name, const Override& command_line) {
  LoadedSettings loaded;
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    loaded.problems = {name + ": not a text file (byte " + std::to_string(zero + 1) + " is zero)"};
    return loaded;
  }
  Reading reading(name);
  const std::optional<toml::table> root = parse_toml(text, reading);
  if (root && root->empty()) {
    loaded.problems = {name + ": the file sets nothing; give it at least one table, as in [engine]"};
    return loaded;
  }
  if (root) {
    read_settings(*root, loaded.settings, reading);
    if (command_line) command_line(loaded.settings);
    for (const core::Problem& problem : core::validate(loaded.settings)) reading.add(problem);
  }
  loaded.problems = reading.problems();
  if (!loaded.problems.empty()) return loaded;
  for (const core::Problem& warning : core::warnings(loaded.settings)) reading.warn(warning);
  loaded.warnings = reading.warnings();
  loaded.placed = [reading](const std::vector<core::Problem>& later) { return reading.placed(later); };
  return loaded;
}

std::optional<std::string> why_no_settings_file(const std::string& path) {
  std::string why;
  const std::optional<std::string> text = read_file(path, why);
  if (!text) return "cannot be read: " + why;
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) return std::nullopt;
  if (text->find('\0') != std::string::npos) return "not a text file";
  Reading reading("");
  const std::optional<toml::table> root = parse_toml(*text, reading);
  if (root && root->empty()) return "sets nothing";
  core::Settings read;
  if (root) read_settings(*root, read, reading);
  const std::vector<std::string> problems = reading.problems();
  if (problems.empty()) return std::nullopt;
  const std::string& first = problems.front();  // ":LINE: what", ": what" without a line
  return first.starts_with(": ") ? first.substr(2) : "line " + first.substr(1);
}

namespace {

bool is_toml_value(const std::string& value) {
  try {
    return toml::parse("value = " + value + "\n").size() == 1;
  } catch (const std::exception&) {
    return false;
  }
}

// As TOML has it: words may be typed without quotes, lists without brackets.
std::string toml_of(const std::string& value) {
  if (is_toml_value(value)) return value;
  if (value.find(',') == std::string::npos) return string_text(value);
  if (is_toml_value('[' + value + ']')) return '[' + value + ']';
  std::vector<std::string> words;
  size_t from = 0;
  for (size_t at = 0; at <= value.size(); ++at) {
    if (at < value.size() && value[at] != ',') continue;
    from = std::min(value.find_first_not_of(' ', from), at);
    const size_t last = value.find_last_not_of(' ', at - 1);
    words.push_back(at == from ? "" : value.substr(from, last + 1 - from));
    from = at + 1;
  }
  return strings_text(words);
}

// Reads one key of one table into `settings`; the problem without a line.
std::string read_toml(const std::string& header, const std::string& key, const std::string& toml,
                      core::Settings& settings) {
  Reading reading("");
  const std::optional<toml::table> root = parse_toml(header + "\n" + key + " = " + toml + "\n", reading);
  if (root) read_settings(*root, settings, reading);
  const std::vector<std::string> problems = reading.problems();
  if (problems.empty()) return "";
  const std::string& first = problems.front();
  const size_t line = first.find(": ");
  return line == std::string::npos ? first : first.substr(line + 2);
}

// A list of one may be typed without brackets.
std::string read_key(const std::string& header, const std::string& key, const std::string& value,
                     core::Settings& settings) {
  core::Settings read = settings, read_as_list = settings;
  const std::string toml = toml_of(value);
  const std::string problem = read_toml(header, key, toml, read);
  const bool is_list = !problem.empty() && read_toml(header, key, '[' + toml + ']', read_as_list).empty();
  settings = is_list ? read_as_list : read;
  return is_list ? "" : problem;
}

}  // namespace

EditedSettings with_key(const core::Settings& settings, const std::string& table, const std::string& key,
                        const std::string& value) {
  EditedSettings edited{settings, ""};
  edited.problem = read_key('[' + table + ']', key, value, edited.settings);
  return edited;
}

EditedSettings with_port_key(const core::Settings& settings, size_t port, const std::string& key,
                             const std::string& value) {
  EditedSettings edited{settings, ""};
  core::Settings read;
  edited.problem = read_key("[[port]]", key, value, read);
  constexpr std::string_view kOnly = "port[0]";  // what is read has one port
  if (edited.problem.starts_with(kOnly))
    edited.problem.replace(0, kOnly.size(), "port[" + std::to_string(port) + "]");
  for (const Key<core::PortSettings>& row : port_keys()) {
    if (edited.problem.empty() && row.name == key) row.copy(read.ports.front(), edited.settings.ports[port]);
  }
  return edited;
}

}  // namespace control
