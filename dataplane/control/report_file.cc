// SPDX-License-Identifier: BSD-3-Clause
// Writes the report beside its place, then moves it there; see report_file.h.
#include "control/report_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "pmd_glue/start_error.h"

namespace control {

ReportFile::ReportFile(std::string path) : path_(std::move(path)), part_path_(path_ + ".part") {
  std::error_code none;
  if (std::filesystem::is_directory(path_, none)) {
    throw glue::StartError("--report " + path_ + ": is a folder; name a file");
  }
  if (!std::ofstream(part_path_)) {
    throw glue::StartError("--report " + path_ + ": cannot be written: " + std::strerror(errno) +
                           "; name a file in a folder that is there and yours");
  }
}

ReportFile::~ReportFile() {
  if (!written_) std::remove(part_path_.c_str());
}

bool ReportFile::write(const std::string& text) {
  std::ofstream out(part_path_);
  out << text;
  out.close();
  written_ = out && std::rename(part_path_.c_str(), path_.c_str()) == 0;
  return written_;
}

}  // namespace control
