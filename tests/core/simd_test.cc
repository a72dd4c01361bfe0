// SPDX-License-Identifier: BSD-3-Clause
// Which burst kernels are taken.
#include "core/simd.h"

#include <gtest/gtest.h>

#include "core/burst.h"

namespace {

using core::Simd;
using core::SimdChoice;

TEST(SimdChoice, AutomaticIsTheWidestWithinTheBound) {
  EXPECT_EQ(core::resolve(SimdChoice::automatic, 128), Simd::portable);
  EXPECT_EQ(core::resolve(SimdChoice::automatic, 64), Simd::portable);
  EXPECT_EQ(core::resolve(SimdChoice::automatic, 256), core::has(Simd::avx2) ? Simd::avx2 : Simd::portable);
  EXPECT_EQ(core::resolve(SimdChoice::automatic, ~0u), core::widest());
  EXPECT_TRUE(core::has(core::widest()));
}

TEST(SimdChoice, OneThatIsNamedIsTakenOrRefused) {
  EXPECT_EQ(core::resolve(SimdChoice::portable, 512), Simd::portable);
  for (const auto& [choice, simd] :
       {std::pair(SimdChoice::avx2, Simd::avx2), {SimdChoice::avx512, Simd::avx512}}) {
    const auto expected = core::has(simd) ? std::optional(simd) : std::nullopt;
    EXPECT_EQ(core::resolve(choice, 128), expected);  // the bound is for "auto" only
  }
}

TEST(SimdChoice, KernelsAreThoseAskedFor) {
  for (const Simd simd : {Simd::portable, Simd::avx2, Simd::avx512}) {
    EXPECT_EQ(core::burst_kernels(simd).simd, simd);
    EXPECT_EQ(core::name_of(static_cast<SimdChoice>(1 + static_cast<unsigned>(simd))), core::name_of(simd));
  }
  EXPECT_EQ(core::name_of(SimdChoice::automatic), "auto");
}

}  // namespace
