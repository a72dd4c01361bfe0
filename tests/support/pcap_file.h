// SPDX-License-Identifier: BSD-3-Clause
// Writes small captures through libpcap, of any link type. Used by tests only; capture.h reads them.
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace test_support {

// Frames in their order, a microsecond apart.
inline void write_capture(const std::string& path, const std::vector<std::vector<uint8_t>>& frames,
                          int link_type = DLT_EN10MB) {
  constexpr int kSnapBytes = 262'144;
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> shape(pcap_open_dead(link_type, kSnapBytes),
                                                             &pcap_close);
  const std::unique_ptr<pcap_dumper_t, decltype(&pcap_dump_close)> file(
      pcap_dump_open(shape.get(), path.c_str()), &pcap_dump_close);
  if (!file) throw std::runtime_error(pcap_geterr(shape.get()));
  for (size_t i = 0; i < frames.size(); ++i) {
    pcap_pkthdr record{};
    record.ts = {static_cast<time_t>(i / 1'000'000), static_cast<suseconds_t>(i % 1'000'000)};
    record.caplen = record.len = static_cast<bpf_u_int32>(frames[i].size());
    pcap_dump(reinterpret_cast<u_char*>(file.get()), &record, frames[i].data());
  }
}

}  // namespace test_support
