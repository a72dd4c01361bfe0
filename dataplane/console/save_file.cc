// SPDX-License-Identifier: BSD-3-Clause
// A file replaced whole; see save_file.h.
#include "console/save_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace console {
namespace {

bool write_all(int fd, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<size_t>(count);
  }
  return fsync(fd) == 0;
}

}  // namespace

std::optional<std::string> save_file(const std::string& file, const std::string& text) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
    return file + ": is no regular file";
  // Through a symbolic link the file behind it is replaced.
  const std::filesystem::path real = std::filesystem::weakly_canonical(file, unknown);
  const std::string target = unknown ? file : real.string();
  std::string temporary = target + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return file + ": " + std::strerror(errno);
  struct stat old {};
  const mode_t mode = stat(target.c_str(), &old) == 0 ? old.st_mode & 0777 : 0644;
  const bool written = write_all(fd, text) && fchmod(fd, mode) == 0;
  const int error = errno;
  close(fd);
  if (written && std::rename(temporary.c_str(), target.c_str()) == 0) return std::nullopt;
  const std::string why = std::strerror(written ? errno : error);
  unlink(temporary.c_str());
  return file + ": " + why;
}

}  // namespace console
