// SPDX-License-Identifier: BSD-3-Clause
// Work that other threads hand to the control thread: all of it runs there, each waits for its own, and
// whoever comes too late is told. Runs under ThreadSanitizer, too.
#include "control/errands.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using control::Errands;
using std::chrono::seconds;

TEST(Errands, RunOnTheThreadThatServesAndInTurn) {
  constexpr unsigned kThreads = 8, kEach = 2000;
  Errands errands;
  unsigned sum = 0;  // of the serving thread alone
  const auto here = std::this_thread::get_id();
  std::atomic<unsigned> left{kThreads};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < kEach; ++i) {
        bool there = false;
        EXPECT_TRUE(errands.run([&] {
          there = std::this_thread::get_id() == here;
          ++sum;
        }));
        EXPECT_TRUE(there);
      }
      left.fetch_sub(1);
      errands.run([] {});  // wakes the one who serves
    });
  }
  while (left.load() > 0) {
    pollfd wait{errands.event_fd(), POLLIN, 0};
    poll(&wait, 1, -1);
    errands.serve(seconds(1));
  }
  errands.close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, kThreads * kEach);
}

TEST(Errands, AreRefusedOnceTheDoorIsClosed) {
  Errands errands;
  bool ran = false;
  std::thread waiting([&] { EXPECT_FALSE(errands.run([&] { ran = true; })); });
  pollfd wait{errands.event_fd(), POLLIN, 0};
  ASSERT_EQ(poll(&wait, 1, -1), 1);
  errands.close();
  waiting.join();
  EXPECT_FALSE(errands.run([&] { ran = true; }));
  EXPECT_FALSE(ran);
}

// A tick must not be late because many ask: what waits is left for the next time once the limit is over.
TEST(Errands, ServeNoLongerThanTheLimit) {
  Errands errands;
  std::vector<std::thread> threads;
  std::atomic<unsigned> served{0};
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back([&] { errands.run([&] { served.fetch_add(1); }); });
  errands.serve(seconds(0));
  EXPECT_EQ(served.load(), 0u);
  while (served.load() < 4) errands.serve(seconds(1));
  for (std::thread& thread : threads) thread.join();
  pollfd wait{errands.event_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&wait, 1, 0), 0);
}

}  // namespace
