// SPDX-License-Identifier: BSD-3-Clause
// Frames by name; see frames.h.
#include "perf/frames.h"

#include <algorithm>
#include <stdexcept>

namespace perf {
namespace {

void add_tag(Frame& frame) {
  static constexpr uint8_t kTag[4] = {0x81, 0x00, 0x60, 0x0a};  // priority 3, VLAN 10
  frame.insert(frame.begin() + 12, std::begin(kTag), std::end(kTag));
}

}  // namespace

std::vector<Frame> frames_of(const Mix& mix, uint32_t flows) {
  const auto pattern = [&](core::IpVersion ip) {
    return core::FlowPattern{.flows = flows,
                             .kind = mix.kind,
                             .ip = ip,
                             .sizes = {std::max<uint16_t>(64, core::shortest_frame(mix.kind, ip))}};
  };
  const core::FlowPattern four = pattern(core::IpVersion::v4), six = pattern(core::IpVersion::v6);
  std::vector<Frame> frames;
  // In steps that have nothing to do with each other, so that the kinds meet in every way.
  const auto is_one = [](uint32_t i, uint32_t step, unsigned percent) { return i * step % 100 < percent; };
  for (uint32_t i = 0; i < flows; ++i) {
    const bool is_six = is_one(i, 61, mix.six);
    Frame frame = core::make_frame(is_six ? six : four, i, 0, kGateway, kHost);
    if (!is_six && is_one(i, 37, mix.fragments)) frame[20] = 0x20;  // more fragments
    if (is_one(i, 43, mix.tagged)) add_tag(frame);
    frames.push_back(std::move(frame));
  }
  return frames;
}

const NamedMix* find_mix(std::string_view name) {
  const auto found = std::ranges::find(kMixes, name, &NamedMix::name);
  return found == std::end(kMixes) ? nullptr : found;
}

FrameBursts::FrameBursts(const Mix& mix) {
  const std::vector<Frame> frames = frames_of(mix);
  static_assert(kFlows % core::kBatch == 0);
  memory_.resize(frames.size());
  bursts_.resize(frames.size() / core::kBatch);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].size() > kApart) throw std::length_error("a frame is longer than its place");
    std::copy(frames[i].begin(), frames[i].end(), memory_[i].bytes);
    core::BurstFrames& burst = bursts_[i / core::kBatch];
    burst.data[i % core::kBatch] = memory_[i].bytes;
    burst.window_bytes[i % core::kBatch] = static_cast<uint32_t>(frames[i].size());
  }
}

}  // namespace perf
