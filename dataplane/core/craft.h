// SPDX-License-Identifier: BSD-3-Clause
// Finds 5-tuples whose packets leave by a wanted queue, by trying: source ports first, then source addresses,
// each asked of core/explain, so whatever hash, fields, routes and table a plan has are respected. Called by
// control for `hash craft` and by tests. Pure; the number of tries is bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/explain.h"

namespace core {

// 198.18.0.1 -> 198.19.0.1, addresses for benchmarks (RFC 2544), as RoCEv2 from the first dynamic port.
FiveTuple first_crafted();

struct CraftRequest {
  uint16_t group = 0;                  // the target, an index in plan.groups
  Slot slot = 0;                       // the rule's q there: nic * Q + queue
  uint32_t count = 1;                  // tuples wanted
  std::optional<uint16_t> port_index;  // by which they come in; else the first port they can come in by
  FiveTuple first = first_crafted();   // where the search begins; what is not searched stays as it is
  uint16_t last_src_port = 65535;
  uint32_t addresses = 65'536;  // source addresses tried, counting up from first.src
  uint32_t most_tries = 100'000;
};

struct Crafted {
  std::vector<FiveTuple> tuples;  // in the order of the search
  uint16_t port_index = kNoPort;  // by which they come in
  uint32_t tries = 0;
  std::string problem;  // why there are fewer than wanted; empty when there are not
};
Crafted craft(const Plan& plan, const CraftRequest& request);

}  // namespace core
