// SPDX-License-Identifier: BSD-3-Clause
// Takes made frames apart with a reader of its own: lengths, checksums, ICRC, what varies from flow to flow
// and what a packet's number changes. No two flows of a pattern may share addresses and ports.
#include "core/flow_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/icrc.h"
#include "core/packet_view.h"

namespace {

using core::FlowKind;
using core::FlowPattern;
using core::IpVersion;
using Bytes = std::vector<uint8_t>;

constexpr core::MacAddress kDst = {0x02, 0xaa, 0, 0, 0, 1};
constexpr core::MacAddress kSrc = {0x02, 0xbb, 0, 0, 0, 2};

Bytes frame_of(const FlowPattern& pattern, uint32_t index, uint32_t packet = 0) {
  return core::make_frame(pattern, index, packet, kDst, kSrc);
}

// Parts of a frame as its own length fields give them.
struct Parts {
  bool v6;
  uint8_t proto;
  std::span<const uint8_t> ip, addresses, l4, padding;

  explicit Parts(const Bytes& frame) {
    const std::span<const uint8_t> rest = std::span(frame).subspan(14);
    v6 = core::load_be16(&frame[12]) == 0x86dd;
    const size_t header = v6 ? 40 : 20;
    const size_t total = v6 ? 40u + core::load_be16(&rest[4]) : core::load_be16(&rest[2]);
    EXPECT_LE(total, rest.size());
    proto = rest[v6 ? 6 : 9];
    ip = rest.first(total);
    addresses = v6 ? rest.subspan(8, 32) : rest.subspan(12, 8);
    l4 = ip.subspan(header);
    padding = rest.subspan(total);
  }
  FlowKind kind() const {
    if (proto == 6) return FlowKind::tcp;
    return core::load_be16(&l4[2]) == 4791 ? FlowKind::roce_v2 : FlowKind::udp;
  }
};

// Ones' complement sum of RFC 1071, byte by byte; 0xffff over data that holds its right checksum.
uint32_t folded_sum(std::initializer_list<std::span<const uint8_t>> pieces, uint32_t sum = 0) {
  for (const auto& piece : pieces)
    for (size_t i = 0; i < piece.size(); ++i) sum += uint32_t{piece[i]} << (i % 2 == 0 ? 8 : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

void expect_right_roce(const Parts& parts) {
  ASSERT_GE(parts.l4.size(), 24u);
  EXPECT_EQ(core::load_be16(&parts.l4[4]), parts.l4.size());
  EXPECT_EQ(core::load_be16(&parts.l4[6]), 0);
  const std::span<const uint8_t> bth = parts.l4.subspan(8);
  EXPECT_EQ(bth[0], 0x04);
  EXPECT_EQ(bth[1], 0);
  EXPECT_EQ(core::load_be16(&bth[2]), 0xffff);
  EXPECT_EQ(bth[4], 0);
  EXPECT_EQ(bth[8], 0x80);
  EXPECT_EQ(bth.size() % 4, 0u);
  EXPECT_LT(parts.padding.size(), 4u);
  EXPECT_GE(core::load_be16(&parts.l4[0]), 0xc000);
  const uint32_t icrc =
      core::roce_icrc(parts.ip.first(parts.ip.size() - 4), parts.v6 ? core::L3::ipv6 : core::L3::ipv4);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(parts.ip[parts.ip.size() - 4 + i], icrc >> 8 * i & 0xff);
}

void expect_right_frame(const Bytes& frame) {
  EXPECT_TRUE(std::equal(kDst.begin(), kDst.end(), frame.begin()));
  EXPECT_TRUE(std::equal(kSrc.begin(), kSrc.end(), frame.begin() + 6));
  const Parts parts(frame);
  EXPECT_TRUE(
      std::all_of(parts.padding.begin(), parts.padding.end(), [](uint8_t byte) { return byte == 0; }));
  if (parts.v6) {
    EXPECT_EQ(parts.ip[0] >> 4, 6);
    EXPECT_EQ(parts.ip[7], 64);
  } else {
    EXPECT_EQ(parts.ip[0], 0x45);
    EXPECT_EQ(core::load_be32(&parts.ip[4]), 0x4000u) << "ID 0, do not fragment";
    EXPECT_EQ(parts.ip[8], 64);
    EXPECT_EQ(folded_sum({parts.ip.first(20)}), 0xffffu);
  }
  if (parts.kind() == FlowKind::roce_v2) return expect_right_roce(parts);
  EXPECT_TRUE(parts.padding.empty());
  const auto pseudo_header = static_cast<uint32_t>(parts.proto + parts.l4.size());
  EXPECT_EQ(folded_sum({parts.addresses, parts.l4}, pseudo_header), 0xffffu);
  if (parts.kind() == FlowKind::udp) {
    EXPECT_EQ(core::load_be16(&parts.l4[4]), parts.l4.size());
    EXPECT_NE(core::load_be16(&parts.l4[6]), 0);
  } else {
    EXPECT_EQ(core::load_be16(&parts.l4[12]), 0x5010);
  }
}

TEST(FlowMaker, NamesGoBothWays) {
  struct Row {
    const char* name;
    std::optional<FlowKind> kind;
    std::optional<IpVersion> ip;
  };
  const Row rows[] = {
      {"rocev2", FlowKind::roce_v2, {}},
      {"udp", FlowKind::udp, {}},
      {"tcp", FlowKind::tcp, {}},
      {"mixed", FlowKind::mixed, IpVersion::mixed},
      {"4", {}, IpVersion::v4},
      {"6", {}, IpVersion::v6},
      {"sctp", {}, {}},
      {"UDP", {}, {}},
      {"", {}, {}},
      {"64", {}, {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(core::flow_kind_of(row.name), row.kind);
    EXPECT_EQ(core::ip_version_of(row.name), row.ip);
    if (row.kind) {
      EXPECT_EQ(core::name_of(*row.kind), row.name);
    }
    if (row.ip) {
      EXPECT_EQ(core::name_of(*row.ip), row.name);
    }
  }
}

TEST(FlowMaker, FramesAreRight) {
  struct Row {
    const char* name;
    FlowKind kind;
    IpVersion ip;
    uint16_t shortest;
  };
  const Row rows[] = {
      {"RoCEv2 over IPv4", FlowKind::roce_v2, IpVersion::v4, 62},
      {"RoCEv2 over IPv6", FlowKind::roce_v2, IpVersion::v6, 82},
      {"UDP over IPv4", FlowKind::udp, IpVersion::v4, 46},
      {"UDP over IPv6", FlowKind::udp, IpVersion::v6, 66},
      {"TCP over IPv4", FlowKind::tcp, IpVersion::v4, 58},
      {"TCP over IPv6", FlowKind::tcp, IpVersion::v6, 78},
      {"UDP over both", FlowKind::udp, IpVersion::mixed, 66},
      {"mixed over IPv4", FlowKind::mixed, IpVersion::v4, 62},
      {"mixed over both", FlowKind::mixed, IpVersion::mixed, 82},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const uint16_t shortest = core::shortest_frame(row.kind, row.ip);
    EXPECT_EQ(shortest, row.shortest);
    std::vector<uint16_t> sizes = {128, 512, 1499, 1500, 1501, 1518, core::kMaxFrameBytes};
    for (uint16_t more = 0; more < 8; ++more) sizes.push_back(static_cast<uint16_t>(shortest + more));
    for (const uint16_t size : sizes) {
      SCOPED_TRACE(size);
      const FlowPattern pattern{.flows = 12, .kind = row.kind, .ip = row.ip, .sizes = {size}};
      for (uint32_t index = 0; index < pattern.flows; ++index) {
        const Bytes frame = frame_of(pattern, index, index * 77777);
        ASSERT_EQ(frame.size(), size - 4u);
        expect_right_frame(frame);
        const Parts parts(frame);
        EXPECT_EQ(parts.kind(), row.kind == FlowKind::mixed ? static_cast<FlowKind>(index % 3) : row.kind);
        EXPECT_EQ(parts.v6, row.ip == IpVersion::mixed ? index % 2 == 1 : row.ip == IpVersion::v6);
      }
    }
  }
}

// Many small frames, so that a UDP checksum that comes out as 0 is among them: one in 65,536 does.
TEST(FlowMaker, UdpChecksumIsNeverZero) {
  const FlowPattern pattern{.flows = core::kMaxFlows, .kind = FlowKind::udp, .sizes = {46}};
  unsigned written_as_ones = 0;
  for (uint32_t index = 0; index < 300'000; ++index) {
    const Bytes frame = frame_of(pattern, index);
    ASSERT_NE(core::load_be16(&frame[40]), 0) << "flow " << index;
    if (core::load_be16(&frame[40]) != 0xffff) continue;
    ++written_as_ones;
    expect_right_frame(frame);
  }
  EXPECT_GT(written_as_ones, 0u);
}

TEST(FlowMaker, SizesTakeTurns) {
  const FlowPattern udp{.kind = FlowKind::udp, .sizes = {64, 512, 1500}};
  for (uint32_t index = 0; index < 9; ++index)
    EXPECT_EQ(frame_of(udp, index).size(), udp.sizes[index % 3] - 4u);

  // Three kinds and three sizes: each kind gets each size.
  const FlowPattern mixed{.kind = FlowKind::mixed, .ip = IpVersion::mixed, .sizes = {82, 512, 1500}};
  std::set<std::pair<FlowKind, size_t>> seen;
  for (uint32_t index = 0; index < 18; ++index) {
    const Bytes frame = frame_of(mixed, index);
    seen.emplace(Parts(frame).kind(), frame.size());
  }
  EXPECT_EQ(seen.size(), 9u);
}

TEST(FlowMaker, PacketNumberIsInTheFrame) {
  struct Row {
    const char* name;
    FlowKind kind;
    uint16_t size;
    uint32_t packet;
    uint32_t offset;    // within the transport header
    uint32_t expected;  // four bytes there
  };
  const Row rows[] = {
      {"PSN behind AckReq", FlowKind::roce_v2, 64, 0x123456, 16, 0x80123456},
      {"PSN has 24 bits", FlowKind::roce_v2, 64, 0xff000001, 16, 0x80000001},
      {"TCP sequence number", FlowKind::tcp, 64, 0xfedcba98, 4, 0xfedcba98},
      {"UDP payload", FlowKind::udp, 64, 0x01020304, 8, 0x01020304},
      {"UDP payload of just four bytes", FlowKind::udp, 50, 0x01020304, 8, 0x01020304},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const FlowPattern pattern{.kind = row.kind, .sizes = {row.size}};
    const Bytes frame = frame_of(pattern, 5, row.packet);
    expect_right_frame(frame);
    EXPECT_EQ(core::load_be32(&Parts(frame).l4[row.offset]), row.expected);
  }
  const FlowPattern no_room{.kind = FlowKind::udp, .sizes = {49}};
  EXPECT_EQ(frame_of(no_room, 5, 1), frame_of(no_room, 5, 2));
}

// Addresses and ports do not depend on the packet: it stays one flow.
TEST(FlowMaker, PacketNumberChangesNothingElse) {
  const FlowPattern pattern{.kind = FlowKind::mixed, .ip = IpVersion::mixed, .sizes = {128}};
  for (uint32_t index = 0; index < 6; ++index) {
    const Bytes first = frame_of(pattern, index, 0), later = frame_of(pattern, index, 12345);
    const Parts a(first), b(later);
    EXPECT_NE(first, later);
    EXPECT_TRUE(std::equal(a.addresses.begin(), a.addresses.end(), b.addresses.begin()));
    EXPECT_EQ(core::load_be32(a.l4.data()), core::load_be32(b.l4.data()));
    if (a.kind() == FlowKind::roce_v2) {
      EXPECT_EQ(core::load_be32(&a.l4[12]), core::load_be32(&b.l4[12]));
    }
  }
}

TEST(FlowMaker, NoTwoFlowsAreTheSame) {
  struct Row {
    const char* name;
    FlowPattern pattern;
    uint32_t step;  // every step-th flow is made
  };
  const Row rows[] = {
      {"mixed over both", {.flows = 100'000, .ip = IpVersion::mixed, .sizes = {82}}, 1},
      {"RoCEv2 over IPv4", {.flows = 100'000, .kind = FlowKind::roce_v2}, 1},
      {"UDP over IPv6", {.flows = 100'000, .kind = FlowKind::udp, .ip = IpVersion::v6, .sizes = {66}}, 1},
      {"another seed", {.flows = 100'000, .kind = FlowKind::tcp, .seed = 0xffffffff}, 1},
      {"the most flows", {.flows = core::kMaxFlows, .kind = FlowKind::udp, .seed = 7}, 5},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::vector<std::string> tuples, sources;
    for (uint32_t index = 0; index < row.pattern.flows; index += row.step) {
      const Bytes frame = frame_of(row.pattern, index);
      const Parts parts(frame);
      std::string tuple(parts.addresses.begin(), parts.addresses.end());
      sources.push_back(tuple.substr(0, tuple.size() / 2));
      tuple.append(parts.l4.begin(), parts.l4.begin() + 4);
      tuples.push_back(std::move(tuple));
    }
    for (auto* list : {&tuples, &sources}) {
      std::sort(list->begin(), list->end());
      EXPECT_EQ(std::adjacent_find(list->begin(), list->end()), list->end());
    }
  }
}

TEST(FlowMaker, HostsAreOrdinary) {
  const FlowPattern pattern{.flows = core::kMaxFlows, .kind = FlowKind::udp, .sizes = {64}};
  for (uint32_t index = 0; index < core::kMaxFlows; index += 101) {
    const Bytes frame = frame_of(pattern, index);
    const std::span<const uint8_t> addresses = Parts(frame).addresses;
    for (const size_t last : {3u, 7u}) {
      ASSERT_EQ(addresses[last - 3], 10);
      ASSERT_NE(addresses[last], 0);
      ASSERT_NE(addresses[last], 255);
    }
  }
}

// Every bit that may vary is set in about half of the flows, and changes from one flow to the next about
// every other time: nothing counts. 4,096 flows, so half is 2,048 +- 32; the limits are six deviations off.
TEST(FlowMaker, VariesLikeChance) {
  struct Row {
    const char* name;
    FlowKind kind;
    uint32_t offset;  // of 32 bits in the frame
    uint32_t bits;    // that vary
  };
  const Row rows[] = {
      {"source address", FlowKind::udp, 26, 0x007fffff},
      {"destination address", FlowKind::udp, 30, 0x007fffff},
      {"UDP source port", FlowKind::udp, 34, 0x07ff0000},
      {"TCP source port", FlowKind::tcp, 34, 0x07ff0000},
      {"RoCE source port", FlowKind::roce_v2, 34, 0x3ffe0000},
      {"destination queue pair", FlowKind::roce_v2, 46, 0x00ffffff},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const FlowPattern pattern{.flows = 4096, .kind = row.kind};
    std::array<unsigned, 32> ones{}, changes{};
    uint32_t before = 0;
    for (uint32_t index = 0; index < pattern.flows; ++index) {
      const uint32_t value = core::load_be32(&frame_of(pattern, index)[row.offset]);
      for (unsigned bit = 0; bit < 32; ++bit) {
        ones[bit] += value >> bit & 1;
        changes[bit] += (value ^ before) >> bit & 1;
      }
      before = value;
    }
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((row.bits >> bit & 1) == 0) continue;
      EXPECT_NEAR(ones[bit], 2048, 192) << "bit " << bit;
      EXPECT_NEAR(changes[bit], 2048, 192) << "bit " << bit;
    }
  }
}

TEST(FlowMaker, SamePatternSameBytes) {
  FlowPattern pattern{.kind = FlowKind::mixed, .ip = IpVersion::mixed, .sizes = {82, 512}};
  uint32_t crc = 0xffffffff;
  for (uint32_t index = 0; index < 64; ++index) crc = core::crc32_update(crc, frame_of(pattern, index, 3));
  // Captures made by one version can be made again by another; whoever changes this number breaks that.
  EXPECT_EQ(~crc, 0xb3b1bdb6u);

  FlowPattern other = pattern;
  other.seed = 2;
  FlowPattern larger = pattern;
  larger.flows = 5000;
  for (uint32_t index = 0; index < 64; ++index) {
    EXPECT_NE(frame_of(pattern, index), frame_of(other, index));
    EXPECT_EQ(frame_of(pattern, index), frame_of(larger, index)) << "more flows leave the first ones alone";
  }
}

TEST(RoceSourcePort, IsThatOfLinux) {
  struct Row {
    uint32_t local_qp, remote_qp;
    uint16_t expected;
  };
  const Row rows[] = {
      {1, 1, 49153},       {0x11, 0x12, 49458},         {0x118, 0xd2, 58803},
      {0xd3, 0xd4, 61118}, {0x123456, 0x654321, 63367},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.expected);
    EXPECT_EQ(core::roce_source_port(row.local_qp, row.remote_qp), row.expected);
    EXPECT_EQ(core::roce_source_port(row.remote_qp, row.local_qp), row.expected);
  }
}

}  // namespace
