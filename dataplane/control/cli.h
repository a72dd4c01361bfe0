// SPDX-License-Identifier: BSD-3-Clause
// The command line: what is EAL's, what is roceway's, and everything that is wrong with it, one line each.
// Called by main on the main thread, before EAL starts. With "--", what stands before it is EAL's and what
// follows is roceway's; without, every word is roceway's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"

namespace control {

struct EthPeer {
  uint16_t port = 0;
  core::MacAddress mac{};
};

struct Cli {
  std::vector<std::string> eal_args;  // without the program's name
  std::optional<std::string> config;
  bool check = false;
  bool help = false;     // wins over everything, problems too
  bool version = false;  // the same
  std::optional<core::Mode> fwd;
  std::optional<uint16_t> rxq, txq, burst, nb_cores;
  // testpmd's, in our units: mbuf_size without headroom, max_pkt_len as an MTU, txpkts with FCS.
  std::optional<uint16_t> rxd, txd, mbuf_size, max_pkt_len, txpkts;
  std::optional<uint32_t> total_num_mbufs;
  std::optional<core::PortTopology> port_topology;
  std::optional<core::Rss> rss;
  std::vector<EthPeer> eth_peers;
  bool tx_first = false;
  bool interactive = false;
  bool auto_start = false;
  std::optional<std::string> cmdline_file;
  std::optional<std::string> ctl;  // path of the control socket
  bool no_ctl = false;
  std::optional<std::string> metrics;
  double stats_period_s = 0;  // 0: off
  std::optional<double> duration_s;
  std::optional<double> idle_exit_s;  // stop after so long without a data packet
  std::optional<std::string> report;
  std::vector<std::string> problems;  // without the program's name; when there are any, use nothing else
};

Cli parse_cli(int argc, const char* const* argv);
std::string help_text();

// What --eth-peer says of ports that are not there; once they are known.
std::vector<std::string> problems_of_peers(const Cli& cli, size_t ports);

// The command line wins over the file: mode, burst, RX queues of every port that `settings` has, and
// queues_per_nic. Without --config the mode is io. EAL's arguments and nb_cores are left to the caller.
// Validate the result again.
void apply(const Cli& cli, core::Settings& settings);

}  // namespace control
