// SPDX-License-Identifier: BSD-3-Clause
// Plans handed from one thread to others: what is taken up is whole and never older than before, what
// somebody may still hold is not freed, who sleeps holds up nothing. Also the test that ThreadSanitizer
// watches.
#include "path/publication.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace {

// A plan whose parts must agree: `workers` settling times and as many exits as its number says.
std::unique_ptr<core::Plan> plan_number(uint32_t number, unsigned workers) {
  auto plan = std::make_unique<core::Plan>();
  plan->workers = workers;
  plan->settle_us = number;
  plan->port_of_exit.assign(100, static_cast<uint16_t>(number));
  return plan;
}

bool is_whole(const core::Plan& plan) {
  for (const uint16_t port : plan.port_of_exit) {
    if (port != static_cast<uint16_t>(plan.settle_us)) return false;
  }
  return plan.port_of_exit.size() == 100;
}

TEST(Publication, FreesWhatNobodyHolds) {
  path::Publication publication(plan_number(1, 2));
  EXPECT_EQ(publication.newest().generation, 1u);
  publication.online(0);
  publication.online(1);
  const core::Plan* first = publication.take_up(0);
  EXPECT_EQ(publication.take_up(1), first);
  publication.publish(plan_number(2, 2));
  EXPECT_EQ(publication.newest().generation, 2u);
  EXPECT_EQ(publication.reclaim(), 1u);
  EXPECT_FALSE(publication.taken_up_by_all());
  EXPECT_TRUE(is_whole(*first));  // still there
  EXPECT_EQ(publication.take_up(0)->settle_us, 2u);
  EXPECT_EQ(publication.reclaim(), 1u);  // worker 1 may hold it
  publication.offline(1);
  EXPECT_TRUE(publication.taken_up_by_all());
  EXPECT_EQ(publication.reclaim(), 0u);
  publication.publish(plan_number(3, 2));  // worker 1 sleeps, worker 0 has not looked
  publication.publish(plan_number(4, 2));
  EXPECT_EQ(publication.reclaim(), 2u);
  publication.online(1);
  EXPECT_EQ(publication.take_up(1)->settle_us, 4u);
  EXPECT_EQ(publication.take_up(0)->settle_us, 4u);
  EXPECT_EQ(publication.reclaim(), 0u);
  publication.offline(0);
  publication.offline(1);
}

TEST(Publication, PlansAreWholeAndNeverOlder) {
  constexpr unsigned kReaders = 3;
  constexpr uint32_t kPlans = 3000;
  path::Publication publication(plan_number(1, kReaders));
  std::vector<std::thread> readers;
  std::atomic<unsigned> broken{0};
  for (unsigned reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&, reader] {
      uint32_t last = 0;
      publication.online(reader);
      for (uint32_t round = 0; last < kPlans; ++round) {
        const core::Plan* plan = publication.take_up(reader);
        if (!is_whole(*plan) || plan->settle_us < last || plan->generation != plan->settle_us) ++broken;
        last = plan->settle_us;
        if (round % 64 == reader) {
          publication.offline(reader);
          sched_yield();
          publication.online(reader);
        }
      }
      publication.offline(reader);
    });
  }
  for (uint32_t number = 2; number <= kPlans; ++number) {
    publication.publish(plan_number(number, kReaders));
    publication.reclaim();
    if (number % 16 == 0) sched_yield();
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(broken, 0u);
  EXPECT_EQ(publication.reclaim(), 0u);
}

}  // namespace
