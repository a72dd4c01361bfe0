// SPDX-License-Identifier: BSD-3-Clause
// Traffic that is described: its flows are those that real frames of them would make, they are who and as
// many as the pattern says, and they show the traps that docs/hashing.md warns of.
#include "hashlab/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/explain.h"
#include "core/flow_maker.h"
#include "hashlab/bad_input.h"
#include "hashlab/listed_traffic.h"

namespace {

using hashlab::Flow;
using hashlab::Pattern;
using hashlab::PatternKind;
using test_support::flows_of;

core::FiveTuple tuple_of(const core::KeyMaterial& material) {
  core::FiveTuple tuple;
  tuple.proto = material.ip_proto;
  const bool v6 = material.l3 == core::L3::ipv6;
  const size_t bytes = v6 ? 16 : 4;
  tuple.src.v6 = tuple.dst.v6 = v6;
  std::copy_n(material.front, bytes, tuple.src.bytes.begin());
  std::copy_n(material.front + bytes, bytes, tuple.dst.bytes.begin());
  tuple.src_port = core::load_be16(material.front + 2 * bytes);
  tuple.dst_port = core::load_be16(material.front + 2 * bytes + 2);
  return tuple;
}

// What a gateway sees of a frame of this flow: the frame is written, lengthened, given its queue pair, and
// parsed.
core::KeyMaterial material_of_frame(const Flow& flow) {
  const core::FiveTuple tuple = tuple_of(flow.material);
  std::vector<uint8_t> frame = core::frame_of(tuple);
  frame.resize(flow.bytes / flow.packets);
  const auto l3_bytes = static_cast<uint16_t>(frame.size() - 14);
  const size_t l4 = tuple.src.v6 ? 54 : 34;
  core::store_be16(&frame[tuple.src.v6 ? 18 : 16],
                   static_cast<uint16_t>(tuple.src.v6 ? l3_bytes - 40 : l3_bytes));
  if (tuple.dst_port == core::kRoceV2Port && tuple.proto == 17)
    core::store_be32(&frame[l4 + 12], flow.material.dest_qp);
  const auto bytes = static_cast<uint32_t>(frame.size());
  const core::PacketView view{frame.data(), std::min(bytes, core::kParseWindowBytes), bytes};
  return core::key_material_of(view, core::parse(view));
}

TEST(Pattern, MaterialIsThatOfARealFrame) {
  for (size_t kind = 0; kind < hashlab::kPatternNames.size(); ++kind) {
    for (const bool ipv6 : {false, true}) {
      for (const uint32_t frame_bytes : {60u, 128u, 1514u}) {
        SCOPED_TRACE(std::string(hashlab::kPatternNames[kind]) + (ipv6 ? " IPv6 " : " IPv4 ") +
                     std::to_string(frame_bytes));
        const std::vector<Flow> flows = flows_of({.kind = static_cast<PatternKind>(kind),
                                                  .flows = 200,
                                                  .hosts = 5,
                                                  .packets = 3,
                                                  .frame_bytes = frame_bytes,
                                                  .ipv6 = ipv6});
        for (const Flow& flow : flows) {
          ASSERT_EQ(flow.material, material_of_frame(flow));
          ASSERT_GE(flow.bytes, flow.packets * frame_bytes);
        }
      }
    }
  }
}

TEST(Pattern, FlowIsTheSameHoweverItIsAskedFor) {
  for (size_t kind = 0; kind < hashlab::kPatternNames.size(); ++kind) {
    SCOPED_TRACE(hashlab::kPatternNames[kind]);
    const Pattern pattern{.kind = static_cast<PatternKind>(kind), .flows = 100, .packets = 9};
    const std::vector<Flow> all = flows_of(pattern);
    const auto traffic = hashlab::make_traffic(pattern);
    EXPECT_EQ(traffic->name(), "pattern " + std::string(hashlab::kPatternNames[kind]));
    std::vector<Flow> one(1);
    for (size_t n = all.size(); n-- > 0;) {
      traffic->fill(n, one);
      ASSERT_EQ(one[0], all[n]) << n;
    }
  }
}

TEST(Pattern, FlowsDifferAndAnotherSeedGivesOthers) {
  struct Row {
    Pattern pattern;
    uint64_t flows;
    bool seeded;
  };
  const Row rows[] = {{{.kind = PatternKind::random, .flows = 5000}, 5000, true},
                      {{.kind = PatternKind::counting, .flows = 5000}, 5000, false},
                      {{.kind = PatternKind::same_ports, .flows = 64'512}, 64'512, false},
                      {{.kind = PatternKind::even_ports, .flows = 14'116}, 14'116, false},
                      {{.kind = PatternKind::roce_qps, .hosts = 30, .qps = 70}, 2100, true},
                      {{.kind = PatternKind::elephants, .flows = 5000, .elephants = 7}, 5007, true},
                      {{.kind = PatternKind::clos, .hosts = 20, .qps = 4}, 1520, true},
                      {{.kind = PatternKind::all_reduce, .hosts = 20, .qps = 4}, 80, true},
                      {{.kind = PatternKind::all_to_all, .hosts = 20, .qps = 4}, 1520, true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(hashlab::name_of(row.pattern.kind));
    const std::vector<Flow> flows = flows_of(row.pattern);
    EXPECT_EQ(flows.size(), row.flows);
    std::set<std::vector<uint8_t>> unlike;
    for (const Flow& flow : flows) {
      std::vector<uint8_t> bytes(flow.material.front, flow.material.front + core::kMaxFrontBytes);
      for (int shift = 0; shift < 24; shift += 8)
        bytes.push_back(static_cast<uint8_t>(flow.material.dest_qp >> shift));
      unlike.insert(bytes);
    }
    EXPECT_EQ(unlike.size(), row.flows);
    Pattern other = row.pattern;
    other.seed = 2;
    EXPECT_EQ(flows_of(other) != flows, row.seeded);
  }
}

TEST(Pattern, RandomAddressesAreThoseOfStations) {
  for (const Flow& flow : flows_of({.kind = PatternKind::random, .flows = 50'000})) {
    for (const uint8_t first : {flow.material.front[0], flow.material.front[4]}) {
      ASSERT_TRUE(first > 0 && first < 224 && first != 127) << unsigned{first};
    }
    ASSERT_NE(core::load_be16(flow.material.front + 8), 0);
    ASSERT_NE(core::load_be16(flow.material.front + 10), 0);
  }
  for (const Flow& flow : flows_of({.kind = PatternKind::random, .flows = 1000, .ipv6 = true})) {
    ASSERT_EQ(flow.material.front[0] >> 5, 1);  // 2000::/3
    ASSERT_EQ(flow.material.front[16] >> 5, 1);
  }
}

TEST(Pattern, CountersCount) {
  const std::vector<Flow> counting = flows_of({.kind = PatternKind::counting});
  const std::vector<Flow> same = flows_of({.kind = PatternKind::same_ports});
  const std::vector<Flow> even = flows_of({.kind = PatternKind::even_ports});
  for (uint32_t n = 0; n < 1024; ++n) {
    const core::FiveTuple first = tuple_of(counting[0].material), counted = tuple_of(counting[n].material);
    ASSERT_EQ(core::load_be32(counted.src.bytes.data()), core::load_be32(first.src.bytes.data()) + n);
    ASSERT_EQ(core::load_be32(counted.dst.bytes.data()), core::load_be32(first.dst.bytes.data()) + n);
    ASSERT_EQ(counted.src_port, first.src_port);
    ASSERT_EQ(tuple_of(same[n].material).src_port, 1024 + n);
    ASSERT_EQ(tuple_of(same[n].material).dst_port, 1024 + n);
    ASSERT_EQ(tuple_of(same[n].material).src, tuple_of(same[0].material).src);
    ASSERT_EQ(tuple_of(even[n].material).src_port, 32768 + 2 * n);
    ASSERT_EQ(tuple_of(even[n].material).proto, 6);
  }
}

// Between the same two queue pairs the port is the same both ways, so who is paired with whom can be seen.
TEST(Pattern, RoceFlowsJoinTheQueuePairsOfTheirHosts) {
  const std::vector<Flow> to_one = flows_of({.kind = PatternKind::roce_qps, .hosts = 3, .qps = 4});
  for (uint32_t n = 0; n < to_one.size(); ++n) {
    EXPECT_EQ(to_one[n].material.dest_qp, to_one[0].material.dest_qp + n) << "consecutive at the receiver";
    EXPECT_EQ(tuple_of(to_one[n].material).dst, tuple_of(to_one[0].material).dst);
    EXPECT_EQ(tuple_of(to_one[n].material).src == tuple_of(to_one[0].material).src, n < 4);
  }
  const uint32_t hosts = 5, qps = 3;
  const std::vector<Flow> all = flows_of({.kind = PatternKind::all_to_all, .hosts = hosts, .qps = qps});
  for (const Flow& there : all) {
    const core::FiveTuple tuple = tuple_of(there.material);
    unsigned back = 0;
    for (const Flow& other : all) {
      const core::FiveTuple reverse = tuple_of(other.material);
      if (reverse.src != tuple.dst || reverse.dst != tuple.src || reverse.src_port != tuple.src_port)
        continue;
      EXPECT_EQ(core::roce_source_port(there.material.dest_qp, other.material.dest_qp), tuple.src_port);
      ++back;
    }
    EXPECT_EQ(back, 1u);
    EXPECT_NE(tuple.src, tuple.dst);
  }
  const std::vector<Flow> ring = flows_of({.kind = PatternKind::all_reduce, .hosts = hosts, .qps = qps});
  for (uint32_t n = 0; n < ring.size(); ++n) {
    const core::FiveTuple tuple = tuple_of(ring[n].material);
    EXPECT_EQ(tuple.dst, tuple_of(ring[(n + qps) % ring.size()].material).src) << "the next one sends on";
  }
}

TEST(Pattern, PacketsAndBytesOfAFlow) {
  for (const Flow& flow : flows_of({.kind = PatternKind::random, .packets = 7, .frame_bytes = 100})) {
    ASSERT_EQ(flow.packets, 7u);
    ASSERT_EQ(flow.bytes, 700u);
  }
  uint64_t sum = 0, least = 99, most = 0;
  const std::vector<Flow> clos = flows_of({.kind = PatternKind::clos, .hosts = 40, .packets = 10});
  for (const Flow& flow : clos) {
    sum += flow.packets;
    least = std::min(least, flow.packets);
    most = std::max(most, flow.packets);
    ASSERT_EQ(flow.bytes, flow.packets * 64);
  }
  EXPECT_EQ(least, 1u);
  EXPECT_EQ(most, 19u);
  EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(clos.size()), 10, 0.2);
}

TEST(Pattern, ElephantsHaveTheirShare) {
  struct Row {
    uint64_t mice, elephants;
    double share, zipf;
    uint64_t packets;
    uint64_t largest_mouse;
  };
  const Row rows[] = {{1024, 16, 0.8, 1, 1, 1024},      {1024, 16, 0.8, 0, 1, 1},
                      {100'000, 3, 0.5, 1, 1, 100'000}, {1000, 50, 0.9, 0.5, 10, 316},
                      {100, 1, 0.3, 2, 1, 10000},       {1, 1, 0.99, 4, 5, 5}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.mice);
    const std::vector<Flow> flows = flows_of({.kind = PatternKind::elephants,
                                              .flows = row.mice,
                                              .elephants = row.elephants,
                                              .elephant_share = row.share,
                                              .zipf = row.zipf,
                                              .packets = row.packets});
    ASSERT_EQ(flows.size(), row.mice + row.elephants);
    double heavy = 0, all = 0;
    for (size_t n = 0; n < flows.size(); ++n) {
      all += static_cast<double>(flows[n].packets);
      if (n < row.elephants) heavy += static_cast<double>(flows[n].packets);
      if (n > row.elephants) {
        ASSERT_LE(flows[n].packets, flows[n - 1].packets);
      }
    }
    EXPECT_NEAR(heavy / all, row.share, row.share / 100);
    EXPECT_EQ(heavy, std::round((all - heavy) * row.share / (1 - row.share)));
    EXPECT_LE(flows[0].packets - flows[row.elephants - 1].packets, 1u);
    EXPECT_EQ(flows[row.elephants].packets, row.largest_mouse);
    EXPECT_EQ(flows.back().packets, row.packets);
  }
}

TEST(Pattern, NumbersOutOfRangeAreRefused) {
  struct Row {
    Pattern pattern;
    const char* message;
  };
  const Row rows[] = {
      {{.flows = 0}, "--flows 0: out of range for pattern random; allowed: 1 to 100000000"},
      {{.flows = 100'000'001}, "--flows 100000001: out of range for pattern random; allowed: 1 to 100000000"},
      {{.kind = PatternKind::same_ports, .flows = 64'513},
       "--flows 64513: out of range for pattern same-ports; allowed: 1 to 64512"},
      {{.kind = PatternKind::even_ports, .flows = 14'117},
       "--flows 14117: out of range for pattern even-ports; allowed: 1 to 14116"},
      {{.packets = 0}, "--packets 0: out of range; allowed: 1 to 1000000"},
      {{.frame_bytes = 59}, "--frame-bytes 59: out of range; allowed: 60 to 9216"},
      {{.kind = PatternKind::clos, .hosts = 1}, "--hosts 1: out of range; allowed: 2 to 65536"},
      {{.kind = PatternKind::roce_qps, .qps = 0}, "--qps 0: out of range; allowed: 1 to 65536"},
      {{.kind = PatternKind::clos, .hosts = 65'536, .qps = 1},
       "--hosts 65536 --qps 1: 4294901760 flows; allowed: 1 to 100000000"},
      {{.kind = PatternKind::roce_qps, .hosts = 300, .qps = 65'536},
       "--hosts 300 --qps 65536: 19660800 queue pairs on one host; allowed: 1 to 16777200"},
      {{.kind = PatternKind::elephants, .elephants = 0},
       "--elephants 0: out of range; allowed: 1 to 1000000"},
      {{.kind = PatternKind::elephants, .elephant_share = 1},
       "--elephant-share 1.000000: out of range; allowed: above 0, below 1"},
      {{.kind = PatternKind::elephants, .zipf = -1}, "--zipf -1.000000: out of range; allowed: 0 to 4"},
      {{.kind = PatternKind::elephants, .flows = 10, .elephants = 10, .elephant_share = 0.2, .zipf = 0},
       "--elephants 10: their share is 3 packets, less than one each; take fewer, a larger --elephant-share "
       "or more --packets"},
      {{.kind = PatternKind::elephants, .flows = 100'000'000, .zipf = 4},
       "--zipf 4.000000 of 100000000 mice: more packets than can be counted; take a smaller exponent, or "
       "fewer mice"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.message);
    try {
      hashlab::make_traffic(row.pattern);
      ADD_FAILURE() << "accepted";
    } catch (const hashlab::BadInput& bad) {
      EXPECT_STREQ(bad.what(), row.message);
    }
  }
}

}  // namespace
