// SPDX-License-Identifier: BSD-3-Clause
// Reads capture files (pcap and pcapng, through libpcap) into plain byte vectors and finds the folder of
// captures that tests replay. Used by tests only, on the test's own thread; the program itself does without
// libpcap. A capture whose link type is not Ethernet is read all the same: its bytes are then just bytes.
#pragma once

#include <pcap/pcap.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef ROCEWAY_SOURCE_DIR
#define ROCEWAY_SOURCE_DIR "."
#endif

namespace test_support {

// Every frame of a capture, cut to what was captured. Throws std::runtime_error when the file cannot be
// opened; a record that is damaged ends the list.
inline std::vector<std::vector<uint8_t>> read_capture(const std::string& path) {
  char error[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> file(pcap_open_offline(path.c_str(), error),
                                                            &pcap_close);
  if (!file) throw std::runtime_error(path + ": " + error);
  std::vector<std::vector<uint8_t>> frames;
  pcap_pkthdr* record = nullptr;
  const u_char* bytes = nullptr;
  while (pcap_next_ex(file.get(), &record, &bytes) == 1) frames.emplace_back(bytes, bytes + record->caplen);
  return frames;
}

// Folder of the cases: environment variable ROCEWAY_CASES, else the folder beside the source tree. Nothing
// when neither is there; such a test skips itself.
inline std::optional<std::filesystem::path> cases_folder() {
  const char* named = std::getenv("ROCEWAY_CASES");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named)
                       : std::filesystem::path(ROCEWAY_SOURCE_DIR) / ".." / "shared" / "cases";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder / "pcaps", ignored)) return std::nullopt;
  return folder;
}

// The capture files of the cases, in order of name.
inline std::vector<std::filesystem::path> capture_files(const std::filesystem::path& cases) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(cases / "pcaps"))
    if (entry.path().extension() == ".pcap" || entry.path().extension() == ".pcapng")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace test_support
