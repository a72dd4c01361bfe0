// SPDX-License-Identifier: BSD-3-Clause
// The hash of plain bytes, for people who check their own code. Called by command hash. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hashlab/hashing.h"

namespace hashlab {

// Whether bond-l34 can tell addresses and ports in so many bytes: the fronts of keys, IPv4 or IPv6.
bool is_front(size_t bytes);

// `bytes` may have any length; for bond-l34 they are the front of a key (docs/hashing.md), and `proto`
// decides whether ports count. Throws BadInput for bond-l34 over another length, and for bond-l2 and
// bond-l23, whose MAC addresses are in no key.
uint32_t hash_of_bytes(const HashChoice& choice, std::span<const uint8_t> bytes, uint8_t proto);

}  // namespace hashlab
