// SPDX-License-Identifier: BSD-3-Clause
// Writes a file beside its place, then moves it there, so that nobody meets half of it. Called by main once a
// command is done.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "hashlab/show.h"

namespace hashlab {
namespace {

bool written(const std::string& file, const std::string& content) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  return static_cast<bool>(out);
}

[[noreturn]] void fail(const std::string& file) {
  throw std::runtime_error(file + ": " + (errno != 0 ? std::strerror(errno) : "cannot be written"));
}

}  // namespace

void write_file(const std::string& file, const std::string& content) {
  std::error_code unknown;
  const std::filesystem::file_status what = std::filesystem::status(file, unknown);
  if (exists(what) && !is_regular_file(what)) {  // a device or a pipe cannot be replaced; a folder refuses
    if (!written(file, content)) fail(file);
    return;
  }
  // Through a symbolic link the file behind it is replaced.
  const std::filesystem::path real = std::filesystem::weakly_canonical(file, unknown);
  const std::string target = unknown ? file : real.string(), part = target + ".part";
  if (written(part, content) && std::rename(part.c_str(), target.c_str()) == 0) return;
  const int error = errno;
  std::remove(part.c_str());
  errno = error;
  fail(file);
}

}  // namespace hashlab
