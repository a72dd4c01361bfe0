// SPDX-License-Identifier: BSD-3-Clause
// Makes the tiers that each remedy asks for; see cures.h. Pure.
#include "hashlab/cures.h"

#include <algorithm>
#include <numeric>

#include "core/types.h"

namespace hashlab {
namespace {

// How far the hash is turned from tier to tier: more bits than any number of paths has.
constexpr uint32_t kOffsetBits = 8;

// Writes "WHAT in tier 2, WHAT in tier 3" while tiers behind the first are changed.
template <class Change>
Cure changed(const char* name, std::vector<Tier> tiers, Change change) {
  Cure cure{name, "", {}};
  for (size_t t = 1; t < tiers.size(); ++t) {
    const std::string what = change(tiers[t], static_cast<uint32_t>(t));
    if (what.empty()) continue;
    cure.change += (cure.change.empty() ? "" : ", ") + what + " in tier " + std::to_string(t + 1);
  }
  cure.tiers = std::move(tiers);
  return cure;
}

// Of tiers behind the first: the next number of paths that has no divisor in common with those before.
Cure coprime_paths(const std::vector<Tier>& tiers) {
  uint64_t before = tiers.front().paths;
  return changed("coprime paths", tiers, [&](Tier& tier, uint32_t) {
    const uint32_t had = tier.paths;
    while (std::gcd(before, uint64_t{tier.paths}) > 1) ++tier.paths;
    before *= tier.paths;
    return tier.paths == had ? "" : std::to_string(tier.paths) + " paths";
  });
}

bool is_jenkins(const Tier& tier) {
  return tier.hash.algorithm == core::HashAlgorithm::jenkins;
}

}  // namespace

std::vector<Cure> cures_of(const std::vector<Tier>& tiers) {
  uint32_t seed = 0;  // the highest in use: those above it are new
  for (const Tier& tier : tiers) seed = std::max(seed, tier.hash.seed);
  const auto behind = tiers.begin() + 1;
  std::vector<Cure> cures;
  if (std::all_of(behind, tiers.end(),
                  [](const Tier& tier) { return core::takes_seed(tier.hash.algorithm); })) {
    cures.push_back(changed("another seed", tiers, [seed](Tier& tier, uint32_t t) {
      return "seed " + std::to_string(tier.hash.seed = seed + t);
    }));
  }
  if (!std::all_of(behind, tiers.end(), is_jenkins)) {
    cures.push_back(changed("jenkins, another seed", tiers, [seed](Tier& tier, uint32_t t) {
      tier.hash = {.algorithm = core::HashAlgorithm::jenkins, .seed = seed + t};
      return "jenkins, seed " + std::to_string(tier.hash.seed);
    }));
  }
  cures.push_back(changed("another reduction", tiers, [](Tier& tier, uint32_t t) {
    if (t > 1) return std::string();
    tier.reduction =
        tier.reduction == Reduction::multiply_shift ? Reduction::modulo : Reduction::multiply_shift;
    return std::string(name_of(tier.reduction));
  }));
  cures.push_back(changed("hash offset", tiers, [](Tier& tier, uint32_t t) {
    tier.rotate_bits = (tier.rotate_bits + t * kOffsetBits) % 32;
    return "turned by " + std::to_string(tier.rotate_bits) + " bits";
  }));
  Cure coprime = coprime_paths(tiers);
  const bool fits = std::all_of(coprime.tiers.begin(), coprime.tiers.end(),
                                [](const Tier& tier) { return tier.paths <= core::kMaxMembers; });
  if (fits && !coprime.change.empty()) cures.push_back(std::move(coprime));
  return cures;
}

}  // namespace hashlab
