// SPDX-License-Identifier: BSD-3-Clause
// Measures how evenly the distribution table spreads a group's buckets after losses: table_evenness NICS
// QUEUES LOST [BUCKETS_PER_QUEUE]. Goes through every set of that many lost NICs (all members of equal
// weight) and prints the spreads between the fullest and the emptiest survivor. docs/numbers.md has the
// figures; tests assert the bounds.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/distribution_table.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: table_evenness NICS QUEUES LOST [BUCKETS_PER_QUEUE]\n");
    return 2;
  }
  const unsigned nics = static_cast<unsigned>(std::atoi(argv[1])),
                 lost = static_cast<unsigned>(std::atoi(argv[3]));
  core::GroupState state;
  state.queues_per_nic = static_cast<uint16_t>(std::atoi(argv[2]));
  if (argc > 4) state.buckets_per_queue = static_cast<uint16_t>(std::atoi(argv[4]));
  if (nics < 2 || nics > 24 || lost < 1 || lost >= nics || state.queues_per_nic < 1 ||
      state.buckets_per_queue < 1) {
    std::fprintf(
        stderr, "table_evenness: NICS 2 to 24, LOST 1 to NICS - 1, QUEUES and BUCKETS_PER_QUEUE 1 or more\n");
    return 2;
  }
  std::map<uint32_t, uint32_t> sets_with_spread;
  for (uint32_t set = 0; set < 1u << nics; ++set) {
    if (static_cast<unsigned>(std::popcount(set)) != lost) continue;
    state.members.assign(nics, {});
    for (unsigned nic = 0; nic < nics; ++nic) state.members[nic].up = (set >> nic & 1) == 0;
    std::vector<uint32_t> load(nics);
    for (const core::Slot slot : core::build_table(state)) ++load[slot / state.queues_per_nic];
    uint32_t most = 0, least = UINT32_MAX;
    for (unsigned nic = 0; nic < nics; ++nic) {
      if (!state.members[nic].up) continue;
      most = std::max(most, load[nic]);
      least = std::min(least, load[nic]);
    }
    ++sets_with_spread[most - least];
  }
  const unsigned fair = nics * state.queues_per_nic * state.buckets_per_queue / (nics - lost);
  std::printf("%u NICs x %u queues, K = %u, %u lost; about %u buckets a survivor\n", nics,
              state.queues_per_nic, state.buckets_per_queue, lost, fair);
  for (const auto& [spread, sets] : sets_with_spread)
    std::printf("  spread %u buckets: %u sets\n", spread, sets);
  return 0;
}
