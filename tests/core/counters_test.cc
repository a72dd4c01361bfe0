// SPDX-License-Identifier: BSD-3-Clause
// Sums over workers, the balance, and the words of reports.
#include "core/counters.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

TEST(Counters, WorkersAddUp) {
  core::IngressCounters one, two;
  one.rx_packets.add(10);
  one.rx_bytes.add(640);
  one.sent.add(7);
  one.held.add(3);
  one.held.sub(1);
  one.dropped[static_cast<size_t>(core::DropReason::runt)].add(1);
  two.generated.add(5);
  two.sent.add(4);
  two.dropped[static_cast<size_t>(core::DropReason::tx_full)].add(1);
  two.seen[static_cast<size_t>(core::Protocol::roce_v2)].add(9);
  core::IngressTotals totals;
  (totals += one) += two;
  EXPECT_EQ(totals.rx_packets, 10u);
  EXPECT_EQ(totals.rx_bytes, 640u);
  EXPECT_EQ(totals.generated, 5u);
  EXPECT_EQ(totals.sent, 11u);
  EXPECT_EQ(totals.held, 2u);
  EXPECT_EQ(totals.dropped_in_all(), 2u);
  EXPECT_EQ(totals.seen[static_cast<size_t>(core::Protocol::roce_v2)], 9u);
  core::IngressTotals twice = totals;
  twice += totals;
  EXPECT_EQ(twice.sent, 22u);
  EXPECT_EQ(twice.held, 4u);
  EXPECT_EQ(twice.dropped_in_all(), 4u);
}

TEST(Ledger, BalancesOnlyWhenEveryPacketIsAccountedFor) {
  struct Row {
    const char* name;
    core::Ledger ledger;
    bool balanced;
  };
  for (const Row& row :
       {Row{"nothing", {}, true}, Row{"all sent", {5, 0, 5, 0, 0}, true},
        Row{"sent, held, dropped", {9, 1, 5, 3, 2}, true}, Row{"one is missing", {5, 0, 4, 0, 0}, false},
        Row{"one too many", {5, 0, 4, 1, 1}, false}}) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.ledger.balanced(), row.balanced);
  }
  core::Ledger sum{1, 2, 3, 4, 5};
  sum += {10, 20, 30, 40, 50};
  EXPECT_EQ(sum.received + sum.generated + sum.sent + sum.held + sum.dropped, 165u);
}

template <class Name>
void expect_names(size_t count) {
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) names.emplace(core::name_of(static_cast<Name>(i)));
  EXPECT_EQ(names.size(), count);
  EXPECT_FALSE(names.contains(""));
}

TEST(Names, EachIsThereAndItsOwn) {
  expect_names<core::DropReason>(core::kDropReasons);
  expect_names<core::Protocol>(core::kProtocols);
  expect_names<core::Step>(core::kSteps);
  EXPECT_EQ(core::name_of(core::DropReason::stopped), "stopped");
  EXPECT_EQ(core::name_of(core::Protocol::malformed), "malformed");
}

}  // namespace
