// SPDX-License-Identifier: BSD-3-Clause
// Packs sightings of source MAC addresses into 64-bit entries and keeps four for each set; see mac_table.h.
// The owner writes, on its worker; every worker reads. Each entry is one relaxed atomic: a reader gets an old
// or a new sighting, never a mixture, and needs no order between entries.
#include "core/mac_table.h"

#include "core/packet_view.h"

namespace core {
namespace {

constexpr unsigned kGroupShift = 12, kAddressShift = 16;
constexpr uint64_t kTickMask = 0xfff, kGroupMask = 0xf;
constexpr unsigned kSetBits = 11;
static_assert(MacTable::kSets == size_t{1} << kSetBits);
static_assert(kMaxGroups <= kGroupMask + 1);

uint64_t address_of(const uint8_t* mac) {
  return uint64_t{load_be32(mac)} << 16 | load_be16(mac + 4);
}

// Multiplicative hashing (Knuth, volume 3, section 6.4): addresses in a row, of one vendor, spread evenly.
size_t set_of(uint64_t address) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
  return address * kGolden >> (64 - kSetBits);
}

uint64_t entry_of(uint64_t address, uint16_t group, uint16_t tick) {
  return address << kAddressShift | (group & kGroupMask) << kGroupShift | (tick & kTickMask);
}

uint16_t tick_of(uint64_t entry) {
  return static_cast<uint16_t>(entry & kTickMask);
}

uint64_t read(const std::atomic<uint64_t>& entry) {
  return entry.load(std::memory_order_relaxed);
}

}  // namespace

MacTable::MacTable() : sets_(std::make_unique<Set[]>(kSets)) {}

bool MacTable::is_fresh(const uint8_t* mac, uint16_t group, uint16_t tick) const {
  const uint64_t address = address_of(mac), wanted = entry_of(address, group, tick);
  for (const auto& entry : sets_[set_of(address)].entries) {
    if (read(entry) == wanted) return address != 0;
  }
  return false;
}

void MacTable::learn(const uint8_t* mac, uint16_t group, uint16_t tick) {
  const uint64_t address = address_of(mac);
  if (address == 0) return;
  std::atomic<uint64_t>* place = nullptr;
  unsigned place_age = 0;
  for (auto& entry : sets_[set_of(address)].entries) {
    const uint64_t value = read(entry);
    if (value >> kAddressShift == address) {
      place = &entry;
      break;
    }
    constexpr unsigned kFree = kTickMask + 1;  // older than any entry
    const unsigned age = value == 0 ? kFree : ticks_between(tick_of(value), tick);
    if (place == nullptr || age > place_age) {
      place = &entry;
      place_age = age;
    }
  }
  place->store(entry_of(address, group, tick), std::memory_order_relaxed);
  const uint32_t groups = groups_.load(std::memory_order_relaxed), bit = 1u << (group & kGroupMask);
  if ((groups & bit) == 0) groups_.store(groups | bit, std::memory_order_relaxed);
}

void MacTable::expire(uint16_t tick) {
  for (size_t i = 0; i < kSetsPerExpiry; ++i) {
    for (auto& entry : sets_[next_expiry_].entries) {
      const uint64_t value = read(entry);
      if (value == 0 || ticks_between(tick_of(value), tick) < kForgottenTicks) continue;
      entry.store(0, std::memory_order_relaxed);
    }
    next_expiry_ = (next_expiry_ + 1) % kSets;
  }
}

bool MacTable::find(const uint8_t* mac, MacSighting& sighting) const {
  const uint64_t address = address_of(mac);
  if (address == 0) return false;
  for (const auto& entry : sets_[set_of(address)].entries) {
    const uint64_t value = read(entry);
    if (value >> kAddressShift != address) continue;
    sighting = {.group = static_cast<uint16_t>(value >> kGroupShift & kGroupMask), .tick = tick_of(value)};
    return true;
  }
  return false;
}

bool MacTable::knows_group(uint16_t group) const {
  return (groups_.load(std::memory_order_relaxed) >> (group & kGroupMask) & 1) != 0;
}

}  // namespace core
