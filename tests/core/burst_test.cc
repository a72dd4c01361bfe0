// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels say of every packet what the functions for one packet say, at every width this CPU has,
// for every tail of a batch.
#include "core/burst.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/flow_hash.h"
#include "core/flow_maker.h"
#include "core/parse.h"

namespace {

using Frame = std::vector<uint8_t>;

class Burst : public testing::TestWithParam<core::Simd> {
 protected:
  void SetUp() override {
    if (!core::has(GetParam())) GTEST_SKIP() << "this CPU has no " << core::name_of(GetParam());
  }
  const core::BurstKernels& kernels() const { return core::burst_kernels(GetParam()); }
};

constexpr core::MacAddress kMacs[] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}};

Frame make(core::FlowKind kind, core::IpVersion ip, uint32_t index) {
  const core::FlowPattern pattern{
      .flows = 4096, .kind = kind, .ip = ip, .sizes = {core::shortest_frame(kind, ip)}};
  return core::make_frame(pattern, index, index, kMacs[0], kMacs[1]);
}

void tag(Frame& frame, uint16_t type, uint16_t tci) {
  const uint8_t bytes[] = {static_cast<uint8_t>(type >> 8), static_cast<uint8_t>(type),
                           static_cast<uint8_t>(tci >> 8), static_cast<uint8_t>(tci)};
  frame.insert(frame.begin() + 12, std::begin(bytes), std::end(bytes));
}

// A batch of frames, each in memory of exactly its size, so that a sanitizer sees a byte too far.
struct Batch {
  std::vector<std::unique_ptr<uint8_t[]>> memory;
  std::vector<uint32_t> sizes;
  core::BurstFrames frames;
  uint16_t count = 0;
  void add(const Frame& frame) {
    memory.push_back(std::make_unique<uint8_t[]>(frame.size()));
    std::copy(frame.begin(), frame.end(), memory.back().get());
    sizes.push_back(static_cast<uint32_t>(frame.size()));
    frames.data[count] = memory.back().get();
    frames.window_bytes[count++] = static_cast<uint32_t>(frame.size());
  }
  // Of the frame itself: recognise writes over pointers to frames that are too short.
  core::PacketView view(unsigned i) const { return {memory[i].get(), sizes[i], sizes[i]}; }
};

core::Protocol protocol_of(const core::BurstShapes& shapes, unsigned i) {
  const auto is = [i](core::PacketBits bits) { return (bits >> i & 1) != 0; };
  EXPECT_EQ(is(shapes.tcp) + is(shapes.udp) + is(shapes.roce_v2) + is(shapes.vxlan) + is(shapes.geneve), 1);
  if (is(shapes.tcp)) return core::Protocol::tcp;
  if (is(shapes.roce_v2)) return core::Protocol::roce_v2;
  if (is(shapes.vxlan)) return core::Protocol::vxlan;
  return is(shapes.geneve) ? core::Protocol::geneve : core::Protocol::udp;
}

// A shorter one would be read past its end.
constexpr uint32_t kShortest = 46;

// Whether core/parse sees one of the common shapes.
bool is_common(const core::PacketHeaders& headers, const core::PacketView& view) {
  if (headers.verdict != core::Verdict::forward || !headers.has_ports || headers.fragment) return false;
  const bool one_tag = headers.l3_offset == 18 && core::load_be16(view.data + 12) == 0x8100;
  const int header_bytes = headers.l3 == core::L3::ipv4 ? 20 : 40;
  return (headers.l3_offset == 14 || one_tag) && (headers.ip_proto == 6 || headers.ip_proto == 17) &&
         headers.l4_offset - headers.l3_offset == header_bytes;
}

// `must`: every packet of a common shape must have been recognised, not only rightly.
void expect_like_one_by_one(const core::BurstKernels& kernels, Batch& batch, const core::KeyFields& fields,
                            bool must) {
  constexpr uint32_t kSeed = 77;
  core::MacPair last;
  std::memcpy(last.words, batch.memory[0].get(), batch.sizes[0] < 12 ? 0 : 12);
  core::BurstShapes shapes;
  kernels.recognise(batch.frames, batch.count, last, shapes);
  uint32_t hashes[core::kBatch];
  kernels.hash(shapes, batch.count, core::KeyMask(fields), kSeed, hashes);
  const core::FlowHash hash(core::HashAlgorithm::jenkins, kSeed);
  for (unsigned i = 0; i < batch.count; ++i) {
    const core::PacketView view = batch.view(i);
    const core::PacketHeaders headers = core::parse(view);
    const bool common = (shapes.common >> i & 1) != 0;
    if (must) {
      EXPECT_EQ(common, is_common(headers, view) && view.window_bytes >= kShortest) << i;
    }
    if (!common) continue;
    ASSERT_TRUE(is_common(headers, view)) << i;
    EXPECT_EQ(protocol_of(shapes, i), headers.protocol) << i;
    EXPECT_EQ((shapes.six >> i & 1) != 0, headers.l3 == core::L3::ipv6) << i;
    EXPECT_EQ((shapes.like_last >> i & 1) != 0, std::memcmp(view.data, last.words, 12) == 0) << i;
    const core::PacketMark mark{static_cast<uint16_t>(shapes.marks[i])};
    EXPECT_EQ(mark.bits, core::PacketMark::of(headers.l3_offset, core::priority_of(headers), 0).bits) << i;
    core::FlowKey key;
    core::make_flow_key(view, headers, fields, key);
    EXPECT_EQ(hashes[i], hash(key)) << i;
  }
  EXPECT_EQ(batch.count == 32 ? 0 : shapes.common >> batch.count, 0u);
}

std::vector<Frame> shapes() {
  std::vector<Frame> frames;
  uint32_t index = 0;
  for (const auto kind : {core::FlowKind::roce_v2, core::FlowKind::udp, core::FlowKind::tcp}) {
    for (const auto ip : {core::IpVersion::v4, core::IpVersion::v6}) {
      for (int tags = 0; tags < 5; ++tags) {
        Frame frame = make(kind, ip, index++);
        if (tags == 1) tag(frame, 0x8100, 0xe123);
        if (tags == 2) tag(frame, 0x88a8, 0x6001);
        if (tags == 3) tag(frame, 0x8100, 0x2001), tag(frame, 0x8100, 0x4002);
        if (tags == 4) frame[ip == core::IpVersion::v4 ? 15 : 14] |= ip == core::IpVersion::v4 ? 0xb8 : 0x0b;
        frames.push_back(frame);
      }
    }
  }
  for (const uint16_t port : {4789, 6081, 4791}) {  // and TCP to a port of UDP's
    for (const auto kind : {core::FlowKind::udp, core::FlowKind::tcp}) {
      frames.push_back(make(kind, core::IpVersion::v4, index++));
      core::store_be16(&frames.back()[36], port);
    }
  }
  Frame link_local = make(core::FlowKind::udp, core::IpVersion::v4, index);
  std::copy_n(std::vector<uint8_t>{1, 0x80, 0xc2, 0, 0, 0x0e}.begin(), 6, link_local.begin());
  frames.push_back(link_local);
  return frames;
}

std::vector<core::KeyFields> choices() {
  std::vector<core::KeyFields> choices;
  for (unsigned bits = 0; bits < 16; ++bits) {
    choices.push_back({.src_ip = (bits & 1) != 0,
                       .dst_ip = (bits & 2) != 0,
                       .src_port = (bits & 4) != 0,
                       .dst_port = (bits & 8) != 0});
  }
  return choices;
}

TEST_P(Burst, EveryShapeAtEveryTailLength) {
  const std::vector<Frame> frames = shapes();
  const std::vector<core::KeyFields> fields = choices();
  size_t next = 0;
  for (uint16_t count = 1; count <= core::kBatch; ++count) {
    for (size_t turn = 0; turn < frames.size(); ++turn) {
      Batch batch;
      while (batch.count < count) batch.add(frames[next++ % frames.size()]);
      expect_like_one_by_one(kernels(), batch, fields[turn % fields.size()], true);
      next += turn % 7;
    }
  }
}

// Whatever bytes are broken, and wherever a frame is cut off.
TEST_P(Burst, BrokenFrames) {
  std::mt19937 random(9);
  const std::vector<Frame> frames = shapes();
  for (int turn = 0; turn < 20'000; ++turn) {
    Batch batch;
    const auto count = static_cast<unsigned>(1 + turn % core::kBatch);
    for (unsigned i = 0; i < count; ++i) {
      Frame frame = frames[random() % frames.size()];
      for (unsigned broken = random() % 3; broken > 0; --broken)
        frame[12 + random() % (std::min<size_t>(frame.size(), 44) - 12)] =
            static_cast<uint8_t>(random() % 4 == 0 ? random() : random() % 8);
      if (random() % 4 == 0) frame.resize(random() % (frame.size() + 1));
      batch.add(frame);
    }
    expect_like_one_by_one(kernels(), batch, {}, false);
    if (HasFailure()) break;
  }
}

TEST_P(Burst, SpreadsAsOneByOne) {
  std::mt19937 random(3);
  for (const uint32_t divisor :
       {1u, 2u, 3u, 7u, 64u, 512u, 513u, 1000u, 65535u, 65536u, 0x7fffffffu, 0x80000001u, ~0u}) {
    for (const uint64_t below : {uint64_t{0}, uint64_t{1} << 26, uint64_t{1} << 32}) {
      core::FlowMeter meter;
      for (int turn = 0; turn < 300; ++turn) {
        uint32_t hashes[core::kBatch];
        for (uint32_t& hash : hashes)
          hash =
              turn < 2 ? 0u - static_cast<uint32_t>(turn) : static_cast<uint32_t>(random()) >> random() % 32;
        const auto count = static_cast<uint16_t>(1 + turn % core::kBatch);
        core::BurstSpread spread;
        kernels().spread(hashes, count, {core::FastModulo(divisor), below}, meter, spread);
        for (unsigned i = 0; i < count; ++i) {
          EXPECT_EQ(spread.buckets[i], hashes[i] % divisor);
          EXPECT_EQ((spread.watched >> i & 1) != 0, core::spread_hash(hashes[i]) < below);
          EXPECT_EQ((spread.news >> i & 1) != 0, meter.would_change(hashes[i]));
        }
        EXPECT_EQ(count == 32 ? 0 : (spread.watched | spread.news) >> count, 0u);
        for (unsigned i = 0; i < count; ++i) meter.see(hashes[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, Burst,
                         testing::Values(core::Simd::portable, core::Simd::avx2, core::Simd::avx512),
                         [](const auto& width) { return std::string(core::name_of(width.param)); });

}  // namespace
