// SPDX-License-Identifier: BSD-3-Clause
// Captures written byte by byte, so that tests can write broken ones, too; frames that are worth capturing;
// and a folder for the files. Used by the tests of captures only.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/explain.h"
#include "core/packet_view.h"
#include "hashlab/bad_input.h"
#include "hashlab/capture.h"

namespace test_support {

using Bytes = std::vector<uint8_t>;

inline constexpr uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d;

// Little-endian, or big-endian when turned.
struct Writer {
  bool turned = false;
  Bytes out = {};
  void put(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      out.push_back(static_cast<uint8_t>(value >> 8 * (turned ? bytes - 1 - i : i)));
  }
  void put(const Bytes& bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }
};

struct Record {
  Bytes captured;
  uint32_t frame_bytes;
};
inline std::vector<Record> whole(const std::vector<Bytes>& frames) {
  std::vector<Record> records;
  for (const Bytes& frame : frames) records.push_back({frame, static_cast<uint32_t>(frame.size())});
  return records;
}

inline Bytes pcap_of(const std::vector<Record>& records, uint32_t magic = kMicroseconds, bool turned = false,
                     uint32_t link_type = 1) {
  Writer file{turned};
  file.put(magic, 4);
  file.put(2, 2);
  file.put(4, 2);
  file.put(0, 8);
  file.put(65'535, 4);
  file.put(link_type, 4);
  for (const Record& record : records) {
    file.put(0, 8);
    file.put(record.captured.size(), 4);
    file.put(record.frame_bytes, 4);
    file.put(record.captured);
  }
  return file.out;
}

inline void put_block(Writer& file, uint32_t type, const Bytes& body) {
  const size_t padded = (body.size() + 3) / 4 * 4;
  file.put(type, 4);
  file.put(padded + 12, 4);
  file.put(body);
  file.put(0, static_cast<unsigned>(padded - body.size()));
  file.put(padded + 12, 4);
}

// Interfaces of these link types; packets take turns on them.
inline Bytes pcapng_of(const std::vector<Record>& records, const std::vector<uint32_t>& link_types,
                       bool turned = false) {
  Writer file{turned};
  Writer section{turned};
  section.put(0x1a2b3c4d, 4);
  section.put(1, 2);
  section.put(0, 2);
  section.put(~uint64_t{0}, 8);
  put_block(file, 0x0a0d0d0a, section.out);
  for (const uint32_t type : link_types) {
    Writer interface { turned };
    interface.put(type, 2);
    interface.put(0, 2);
    interface.put(65'535, 4);
    put_block(file, 1, interface.out);
  }
  for (size_t i = 0; i < records.size(); ++i) {
    Writer packet{turned};
    packet.put(i % link_types.size(), 4);
    packet.put(0, 8);
    packet.put(records[i].captured.size(), 4);
    packet.put(records[i].frame_bytes, 4);
    packet.put(records[i].captured);
    put_block(file, 6, packet.out);
  }
  return file.out;
}

inline Bytes udp(uint16_t src_port, size_t frame_bytes = 60) {
  core::FiveTuple tuple;
  tuple.src.bytes = {192, 0, 2, 1};
  tuple.dst.bytes = {198, 51, 100, 2};
  tuple.src_port = src_port;
  tuple.dst_port = 5201;
  Bytes frame = core::frame_of(tuple);
  frame.resize(frame_bytes);
  return frame;
}

inline Bytes ethernet(const Bytes& dst_mac, uint16_t type, const Bytes& behind = {}) {
  Writer frame{true};
  frame.put(dst_mac);
  frame.put({2, 0, 0, 0, 0, 1});
  frame.put(type, 2);
  frame.put(behind);
  frame.out.resize(60);
  return frame.out;
}
inline const Bytes kStation = {2, 0, 0, 0, 0, 2};
inline Bytes arp() {
  return ethernet(kStation, 0x0806);
}
inline Bytes contradictory() {
  return ethernet(kStation, 0x0800, {0x41});
}
inline Bytes pause_frame() {
  return ethernet({1, 0x80, 0xc2, 0, 0, 1}, 0x8808);
}
inline Bytes lldp() {
  return ethernet({1, 0x80, 0xc2, 0, 0, 0xe}, 0x88cc);
}

inline std::vector<hashlab::Flow> flows_of(const hashlab::Capture& capture) {
  std::vector<hashlab::Flow> flows(capture.flows());
  capture.fill(0, flows);
  return flows;
}

inline core::KeyMaterial material_of(const Bytes& captured, uint32_t frame_bytes, bool by_length = false) {
  const auto bytes = static_cast<uint32_t>(captured.size());
  const core::PacketView view{captured.data(), std::min(bytes, core::kParseWindowBytes), frame_bytes};
  core::KeyMaterial material = core::key_material_of(view, core::parse(view));
  if (!by_length) material.length_bytes = 0;
  return material;
}
inline hashlab::Flow flow(const Bytes& frame, uint64_t packets, uint64_t bytes) {
  return {material_of(frame, static_cast<uint32_t>(frame.size())), packets, bytes};
}

class CaptureTest : public ::testing::Test {
 protected:
  CaptureTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hashlab_capture_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CaptureTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ / name; }
  std::string write(const Bytes& bytes, const std::string& name = "in.pcap") const {
    std::ofstream(file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file(name);
  }
  // What is said of it, without the folder in front of the name.
  std::string refusal(const std::string& name, const std::function<void()>& attempt) const {
    try {
      attempt();
    } catch (const hashlab::BadInput& bad) {
      std::string text = bad.what();
      if (const size_t at = text.find(name); at != std::string::npos) text.replace(at, name.size(), "F");
      return text;
    }
    return "accepted";
  }
  std::string refusal(const std::string& name) const {
    return refusal(name, [&] { hashlab::Capture::read(name, {}); });
  }

  std::filesystem::path folder_;
};

}  // namespace test_support
