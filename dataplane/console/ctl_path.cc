// SPDX-License-Identifier: BSD-3-Clause
// Finds control sockets; see ctl_path.h.
#include "console/ctl_path.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "console/descriptors.h"

namespace console {

namespace fs = std::filesystem;

std::string ctl_folder(uid_t user, const char* xdg_runtime_dir) {
  if (user == 0) return "/run/roceway";  // whatever a login set: a service has no login
  if (xdg_runtime_dir != nullptr && *xdg_runtime_dir == '/') return std::string(xdg_runtime_dir) + "/roceway";
  return "/tmp/roceway-" + std::to_string(user);
}

std::string ctl_folder() {
  return ctl_folder(getuid(), std::getenv("XDG_RUNTIME_DIR"));
}

std::string ctl_path_of(const std::string& instance_name) {
  return ctl_folder() + '/' + instance_name + ".sock";
}

std::optional<std::string> make_ctl_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) == 0) return std::nullopt;
  if (errno != EEXIST) return folder + ": " + std::strerror(errno) + "; choose a path with --ctl PATH";
  struct stat facts {};
  if (lstat(folder.c_str(), &facts) != 0) return folder + ": " + std::strerror(errno);
  // In /tmp somebody else may have been first.
  const bool safe =
      S_ISDIR(facts.st_mode) && facts.st_uid == getuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!safe) return folder + ": not a folder that only this user may write; remove it or choose --ctl PATH";
  return std::nullopt;
}

std::vector<std::string> live_sockets(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (!entry.is_socket(none) || entry.path().extension() != ".sock") continue;
    const auto address = socket_address(entry.path().string());
    const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!address || !probe) continue;
    const int result = connect(probe.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
    // EAGAIN: many are connecting at this moment; EACCES: another user's, who shall be told so.
    if (result == 0 || errno == EAGAIN || errno == EACCES) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<sockaddr_un> socket_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

std::string path_too_long(const std::string& path) {
  return path + ": found " + std::to_string(path.size()) + " bytes; allowed: 1 to " +
         std::to_string(sizeof sockaddr_un::sun_path - 1) + " for a socket's path";
}

}  // namespace console
