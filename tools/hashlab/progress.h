// SPDX-License-Identifier: BSD-3-Clause
// How far long work is, told on a terminal, and whether the user wants it to end. The main thread makes one
// for each piece of work; any thread may call advance and stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hashlab {

// From then on Ctrl-C (SIGINT) or SIGTERM asks all work to end early, a second one ends the program at once
// with the usual status of the signal.
void catch_signals();
// Whether work was asked to end early: what is known so far is shown then.
bool stopped();
// The work that was asked to end has ended; what follows works on what is known, to its end.
void go_on();
// The signal that asked, whether or not anything went on since; 0: none did.
int stopped_by();

// "reading flows.pcap  412 of 1024 MB  40 %  215 MB/s  3 s left"; without share and time left when `total` is
// 0. Where that is longer than `columns`, it does without the rate, then without the counts, and at last the
// end of `what` is cut off: "reading fl  40 %  3 s left".
std::string progress_line(const std::string& what, const std::string& unit, double done, double total,
                          double seconds, size_t columns);

class Progress {
 public:
  // "reading", "MB", 1024.0: what is counted; `total` 0 when it is not known.
  Progress(std::string what, std::string unit, double total);
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` more of it. On a terminal (standard error) the line is written anew at most five times a second,
  // first after a fifth of one, so that short work shows none; elsewhere nothing is.
  void advance(double done);

 private:
  const std::string what_, unit_;
  const double total_;
  const bool shown_;
  const std::chrono::steady_clock::time_point start_;
  std::atomic<double> done_{0};
  std::atomic<int64_t> written_ms_{0};  // since start_, when the line was written last
};

}  // namespace hashlab
