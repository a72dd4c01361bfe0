// SPDX-License-Identifier: BSD-3-Clause
// EAL's arguments from what the user asked and what the machine has, and EAL's failures in one line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pmd_glue/eal.h"
#include "pmd_glue/start_error.h"

namespace {

glue::HostFacts host(std::vector<unsigned> cpus, uint64_t free_hugepage_mb) {
  glue::HostFacts facts;
  facts.cpus = std::move(cpus);
  facts.hugepage_bytes = 2 << 20;
  facts.free_hugepage_bytes = free_hugepage_mb << 20;
  facts.hugepages_usable = free_hugepage_mb > 0;
  facts.hugetlbfs_writable = true;
  return facts;
}

using Args = std::vector<std::string>;

TEST(EalPlan, ArgumentsFollowTheMachine) {
  struct Row {
    const char* name;
    glue::EalRequest request;
    glue::HostFacts machine;
    Args expected;
    size_t notes;
    bool keeps_files;
  };
  const Row rows[] = {
      {"one worker on the last CPU",
       {.name = "x"},
       host({0, 1}, 512),
       {"--lcores=0@(0),1@1", "--main-lcore=0", "--file-prefix=x", "--in-memory"},
       0,
       false},
      {"one CPU for all",
       {.name = "x"},
       host({0}, 512),
       {"--lcores=0@(0),1@0", "--main-lcore=0", "--file-prefix=x", "--in-memory"},
       0,
       false},
      {"two workers on one CPU",
       {.workers = {{1, 0}, {2, 0}}, .name = "x"},
       host({0, 1}, 512),
       {"--lcores=0@(1),1@0,2@0", "--main-lcore=0", "--file-prefix=x", "--in-memory"},
       0,
       false},
      {"main shares when workers have every CPU",
       {.workers = {{0, 0}, {1, 1}}, .name = "x"},
       host({0, 1}, 512),
       {"--lcores=2@(0,1),0@0,1@1", "--main-lcore=2", "--file-prefix=x", "--in-memory"},
       0,
       false},
      {"no hugepages",
       {.name = "x", .pool_mbufs = 40000},
       host({0, 1}, 0),
       {"--lcores=0@(0),1@1", "--main-lcore=0", "--file-prefix=x", "--no-huge", "--no-shconf", "-m", "303"},
       1,
       false},
      {"too few hugepages",
       {.name = "x", .pool_mbufs = 40000},
       host({0, 1}, 100),
       {"--lcores=0@(0),1@1", "--main-lcore=0", "--file-prefix=x", "--no-huge", "--no-shconf", "-m", "303"},
       1,
       false},
      {"the command line comes after the file",
       {.config_args = {"--no-pci", "-m", "64"}, .command_args = {"-m", "99"}},
       host({0, 1}, 512),
       {"--lcores=0@(0),1@1", "--main-lcore=0", "--file-prefix=roceway", "--no-pci", "-m", "64", "-m", "99"},
       0,
       true},
      {"the user's lcores, prefix and memory",
       {.command_args = {"-l", "0,1", "--file-prefix=mine", "--in-memory"}},
       host({0, 1}, 512),
       {"-l", "0,1", "--file-prefix=mine", "--in-memory"},
       0,
       false},
      {"no-huge leaves no files",
       {.command_args = {"-l0,1", "--no-huge"}, .name = "x"},
       host({0, 1}, 512),
       {"--file-prefix=x", "--no-shconf", "-l0,1", "--no-huge"},
       0,
       false},
      {"a secondary process tidies nothing up",
       {.command_args = {"-l0,1", "--proc-type=secondary"}, .name = "x"},
       host({0, 1}, 512),
       {"--file-prefix=x", "-l0,1", "--proc-type=secondary"},
       0,
       false},
      {"secondary keeps files",
       {.name = "x", .secondary = true},
       host({0, 1}, 512),
       {"--lcores=0@(0),1@1", "--main-lcore=0", "--file-prefix=x"},
       0,
       true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const glue::EalPlan plan = glue::plan_eal(row.request, row.machine);
    EXPECT_EQ(Args(plan.argv.begin() + 1, plan.argv.end()), row.expected);
    EXPECT_EQ(plan.notes.size(), row.notes);
    EXPECT_EQ(plan.keeps_files, row.keeps_files);
  }
}

TEST(EalPlan, FilePrefixOfTheLastArgumentWins) {
  const glue::EalPlan plan = glue::plan_eal(
      {.config_args = {"--file-prefix=a"}, .command_args = {"--file-prefix", "b"}}, host({0, 1}, 512));
  EXPECT_EQ(plan.file_prefix, "b");
}

TEST(EalPlan, WorkersAtMost) {
  struct Row {
    Args args;
    unsigned expected;
  };
  for (const Row& row :
       {Row{{"-l", "0,1"}, 1}, Row{{"-l", "0-7"}, 7}, Row{{"-l0-7"}, 7}, Row{{"--lcores=0@0,1@0,2@0,3@0"}, 3},
        Row{{"--lcores", "(0-5)@0"}, 5}, Row{{"--lcores=0@(0,1),7@(0-1)"}, 1}, Row{{"-c", "3"}, 1}}) {
    SCOPED_TRACE(row.args.back());
    EXPECT_EQ(glue::workers_at_most(row.args, host({0, 1}, 0)), row.expected);
  }
}

TEST(EalPlan, Refusals) {
  struct Row {
    const char* name;
    glue::EalRequest request;
    glue::HostFacts machine;
    const char* says;
  };
  const Row rows[] = {
      {"no such CPU",
       {.workers = {{9, 9}}},
       host({0, 1}, 512),
       "CPU 9 is not there; this process may use CPUs 0,1"},
      {"lcores twice",
       {.command_args = {"--lcores=0,1"}, .workers = {{1, 1}}},
       host({0, 1}, 512),
       "named twice"},
      {"secondary without hugepages", {.secondary = true}, host({0, 1}, 0), "needs hugepages"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    try {
      glue::plan_eal(row.request, row.machine);
      ADD_FAILURE() << "was accepted";
    } catch (const glue::StartError& error) {
      EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos) << error.what();
    }
  }
}

TEST(EalFailure, OneLineWithCauseAndFix) {
  struct Row {
    const char* log;
    const char* says;
  };
  for (const Row& row :
       {Row{"EAL: Detected CPU lcores: 2\nEAL: No free hugepages reported in hugepages-2048kB\nEAL: FATAL: "
            "x\n",
            "nr_hugepages"},
        Row{"EAL: Detected NUMA nodes: 1\nroceway: unrecognized option '--foo'\n\nUsage: roceway [options]\n",
            "'--foo'; EAL does not know an option"},
        Row{"EAL: Invalid bitwidth value!\nEAL: invalid parameter for --force-max-simd-bitwidth\n\n"
            "Usage: roceway [options]\n\n  --lcores COREMAP    Map lcore set to physical cpu set\n",
            "--force-max-simd-bitwidth; allowed, once: 64, 128, 256, 512"},
        Row{"EAL: invalid parameter for -n\n\nUsage: roceway [options]\n\n  --lcores COREMAP    Map\n",
            "invalid parameter for -n"},
        Row{"EAL: Cannot open /x: Too many open files\nEAL: Cannot init memory\n",
            "Too many open files; too few"},
        Row{"EAL: something nobody foresaw\n", "something nobody foresaw"}, Row{"", "no reason given"}}) {
    const std::string told = glue::explain_eal_failure(row.log);
    EXPECT_NE(told.find(row.says), std::string::npos) << told;
    EXPECT_EQ(told.find('\n'), std::string::npos) << told;
  }
}

}  // namespace
