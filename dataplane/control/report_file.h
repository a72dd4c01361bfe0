// SPDX-License-Identifier: BSD-3-Clause
// Where --report goes: a file that is tried before anything starts and replaced whole at the end, so that a
// reader never sees half a report. Main thread.
#pragma once

#include <string>
#include <vector>

namespace control {

// Throws glue::StartError when a file of this name cannot be written.
class ReportFile {
 public:
  // `inputs` are files that must not be overwritten: the configuration, captures.
  ReportFile(std::string path, const std::vector<std::string>& inputs);
  ~ReportFile();  // removes what was never filled
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  // The report, and where it is written first.
  std::vector<std::string> files() const { return {path_, part_path_}; }
  // False when the disk did not take it; the reason is in errno.
  bool write(const std::string& text);

 private:
  std::string path_;
  std::string
      part_path_;  // equal to path_ when that is a pipe or device: such a thing is written, never replaced
  bool written_ = false;
};

}  // namespace control
