// SPDX-License-Identifier: BSD-3-Clause
// Says in sentences what a spread means and what to change: whether it is as even as chance, and if not,
// whether the hash, the fields, the number of flows or a few large flows are to blame. Called by commands
// spread and compare. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hashlab/evenness.h"
#include "hashlab/hashing.h"

namespace hashlab {

// Packets or bytes: how they fell, and how chance lets the keys fall that carry them.
struct JudgedLoad {
  uint64_t all = 0, largest = 0;  // of all keys, of one
  Evenness found;
  Ideal of_keys;
};

struct Judged {
  HashChoice hash;
  core::KeyFields fields;
  uint64_t flows =
      0;  // that a hash could tell apart at best: both directions are one where fields are symmetric
  uint64_t keys = 0;  // that the chosen fields tell apart
  Evenness found;     // by flows
  Ideal of_flows;     // flows fall one by one
  Ideal of_keys;      // the flows of a key fall together
  Ideal
      of_table;  // they fall into the table's buckets, evenly, and slots have as many as the table gives them
  std::string table;  // "maglev with 3 buckets"
  JudgedLoad packets, bytes;
};

enum class Cause : uint8_t {
  none,        // as even as chance would have it, or evener, and that is even enough
  few_flows,   // as even as chance, and chance leaves this much
  fields,      // too many flows share a key
  hash,        // less even than chance would make it with these keys
  table,       // the same, but an ideal hash through this table would be no better
  large_flows  // flows are even, packets or bytes are not, because a few flows carry them
};
// "even", "few flows", "fields", "hash", "table", "large flows".
std::string_view name_of(Cause cause);

// By flows first, then by packets. "Less even than chance": chance does it in fewer than one draw of a
// thousand.
Cause cause_of(const Judged& judged);

// What it means in one sentence, and what to change in one or two; without advice when all is well.
std::vector<std::string> sentences_of(const Judged& judged, Cause cause);

// How many equal flows make the mean max/mean of an ideal hash over `slots` at most `max_over_mean` (1.1,
// say): 2 n ln n / (m - 1)^2, as a largest of n normal loads has it.
uint64_t flows_needed(uint32_t slots, double max_over_mean);

}  // namespace hashlab
