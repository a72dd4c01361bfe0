// SPDX-License-Identifier: BSD-3-Clause
// EAL for a test program: it can be initialised once in a process, so a GoogleTest environment does it before
// the first test. No hugepages, no device, no file left; two worker lcores on whatever CPUs there are.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "pmd_glue/eal.h"

namespace test_support {

class EalOnce : public testing::Environment {
 public:
  void SetUp() override {
    const glue::HostFacts host = glue::look_at_host();
    glue::EalRequest request;
    request.name = "roceway-test-" + std::to_string(getpid());
    request.workers = {{1, host.cpus.front()}, {2, host.cpus.back()}};
    request.command_args = {"--no-pci", "--no-huge", "-m", "512"};
    const glue::EalPlan plan = glue::plan_eal(request, host);
    glue::remove_leftovers_now_and_at_exit(plan);
    eal() = std::make_unique<glue::Eal>(plan);
  }
  void TearDown() override { eal().reset(); }

  static std::unique_ptr<glue::Eal>& eal() {
    static std::unique_ptr<glue::Eal> instance;
    return instance;
  }
};

}  // namespace test_support
