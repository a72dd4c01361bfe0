// SPDX-License-Identifier: BSD-3-Clause
// FastModulo against %, at the edges of every quotient and at random values.
// tests/perf/fast_modulo_exhaustive tries all 2^32 values.
#include "core/fast_modulo.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

namespace core {
namespace {

static_assert(FastModulo(7)(100) == 2);
static_assert(FastModulo()(UINT32_MAX) == 0);

void expect_equal(uint32_t divisor, uint32_t value) {
  ASSERT_EQ(FastModulo(divisor)(value), value % divisor) << value << " % " << divisor;
}

TEST(FastModulo, EveryTableSizeAtEdgesAndAtRandom) {
  std::mt19937 random(1);
  for (uint32_t divisor = 1; divisor <= 65536; ++divisor) {
    const uint32_t last = UINT32_MAX / divisor * divisor;  // the greatest multiple
    for (const uint32_t value :
         {0u, 1u, divisor - 1, divisor, divisor + 1, last - 1, last, UINT32_MAX - 1, UINT32_MAX}) {
      expect_equal(divisor, value);
    }
    for (int i = 0; i < 20; ++i) expect_equal(divisor, static_cast<uint32_t>(random()));
  }
}

TEST(FastModulo, LargeDivisors) {
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t divisor = static_cast<uint32_t>(random()) | 1;
    for (const uint32_t value :
         {divisor - 1, divisor, divisor + 1, static_cast<uint32_t>(random()), UINT32_MAX}) {
      expect_equal(divisor, value);
    }
  }
  for (const uint32_t divisor : {0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu}) {
    for (const uint32_t value : {0u, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu}) {
      expect_equal(divisor, value);
    }
  }
  EXPECT_EQ(FastModulo(1234).divisor(), 1234u);
}

}  // namespace
}  // namespace core
