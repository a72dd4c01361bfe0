// SPDX-License-Identifier: BSD-3-Clause
// Tests that need EAL: started once, before the first test.
#include <gtest/gtest.h>

#include "support/eal_once.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new test_support::EalOnce);
  return RUN_ALL_TESTS();
}
