// SPDX-License-Identifier: BSD-3-Clause
// What the tests of live change share: a configuration with traffic over four NICs, changing it while
// roceway runs, and seeing in the drivers' counters which NICs send.
#pragma once

#include <array>
#include <numeric>
#include <set>

#include "core/flow_maker.h"
#include "support/pcap_file.h"
#include "system/running.h"
#include "system/telemetry.h"

namespace system_test {

inline std::string replaced(std::string text, const std::string& words, const std::string& by) {
  const size_t at = text.find(words);
  if (at == std::string::npos) throw std::logic_error(words + " is not in the configuration");
  return text.replace(at, words.size(), by);
}

// The same in the table of net_null<nic>.
inline std::string replaced_of_nic(const std::string& text, char nic, const std::string& words,
                                   const std::string& by) {
  const size_t at = text.find(std::string("device = \"net_null") + nic);
  return text.substr(0, at) + replaced(text.substr(at), words, by);
}
using Ports = std::set<unsigned>;

// Which of the ports 0 to 4 send anything while 100,000 packets leave.
inline Ports senders(Telemetry& counters) {
  std::array<uint64_t, 5> before{}, now{};
  const auto read = [&](std::array<uint64_t, 5>& counts) {
    for (unsigned port = 0; port < counts.size(); ++port) counts[port] = counters.sent(port);
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  };
  const uint64_t enough = read(before) + 100'000;
  until("100,000 packets have left", [&] { return read(now) >= enough; });
  Ports sending;
  for (unsigned port = 0; port < now.size(); ++port) {
    if (now[port] > before[port]) sending.insert(port);
  }
  return sending;
}
// A bucket that moves waits until its old NIC has sent what it has: senders change a moment after the plan.
inline void expect_senders(Telemetry& counters, const Ports& expected) {
  Ports sending;
  for (int tries = 0; tries < 1000 && sending != expected; ++tries) sending = senders(counters);
  EXPECT_EQ(sending, expected);
}

class LiveChangeTest : public SystemTest {
 protected:
  // Traffic of 64 flows without end from port 0 over four NICs, ports 1 to 4, with 8 buckets: b % 4 is home.
  std::string four_nics() const {
    write_flows();
    std::string text =
        eal_table({"net_pcap0,rx_pcap=" + file("in.pcap") + ",infinite_rx=1", "net_null1,no-rx=1",
                   "net_null2,no-rx=1", "net_null3,no-rx=1", "net_null4,no-rx=1"}) +
        "[engine]\nburst = 32\n[distribution]\nqueues_per_nic = 1\nbuckets_per_queue = 2\n" +
        "[failover]\nhold_down_ms = 100\ndomains_down = []\n" + port_table("net_pcap0", "access");
    for (const char* nic : {"1", "2", "3", "4"}) {
      text +=
          port_table(std::string("net_null") + nic, "uplink",
                     "domain = \"" + std::string(*nic < '3' ? "A" : "B") + "\"\nweight = 1\nmtu = 1500\n");
    }
    return text;
  }
  void write_flows() const {
    std::vector<std::vector<uint8_t>> frames;
    for (uint32_t flow = 0; flow < 64; ++flow)
      frames.push_back(core::make_frame({.flows = 64}, flow, 0, {}, {}));
    test_support::write_capture(file("in.pcap"), frames);
  }
  Running start(const std::string& config, const Words& more = {},
                const std::string& ready = "running") const {
    Words words = {"--config", config, "--report", report_file()};
    words.insert(words.end(), more.begin(), more.end());
    return Running(roceway(), words, around(), ready);
  }
  // The file is put in its place whole, as an editor does.
  void change(const std::string& config, const std::string& text, const Running& program) const {
    write_text(config + ".new", text);
    std::filesystem::rename(config + ".new", config);
    program.send(SIGHUP);
  }
  // `signal`: what ends it; 0 when it ends by itself.
  Json expect_good_end(Running& program, int signal = SIGINT) const {
    program.send(signal);
    const test_support::Ended ended = program.wait();
    EXPECT_EQ(ended.status, 0) << "signal " << ended.signal << "\n" << ended.out;
    const Json report = read_report();
    expect_balanced(report);
    EXPECT_EQ(report["pool"]["mbufs"], report["pool"]["back"]);
    expect_nothing_left();
    return report;
  }
};

}  // namespace system_test
