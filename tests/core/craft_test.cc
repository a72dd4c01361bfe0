// SPDX-License-Identifier: BSD-3-Clause
// Tuples for a wanted queue: found for every hash and key that can tell them apart, and a word where none can
// be found.
#include "core/craft.h"

#include <gtest/gtest.h>

#include "support/small_plan.h"

namespace {

using test_support::plan_of;
using test_support::small_settings;

constexpr uint16_t kAccess = 0, kUplink = 1;

// Each leaves by the wanted slot, and no two are alike.
void expect_right(const core::Plan& plan, const core::CraftRequest& request, const core::Crafted& crafted) {
  for (size_t i = 0; i < crafted.tuples.size(); ++i) {
    const core::Explanation told = core::explain(plan, crafted.tuples[i], crafted.port_index);
    EXPECT_EQ(told.target, request.group);
    EXPECT_EQ(told.slot, request.slot);
    EXPECT_EQ(told.dropped, std::nullopt);
    for (size_t k = 0; k < i; ++k) EXPECT_NE(crafted.tuples[i], crafted.tuples[k]);
  }
}

TEST(Craft, FindsTuplesForEveryQueue) {
  struct Row {
    const char* name;
    core::HashAlgorithm hash;
    core::KeyFields fields;
    uint32_t addresses_least;  // of 40 tuples
  };
  const Row rows[] = {
      {"jenkins over all four fields", core::HashAlgorithm::jenkins, {}, 1},
      {"toeplitz", core::HashAlgorithm::toeplitz, {}, 1},
      {"symmetric", core::HashAlgorithm::jenkins, {.symmetric = true}, 1},
      {"addresses only: one tuple an address",
       core::HashAlgorithm::jenkins,
       {.src_port = false, .dst_port = false},
       40},
      {"source port only", core::HashAlgorithm::jenkins, {.src_ip = false, .dst_ip = false}, 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    core::Settings settings = small_settings();
    settings.distribution.hash = row.hash;
    settings.distribution.fields = row.fields;
    const core::Plan plan = plan_of(settings);
    for (core::Slot slot = 0; slot < 6; ++slot) {
      const core::CraftRequest request{.group = kUplink, .slot = slot, .count = 40};
      const core::Crafted crafted = core::craft(plan, request);
      EXPECT_EQ(crafted.problem, "");
      EXPECT_EQ(crafted.port_index, 0);
      ASSERT_EQ(crafted.tuples.size(), 40u);
      EXPECT_LE(crafted.tries, 40u * 6 * 3);
      expect_right(plan, request, crafted);
      std::vector<core::IpAddress> addresses;
      for (const core::FiveTuple& tuple : crafted.tuples) {
        if (addresses.empty() || !(addresses.back() == tuple.src)) addresses.push_back(tuple.src);
      }
      EXPECT_GE(addresses.size(), row.addresses_least);
    }
  }
}

TEST(Craft, GoesOnToTheNextAddressAndRespectsWhatIsGiven) {
  core::CraftRequest request{.group = kUplink, .slot = 4, .count = 10};
  request.first = {.src = {.v6 = true, .bytes = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff}},
                   .dst = {.v6 = true, .bytes = {0xfd, 1}},
                   .src_port = 100,
                   .dst_port = 443,
                   .proto = 6};
  request.last_src_port = 101;
  const core::Plan plan = plan_of(small_settings());
  const core::Crafted crafted = core::craft(plan, request);
  ASSERT_EQ(crafted.tuples.size(), 10u);
  expect_right(plan, request, crafted);
  for (const core::FiveTuple& tuple : crafted.tuples) {
    EXPECT_TRUE(tuple.src_port == 100 || tuple.src_port == 101);
    EXPECT_EQ(tuple.dst_port, 443);
    EXPECT_EQ(tuple.proto, 6);
    EXPECT_EQ(tuple.dst, request.first.dst);
  }
  EXPECT_EQ(crafted.tuples.back().src.bytes[14], 1);  // the last byte was carried over
}

TEST(Craft, SaysWhatMakesItImpossible) {
  core::Settings drained = small_settings();
  drained.ports[2].drain = true;
  core::Settings routed = small_settings();
  routed.routes = {{.from = "access", .to = "uplink", .priority = uint8_t{3}},
                   {.from = "access", .to = "access"},
                   {.from = "uplink", .to = "access"}};
  core::Settings blind = small_settings();
  blind.distribution.fields = {.src_ip = false, .src_port = false};
  struct Row {
    const char* name;
    core::Settings settings;
    core::CraftRequest request;
    const char* problem;
  };
  const Row rows[] = {
      {"no such group", small_settings(), {.group = 2}, "there is no such group"},
      {"no such queue",
       small_settings(),
       {.group = kUplink, .slot = 6},
       "found queue 6; allowed for group uplink 0 to 5"},
      {"a drained member",
       drained,
       {.group = kUplink, .slot = 3},
       "no bucket leads to queue 3 (net2, queue 1): it is drained"},
      {"no port leads there",
       routed,
       {.group = kUplink},
       "packets like the first one go to group uplink from no port"},
      {"from a port that leads elsewhere",
       small_settings(),
       {.group = kUplink, .port_index = uint16_t{1}},
       "packets like the first one that come in by net1 go to group access, not to uplink"},
      {"no source in the key",
       blind,
       {.group = kUplink, .slot = 1, .count = 2},
       "found 0 of 2 in 1 tries; the search varies source port and address as far as they are in the key"},
      {"too few tries",
       small_settings(),
       {.group = kUplink, .slot = 0, .count = 100, .most_tries = 0},
       "found 0 of 100 in 0 tries; the search varies source port and address as far as they are in the key"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const core::Crafted crafted = core::craft(plan_of(row.settings), row.request);
    EXPECT_TRUE(crafted.tuples.empty());
    EXPECT_EQ(crafted.problem, row.problem);
  }
  const core::Plan down = plan_of(small_settings(), {true, true, false, true});
  EXPECT_EQ(core::craft(down, {.group = kUplink, .slot = 2}).problem,
            "no bucket leads to queue 2 (net2, queue 0): it is down");
  EXPECT_EQ(core::craft(down, {.group = kAccess}).port_index, 1);
}

}  // namespace
