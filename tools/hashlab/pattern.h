// SPDX-License-Identifier: BSD-3-Clause
// Traffic that is described instead of captured. Flow n of a pattern is a plain function of the pattern and
// n, so ten million flows need no memory. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hashlab/traffic.h"

namespace hashlab {

enum class PatternKind : uint8_t {
  random,      // addresses, ports at random; UDP
  counting,    // source and destination address count up together; ports stay; UDP
  same_ports,  // source port = destination port, counting up from 1024; addresses stay; UDP
  even_ports,  // source ports 32768, 32770, ...: Linux's connect() gives even ones; one server port; TCP
  roce_qps,    // `hosts` hosts to one more, `qps` queue pairs each; RoCEv2, source port from the two QPs as
               // Linux derives it (core::roce_source_port)
  elephants,   // `elephants` flows carry `elephant_share` of the packets, `flows` mice the rest, by Zipf
  clos,        // every of `hosts` hosts to every other, `qps` flows each, of unlike sizes; RoCEv2
  all_reduce,  // a ring of `hosts`: each to the next, `qps` queue pairs
  all_to_all   // an AI job's: as clos, and packets of a flow alike
};
inline constexpr std::array<std::string_view, 9> kPatternNames = {"random",     "counting",   "same-ports",
                                                                  "even-ports", "roce-qps",   "elephants",
                                                                  "clos",       "all-reduce", "all-to-all"};

inline constexpr uint64_t kMostPatternFlows = 100'000'000;

// Queue pairs are numbered as drivers do: each host counts up from a start of its own. All frames pass
// between the same two MAC addresses, as they do behind a router.
struct Pattern {
  PatternKind kind = PatternKind::random;
  // Of random and counting; of same-ports up to 64,512, of even-ports up to 14,116; the mice of elephants.
  uint64_t flows = 1024;
  uint32_t hosts = 8;  // of clos, all-reduce, all-to-all: 2 to 65,536; of roce-qps from 1
  uint32_t qps = 8;    // of the same: 1 to 65,536
  uint64_t elephants = 16;
  double elephant_share = 0.8;         // of all packets: above 0, below 1
  double zipf = 1.0;                   // exponent of what mice send, 0 to 4; 0: alike
  std::vector<uint64_t> mice_packets;  // instead: packets of the mice, taken in turn
  uint64_t packets = 1;       // of each flow; of clos: on average; of elephants: of the smallest mouse
  uint32_t frame_bytes = 64;  // without FCS; where headers need more, as long as they are
  bool ipv6 = false;
  uint64_t seed = 1;  // another seed: other random addresses, ports, queue pairs; counters have none
};

std::string_view name_of(PatternKind kind);

// Throws BadInput when a number is out of its range: what, its value, what is allowed.
std::unique_ptr<Traffic> make_traffic(const Pattern& pattern);

}  // namespace hashlab
