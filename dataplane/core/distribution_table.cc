// SPDX-License-Identifier: BSD-3-Clause
// Builds distribution tables: homes by weight, then a detour for every bucket whose member is lost, then
// pins. Called by control on its own thread when a plan is built, by tools and tests. Pure.
//
// Every bucket has one fixed order of preference over the members, home first. It is found lazily: buckets
// whose first choices were exactly the set S of lost members are "dealt" to the members outside S together,
// so that loads come out even. A deal depends on S (and the weights) alone. Therefore a further loss never
// moves a bucket that sits on a survivor, and a member that returns gets back exactly what it had.
#include "core/distribution_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

using MemberSet = uint64_t;  // bit m is member m

constexpr MemberSet only(unsigned member) {
  return MemberSet{1} << member;
}
constexpr bool holds(MemberSet set, unsigned member) {
  return (set >> member & 1) != 0;
}
static_assert(kMaxMembers <= 64);

// How many first choices of a bucket are dealt evenly; the later ones are drawn by lot. There can be as many
// deals as sets of that many members: 254 for 8 members, 696 for 16, 2080 for 64. In larger groups the deals
// of larger sets would be too small to even anything out.
constexpr unsigned deals_for(unsigned members) {
  return members <= 8 ? members - 1 : members <= 16 ? 3 : 2;
}

// Lots that must not depend on each other draw from different numbers.
constexpr uint32_t kMemberLots = 0, kQueueLots = 1 << 16, kTurnLots = 2 << 16;

// 64 bits as good as random for every (bucket, lot): the finaliser of SplitMix64.
uint64_t draw(uint32_t bucket, uint32_t lot) {
  uint64_t x = (uint64_t{bucket} << 32 | lot) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The taker with the least cost is taker t with a probability of weight(t) / all weights: an exponential
// variate divided by the weight (weighted rendezvous hashing), in integers so that every machine agrees.
// weight > 0.
uint64_t cost_of(uint32_t bucket, uint32_t lot, uint64_t weight) {
  const uint32_t uniform = static_cast<uint32_t>(draw(bucket, lot) >> 32) | 1;
  const auto zeros = static_cast<uint64_t>(std::countl_zero(uniform));
  const uint64_t fraction = (uniform << zeros) & 0x7fffffff;
  const uint64_t minus_log2 =
      ((zeros + 1) << 31) - fraction;  // 2^-31 units, straight lines between powers of 2
  return (minus_log2 << 26) / weight;
}

// Splits `items` by `weights` with largest remainders (Hamilton); ties go to the lower index. Sum of weights
// > 0.
std::vector<uint32_t> largest_remainder(uint32_t items, const std::vector<uint64_t>& weights) {
  const uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  std::vector<uint32_t> shares(weights.size()), order(weights.size());
  uint32_t left = items;
  for (size_t i = 0; i < weights.size(); ++i) {
    shares[i] = static_cast<uint32_t>(items * weights[i] / sum);
    left -= shares[i];
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return items * weights[a] % sum > items * weights[b] % sum;
  });
  for (uint32_t i = 0; i < left; ++i) ++shares[order[i]];
  return shares;
}

// Gives every bucket a taker so that taker t gets exactly capacity[t] (their sum is buckets.size()). A bucket
// goes to the taker with the least cost(bucket, t) unless that one is full of buckets that cost it less: the
// stable matching of Gale and Shapley (1962). Little moves when capacities change a little.
template <typename Cost>
std::vector<uint32_t> match(const std::vector<uint32_t>& buckets, const std::vector<uint32_t>& capacity,
                            Cost cost) {
  using Offer = std::pair<uint64_t, uint32_t>;  // cost, and the taker or the index of the bucket
  std::vector<std::priority_queue<Offer>> held(capacity.size());
  std::vector<uint32_t> takers(buckets.size());
  for (uint32_t index = 0; index < buckets.size(); ++index) {
    uint32_t asking = index;
    Offer refused = {0, 0};  // the dearest taker that has said no to the asking bucket
    for (;;) {
      Offer best = {UINT64_MAX, 0};
      for (uint32_t t = 0; t < capacity.size(); ++t) {
        if (capacity[t] == 0) continue;
        const Offer offer = {cost(buckets[asking], t), t};
        if (offer > refused && offer < best) best = offer;
      }
      const uint32_t taker = best.second;
      takers[asking] = taker;
      held[taker].emplace(best.first, asking);
      if (held[taker].size() <= capacity[taker]) break;
      refused = {held[taker].top().first, taker};
      asking = held[taker].top().second;
      held[taker].pop();
    }
  }
  return takers;
}

struct Shape {
  explicit Shape(const GroupState& state)
      : queues(state.queues_per_nic),
        members(static_cast<unsigned>(state.members.size())),
        slots(queues * members),
        buckets(slots * state.buckets_per_queue) {}
  unsigned queues, members, slots, buckets;
};

// Spreads the buckets that `member` received evenly over its queues; a bucket rather keeps its queue number.
void spread_over_queues(const Shape& shape, unsigned member, const std::vector<uint32_t>& buckets,
                        std::vector<Slot>& homes) {
  const std::vector<uint64_t> alike(shape.queues, 1);
  const auto capacity = largest_remainder(static_cast<uint32_t>(buckets.size()), alike);
  const auto cost = [&](uint32_t bucket, uint32_t queue) {
    const uint64_t by_chance = cost_of(bucket, kQueueLots + member * kMaxQueuesPerNic + queue, 1) >> 1;
    return bucket % shape.queues == queue ? by_chance : by_chance | uint64_t{1} << 62;
  };
  const auto queues = match(buckets, capacity, cost);
  for (size_t i = 0; i < buckets.size(); ++i) {
    homes[buckets[i]] = static_cast<Slot>(member * shape.queues + queues[i]);
  }
}

// Where buckets live while everything is usable. Equal weights: the documents' rule. Otherwise a member keeps
// the first of its buckets, as many as its share, and what members with less than an even share give up goes
// to those with more. Homes ignore which members are usable.
std::vector<Slot> homes_of(const GroupState& state) {
  std::vector<Slot> homes = documents_rule(state);
  std::vector<uint64_t> weights;
  for (const MemberState& member : state.members) weights.push_back(member.weight);
  if (std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end())
    return homes;

  const Shape shape(state);
  const std::vector<uint32_t> share = largest_remainder(shape.buckets, weights);
  const uint32_t even_share = shape.buckets / shape.members;
  std::vector<uint32_t> room, given_up;
  for (const uint32_t buckets : share) room.push_back(buckets > even_share ? buckets - even_share : 0);
  for (uint32_t bucket = 0; bucket < shape.buckets; ++bucket) {
    const uint32_t rank = bucket / shape.slots * shape.queues + homes[bucket] % shape.queues;
    if (rank >= share[homes[bucket] / shape.queues]) given_up.push_back(bucket);
  }
  const auto cost = [&](uint32_t bucket, uint32_t member) {
    return cost_of(bucket, kMemberLots + member, room[member]);
  };
  const std::vector<uint32_t> takers = match(given_up, room, cost);
  std::vector<std::vector<uint32_t>> received(shape.members);
  for (size_t i = 0; i < given_up.size(); ++i) received[takers[i]].push_back(given_up[i]);
  for (unsigned member = 0; member < shape.members; ++member) {
    spread_over_queues(shape, member, received[member], homes);
  }
  return homes;
}

class Dealer {
 public:
  Dealer(const GroupState& state, const std::vector<Slot>& homes)
      : members_(state.members), shape_(state), home_(shape_) {
    for (unsigned slot = 0; slot < shape_.slots; ++slot) member_of_.push_back(slot / shape_.queues);
    for (const Slot slot : homes) home_.add(member_of(slot), slot, 1);
  }

  unsigned members() const { return shape_.members; }
  unsigned member_of(Slot slot) const { return member_of_[slot]; }

  // The next choice of `buckets`: all those whose first choices are exactly `lost`, ascending. Every set that
  // is part of `lost` must have been dealt before. Some member outside `lost` has a weight.
  std::vector<Slot> deal(MemberSet lost, std::span<const uint32_t> buckets) {
    Loads loads = home_;
    for (MemberSet part = (lost - 1) & lost; part != 0; part = (part - 1) & lost) {
      const auto earlier = dealt_.find(part);
      if (earlier == dealt_.end()) continue;  // no bucket has those first choices
      for (const auto& [slot, count] : earlier->second) loads.add(member_of(slot), slot, count);
    }
    unsigned sum = 0;
    for (unsigned member = 0; member < shape_.members; ++member) sum += holds(lost, member) ? member : 0;
    std::vector<Slot> slots;
    for (const uint32_t bucket : buckets) {
      // Who is asked first. For a single loss by chance, so that a queue of the lost member is spread widely;
      // for more, so that sets that share members favour different survivors.
      const uint64_t chance = draw(bucket, kTurnLots);
      const auto turn = static_cast<uint32_t>(std::has_single_bit(lost) ? chance : sum);
      const unsigned member = lightest_member(loads, lost, turn);
      slots.push_back(lightest_queue(loads, member, static_cast<uint32_t>(chance >> 32)));
      loads.add(member, slots.back(), 1);
      ++loads.received[member];
    }
    remember(lost, slots);
    return slots;
  }

 private:
  struct Loads {
    explicit Loads(const Shape& shape) : member(shape.members), slot(shape.slots), received(shape.members) {}
    void add(unsigned to_member, Slot to_slot, uint32_t buckets) {
      member[to_member] += buckets;
      slot[to_slot] += buckets;
    }
    std::vector<uint32_t> member, slot;  // buckets at each; those of lost members mean nothing
    std::vector<uint32_t> received;      // by member, in the present deal
  };

  void remember(MemberSet lost, std::vector<Slot> slots) {
    std::sort(slots.begin(), slots.end());
    auto& counts = dealt_[lost];
    for (const Slot slot : slots) {
      if (counts.empty() || counts.back().first != slot) counts.emplace_back(slot, 0);
      ++counts.back().second;
    }
  }

  // Webster's method: the least (2 * load + 1) / weight, which keeps loads nearest to proportional. Among
  // equals the one that has received least in this deal (it evens out deals of larger sets), then the next in
  // turn.
  unsigned lightest_member(const Loads& loads, MemberSet lost, uint32_t turn) const {
    unsigned best = shape_.members, member = turn % shape_.members;
    for (unsigned i = 0; i < shape_.members; ++i, ++member) {
      if (member == shape_.members) member = 0;
      const uint64_t weight = members_[member].weight;
      if (holds(lost, member) || weight == 0) continue;
      if (best == shape_.members) {
        best = member;
        continue;
      }
      const uint64_t mine = (2 * loads.member[member] + 1) * uint64_t{members_[best].weight};
      const uint64_t least = (2 * loads.member[best] + 1) * weight;
      if (mine < least || (mine == least && loads.received[member] < loads.received[best])) best = member;
    }
    return best;
  }

  Slot lightest_queue(const Loads& loads, unsigned member, uint32_t turn) const {
    const unsigned first = member * shape_.queues;
    unsigned queue = turn % shape_.queues, best = queue;
    for (unsigned i = 1; i < shape_.queues; ++i) {
      if (++queue == shape_.queues) queue = 0;
      if (loads.slot[first + queue] < loads.slot[first + best]) best = queue;
    }
    return static_cast<Slot>(first + best);
  }

  const std::vector<MemberState>& members_;
  const Shape shape_;
  std::vector<unsigned> member_of_;  // by slot
  Loads home_;
  std::unordered_map<MemberSet, std::vector<std::pair<Slot, uint32_t>>>
      dealt_;  // buckets per slot, by lost set
};

// The choices after the dealt ones: members by lot, more often the heavier.
Slot by_lot(const GroupState& state, uint32_t bucket) {
  std::pair<uint64_t, unsigned> best = {UINT64_MAX, 0};
  for (unsigned member = 0; member < state.members.size(); ++member) {
    if (!state.members[member].usable()) continue;
    best = std::min(best, {cost_of(bucket, kMemberLots + member, state.members[member].weight), member});
  }
  const auto queue =
      static_cast<uint32_t>(draw(bucket, kQueueLots + best.second) >> 32) % state.queues_per_nic;
  return static_cast<Slot>(best.second * state.queues_per_nic + queue);
}

// Sends every bucket that lives at a lost member along its order of preference to the first usable one.
void detour(const GroupState& state, MemberSet lost, std::vector<Slot>& table) {
  Dealer dealer(state, table);
  using Walker = std::pair<MemberSet, uint32_t>;  // members tried so far, all lost; bucket
  std::vector<Walker> walkers;
  for (uint32_t bucket = 0; bucket < table.size(); ++bucket) {
    const unsigned home = dealer.member_of(table[bucket]);
    if (holds(lost, home)) walkers.emplace_back(only(home), bucket);
  }
  for (unsigned step = 0; step < deals_for(dealer.members()); ++step) {
    std::sort(walkers.begin(), walkers.end());
    std::vector<Walker> further;
    std::vector<uint32_t> buckets;
    for (size_t begin = 0, end = 0; begin < walkers.size(); begin = end) {
      const MemberSet tried = walkers[begin].first;
      buckets.clear();
      for (; end < walkers.size() && walkers[end].first == tried; ++end)
        buckets.push_back(walkers[end].second);
      const std::vector<Slot> slots = dealer.deal(tried, buckets);
      for (size_t i = 0; i < buckets.size(); ++i) {
        const unsigned member = dealer.member_of(slots[i]);
        table[buckets[i]] = slots[i];
        if (holds(lost, member)) further.emplace_back(tried | only(member), buckets[i]);
      }
    }
    walkers = std::move(further);
  }
  for (const auto& [tried, bucket] : walkers) table[bucket] = by_lot(state, bucket);
}

}  // namespace

std::vector<Slot> documents_rule(const GroupState& state) {
  const Shape shape(state);
  std::vector<Slot> table(shape.buckets);
  for (uint32_t bucket = 0; bucket < shape.buckets; ++bucket)
    table[bucket] = static_cast<Slot>(bucket % shape.slots);
  return table;
}

std::vector<Slot> build_table(const GroupState& state) {
  MemberSet lost = 0;
  for (unsigned member = 0; member < state.members.size(); ++member) {
    if (!state.members[member].usable()) lost |= only(member);
  }
  const Shape shape(state);
  if (static_cast<unsigned>(std::popcount(lost)) == shape.members) {
    return std::vector<Slot>(shape.buckets, kNoSlot);
  }
  std::vector<Slot> table = homes_of(state);
  if (lost != 0) detour(state, lost, table);
  for (const PinnedBucket& pin : state.pinned) {
    if (pin.bucket >= shape.buckets || pin.slot >= shape.slots) continue;
    if (!holds(lost, pin.slot / shape.queues)) table[pin.bucket] = pin.slot;
  }
  return table;
}

Moves moves_between(std::span<const Slot> before, std::span<const Slot> after,
                    const GroupState& after_state) {
  const unsigned queues = after_state.queues_per_nic;
  Moves moves;
  std::array<int64_t, kMaxMembers + 1> gained{};  // by member; the last stands for kNoSlot
  const auto member_of = [queues](Slot slot) { return slot == kNoSlot ? kMaxMembers : slot / queues; };
  for (size_t bucket = 0; bucket < before.size() && bucket < after.size(); ++bucket) {
    if (before[bucket] != after[bucket]) ++moves.buckets;
    --gained[member_of(before[bucket])];
    ++gained[member_of(after[bucket])];
  }
  for (const int64_t buckets : gained) moves.needed += buckets > 0 ? static_cast<uint32_t>(buckets) : 0;
  return moves;
}

}  // namespace core
