// SPDX-License-Identifier: BSD-3-Clause
// RSS types by testpmd's names ("ipv4-udp", "ip", "l3-src-only") and as DPDK's bits. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pmd_glue/outcome.h"

namespace glue {

// One name for each bit, lowest first; "user-defined-N" for a bit without a name.
std::vector<std::string> rss_type_names(uint64_t types);
// The groups that are there as a whole, then the single types; as testpmd shows what a port hashes.
std::vector<std::string> rss_type_and_group_names(uint64_t types);
// The union of what the names mean, groups ("ip", "udp", "all") included; refuses a name that is none.
Outcome<uint64_t> rss_types_of(const std::vector<std::string>& names);

}  // namespace glue
