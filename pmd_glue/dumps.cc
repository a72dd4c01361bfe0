// SPDX-License-Identifier: BSD-3-Clause
// DPDK's dumps; see dumps.h. Control thread.
#include "pmd_glue/dumps.h"

#include <fnmatch.h>
#include <rte_devargs.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_memzone.h>
#include <rte_ring.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>

namespace glue {
namespace {

// What `write` prints to the stream it is given.
template <typename Write>
std::string text_from(const Write& write) {
  char* text = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  if (stream == nullptr) return {};
  write(stream);
  std::fclose(stream);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
  return {text, size};
}

Outcome<std::string> no_such(const std::string& what, const std::string& name, const std::string& there) {
  return Outcome<std::string>::refuse(what + ": found \"" + name +
                                      "\"; allowed: " + (there.empty() ? "nothing, there is none" : there));
}

}  // namespace

std::string dump_physmem() {
  return text_from(rte_dump_physmem_layout);
}
std::string dump_memzone() {
  return text_from(rte_memzone_dump);
}
std::string dump_devargs() {
  return text_from(rte_devargs_dump);
}
std::string dump_log_types() {
  return text_from(rte_log_dump);
}

std::string dump_struct_sizes() {
  return "sizeof(struct rte_mbuf) = " + std::to_string(sizeof(rte_mbuf)) +
         "\nsizeof(struct rte_mempool) = " + std::to_string(sizeof(rte_mempool)) +
         "\nsizeof(struct rte_ring) = " + std::to_string(sizeof(rte_ring)) + '\n';
}

Outcome<std::string> dump_mempool(const std::string& name) {
  if (name.empty()) return {.value = text_from(rte_mempool_list_dump)};
  rte_mempool* pool = rte_mempool_lookup(name.c_str());
  if (pool != nullptr) return {.value = text_from([&](FILE* stream) { rte_mempool_dump(stream, pool); })};
  std::string there;
  rte_mempool_walk(
      [](rte_mempool* each, void* names) {
        std::string& text = *static_cast<std::string*>(names);
        text += (text.empty() ? "" : ", ") + std::string(each->name);
      },
      &there);
  return no_such("mempool", name, there);
}

Outcome<std::string> dump_ring(const std::string& name) {
  if (name.empty()) return {.value = text_from(rte_ring_list_dump)};
  rte_ring* ring = rte_ring_lookup(name.c_str());
  if (ring != nullptr) return {.value = text_from([&](FILE* stream) { rte_ring_dump(stream, ring); })};
  return no_such("ring", name, "one that dump_ring without a name lists");
}

std::vector<LogType> log_types() {
  // "id 3: lib.mempool, level is info"; DPDK has no other way to list names with levels.
  std::vector<LogType> types;
  std::istringstream lines(dump_log_types());
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kBefore = ": ", kBetween = ", level is ";
    const size_t name = line.find(kBefore), level = line.rfind(kBetween);
    if (!line.starts_with("id ") || name == std::string::npos || level == std::string::npos) continue;
    const size_t begin = name + kBefore.size();
    types.push_back({line.substr(begin, level - begin), line.substr(level + kBetween.size())});
  }
  return types;
}

std::vector<std::string> log_levels() {
  return {"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"};
}

Outcome<size_t> set_log_level(const std::string& pattern, unsigned level) {
  if (level == 0 || level > RTE_LOG_MAX)
    return Outcome<size_t>::refuse("log level: found " + std::to_string(level) + "; allowed: 1 to 8");
  const std::vector<LogType> types = log_types();
  if (pattern == "global") {
    rte_log_set_global_level(level);
    return {.value = types.size()};
  }
  const auto set = std::count_if(types.begin(), types.end(), [&](const LogType& type) {
    return fnmatch(pattern.c_str(), type.name.c_str(), 0) == 0;
  });
  if (set == 0) {
    return Outcome<size_t>::refuse(
        "log type: found \"" + pattern +
        "\"; allowed: global, or a pattern that a type of dump_log_types has, as in "
        "\"pmd.net.*\"");
  }
  rte_log_set_level_pattern(pattern.c_str(), level);
  return {.value = static_cast<size_t>(set)};
}

}  // namespace glue
