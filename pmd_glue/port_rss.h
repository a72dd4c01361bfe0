// SPDX-License-Identifier: BSD-3-Clause
// A device's own spreading over RX queues: the types of packets it hashes, its key, its redirection table
// (RETA). It has nothing to do with the rule by which roceway chooses TX queues. Control thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pmd_glue/outcome.h"

namespace glue {

struct RssHash {
  std::vector<std::string> types;  // by testpmd's names, whole groups first; none: the device does not spread
  std::vector<uint8_t> key;        // empty: the driver does not tell how long its key is
};
Outcome<RssHash> rss_hash(uint16_t port);
// Types by testpmd's names, groups included; refuses what the device cannot hash. The key stays.
std::optional<std::string> set_rss_types(uint16_t port, const std::vector<std::string>& types);

// RX queue of each entry; as many as PortInfo::reta_size.
Outcome<std::vector<uint16_t>> reta(uint16_t port);
struct RetaEntry {
  uint16_t index = 0, queue = 0;
};
// The other entries stay.
std::optional<std::string> set_reta(uint16_t port, const std::vector<RetaEntry>& entries);

}  // namespace glue
