// SPDX-License-Identifier: BSD-3-Clause
// What this machine can give before EAL starts: CPUs, hugepages, the runtime directory, and whether another
// roceway already runs under the same name. EAL can be initialised once in a process, so everything that
// would make it fail is looked at first. Called by main on the main thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glue {

struct HostFacts {
  std::vector<unsigned> cpus;        // that this process may run on, ascending
  uint64_t free_hugepage_bytes = 0;  // of the default size, all NUMA nodes
  uint64_t hugepage_bytes = 0;       // default size, 0 when the kernel has none
  bool hugepages_usable = false;     // one could be mapped by this process
  bool hugetlbfs_writable = false;   // a mount where files can be made (secondary processes need one)
};
HostFacts look_at_host();

// What EAL and roceway open for a few ports.
inline constexpr uint64_t kLeastDescriptors = 32;
// Throws StartError when this process may open fewer files than these: EAL and drivers tell of it as of lack
// of memory, or end the process.
void check_descriptors(uint64_t least = kLeastDescriptors);

// Where EAL keeps its sockets for this file prefix (the rule of DPDK's eal_create_runtime_dir).
std::string runtime_dir(const std::string& file_prefix);

// Reserves the name of this instance until the process ends: an abstract UNIX socket, so that nothing is left
// behind even by kill -9. Throws StartError when another process of this user holds it.
void reserve_instance_name(const std::string& file_prefix);

// Removes what an instance of this prefix left, or this one made: EAL's files when they were kept for
// secondary processes, and the directory when nothing of another process is in it. Touches nothing while
// another DPDK process is primary under this prefix. Call while holding the name.
void remove_leftovers(const std::string& file_prefix, bool kept_files);

}  // namespace glue
