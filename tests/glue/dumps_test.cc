// SPDX-License-Identifier: BSD-3-Clause
// DPDK's dumps come whole, and say when there is nothing of that name.
#include "pmd_glue/dumps.h"

#include <gtest/gtest.h>
#include <rte_ring.h>

#include <algorithm>
#include <memory>
#include <string>

#include "pmd_glue/pools.h"

namespace {

TEST(Dumps, TellWhatThereIs) {
  const glue::Pools pools({{.numa_node = 0, .reserve = 1024}}, 2048);
  const std::string pool = pools.on_node(0)->name;
  const std::unique_ptr<rte_ring, decltype(&rte_ring_free)> ring(rte_ring_create("dumped", 64, 0, 0),
                                                                 rte_ring_free);
  ASSERT_NE(ring, nullptr);
  struct Row {
    const char* name;
    std::string text, part;
  };
  for (const Row& row :
       {Row{"physmem", glue::dump_physmem(), "Segment 0-0: "},
        Row{"memzone", glue::dump_memzone(), "Zone 0: "}, Row{"devargs", glue::dump_devargs(), ""},
        Row{"log types", glue::dump_log_types(), "lib.eal, level is "},
        Row{"struct sizes", glue::dump_struct_sizes(), "sizeof(struct rte_mbuf) = 128\n"},
        Row{"mempools", glue::dump_mempool().value, pool},
        Row{"one mempool", glue::dump_mempool(pool).value, "mempool <" + pool + ">"},
        Row{"rings", glue::dump_ring().value, "ring <dumped>"},
        Row{"one ring", glue::dump_ring("dumped").value, "ring <dumped>"}}) {
    SCOPED_TRACE(row.name);
    EXPECT_NE(row.text.find(row.part), std::string::npos) << row.text;
  }
  EXPECT_EQ(glue::dump_mempool("none").problem, "mempool: found \"none\"; allowed: " + pool);
  EXPECT_EQ(glue::dump_ring("none").problem,
            "ring: found \"none\"; allowed: one that dump_ring without a name lists");
}

std::string level_of(const std::string& type) {
  const std::vector<glue::LogType> types = glue::log_types();
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const glue::LogType& each) { return each.name == type; });
  return found == types.end() ? "not there" : found->level;
}

TEST(LogLevels, AreSetByPattern) {
  const std::string ring_before = level_of("lib.ring");
  const auto set = glue::set_log_level("lib.me*", 8);
  ASSERT_TRUE(set) << *set.problem;
  EXPECT_GE(set.value, 2u);  // lib.mempool, lib.meter
  EXPECT_EQ(level_of("lib.mempool"), "debug");
  EXPECT_EQ(level_of("lib.ring"), ring_before);
  ASSERT_TRUE(glue::set_log_level("lib.me*", 7));
  EXPECT_EQ(level_of("lib.mempool"), glue::log_levels()[6]);
  EXPECT_TRUE(glue::set_log_level("global", 8));
  EXPECT_EQ(glue::set_log_level("lib.mempool", 9).problem, "log level: found 9; allowed: 1 to 8");
  EXPECT_EQ(glue::set_log_level("lib.mempool", 0).problem, "log level: found 0; allowed: 1 to 8");
  const auto none = glue::set_log_level("nonesuch.*", 8);
  ASSERT_FALSE(none);
  EXPECT_NE(none.problem->find("log type: found \"nonesuch.*\"; allowed: global, or"), std::string::npos);
}

}  // namespace
