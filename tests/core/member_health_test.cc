// SPDX-License-Identifier: BSD-3-Clause
// A member's verdict over time, as tables of samples. Each step is judged and then asks, as the monitor does.
#include "core/member_health.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace core {

std::ostream& operator<<(std::ostream& out, DownCause cause) {
  return out << (cause == DownCause::none ? "up" : cause == DownCause::link ? "link" : "probe");
}

namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr DownCause kUp = DownCause::none, kLink = DownCause::link, kProbe = DownCause::probe;
constexpr bool kAsks = true;

// Hold-down 500 ms, no probe; with a probe 3 times 100 ms.
HealthPolicy by_link(uint64_t hold_down_ms = 500) {
  return {.hold_down_ns = hold_down_ms * kMs};
}
HealthPolicy by_probe(uint64_t hold_down_ms = 500) {
  return {.probe = true, .hold_down_ns = hold_down_ms * kMs};
}

struct Step {
  uint64_t at_ms;
  bool link_up;
  uint64_t answers;
  DownCause cause;
  bool asks = false;
};
struct Row {
  const char* name;
  HealthPolicy policy;
  std::vector<Step> steps;
};

void run(MemberHealth& health, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    SCOPED_TRACE("at " + std::to_string(step.at_ms) + " ms");
    EXPECT_EQ(health.judge({step.at_ms * kMs, step.link_up, step.answers}), step.cause);
    EXPECT_EQ(health.cause(), step.cause);
    EXPECT_EQ(health.up(), step.cause == kUp);
    EXPECT_EQ(health.ask_now(step.at_ms * kMs), step.asks);
  }
}
void run(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    MemberHealth health(row.policy);
    run(health, row.steps);
  }
}

TEST(MemberHealth, FollowsTheLink) {
  run({
      {"up from the start, without a wait", by_link(), {{0, true, 0, kUp}, {1, true, 0, kUp}}},
      {"up from the start, late", by_link(), {{70'000, true, 0, kUp}}},
      {"down from the start, up after the hold-down",
       by_link(),
       {{5, false, 0, kLink}, {6, true, 0, kLink}, {505, true, 0, kLink}, {506, true, 0, kUp}}},
      {"down at once, soon after the start", by_link(), {{0, true, 0, kUp}, {1, false, 0, kLink}}},
      {"hold-down is counted from the return, not from the loss",
       by_link(),
       {{0, true, 0, kUp},
        {1000, false, 0, kLink},
        {9000, false, 0, kLink},
        {9001, true, 0, kLink},
        {9500, true, 0, kLink},
        {9501, true, 0, kUp},
        {9502, false, 0, kLink}}},
      {"every flap restarts it",
       by_link(),
       {{0, true, 0, kUp},
        {100, false, 0, kLink},
        {101, true, 0, kLink},
        {600, true, 0, kLink},
        {601, false, 0, kLink},
        {602, true, 0, kLink},
        {1101, true, 0, kLink},
        {1102, true, 0, kUp}}},
      {"a sample at the end of it may come late",
       by_link(),
       {{0, false, 0, kLink}, {10, true, 0, kLink}, {7000, true, 0, kUp}}},
      {"hold-down 0: up with the link",
       by_link(0),
       {{0, false, 0, kLink}, {1, true, 0, kUp}, {2, false, 0, kLink}, {3, true, 0, kUp}}},
      {"answers count for nothing without a probe",
       by_link(),
       {{0, true, 0, kUp}, {5000, true, 0, kUp}, {5001, true, 9, kUp}, {5002, false, 10, kLink}}},
  });
}

TEST(MemberHealth, FollowsTheNextHop) {
  run({
      {"never answered: down three intervals after the first question",
       by_probe(),
       {{10, true, 0, kUp, kAsks},
        {11, true, 0, kUp},
        {109, true, 0, kUp},
        {110, true, 0, kUp, kAsks},
        {210, true, 0, kUp, kAsks},
        {309, true, 0, kUp},
        {310, true, 0, kProbe, kAsks},
        {311, true, 0, kProbe},
        {410, true, 0, kProbe, kAsks}}},
      {"what was answered before the start is not news",
       by_probe(),
       {{0, true, 7, kUp, kAsks},
        {100, true, 7, kUp, kAsks},
        {200, true, 7, kUp, kAsks},
        {300, true, 7, kProbe, kAsks}}},
      {"the third answer saves it, even at the last moment",
       by_probe(),
       {{0, true, 0, kUp, kAsks},
        {100, true, 0, kUp, kAsks},
        {200, true, 0, kUp, kAsks},
        {300, true, 1, kUp, kAsks},
        {400, true, 1, kUp, kAsks},
        {500, true, 1, kUp, kAsks},
        {599, true, 1, kUp},
        {600, true, 1, kProbe, kAsks}}},
      {"a burst of answers counts as one",
       by_probe(),
       {{0, true, 0, kUp, kAsks},
        {100, true, 0, kUp, kAsks},
        {200, true, 0, kUp, kAsks},
        {250, true, 3, kUp},
        {300, true, 3, kUp, kAsks},  // the question of 200 was answered
        {400, true, 3, kUp, kAsks},
        {500, true, 3, kUp, kAsks},
        {600, true, 3, kProbe, kAsks}}},
      {"a late answer is an answer",
       by_probe(),
       {{0, true, 0, kUp, kAsks},
        {100, true, 0, kUp, kAsks},
        {101, true, 1, kUp},
        {200, true, 1, kUp, kAsks},
        {300, true, 1, kUp, kAsks},
        {399, true, 1, kUp},
        {400, true, 1, kUp, kAsks},
        {500, true, 1, kProbe, kAsks}}},
      {"a stalled control thread misses one, not three",
       by_probe(),
       {{0, true, 0, kUp, kAsks},
        {5000, true, 0, kUp, kAsks},
        {5050, true, 1, kUp},
        {5100, true, 1, kUp, kAsks}}},
      {"numbers that shrink are no answer, and grow from there",
       by_probe(0),
       {{0, true, 9, kUp, kAsks},
        {100, true, 2, kUp, kAsks},
        {200, true, 2, kUp, kAsks},
        {300, true, 2, kProbe, kAsks},
        {310, true, 3, kUp}}},
      {"one probe, 20 ms",
       {.probe = true, .hold_down_ns = 0, .probe_interval_ns = 20 * kMs, .probes = 1},
       {{0, true, 0, kUp, kAsks},
        {19, true, 0, kUp},
        {20, true, 0, kProbe, kAsks},
        {25, true, 1, kUp},
        {40, true, 1, kUp, kAsks},
        {60, true, 1, kProbe, kAsks}}},
  });
}

// Each row begins down by probe at 300 ms.
TEST(MemberHealth, ReturnsWithAnswers) {
  const std::vector<Step> lost = {{0, true, 0, kUp, kAsks},
                                  {100, true, 0, kUp, kAsks},
                                  {200, true, 0, kUp, kAsks},
                                  {300, true, 0, kProbe, kAsks}};
  const std::vector<Row> rows = {
      {"up a hold-down after the first answer",
       by_probe(250),
       {{310, true, 1, kProbe},
        {400, true, 1, kProbe, kAsks},
        {401, true, 2, kProbe},
        {500, true, 2, kProbe, kAsks},
        {501, true, 3, kProbe},
        {559, true, 3, kProbe},
        {560, true, 3, kUp}}},
      {"hold-down 0: up with the first answer",
       by_probe(0),
       {{310, true, 1, kUp}, {400, true, 1, kUp, kAsks}}},
      {"one missed probe does not restart the hold-down, but is no time to return",
       by_probe(250),
       {{310, true, 1, kProbe},
        {400, true, 1, kProbe, kAsks},
        {500, true, 1, kProbe, kAsks},
        {560, true, 1, kProbe},
        {570, true, 2, kUp}}},
      {"three in a row do",
       by_probe(500),
       {{310, true, 1, kProbe},
        {400, true, 1, kProbe, kAsks},
        {500, true, 1, kProbe, kAsks},
        {600, true, 1, kProbe, kAsks},
        {700, true, 1, kProbe, kAsks},
        {710, true, 2, kProbe},
        {800, true, 2, kProbe, kAsks},
        {810, true, 3, kProbe},
        {900, true, 3, kProbe, kAsks},
        {910, true, 4, kProbe},
        {1209, true, 5, kProbe, kAsks},
        {1210, true, 5, kUp}}},
      {"the link's loss comes first, and asks again when it is back",
       by_probe(50),
       {{301, false, 0, kLink},
        {400, false, 0, kLink},
        {401, true, 0, kLink, kAsks},
        {460, true, 0, kLink},  // the hold-down is over, but nothing was answered
        {501, true, 0, kLink, kAsks},
        {601, true, 0, kLink, kAsks},
        {701, true, 0, kProbe, kAsks},
        {705, true, 1, kProbe},
        {755, true, 1, kUp}}},
      {"an answer from before the link's loss is none",
       by_probe(0),
       {{301, false, 0, kLink}, {302, false, 1, kLink}, {303, true, 2, kLink, kAsks}, {304, true, 3, kUp}}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    MemberHealth health(row.policy);
    run(health, lost);
    run(health, row.steps);
  }
}

TEST(MemberHealth, LinkAndProbeTogether) {
  run({
      {"no question while the link is down",
       by_probe(),
       {{0, false, 0, kLink}, {100, false, 0, kLink}, {200, true, 0, kLink, kAsks}, {201, true, 0, kLink}}},
      {"missed probes are forgotten with the link",
       by_probe(0),
       {{0, true, 0, kUp, kAsks},
        {100, true, 0, kUp, kAsks},
        {200, true, 0, kUp, kAsks},
        {250, false, 0, kLink},
        {260, true, 0, kLink, kAsks},
        {261, true, 1, kUp},
        {360, true, 1, kUp, kAsks},
        {460, true, 1, kUp, kAsks},
        {559, true, 1, kUp},
        {560, true, 1, kUp, kAsks},
        {660, true, 1, kProbe, kAsks}}},
      {"the hold-down needs both, for long enough",
       by_probe(100),
       {{0, false, 0, kLink},
        {10, true, 0, kLink, kAsks},
        {60, true, 1, kLink},
        {110, true, 1, kLink, kAsks},
        {159, true, 2, kLink},
        {160, true, 2, kUp}}},
      {"a flap during a hold-down wants a new answer",
       by_probe(100),
       {{0, false, 0, kLink},
        {10, true, 0, kLink, kAsks},
        {20, true, 1, kLink},
        {50, false, 1, kLink},
        {60, true, 1, kLink, kAsks},
        {160, true, 1, kLink, kAsks},
        {170, true, 2, kLink},
        {260, true, 3, kLink, kAsks},
        {270, true, 3, kUp}}},
  });
}

// Asking may come before judging within a tick; every question is missed all the same.
TEST(MemberHealth, MayAskBeforeItJudges) {
  MemberHealth health(by_probe());
  EXPECT_FALSE(health.ask_now(0)) << "nothing is known of the link yet";
  EXPECT_EQ(health.judge({0, true, 0}), kUp);
  unsigned asked = 0;
  for (uint64_t ms = 1; ms <= 301; ++ms) {
    asked += health.ask_now(ms * kMs);
    ASSERT_EQ(health.judge({ms * kMs, true, 0}), ms < 301 ? kUp : kProbe) << ms;
  }
  EXPECT_EQ(asked, 4u);
}

TEST(MemberHealth, ChangedPolicy) {
  struct Change {
    const char* name;
    HealthPolicy before;
    std::vector<Step> first;
    HealthPolicy after;
    std::vector<Step> then;
  };
  const std::vector<Step> unanswered = {
      {0, true, 0, kUp, kAsks}, {100, true, 0, kUp, kAsks}, {200, true, 0, kUp, kAsks}};
  const std::vector<Step> lost_link = {{0, true, 0, kUp}, {10, false, 0, kLink}, {20, true, 0, kLink}};
  const Change changes[] = {
      {"a shorter hold-down",
       by_link(500),
       lost_link,
       by_link(100),
       {{119, true, 0, kLink}, {120, true, 0, kUp}}},
      {"a longer hold-down",
       by_link(50),
       lost_link,
       by_link(800),
       {{100, true, 0, kLink}, {820, true, 0, kUp}}},
      {"fewer probes",
       by_probe(),
       unanswered,
       {.probe = true, .probes = 1},
       {{201, true, 0, kProbe}, {202, true, 1, kProbe}, {702, true, 2, kUp, kAsks}}},
      {"more probes",
       by_probe(),
       unanswered,
       {.probe = true, .probes = 4},
       {{300, true, 0, kUp, kAsks}, {400, true, 0, kProbe, kAsks}}},
      {"a shorter interval",
       by_probe(),
       unanswered,
       {.probe = true, .probe_interval_ns = 10 * kMs},
       {{210, true, 0, kProbe, kAsks}}},
      {"probing begins: three intervals to answer",
       by_link(),
       {{0, true, 3, kUp}, {5000, true, 3, kUp}},
       by_probe(),
       {{5001, true, 3, kUp, kAsks},
        {5101, true, 3, kUp, kAsks},
        {5201, true, 3, kUp, kAsks},
        {5300, true, 3, kUp},
        {5301, true, 3, kProbe, kAsks}}},
      {"probing begins in a hold-down: it must answer from now on",
       by_link(100),
       {{0, false, 0, kLink}, {20, true, 0, kLink}, {25, true, 1, kLink}},
       by_probe(100),
       {{30, true, 1, kLink, kAsks},
        {127, true, 2, kLink},
        {226, true, 3, kLink, kAsks},
        {227, true, 3, kUp}}},
      {"probing ends: the link has long been good",
       {.probe = true, .hold_down_ns = 150 * kMs, .probes = 2},
       {{0, true, 0, kUp, kAsks}, {100, true, 0, kUp, kAsks}, {200, true, 0, kProbe, kAsks}},
       by_link(150),
       {{201, true, 0, kUp}}},
      {"probing ends: missed questions are forgotten",
       by_probe(),
       unanswered,
       by_link(),
       {{5000, true, 0, kUp}}},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    MemberHealth health(change.before);
    run(health, change.first);
    const DownCause verdict = health.cause();
    health.set_policy(change.after);
    EXPECT_EQ(health.cause(), verdict) << "until it is judged";
    run(health, change.then);
  }
}

// What was missed before a time without probing does not count after it.
TEST(MemberHealth, ProbingEndsAndBeginsAgain) {
  MemberHealth health(by_probe());
  run(health, {{0, true, 0, kUp, kAsks}, {100, true, 0, kUp, kAsks}, {200, true, 0, kUp, kAsks}});
  health.set_policy(by_link());
  run(health, {{250, true, 0, kUp}, {300, true, 0, kUp}});
  health.set_policy(by_probe());
  run(health, {{301, true, 0, kUp, kAsks},
               {401, true, 0, kUp, kAsks},
               {501, true, 0, kUp, kAsks},
               {600, true, 0, kUp},
               {601, true, 0, kProbe, kAsks}});
}

}  // namespace
}  // namespace core
