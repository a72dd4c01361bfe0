// SPDX-License-Identifier: BSD-3-Clause
// Looks at CPUs, hugepages and runtime files; see host.h. Main thread, before EAL starts and after it ended.
#include "pmd_glue/host.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <mntent.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "pmd_glue/start_error.h"

namespace glue {
namespace {

uint64_t meminfo_value(std::string_view key) {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string word; meminfo >> word;) {
    uint64_t value = 0;
    if (word == key && meminfo >> value) return value;
  }
  return 0;
}

// EAL maps hugepages from a memfd when it runs --in-memory: try just that, rights and cgroup limits included.
bool can_map_hugepage(uint64_t bytes) {
  const int fd = memfd_create("roceway-probe", MFD_HUGETLB | MFD_CLOEXEC);
  if (fd < 0) return false;
  bool mapped = false;
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
    void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (page != MAP_FAILED) {
      mapped = true;
      munmap(page, bytes);
    }
  }
  close(fd);
  return mapped;
}

std::vector<std::string> hugetlbfs_mounts() {
  std::vector<std::string> mounts;
  FILE* table = setmntent("/proc/mounts", "r");
  if (table == nullptr) return mounts;
  while (const mntent* entry = getmntent(table)) {
    if (std::string_view(entry->mnt_type) == "hugetlbfs") mounts.emplace_back(entry->mnt_dir);
  }
  endmntent(table);
  return mounts;
}

// One name per user and prefix; two users may run the same configuration.
sockaddr_un instance_address(const std::string& file_prefix, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "roceway/" + std::to_string(getuid()) + "/" + file_prefix;
  const size_t bytes = std::min(name.size(), sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path + 1, name.data(), bytes);  // first byte 0: abstract
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + bytes);
  return address;
}

// Who listens at the address; 0 when nobody could be asked.
pid_t holder_of(const sockaddr_un& address, socklen_t length) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0) {
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  }
  close(fd);
  return peer.pid;
}

// EAL's primary process holds a lock on its configuration file; our own locks do not show here.
bool has_primary(const std::filesystem::path& dir) {
  const int fd = open((dir / "config").c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  return held;
}

}  // namespace

HostFacts look_at_host() {
  HostFacts facts;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &allowed)) facts.cpus.push_back(cpu);
    }
  }
  facts.hugepage_bytes = meminfo_value("Hugepagesize:") * 1024;
  facts.free_hugepage_bytes = meminfo_value("HugePages_Free:") * facts.hugepage_bytes;
  facts.hugepages_usable = facts.free_hugepage_bytes > 0 && can_map_hugepage(facts.hugepage_bytes);
  for (const std::string& mount : hugetlbfs_mounts()) {
    if (access(mount.c_str(), W_OK) == 0) facts.hugetlbfs_writable = true;
  }
  return facts;
}

void check_descriptors(uint64_t least) {
  std::vector<int> opened;
  while (opened.size() < least) {
    const int fd = open("/", O_PATH | O_CLOEXEC);
    if (fd < 0) break;
    opened.push_back(fd);
  }
  const int error = errno;
  for (const int fd : opened) close(fd);
  if (opened.size() == least) return;
  throw StartError("too few file descriptors: " + std::to_string(opened.size()) + " are free, at least " +
                   std::to_string(least) + " are needed (" + std::strerror(error) +
                   "); raise the limit, as in `ulimit -n 4096`");
}

std::string runtime_dir(const std::string& file_prefix) {
  const char* base = std::getenv("RUNTIME_DIRECTORY");
  if (base == nullptr) base = getuid() == 0 ? "/var/run" : std::getenv("XDG_RUNTIME_DIR");
  if (base == nullptr) base = "/tmp";
  return std::string(base) + "/dpdk/" + file_prefix;
}

void reserve_instance_name(const std::string& file_prefix) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = 0;
  const sockaddr_un address = instance_address(file_prefix, length);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  // Never closed: the name must outlive the exit handlers that tidy up under it.
  if (fd >= 0 && bind(fd, where, length) == 0 && listen(fd, 8) == 0) return;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (error != EADDRINUSE) {
    throw StartError(std::string("cannot reserve the name of this instance: ") + std::strerror(error));
  }
  const pid_t pid = holder_of(address, length);
  throw StartError("another roceway runs as \"" + file_prefix + "\"" +
                   (pid > 0 ? " (process " + std::to_string(pid) + ")" : std::string()) +
                   "; stop it, or give this one a name of its own with the EAL option --file-prefix NAME");
}

void remove_leftovers(const std::string& file_prefix, bool kept_files) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // what cannot be removed belongs to somebody else
  const fs::path dir = runtime_dir(file_prefix);
  if (has_primary(dir)) return;
  if (kept_files) {
    static constexpr std::array<const char*, 5> kEalFiles = {"config", "hugepage_*", "fbarray_*",
                                                             "mp_socket*", "dpdk_telemetry*"};
    for (const auto& entry : fs::directory_iterator(dir, ignored)) {
      for (const char* pattern : kEalFiles) {
        if (fnmatch(pattern, entry.path().filename().c_str(), 0) == 0) fs::remove(entry.path(), ignored);
      }
    }
    for (const std::string& mount : hugetlbfs_mounts()) {
      for (const auto& entry : fs::directory_iterator(mount, ignored)) {
        if (entry.path().filename().string().starts_with(file_prefix + "map_")) {
          fs::remove(entry.path(), ignored);
        }
      }
    }
  }
  for (const fs::path& folder : {dir, dir.parent_path()}) {
    if (fs::is_directory(folder, ignored)) fs::remove(folder, ignored);  // only when empty
  }
}

}  // namespace glue
