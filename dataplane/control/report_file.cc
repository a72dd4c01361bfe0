// SPDX-License-Identifier: BSD-3-Clause
// Writes the report beside its place, then moves it there; see report_file.h.
#include "control/report_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "pmd_glue/captures.h"
#include "pmd_glue/start_error.h"

namespace control {

ReportFile::ReportFile(std::string path, const std::vector<std::string>& inputs) : path_(std::move(path)) {
  std::error_code none;
  for (const std::string& input : inputs) {
    if (glue::same_file(path_, input)) {
      throw glue::StartError("--report " + path_ + ": is a file of this run (" + input + "); name another");
    }
  }
  const std::filesystem::file_status what = std::filesystem::status(path_, none);
  if (is_directory(what)) throw glue::StartError("--report " + path_ + ": is a folder; name a file");
  const bool replaceable = !exists(what) || is_regular_file(what);
  part_path_ = replaceable ? path_ + ".part" : path_;
  if (replaceable && !std::ofstream(part_path_)) {
    throw glue::StartError("--report " + path_ + ": cannot be written: " + std::strerror(errno) +
                           "; name a file in a folder that is there and yours");
  }
}

ReportFile::~ReportFile() {
  if (!written_ && part_path_ != path_) std::remove(part_path_.c_str());
}

bool ReportFile::write(const std::string& text) {
  std::ofstream out(part_path_);
  out << text;
  out.close();
  written_ = out && (part_path_ == path_ || std::rename(part_path_.c_str(), path_.c_str()) == 0);
  return written_;
}

}  // namespace control
