// SPDX-License-Identifier: BSD-3-Clause
// A capture filter in the words of pcap-filter(7), compiled by libpcap for Ethernet frames. Compiled on the
// control thread, which waits for a name server when the expression has host names; matched by any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct bpf_program;

namespace glue {

class PacketFilter {
 public:
  // Null when libpcap refuses the expression; then `error` is its sentence. An empty one matches everything.
  static std::shared_ptr<const PacketFilter> compile(const std::string& expression, std::string& error);

  // `front`: the first bytes of a frame of `frame_bytes`. What lies behind them does not match.
  bool matches(std::span<const uint8_t> front, uint32_t frame_bytes) const;
  const std::string& expression() const { return expression_; }

  ~PacketFilter();
  PacketFilter(const PacketFilter&) = delete;
  PacketFilter& operator=(const PacketFilter&) = delete;

 private:
  PacketFilter(const std::string& expression, std::unique_ptr<bpf_program> program);

  std::string expression_;
  std::unique_ptr<bpf_program> program_;
};

}  // namespace glue
