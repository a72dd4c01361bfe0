// SPDX-License-Identifier: BSD-3-Clause
// Reads a capture as a stream and keeps its flows: memory goes with flows, not with packets. Called by main
// on the main thread, and does all its work there: one thread reads faster than most disks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/parse.h"
#include "hashlab/traffic.h"

namespace hashlab {

struct CaptureOptions {
  core::VlanTag vlan_tag = core::VlanTag::outer;
  // Of the NICs: longer packets, as far as they were captured, are dropped, as a gateway does that plays the
  // capture; 0: none is too long.
  uint32_t mtu_bytes = 0;
  bool by_length = false;  // packets of unlike length are unlike flows: for fields with packet_length
};

// What a gateway with default settings would do with the packets: forwards all but these.
struct CaptureCounts {
  uint64_t packets = 0;  // whole ones: forwarded + runt + mac_control + link_local + too_big
  uint64_t bytes = 0;    // of their frames, as long as they were on the wire
  uint64_t forwarded = 0;
  uint64_t without_ip = 0;  // of forwarded: hashed on MAC addresses
  uint64_t malformed = 0;   // of without_ip: an IP header that contradicts itself, or that is not all there
  uint64_t cut_short = 0;   // of forwarded: the capture has fewer bytes than the frame had (snap length)
  uint64_t runt = 0, mac_control = 0, link_local = 0, too_big = 0;  // dropped
  std::string broken;  // where and why the file ends too early; empty when it does not
};

class Capture : public Traffic {
 public:
  // pcap or pcapng, "-" for standard input. Throws BadInput (bad_input.h): no such file, not a capture, a
  // link type other than Ethernet, no packet at all, none that is forwarded, none of them with IP. A file
  // that breaks off behind whole packets is read as far as it is whole: broken() and a note tell. So does a
  // note when stopped() (progress.h) ended the reading.
  static std::unique_ptr<Capture> read(const std::string& file, const CaptureOptions& options);

  virtual const CaptureCounts& counts() const = 0;
};

// Frame `number` (from 1, as Wireshark counts) of a capture, and its true length. Throws BadInput, also when
// stopped() before it was read.
struct CapturedFrame {
  std::vector<uint8_t> bytes;
  uint32_t frame_bytes = 0;
};
CapturedFrame frame_of_capture(const std::string& file, uint64_t number);

}  // namespace hashlab
