// SPDX-License-Identifier: BSD-3-Clause
// DPDK's own dumps as text, and the levels of its log. For testpmd's words dump_* and `set log`. Reading
// takes locks that no worker takes. Control thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmd_glue/outcome.h"

namespace glue {

std::string dump_physmem();  // a line for each page: without hugepages, many thousands
std::string dump_memzone();
std::string dump_devargs();
std::string dump_log_types();
std::string dump_struct_sizes();
// All of them, or one by name; refused when there is none of that name.
Outcome<std::string> dump_mempool(const std::string& name = "");
Outcome<std::string> dump_ring(const std::string& name = "");

struct LogType {
  std::string name, level;  // "pmd.net.tap", "notice"
};
std::vector<LogType> log_types();
// The names of DPDK's levels, the most important first: "emergency" is 1, "debug" 8.
std::vector<std::string> log_levels();
// `pattern` is "global" or a pattern of log types as a shell has it ("pmd.net.*"); the number of types it
// sets. Refused when that is none. `level` is 1 to 8.
Outcome<size_t> set_log_level(const std::string& pattern, unsigned level);

}  // namespace glue
