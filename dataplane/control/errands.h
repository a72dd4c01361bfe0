// SPDX-License-Identifier: BSD-3-Clause
// What other threads ask of the control thread: they hand in a piece of work, it runs between two ticks, and
// they wait until it is done. Prompt, scripts, control socket, telemetry and metrics all come in by this one
// door, so that settings, plans and reports belong to one thread only and nobody needs a lock for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace control {

class Errands {
 public:
  Errands();
  ~Errands();
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;

  // Any thread but control's. Runs `work` on the control thread and returns when it has run; false when the
  // door is closed: then `work` has not run and never will. `work` must not throw.
  bool run(const std::function<void()>& work);

  // The rest: control thread.
  // Readable while work waits; for poll(2).
  int event_fd() const { return event_fd_; }
  // Runs what waits, oldest first, and stops early once `limit` is over, so that a tick is not late.
  void serve(std::chrono::nanoseconds limit);
  // From now on run() returns false, also to those who wait already.
  void close();

 private:
  struct Errand {
    const std::function<void()>* work;
    bool done = false;
    bool refused = false;
  };

  int event_fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Errand*> waiting_;
  bool closed_ = false;
};

}  // namespace control
