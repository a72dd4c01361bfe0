// SPDX-License-Identifier: BSD-3-Clause
// Reads a capture packet by packet, decides of each what a gateway with default settings would, and keeps
// flows and counts; see capture.h. One thread.
#include "hashlab/capture.h"

#include <array>
#include <utility>

#include "hashlab/bad_input.h"
#include "hashlab/capture_file.h"
#include "hashlab/flow_table.h"
#include "hashlab/progress.h"

namespace hashlab {
namespace {

constexpr size_t kBatch = 32;
constexpr uint64_t kPacketsToTell = 4096;  // asking how far a file has been read is a system call
constexpr double kMegabyte = 1e6;

std::string packets(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " packet" : " packets");
}

// Those that there are: "1 shorter than an Ethernet header, 2 MAC control".
std::string dropped(const CaptureCounts& counts) {
  const std::pair<uint64_t, const char*> reasons[] = {{counts.runt, "shorter than an Ethernet header"},
                                                      {counts.mac_control, "MAC control"},
                                                      {counts.link_local, "link-local"},
                                                      {counts.too_big, "longer than the MTU"}};
  std::string text;
  for (const auto& [count, reason] : reasons) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  }
  return text;
}

class ReadCapture : public Capture {
 public:
  ReadCapture(CaptureFile& file, const CaptureOptions& options) : name_(file.name()), options_(options) {
    read(file);
    refuse_useless();
  }

  std::string name() const override { return name_; }
  uint64_t flows() const override { return table_.size(); }
  void fill(uint64_t first, std::span<Flow> into) const override { table_.fill(first, into); }
  std::vector<std::string> notes() const override;
  std::string broken() const override { return counts_.broken.empty() ? "" : name_ + " " + counts_.broken; }
  const CaptureCounts& counts() const override { return counts_; }

 private:
  void read(CaptureFile& file);
  bool forwarded(const CaptureFile::Packet& packet, const core::PacketHeaders& headers);
  void refuse_useless() const;
  std::string malformed() const;

  const std::string name_;
  const CaptureOptions options_;
  CaptureCounts counts_;
  FlowTable table_;
  bool stopped_ = false;
};

void ReadCapture::read(CaptureFile& file) {
  Progress progress("reading " + file.short_name(), "MB", static_cast<double>(file.size_bytes()) / kMegabyte);
  std::array<FlowTable::Packet, kBatch> batch;
  size_t waiting = 0;
  uint64_t told_bytes = 0;
  const auto put_away = [&] {
    table_.add({batch.data(), waiting});
    waiting = 0;
  };
  const auto tell = [&] {
    const uint64_t bytes = file.read_bytes();
    progress.advance(static_cast<double>(bytes - told_bytes) / kMegabyte);
    told_bytes = bytes;
  };
  while (!stopped()) {
    const auto packet = file.next();
    if (!packet) break;
    if (file.packets() % kPacketsToTell == 0) tell();
    const core::PacketView view = packet->view();
    const core::PacketHeaders headers = core::parse(view, options_.vlan_tag);
    if (!forwarded(*packet, headers)) continue;
    FlowTable::Packet& kept = batch[waiting++];
    kept.material = core::key_material_of(view, headers);
    if (!options_.by_length) kept.material.length_bytes = 0;
    kept.hash = FlowTable::hash_of(kept.material);
    kept.frame_bytes = packet->frame_bytes;
    if (waiting == batch.size()) put_away();
  }
  put_away();
  stopped_ = stopped();
  if (stopped_) go_on();
  // A signal also ends a read that waits, which is no fault of the file.
  if (!stopped_) counts_.broken = file.broken();
}

// Counts the packet; false when it is dropped.
bool ReadCapture::forwarded(const CaptureFile::Packet& packet, const core::PacketHeaders& headers) {
  ++counts_.packets;
  counts_.bytes += packet.frame_bytes;
  switch (headers.verdict) {
    case core::Verdict::runt:
      ++counts_.runt;
      return false;
    case core::Verdict::mac_control:
      ++counts_.mac_control;
      return false;
    case core::Verdict::link_local:
      ++counts_.link_local;
      return false;
    case core::Verdict::malformed:
      ++counts_.malformed;
      break;
    case core::Verdict::forward:
      break;
  }
  if (options_.mtu_bytes != 0 && packet.captured_bytes > options_.mtu_bytes + headers.l3_offset) {
    ++counts_.too_big;
    return false;
  }
  ++counts_.forwarded;
  if (headers.l3 == core::L3::none) ++counts_.without_ip;
  if (packet.captured_bytes < packet.frame_bytes) ++counts_.cut_short;
  return true;
}

void ReadCapture::refuse_useless() const {
  if (counts_.packets == 0) {
    if (stopped_) throw BadInput(name_ + ": stopped before its first packet was read");
    throw BadInput(name_ + ": " + (counts_.broken.empty() ? "holds no packet" : counts_.broken));
  }
  std::string all = " among its " + std::to_string(counts_.packets);
  if (!counts_.broken.empty()) all += ", and it " + counts_.broken;
  if (counts_.forwarded == 0) {
    throw BadInput(name_ + ": no packet that a gateway forwards" + all + " (" + dropped(counts_) +
                   "); take one with IP packets");
  }
  if (counts_.without_ip == counts_.forwarded) {
    const std::string by_mac = "; without it only MAC addresses are hashed, so take one with ";
    if (counts_.malformed == 0) {
      throw BadInput(name_ + ": no IP packet" + all + by_mac + "IP packets");
    }
    throw BadInput(name_ + ": no readable IP header" + all + " (" + malformed() + ")" + by_mac +
                   "whole IP headers");
  }
}

// "2 with an IP header that contradicts itself or was captured in part"
std::string ReadCapture::malformed() const {
  return std::to_string(counts_.malformed) +
         " with an IP header that contradicts itself or was captured in part";
}

std::vector<std::string> ReadCapture::notes() const {
  std::vector<std::string> notes;
  if (!counts_.broken.empty()) notes.push_back(broken() + ".");
  if (stopped_)
    notes.push_back(name_ + ": stopped after " + packets(counts_.packets) + "; only these are used.");
  if (const uint64_t gone = counts_.packets - counts_.forwarded; gone > 0) {
    notes.push_back(packets(gone) + " of " + std::to_string(counts_.packets) +
                    " left out, as a gateway drops them: " + dropped(counts_) + ".");
  }
  if (counts_.without_ip > 0) {
    notes.push_back(packets(counts_.without_ip) + " without IP, hashed on MAC addresses" +
                    (counts_.malformed == 0 ? "." : "; of these " + malformed() + "."));
  }
  if (counts_.cut_short > 0) {
    notes.push_back(packets(counts_.cut_short) + " captured in part only; bytes are counted as on the wire.");
  }
  return notes;
}

}  // namespace

std::unique_ptr<Capture> Capture::read(const std::string& file, const CaptureOptions& options) {
  CaptureFile source(file);
  return std::make_unique<ReadCapture>(source, options);
}

CapturedFrame frame_of_capture(const std::string& file, uint64_t number) {
  if (number == 0) throw BadInput("packet 0: packets are counted from 1");
  CaptureFile source(file);
  while (!stopped()) {
    const auto packet = source.next();
    if (!packet) break;
    if (source.packets() == number)
      return {{packet->data, packet->data + packet->captured_bytes}, packet->frame_bytes};
  }
  if (stopped()) {
    const bool none = source.packets() == 0;
    throw BadInput(
        source.name() + ": stopped before its " +
        (none ? "first packet was read"
              : "packet " + std::to_string(number) + " was read, after " + packets(source.packets())));
  }
  throw BadInput(source.name() + ": has no packet " + std::to_string(number) + ", only " +
                 std::to_string(source.packets()) +
                 (source.broken().empty() ? "" : "; it " + source.broken()));
}

}  // namespace hashlab
