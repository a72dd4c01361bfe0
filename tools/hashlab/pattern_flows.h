// SPDX-License-Identifier: BSD-3-Clause
// The patterns of UDP and TCP flows, each a plain function from a number to a flow. Made by pattern.cc,
// called by any thread. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/splitmix.h"
#include "hashlab/pattern.h"
#include "hashlab/pattern_material.h"

namespace hashlab {

inline constexpr uint16_t kFirstSamePort = 1024;
// Linux's net.ipv4.ip_local_port_range: 32768 to 60999.
inline constexpr uint16_t kFirstEvenPort = 32768;
inline constexpr uint32_t kEvenPorts = (60999 - 32768) / 2 + 1;

class RandomFlows {
 public:
  explicit RandomFlows(const Pattern& pattern);
  Flow operator()(uint64_t number) const;

 private:
  const Flow shape_;
  const uint64_t start_;
};

class CountingFlows {
 public:
  explicit CountingFlows(const Pattern& pattern);
  Flow operator()(uint64_t number) const;

 private:
  const Flow shape_;
};

class SamePortFlows {
 public:
  explicit SamePortFlows(const Pattern& pattern);
  Flow operator()(uint64_t number) const;

 private:
  const Flow shape_;
};

class EvenPortFlows {
 public:
  explicit EvenPortFlows(const Pattern& pattern);
  Flow operator()(uint64_t number) const;

 private:
  const Flow shape_;
};

// Addresses and ports as random. The elephants come first and are alike, up to one packet; then mouse k of M,
// counted from 1, has `packets` * (M / k) ^ zipf packets, so the last one has `packets`; or the sizes that
// were given, in turn.
class ElephantFlows {
 public:
  // Throws BadInput when an elephant would have no packet, or all have too many to count.
  explicit ElephantFlows(const Pattern& pattern);
  Flow operator()(uint64_t number) const;

 private:
  uint64_t packets_of_mouse(uint64_t number) const;

  const RandomFlows addresses_;
  const double mice_, zipf_, smallest_;
  const uint64_t elephants_;
  const std::vector<uint64_t> mice_packets_;  // empty: by Zipf
  uint64_t elephant_packets_ = 0;             // of all elephants
  const uint32_t frame_bytes_;
};

// The flow of which all of a pattern are variations; a frame holds `header_bytes` at least.
Flow shape_of(const Pattern& pattern, uint8_t proto, uint32_t transport_bytes);

}  // namespace hashlab
