// SPDX-License-Identifier: BSD-3-Clause
// One Ethernet capture (pcap or pcapng, any byte order and time unit) as a row of packets, read once from its
// front through libpcap; "-" is standard input. Words what cannot be read. Used by capture on the main
// thread.
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/packet_view.h"

namespace hashlab {

class CaptureFile {
 public:
  // Throws BadInput: no such file, a folder, not a capture, a link type other than Ethernet; stopped()
  // (progress.h) while it waited for its first bytes.
  explicit CaptureFile(const std::string& file);

  struct Packet {
    const uint8_t* data = nullptr;  // until the next one is asked for
    uint32_t captured_bytes = 0;
    uint32_t frame_bytes = 0;  // as long as it was on the wire; never less than what was captured
    core::PacketView view() const;
  };
  // Nothing behind the last whole packet: then broken() tells whether the file should have had more.
  std::optional<Packet> next();

  // For messages and titles: "capture flows.pcap", "capture on standard input".
  const std::string& name() const { return name_; }
  // For a line with little room: "flows.pcap", "standard input".
  const std::string& short_name() const { return short_name_; }
  uint64_t packets() const { return packets_; }  // that next() gave
  // Empty, or "ends in the middle of packet 3 (...); the 2 before it are used".
  const std::string& broken() const { return broken_; }
  uint64_t size_bytes() const { return size_bytes_; }  // 0: not known, a pipe
  // How far it has been read. Of a pipe: about that.
  uint64_t read_bytes() const;

 private:
  void note_break();

  std::string name_, short_name_;
  uint64_t size_bytes_ = 0;
  std::unique_ptr<pcap_t, void (*)(pcap_t*)> capture_{nullptr, &pcap_close};
  uint64_t packets_ = 0;
  uint64_t packet_bytes_ = 0;
  std::string broken_;
};

}  // namespace hashlab
