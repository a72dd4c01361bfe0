// SPDX-License-Identifier: BSD-3-Clause
// The flows that a command looks at, whatever they come from: a capture that was read once (capture.h) or a
// pattern that makes flow n whenever it is asked (pattern.h). Any thread may ask.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow_key.h"

namespace hashlab {

// What the packets of one flow have in common, and how many there are.
struct Flow {
  core::KeyMaterial material;
  uint64_t packets = 1;
  uint64_t bytes = 0;  // of frames without FCS
  friend bool operator==(const Flow&, const Flow&) = default;
};

// What a load is counted in.
enum class LoadBy : uint8_t { flows, packets, bytes };
inline constexpr std::array<std::string_view, 3> kLoadByNames = {"flows", "packets", "bytes"};
inline uint64_t load_of(const Flow& flow, LoadBy by) {
  return by == LoadBy::flows ? 1 : by == LoadBy::packets ? flow.packets : flow.bytes;
}

class Traffic {
 public:
  Traffic() = default;
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  virtual ~Traffic() = default;

  // How it is called in a title: "capture flows.pcap", "pattern counting".
  virtual std::string name() const = 0;
  virtual uint64_t flows() const = 0;
  // Flows `first` and on; first + into.size() is at most flows(). The same number is always the same flow.
  virtual void fill(uint64_t first, std::span<Flow> into) const = 0;
  // Sentences for a report's notes: packets left out, where a capture ends too early.
  virtual std::vector<std::string> notes() const { return {}; }
  // Why the input is not whole, for main: the report is still worth showing, the exit status is 2. Empty when
  // it is whole.
  virtual std::string broken() const { return {}; }
};

}  // namespace hashlab
