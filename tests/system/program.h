// SPDX-License-Identifier: BSD-3-Clause
// What every system test stands on: a folder and an instance name of its own, configurations written into it,
// roceway started in it, and its JSON report read back. Environment variables ROCEWAY_PROGRAM and
// ROCEWAY_FLOWS name the programs; macros of the same names are the defaults.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/process.h"

#ifndef ROCEWAY_SOURCE_DIR
#define ROCEWAY_SOURCE_DIR "."
#endif
#ifndef ROCEWAY_PROGRAM
#define ROCEWAY_PROGRAM ROCEWAY_SOURCE_DIR "/build/release/roceway"
#endif
#ifndef ROCEWAY_FLOWS
#define ROCEWAY_FLOWS ROCEWAY_SOURCE_DIR "/build/release/roceway-flows"
#endif

namespace system_test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline std::string program_named(const char* variable, const char* otherwise) {
  const char* named = std::getenv(variable);
  return std::filesystem::absolute(named != nullptr ? named : otherwise);
}
inline std::string roceway() {
  return program_named("ROCEWAY_PROGRAM", ROCEWAY_PROGRAM);
}
inline std::string roceway_flows() {
  return program_named("ROCEWAY_FLOWS", ROCEWAY_FLOWS);
}

// Removed with all that is in it.
class TempFolder {
 public:
  TempFolder() : path_(std::filesystem::temp_directory_path() / "roceway-test-XXXXXX") {
    std::string name = path_;
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline size_t lines_in(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// `args = [...]` of the table [eal]; no test may touch a real device.
inline std::string eal_table(const Words& vdevs, const std::string& more = "") {
  std::string text = "[eal]\nargs = [\"--no-pci\"";
  for (const std::string& vdev : vdevs) text += ", \"--vdev=" + vdev + "\"";
  return text + "]\n" + more;
}

inline std::string port_table(const std::string& device, const std::string& group = "",
                              const std::string& more = "") {
  return "[[port]]\ndevice = \"" + device + "\"\n" + (group.empty() ? "" : "group = \"" + group + "\"\n") +
         more;
}

// The first CPU that this test may use.
inline unsigned first_cpu() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  unsigned cpu = 0;
  while (cpu + 1 < CPU_SETSIZE && !CPU_ISSET(cpu, &allowed)) ++cpu;
  return cpu;
}

// Where EAL keeps its sockets for roceway's default file prefix (DPDK programmer's guide, "Running multiple
// independent DPDK applications").
inline std::filesystem::path runtime_folder(const std::string& prefix) {
  const auto variable = [](const char* name) { return std::getenv(name) ? std::getenv(name) : ""; };
  std::string base = variable("RUNTIME_DIRECTORY");
  if (base.empty()) base = getuid() == 0 ? "/var/run" : variable("XDG_RUNTIME_DIR");
  if (base.empty()) base = "/tmp";
  return std::filesystem::path(base) / "dpdk" / prefix;
}

class SystemTest : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.path() / name; }
  std::string report_file() const { return file("report.json"); }
  std::string prefix() const { return "roceway-" + name_; }

  // Writes the configuration of this test and returns its path. Its name is that of the instance.
  std::string write_config(const std::string& text) const {
    const std::string path = file(name_ + ".toml");
    write_text(path, text);
    return path;
  }

  test_support::Surroundings around() const { return {folder_.path(), {}}; }
  test_support::Ended run(const Words& arguments) const {
    return test_support::Process(roceway(), arguments, around()).wait();
  }
  // Runs a configuration until nothing comes in any more, and reads the report; throws when the run failed.
  Json run_to_silence(const std::string& config, const Words& more = {}) const {
    Words words = {"--config", write_config(config), "--idle-exit", "0.3", "--report", report_file()};
    words.insert(words.end(), more.begin(), more.end());
    const test_support::Ended ended = run(words);
    if (ended.status != 0) {
      throw std::runtime_error("status " + std::to_string(ended.status) + ", signal " +
                               std::to_string(ended.signal) + "\n" + ended.out + ended.err);
    }
    return read_report();
  }
  Json read_report() const { return Json::parse(read_text(report_file())); }
  void expect_nothing_left() const {
    EXPECT_FALSE(std::filesystem::exists(runtime_folder(prefix()))) << runtime_folder(prefix());
  }

 private:
  static std::string next_name() {
    static int number = 0;
    return "test-" + std::to_string(getpid()) + "-" + std::to_string(++number);
  }
  TempFolder folder_;
  std::string name_ = next_name();
};

// The books of a report: everything that came is somewhere, and the program says so itself.
inline void expect_balanced(const Json& report) {
  const Json& ledger = report.at("ledger");
  EXPECT_TRUE(ledger.at("balanced").get<bool>()) << report.dump(1);
  const auto of = [&](const char* name) { return ledger.at(name).get<uint64_t>(); };
  EXPECT_EQ(of("received") + of("generated"), of("sent") + of("held") + of("dropped"));
}

}  // namespace system_test
