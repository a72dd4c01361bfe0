// SPDX-License-Identifier: BSD-3-Clause
// A thousand changes through the control socket while packets move: each is answered, the settings at the end
// are those that were asked for, and the books balance.
#include <array>
#include <random>

#include "system/commands.h"

namespace system_test {
namespace {

// The next change, and what all of them come to. The same sequence in every run.
class Changes {
 public:
  struct Nic {
    std::string state = "up";
    unsigned weight = 1;
  };

  std::string next() {
    const unsigned number = 1 + pick(4), kind = pick(100);
    Nic& nic = nics[number - 1];
    const std::string device = "net_null" + std::to_string(number);
    if (kind < 25) {
      static const std::array<std::string, 3> kStates = {"up", "down", "drain"};
      return "set member " + device + ' ' + (nic.state = kStates[pick(3)]);
    }
    if (kind < 50) return "set member " + device + " weight " + std::to_string(nic.weight = pick(5));
    if (kind < 65) return "set distribution seed " + std::to_string(seed = pick(1000));
    if (kind < 80) return "set burst " + std::to_string(burst = 1 + pick(512));
    if (kind < 88) {
      domain_down = !domain_down;
      return std::string("set domain A ") + (domain_down ? "down" : "up");
    }
    if (kind < 96 && mode == "gateway")
      return "set distribution bucket " + std::to_string(pick(8)) + " queue " + std::to_string(pick(4));
    return set_mode(mode == "gateway" ? "macswap" : "gateway");
  }
  std::string set_mode(const std::string& wanted) { return "set fwd " + (mode = wanted); }

  std::array<Nic, 4> nics;
  unsigned seed = 0, burst = 32;
  bool domain_down = false;
  std::string mode = "gateway";

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::mt19937 random_{4};
};

TEST_F(CommandsTest, ThousandChangesUnderTraffic) {
  Running program = start_gateway();
  Ctl ctl(socket_path());
  Telemetry counters(prefix());
  Changes changes;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = changes.next();
    const Ctl::Heard heard = ctl.ask(line);
    ASSERT_EQ(heard.status, "ok") << line << " after " << i << " changes: " << heard.text;
  }
  ASSERT_EQ(ctl.ask(changes.set_mode("gateway")).status, "ok");
  Words expected = {"mode = \"gateway\"\n", "burst = " + std::to_string(changes.burst) + "\n"};
  for (const Changes::Nic& nic : changes.nics) {
    expected.push_back("device = \"net_null" + std::to_string(&nic - changes.nics.data() + 1) + "\"\n");
    expected.push_back("weight = " + std::to_string(nic.weight) + "\n");
    expected.push_back(std::string("enabled = ") + (nic.state == "down" ? "false" : "true") + "\n");
    expected.push_back(std::string("drain = ") + (nic.state == "drain" ? "true" : "false") + "\n");
  }
  const std::string running = ctl.ask("show running-config all").text;
  EXPECT_TRUE(says(running, expected));
  EXPECT_TRUE(says(running, {"seed = " + std::to_string(changes.seed) + "\n"}));
  EXPECT_TRUE(says(running, {changes.domain_down ? "domains_down = [\"A\"]" : "domains_down = []"}));

  // It still forwards as it is told.
  for (unsigned bucket = 0; bucket < 8; ++bucket)
    ctl.ask("clear distribution bucket " + std::to_string(bucket));
  for (unsigned nic = 1; nic <= 4; ++nic) {
    EXPECT_EQ(ctl.ask("set member net_null" + std::to_string(nic) + " up").status, "ok");
    EXPECT_EQ(ctl.ask("set member net_null" + std::to_string(nic) + " weight 1").status, "ok");
  }
  EXPECT_EQ(ctl.ask("set domain A up").status, "ok");
  expect_senders(counters, {1, 2, 3, 4});
  expect_good_end(program);
}

// Two clients that change at once: each change is whole, and none is lost.
TEST_F(CommandsTest, TwoClientsChangeAtOnce) {
  Running program = start_gateway();
  Ctl one(socket_path()), other(socket_path());
  constexpr int kChanges = 100;
  for (int i = 0; i < kChanges; ++i) {
    one.send("set member net_null1 weight " + std::to_string(i % 5) + "\n");
    other.send("set member net_null2 weight " + std::to_string((i + 1) % 5) + "\n");
  }
  for (int i = 0; i < kChanges; ++i) {
    EXPECT_EQ(one.hear()->status, "ok");
    EXPECT_EQ(other.hear()->status, "ok");
  }
  EXPECT_TRUE(says(one.ask("show running-config all").text,
                   {"device = \"net_null1\"", "weight = 4\n", "device = \"net_null2\"", "weight = 0\n"}));
  expect_good_end(program);
}

}  // namespace
}  // namespace system_test
