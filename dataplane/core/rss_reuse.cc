// SPDX-License-Identifier: BSD-3-Clause
// Whose hashes are the rule's; see rss_reuse.h. Pure.
#include "core/rss_reuse.h"

#include <algorithm>

namespace core {
namespace {

// Whether the hash has a choice: some packets of this port go to a group with more than one queue.
bool brings_in_hashed(const Plan& plan, size_t port) {
  const std::vector<Route>& routes = plan.groups[plan.ports[port].group].routes.routes;
  return std::any_of(routes.begin(), routes.end(), [&](const Route& route) {
    if (route.to == kNoGroup) return false;
    const GroupPlan& group = plan.groups[route.to];
    return group.members.size() * group.table(0).state.queues_per_nic > 1;
  });
}

std::string quoted(ToeplitzKey key) {
  return "\"" + std::string(name_of(key)) + "\"";
}

}  // namespace

std::optional<ToeplitzKey> key_to_reuse(const Settings& settings) {
  const DistributionSettings& distribution = settings.distribution;
  const bool of_use = settings.engine.mode == Mode::gateway && distribution.reuse_rss_hash &&
                      distribution.hash == HashAlgorithm::toeplitz && distribution.fields == KeyFields{};
  return of_use ? std::optional(distribution.toeplitz_key) : std::nullopt;
}

bool reuses_hash_of(const PortFacts& facts, const Settings& settings) {
  const std::optional<ToeplitzKey> wanted = key_to_reuse(settings);
  return wanted && facts.hashes_by == wanted;
}

std::vector<std::string> reuse_notes(const Settings& settings, const std::vector<PortFacts>& facts,
                                     const Plan& plan) {
  std::vector<std::string> notes;
  const std::optional<ToeplitzKey> wanted = key_to_reuse(settings);
  for (size_t i = 0; wanted && i < plan.ports.size(); ++i) {
    if (!facts[i].receives || !brings_in_hashed(plan, i)) continue;
    const std::string port = "port " + facts[i].device;
    const std::string until =
        "its packets' hash is computed until the next run (distribution.reuse_rss_hash)";
    if (!facts[i].gives_rss_hash) {
      notes.push_back(port +
                      " gives no RSS hash of its packets: it is computed (distribution.reuse_rss_hash)");
    } else if (!facts[i].hashes_by) {
      notes.push_back(port + " is set up to hash otherwise: " + until);
    } else if (facts[i].hashes_by != wanted) {
      notes.push_back(port + " is set up with toeplitz_key " + quoted(*facts[i].hashes_by) + ", not " +
                      quoted(*wanted) + ": " + until);
    } else if (settings.engine.rss != Rss::all) {
      notes.push_back(port +
                      " hashes addresses and ports of TCP and UDP for its RX queues, too: engine.rss has no "
                      "effect there (distribution.reuse_rss_hash)");
    }
  }
  return notes;
}

}  // namespace core
