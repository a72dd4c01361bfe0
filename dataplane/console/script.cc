// SPDX-License-Identifier: BSD-3-Clause
// Reads scripts and runs their lines; see script.h.
#include "console/script.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "console/line.h"
#include "control/printable.h"

namespace console {
namespace {

constexpr size_t kDeepest = 8;

// The file of a line `load FILE`.
std::optional<std::string> file_to_load(std::string_view line) {
  constexpr std::string_view kLoad = "load";
  if (problem_of_line(line)) return std::nullopt;  // whoever parses it says why
  line = without_comment(line);
  if (!line.starts_with(kLoad)) return std::nullopt;
  line.remove_prefix(kLoad.size());
  if (!line.starts_with(' ') && !line.starts_with('\t')) return std::nullopt;
  return std::string(without_comment(line));
}

constexpr size_t kMostUnfinishedBytes = size_t{1} << 20;

enum class Got : uint8_t { bytes, end, stopped, error };

// Waits for bytes of `fd` and hands them to `lines`.
Got read_some(int fd, int stop_fd, LineSplitter& lines) {
  pollfd waits[] = {{fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
  if (poll(waits, 2, -1) < 0) return errno == EINTR ? Got::bytes : Got::error;
  if (waits[1].revents != 0) return Got::stopped;
  char bytes[4096];
  const ssize_t size = read(fd, bytes, sizeof bytes);
  if (size < 0) return errno == EINTR || errno == EAGAIN ? Got::bytes : Got::error;
  lines.feed({bytes, static_cast<size_t>(size)});
  return size > 0 ? Got::bytes : Got::end;
}

Outcome refuse(const std::string& file, const std::string& why) {
  return {.problem = control::printable(file) + ": " + why};
}

}  // namespace

Outcome LineRunner::line(const std::string& line) {
  if (const auto file = file_to_load(line)) return load(*file, false);
  const std::optional<Answer> answer = run_(line);
  if (!answer) return {.stopped = true};
  if (!answer->text.empty()) print_(answer->text);
  return {.problem = answer->problem, .quit = answer->quit};
}

Outcome LineRunner::script(const std::string& file) {
  return load(file, true);
}

Outcome LineRunner::load(const std::string& file, bool pipe_too) {
  if (open_.size() == kDeepest)
    return refuse(file, "scripts load each other " + std::to_string(kDeepest) + " deep; allowed: up to that");
  // Not waiting: somebody may have to come to a pipe's other end first, and who would stop us then?
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!fd || fstat(fd.get(), &facts) != 0) return refuse(file, std::strerror(errno));
  if (!S_ISREG(facts.st_mode) && !(pipe_too && S_ISFIFO(facts.st_mode)))
    return refuse(file, "not a file; allowed: a file with a command on each line");
  const std::pair id{facts.st_dev, facts.st_ino};
  if (std::find(open_.begin(), open_.end(), id) != open_.end()) return refuse(file, "loads itself");
  open_.push_back(id);
  Outcome outcome = script(fd.get(), file);
  open_.pop_back();
  return outcome;
}

Outcome LineRunner::script(int fd, const std::string& name) {
  LineSplitter lines;
  unsigned number = 0;
  const auto run = [&](const LineSplitter::Line& read) {
    ++number;
    Outcome outcome = read.too_long() ? Outcome{.problem = line_too_long(read.bytes)} : line(read.text);
    if (outcome.problem)
      *outcome.problem = control::printable(name) + ':' + std::to_string(number) + ": " + *outcome.problem;
    return outcome;
  };
  Got got = Got::bytes;
  while (got == Got::bytes) {
    got = read_some(fd, stop_fd_, lines);
    if (got == Got::stopped) return {.stopped = true};
    if (got == Got::error) return refuse(name, std::strerror(errno));
    while (const auto read = lines.next()) {
      if (Outcome outcome = run(*read); !outcome.goes_on()) return outcome;
    }
    // A line without end (/dev/zero) must not be waited for.
    if (lines.unfinished_bytes() > kMostUnfinishedBytes)
      return refuse(name + ':' + std::to_string(number + 1),
                    line_too_long(lines.unfinished_bytes()) + " so far");
  }
  if (const auto read = lines.rest()) return run(*read);
  return {};
}

}  // namespace console
