// SPDX-License-Identifier: BSD-3-Clause
// The groups of options that several commands share, and the values that they stand for. Refuses with
// BadInput. Called by the commands, on the main thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/distribution_table.h"
#include "hashlab/given.h"
#include "hashlab/hashing.h"
#include "hashlab/spreader.h"
#include "hashlab/traffic.h"

namespace hashlab {

// A file, or --pattern with what describes it; --fields decides whether packet lengths make flows.
void add_traffic_options(OptionList& add);
std::unique_ptr<Traffic> traffic_of(const Given& given, bool by_length);

// --fields, --symmetric, --port-ranges.
void add_field_options(OptionList& add);
void add_key_options(OptionList& add);  // the last two, beside a --fields of one's own
core::KeyFields fields_of(const Given& given, std::string_view names);

// --hash, --seed.
void add_hash_options(OptionList& add, const char* hash_default);
std::vector<HashChoice> hashes_of(const Given& given);
// The same for commands that look at one hash only.
void add_one_hash_option(OptionList& add, const char* hash_default);

// --nics, --queues, --weights, --down, --reduction, --buckets-per-queue, --maglev-slots.
void add_group_options(OptionList& add);
core::GroupState group_of(const Given& given);
Reduction reduction_of(const Given& given);
uint32_t maglev_slots_of(const Given& given);
Spreader spreader_of(const Given& given, const core::GroupState& group);
// "4 NICs x 2 queues, modulo"
std::string title_of(const core::GroupState& group);

}  // namespace hashlab
