// SPDX-License-Identifier: BSD-3-Clause
// Keys that are typed one by one, as `set TABLE KEY VALUE` does it: read as in a file, told without its
// lines.
#include <gtest/gtest.h>

#include "control/settings_file.h"

namespace {

using control::with_key;
using control::with_port_key;

core::Settings one_port() {
  core::Settings settings;
  settings.ports.resize(1);
  settings.ports[0].device = "net_null0";
  return settings;
}

TEST(TypedKeys, AreReadWithQuotesAndWithout) {
  const core::Settings settings = one_port();
  EXPECT_EQ(with_key(settings, "failover", "probes", "5").settings.failover.probes, 5u);
  for (const std::string value : {"sleep", "\"sleep\""})
    EXPECT_EQ(with_key(settings, "engine", "idle", value).settings.engine.idle, core::Idle::sleep) << value;
  for (const std::string value : {"A,B", "[\"A\", \"B\"]"}) {
    EXPECT_EQ(with_key(settings, "failover", "domains_down", value).settings.failover.domains_down,
              (std::vector<std::string>{"A", "B"}))
        << value;
  }
  EXPECT_EQ(with_port_key(settings, 0, "weight", "3").settings.ports[0].weight, 3u);
}

TEST(TypedKeys, TellWhatIsWrong) {
  const core::Settings settings = one_port();
  const struct {
    std::string table, key, value, problem;
  } rows[] = {
      {"failover", "probes", "0", "failover.probes: found 0; allowed 1 to 100"},
      {"failover", "probes", "many",
       "failover.probes: found string \"many\"; allowed: a whole number 1 to 100"},
      {"engine", "bursts", "3", "engine: unknown key \"bursts\"; did you mean \"burst\"?"},
      {"engine", "idle", "doze", "engine.idle: found string \"doze\"; allowed: \"busy\", \"sleep\""},
  };
  for (const auto& row : rows)
    EXPECT_EQ(with_key(settings, row.table, row.key, row.value).problem, row.problem);
  EXPECT_EQ(with_port_key(settings, 0, "weight", "5000").problem,
            "port[0].weight: found 5000; allowed 0 to 1000");
}

}  // namespace
