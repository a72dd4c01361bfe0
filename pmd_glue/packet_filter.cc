// SPDX-License-Identifier: BSD-3-Clause
// Capture filters; see packet_filter.h.
#include "pmd_glue/packet_filter.h"

#include <pcap/pcap.h>

namespace glue {
namespace {

constexpr int kSnapshotBytes = 65535;
constexpr int kOptimize = 1;

struct CloseHandle {
  void operator()(pcap_t* handle) const { pcap_close(handle); }
};

}  // namespace

PacketFilter::PacketFilter(const std::string& expression, std::unique_ptr<bpf_program> program)
    : expression_(expression), program_(std::move(program)) {}

PacketFilter::~PacketFilter() {
  pcap_freecode(program_.get());
}

std::shared_ptr<const PacketFilter> PacketFilter::compile(const std::string& expression, std::string& error) {
  const std::unique_ptr<pcap_t, CloseHandle> handle(pcap_open_dead(DLT_EN10MB, kSnapshotBytes));
  if (handle == nullptr) {
    error = "no memory for a filter";
    return nullptr;
  }
  auto program = std::make_unique<bpf_program>();
  if (pcap_compile(handle.get(), program.get(), expression.c_str(), kOptimize, PCAP_NETMASK_UNKNOWN) != 0) {
    error = pcap_geterr(handle.get());
    return nullptr;
  }
  return std::shared_ptr<const PacketFilter>(new PacketFilter(expression, std::move(program)));
}

bool PacketFilter::matches(std::span<const uint8_t> front, uint32_t frame_bytes) const {
  pcap_pkthdr header{};
  header.caplen = static_cast<bpf_u_int32>(front.size());
  header.len = frame_bytes;
  return pcap_offline_filter(program_.get(), &header, front.data()) != 0;
}

}  // namespace glue
