// SPDX-License-Identifier: BSD-3-Clause
// A client and a server, each the kernel in a network namespace of its own, and between them the gateway,
// which works on net_tap in a third one. All uplinks stand on one bridge without a LAG, the worst switch that
// there is. Needs root, TUN, bridges, veth, iproute2, ping and iperf3; a test skips without.
//
//   client eth0 - va | br-a | acc0 - roceway - up0, up1, up2 | br-u | vb - eth0 server
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "support/namespaces.h"
#include "system/program.h"

namespace system_test {

using test_support::Ended;
using test_support::Namespace;
using test_support::Process;
using test_support::Visit;

class KernelTest : public SystemTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, for network namespaces";
    if (test_support::Descriptor(open("/dev/net/tun", O_RDWR | O_CLOEXEC)).get() < 0) {
      GTEST_SKIP() << "needs /dev/net/tun";
    }
    for (const char* program : {"ip", "ping", "iperf3"}) {
      if (test_support::in_words(program, "-V").status == 127) GTEST_SKIP() << "needs " << program;
    }
    for (auto* space : {&gateway_, &client_, &server_}) {
      *space = Namespace::make();
      if (!*space) GTEST_SKIP() << "no network namespace can be made here";
    }
    // Netfilter would cut padding off and put fragments together.
    for (const char* tables : {"iptables", "ip6tables", "arptables"}) {
      gateway_->set(std::string("bridge/bridge-nf-call-") + tables, "0");
    }
    if (const Ended bridge = gateway_->ip("link add br-a type bridge mcast_snooping 0"); bridge.status != 0) {
      GTEST_SKIP() << "no bridge here: " << bridge.err;
    }
    must(*gateway_, "link add br-u type bridge mcast_snooping 0");
    if (const Ended veth = cable("va", "br-a", *client_, "02:00:00:00:00:01"); veth.status != 0) {
      GTEST_SKIP() << "no veth here: " << veth.err;
    }
    ASSERT_EQ(cable("vb", "br-u", *server_, "02:00:00:00:00:02").status, 0);
  }

  void TearDown() override {
    program_.reset();  // where a test failed it still runs, and leaves its folder when killed
    std::error_code ignored;
    std::filesystem::remove_all(runtime_folder(prefix()), ignored);
  }

  // A cable from a bridge of the gateway's to eth0 of another namespace.
  Ended cable(const std::string& near, const std::string& bridge, const Namespace& far,
              const std::string& mac) {
    const Ended made = gateway_->ip("link add " + near + " type veth peer name eth0 address " + mac +
                                    " netns " + far.path());
    if (made.status != 0) return made;
    must(*gateway_, "link set " + near + " master " + bridge + " up");
    must(*gateway_, "link set " + bridge + " up");
    must(far, "link set eth0 up");
    return made;
  }

  static void must(const Namespace& space, const std::string& words) {
    const Ended ended = space.ip(words);
    ASSERT_EQ(ended.status, 0) << "ip " << words << ": " << ended.err;
  }

  // Both ends speak IPv4, and IPv6 once that is switched on.
  void give_addresses() {
    must(*client_, "addr add 10.77.0.1/24 dev eth0");
    must(*server_, "addr add 10.77.0.2/24 dev eth0");
  }
  void switch_ipv6_on() {
    for (const auto* space : {&client_, &server_}) {
      (*space)->set("ipv6/conf/eth0/enhanced_dad",
                    "0");  // which would pass over its own question coming back
      (*space)->set("ipv6/conf/eth0/keep_addr_on_down", "1");
      (*space)->set("ipv6/conf/eth0/disable_ipv6", "0");
    }
  }

  // Starts the gateway with one access port and three uplinks and plugs their interfaces in. `of_port[i]`:
  // more keys of port i.
  void start_gateway(const std::array<std::string, 4>& of_port = {}, const std::string& more = "") {
    Words vdevs;
    std::string ports;
    for (size_t i = 0; i < 4; ++i) {
      const std::string device = "net_tap" + std::to_string(i);
      vdevs.push_back(device + ",iface=" + interfaces_[i] + ",mac=02:00:00:00:00:a" + std::to_string(i));
      ports += port_table(device, i == 0 ? "access" : "uplink", of_port[i]);
    }
    const std::string config = write_config(eal_table(vdevs, "[engine]\nidle = \"sleep\"\n") + ports + more);
    // A bridge keeps frames to the address of its port's interface for itself, so that must not be the
    // gateway's.
    std::string plug;
    for (size_t i = 0; i < 4; ++i) {
      plug += "link set " + interfaces_[i] + " address 02:00:00:00:00:e" + std::to_string(i) + " master " +
              (i == 0 ? "br-a\n" : "br-u\n");
    }
    write_text(file("plug"), plug);
    const Visit inside = gateway_->visit();
    // Events go to stderr, and are waited for with the rest.
    program_.emplace("/bin/sh",
                     Words{"-c", "exec \"$0\" \"$@\" 2>&1", roceway(), "--config", config, "--report",
                           report_file(), "--duration", "120"},
                     around());
    ASSERT_TRUE(program_->wait_for("running")) << program_->wait().out;
    must(*gateway_, "-batch " + file("plug"));
  }

  // Whether the gateway says that this happened; each only once in a test.
  testing::AssertionResult told(const std::string& event) {
    if (program_->wait_for(event)) return testing::AssertionSuccess();
    const Ended ended = program_->wait();
    return testing::AssertionFailure() << "not told: " << event << "\n" << ended.out << ended.err;
  }

  // Stops the gateway and returns its report.
  Json stop_gateway() {
    program_->send(SIGINT);
    const Ended ended = program_->wait();
    EXPECT_EQ(ended.status, 0) << "signal " << ended.signal << "\n" << ended.out << ended.err;
    const Json report = read_report();
    expect_balanced(report);
    EXPECT_EQ(report["pool"]["mbufs"], report["pool"]["back"]);
    expect_nothing_left();
    return report;
  }

  static void expect_pings(const Namespace& from, const std::string& words) {
    SCOPED_TRACE("ping " + words);
    const Ended ended = from.run("ping", "-n -c 10 -i 0.02 -W 30 " + words);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_NE(ended.out.find("10 received, 0% packet loss"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("DUP!"), std::string::npos) << ended.out;
  }

  // The uplink that sends most.
  size_t busiest() const {
    return static_cast<size_t>(
        *std::max_element(kUplinks.begin(), kUplinks.end(), [this](size_t a, size_t b) {
          return gateway_->received(interfaces_[a]) < gateway_->received(interfaces_[b]);
        }));
  }

  Process start_in(const Namespace& space, const std::string& program, const Words& words) const {
    const Visit inside = space.visit();
    return Process(program, words, around());
  }

  static constexpr std::array<size_t, 3> kUplinks = {1, 2, 3};
  const std::array<std::string, 4> interfaces_ = {"acc0", "up0", "up1", "up2"};
  std::optional<Namespace> gateway_, client_, server_;
  std::optional<Process> program_;
};

// Of an event's line.
inline std::string told_of(size_t port, const std::string& what) {
  return "net_tap" + std::to_string(port) + " of uplink is " + what;
}

}  // namespace system_test
