// SPDX-License-Identifier: BSD-3-Clause
// Flows by number: addresses and ports, and how many packets; see pattern_flows.h.
#include "hashlab/pattern_flows.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "hashlab/bad_input.h"

namespace hashlab {
namespace {

constexpr uint32_t kUdpBytes = 8, kTcpBytes = 20;
constexpr uint16_t kClientPort = 40'000, kServerPort = 5201, kHttpsPort = 443;
constexpr double kMostBytes = 9e18;  // of a whole pattern; 64 bits hold it, with its sign

// An address that one station may have: not 0, 127 or 224 and above in its first byte.
uint32_t unicast(uint64_t random) {
  const auto high = static_cast<uint32_t>(random >> 32);
  const uint32_t first = 1 + static_cast<uint32_t>(uint64_t{high >> 24} * 222 >> 8);
  return (first < 127 ? first : first + 1) << 24 | (high & 0xffffff);
}

// 2000::/3, global unicast (RFC 4291 section 2.4).
Ipv6Halves unicast_ipv6(core::SplitMix& random) {
  const uint64_t upper = random.next() >> 3 | uint64_t{1} << 61;
  return {upper, random.next()};
}

uint16_t any_port(uint64_t random16) {
  return static_cast<uint16_t>(std::max<uint64_t>(random16 & 0xffff, 1));
}

}  // namespace

Flow shape_of(const Pattern& pattern, uint8_t proto, uint32_t transport_bytes) {
  const uint32_t headers = kEthernetBytes + (pattern.ipv6 ? 40 : 20) + transport_bytes;
  const uint32_t frame_bytes = std::max(pattern.frame_bytes, headers);
  return {material_of({pattern.ipv6, proto, frame_bytes}), pattern.packets, pattern.packets * frame_bytes};
}

RandomFlows::RandomFlows(const Pattern& pattern)
    : shape_(shape_of(pattern, kUdp, kUdpBytes)), start_(core::SplitMix(pattern.seed).next()) {}

Flow RandomFlows::operator()(uint64_t number) const {
  Flow flow = shape_;
  core::SplitMix random(start_ + number);
  if (flow.material.l3 == core::L3::ipv6) {
    const Ipv6Halves src = unicast_ipv6(random), dst = unicast_ipv6(random);
    set_ipv6(flow.material, src, dst);
  } else {
    const uint32_t src = unicast(random.next()), dst = unicast(random.next());
    set_ipv4(flow.material, src, dst);
  }
  const uint64_t ports = random.next();
  set_ports(flow.material, any_port(ports >> 32), any_port(ports >> 48));
  return flow;
}

CountingFlows::CountingFlows(const Pattern& pattern) : shape_(shape_of(pattern, kUdp, kUdpBytes)) {}

Flow CountingFlows::operator()(uint64_t number) const {
  Flow flow = shape_;
  const auto host = static_cast<uint32_t>(number);
  set_numbered(flow.material, host, host);
  set_ports(flow.material, kClientPort, kServerPort);
  return flow;
}

SamePortFlows::SamePortFlows(const Pattern& pattern) : shape_(shape_of(pattern, kUdp, kUdpBytes)) {}

Flow SamePortFlows::operator()(uint64_t number) const {
  Flow flow = shape_;
  const auto port = static_cast<uint16_t>(kFirstSamePort + number);
  set_numbered(flow.material, 1, 1);
  set_ports(flow.material, port, port);
  return flow;
}

EvenPortFlows::EvenPortFlows(const Pattern& pattern) : shape_(shape_of(pattern, kTcp, kTcpBytes)) {}

Flow EvenPortFlows::operator()(uint64_t number) const {
  Flow flow = shape_;
  set_numbered(flow.material, 1, 1);
  set_ports(flow.material, static_cast<uint16_t>(kFirstEvenPort + 2 * number), kHttpsPort);
  return flow;
}

ElephantFlows::ElephantFlows(const Pattern& pattern)
    : addresses_(pattern),
      mice_(static_cast<double>(pattern.flows)),
      zipf_(pattern.zipf),
      smallest_(static_cast<double>(pattern.packets)),
      elephants_(pattern.elephants),
      mice_packets_(pattern.mice_packets),
      frame_bytes_(addresses_(0).material.length_bytes + kEthernetBytes) {
  // Elephants have a fixed part of all, so a bound for the mice is one for all.
  const double share = pattern.elephant_share;
  const double most_of_mouse =
      mice_packets_.empty()
          ? smallest_ * std::pow(mice_, zipf_)
          : static_cast<double>(*std::max_element(mice_packets_.begin(), mice_packets_.end()));
  const double most = most_of_mouse * mice_ * frame_bytes_ / (1 - share);
  if (most > kMostBytes) {
    throw BadInput("--zipf " + std::to_string(zipf_) + " of " + std::to_string(pattern.flows) +
                   " mice: more packets than can be counted; take a smaller exponent, or fewer mice");
  }
  using Range = tbb::blocked_range<uint64_t>;
  const uint64_t mice_packets = tbb::parallel_reduce(
      Range(0, pattern.flows), uint64_t{0},
      [this](const Range& range, uint64_t sum) {
        for (uint64_t i = range.begin(); i < range.end(); ++i) sum += packets_of_mouse(i);
        return sum;
      },
      std::plus<>());
  elephant_packets_ =
      static_cast<uint64_t>(std::llround(static_cast<double>(mice_packets) * share / (1 - share)));
  if (elephant_packets_ < elephants_) {
    throw BadInput("--elephants " + std::to_string(elephants_) + ": their share is " +
                   std::to_string(elephant_packets_) +
                   " packets, less than one each; take fewer, a larger --elephant-share or more --packets");
  }
}

uint64_t ElephantFlows::packets_of_mouse(uint64_t number) const {
  if (!mice_packets_.empty()) return mice_packets_[number % mice_packets_.size()];
  const double times = mice_ / static_cast<double>(number + 1);
  return static_cast<uint64_t>(smallest_ * std::pow(times, zipf_) + 0.5);
}

Flow ElephantFlows::operator()(uint64_t number) const {
  Flow flow = addresses_(number);
  if (number < elephants_) {
    flow.packets = elephant_packets_ / elephants_ + (number < elephant_packets_ % elephants_);
  } else {
    flow.packets = packets_of_mouse(number - elephants_);
  }
  flow.bytes = flow.packets * frame_bytes_;
  return flow;
}

}  // namespace hashlab
