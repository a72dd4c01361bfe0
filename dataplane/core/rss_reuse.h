// SPDX-License-Identifier: BSD-3-Clause
// distribution.reuse_rss_hash: when the hash that a device tells with a packet is the one of which the rule
// is made. A device is set up with a key at the start of a run, and settings and its own RSS may change after
// that; its hash is taken only while both agree. Called when devices are set up and when plans are made, on
// the control thread. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"

namespace core {

// The key by which devices have to hash so that theirs is the rule's hash; nothing when these settings take
// no hash from devices.
std::optional<ToeplitzKey> key_to_reuse(const Settings& settings);

// Whether packets of this device bring the rule's hash with them.
bool reuses_hash_of(const PortFacts& facts, const Settings& settings);

// What becomes of it at ports that bring in packets which a hash chooses a queue for; one line each.
std::vector<std::string> reuse_notes(const Settings& settings, const std::vector<PortFacts>& facts,
                                     const Plan& plan);

}  // namespace core
