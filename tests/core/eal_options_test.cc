// SPDX-License-Identifier: BSD-3-Clause
// EAL's options in all their forms.
#include "core/eal_options.h"

#include <gtest/gtest.h>

#include <climits>

namespace {

// The forms in which EAL takes an option and its value.
TEST(EalOptions, ValuesInEveryForm) {
  using Args = std::vector<std::string>;
  struct Row {
    const char* name;
    Args args;
    std::string_view option;
    Args expected;
  };
  for (const Row& row :
       {Row{"behind it", {"-l", "0,1"}, "-l", {"0,1"}}, Row{"joined", {"-l0,1"}, "-l", {"0,1"}},
        Row{"with =", {"--lcores=2"}, "--lcores", {"2"}},
        Row{"long, behind it", {"--lcores", "2"}, "--lcores", {"2"}},
        Row{"twice", {"--vdev=a", "x", "--vdev", "b"}, "--vdev", {"a", "b"}},
        Row{"another that begins alike", {"--lcores-x=2", "--lcore"}, "--lcores", {}},
        Row{"a value that looks like it", {"-a", "-a"}, "-a", {"-a"}},
        Row{"nothing behind it", {"-l"}, "-l", {}}}) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(core::option_values(row.args, row.option), row.expected);
  }
  EXPECT_TRUE(core::has_option({"-l"}, {"-l"}));
  EXPECT_FALSE(core::has_option({"--main-lcore=1"}, {"-m", "--main"}));
}

TEST(EalOptions, WidestRegisters) {
  EXPECT_EQ(core::most_simd_bits({"--no-huge"}), UINT_MAX);
  EXPECT_EQ(core::most_simd_bits({"--force-max-simd-bitwidth=256"}), 256u);
  EXPECT_EQ(core::most_simd_bits({"--force-max-simd-bitwidth", "512", "--force-max-simd-bitwidth=128"}),
            128u);
  EXPECT_EQ(core::most_simd_bits({"--force-max-simd-bitwidth=0x80"}), 128u);   // EAL takes that, too
  EXPECT_EQ(core::most_simd_bits({"--force-max-simd-bitwidth=0"}), UINT_MAX);  // EAL's word for no limit
}

}  // namespace
