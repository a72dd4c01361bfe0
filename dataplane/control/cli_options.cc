// SPDX-License-Identifier: BSD-3-Clause
// Options and how their values are read; see cli_options.h. Main thread.
#include "control/cli_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "control/settings_values.h"

namespace control {
namespace {

template <auto kMember, uint64_t kLeast, uint64_t kMost>
std::optional<std::string> number(const std::string& value, Cli& cli) {
  constexpr core::Range kAllowed{kLeast, kMost};
  uint64_t read = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || !kAllowed.holds(read)) return "a whole number " + core::text_of(kAllowed);
  using Value = typename std::remove_reference_t<decltype(cli.*kMember)>::value_type;
  cli.*kMember = static_cast<Value>(read);
  return std::nullopt;
}

// Fractions are welcome. A billion seconds is longer than any machine stays up.
template <auto kMember>
std::optional<std::string> seconds(const std::string& value, Cli& cli) {
  constexpr double kMost = 1e9;
  double read = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || !(read > 0 && read <= kMost)) return "seconds, more than 0, as in 10 or 0.5";
  cli.*kMember = read;
  return std::nullopt;
}

template <std::optional<std::string> Cli::*kMember>
std::optional<std::string> file_name(const std::string& value, Cli& cli) {
  cli.*kMember = value;
  return std::nullopt;
}

template <bool Cli::*kMember>
std::optional<std::string> flag(const std::string&, Cli& cli) {
  cli.*kMember = true;
  return std::nullopt;
}

std::string mode_names() {
  std::string names;
  for (unsigned i = 0; i <= static_cast<unsigned>(core::Mode::flowgen); ++i) {
    names += (i == 0 ? "" : ", ") + std::string(name_of(static_cast<core::Mode>(i)));
  }
  return names;
}

std::optional<std::string> mode(const std::string& value, Cli& cli) {
  cli.fwd = core::mode_of(value);
  if (!cli.fwd) return mode_names();
  return std::nullopt;
}

std::optional<uint64_t> whole(std::string_view text) {
  uint64_t read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return read;
}

// testpmd counts DPDK's headroom in, core::EngineSettings does not.
std::optional<std::string> mbuf_size(const std::string& value, Cli& cli) {
  constexpr uint64_t kHeadroom = 128;
  constexpr core::Range kAllowed{core::limits::kMbufBytes.least + kHeadroom,
                                 core::limits::kMbufBytes.most + kHeadroom};
  const auto read = whole(value);
  if (!read || !kAllowed.holds(*read)) return "a whole number " + core::text_of(kAllowed);
  cli.mbuf_size = static_cast<uint16_t>(*read - kHeadroom);
  return std::nullopt;
}

std::optional<std::string> max_pkt_len(const std::string& value, Cli& cli) {
  constexpr uint64_t kAround = 18;  // Ethernet header and FCS
  constexpr core::Range kAllowed{core::limits::kMtu.least + kAround, core::limits::kMtu.most + kAround};
  const auto read = whole(value);
  if (!read || !kAllowed.holds(*read)) return "a whole number " + core::text_of(kAllowed);
  cli.max_pkt_len = static_cast<uint16_t>(*read - kAround);
  return std::nullopt;
}

std::optional<std::string> topology(const std::string& value, Cli& cli) {
  for (const core::PortTopology one :
       {core::PortTopology::paired, core::PortTopology::chained, core::PortTopology::loop}) {
    if (value == core::name_of(one)) cli.port_topology = one;
  }
  if (!cli.port_topology) return "paired, chained, loop";
  return std::nullopt;
}

template <core::Rss kRss>
std::optional<std::string> rss(const std::string&, Cli& cli) {
  cli.rss = kRss;
  return std::nullopt;
}

std::optional<std::string> eth_peer(const std::string& value, Cli& cli) {
  const size_t comma = value.find(',');
  const auto port = whole(value.substr(0, comma));
  const auto mac = comma == std::string::npos ? std::nullopt : mac_in(value.substr(comma + 1));
  if (!port || *port > UINT16_MAX || !mac) return "PORT,MAC, as in 0,02:00:00:00:00:01";
  cli.eth_peers.push_back({static_cast<uint16_t>(*port), *mac});
  return std::nullopt;
}

// Segments of one frame in testpmd; their sum here. FlowPattern counts the FCS.
std::optional<std::string> txpkts(const std::string& value, Cli& cli) {
  constexpr uint64_t kFcsBytes = 4;
  uint64_t sum = kFcsBytes;
  for (size_t from = 0; from <= value.size();) {
    const size_t comma = std::min(value.find(',', from), value.size());
    const auto bytes = whole(std::string_view(value).substr(from, comma - from));
    if (!bytes || *bytes > UINT16_MAX) return "bytes of a frame without FCS, as in 64 or 64,128";
    sum += *bytes;
    from = comma + 1;
  }
  cli.txpkts = static_cast<uint16_t>(std::min<uint64_t>(sum, UINT16_MAX));
  return std::nullopt;
}

namespace limits = core::limits;
constexpr uint64_t kMostWorkers = limits::kLcore.most;  // one lcore is left for control

constexpr Option kOptions[] = {
    {"config", "FILE", "settings file (TOML)", file_name<&Cli::config>},
    {"check", "", "check the settings file and stop", flag<&Cli::check>},
    {"fwd,forward-mode", "MODE",
     "what happens to a packet: gateway, io, mac, macswap, 5tswap, rxonly, txonly, flowgen", mode},
    {"rxq", "N", "RX queues of every port",
     number<&Cli::rxq, limits::kRxQueues.least, limits::kRxQueues.most>},
    {"txq", "N", "TX queues each worker sends by on every port (the rule's num_queues)",
     number<&Cli::txq, limits::kQueuesPerNic.least, limits::kQueuesPerNic.most>},
    {"burst", "N", "packets asked for at once",
     number<&Cli::burst, limits::kBurst.least, limits::kBurst.most>},
    {"nb-cores", "N", "workers", number<&Cli::nb_cores, 1, kMostWorkers>},
    {"rxd", "N", "RX descriptors of every queue",
     number<&Cli::rxd, limits::kDescriptors.least, limits::kDescriptors.most>},
    {"txd", "N", "TX descriptors of every queue",
     number<&Cli::txd, limits::kDescriptors.least, limits::kDescriptors.most>},
    {"mbuf-size", "N", "bytes of one mbuf, its headroom of 128 included", mbuf_size},
    {"total-num-mbufs", "N", "mbufs beyond what rings and holds need",
     number<&Cli::total_num_mbufs, limits::kReserveMbufs.least, limits::kReserveMbufs.most>},
    {"max-pkt-len", "N", "longest frame with FCS, without tags: MTU + 18", max_pkt_len},
    {"port-topology", "WORD", "which port packets leave by: paired, chained, loop", topology},
    {"rss-ip", "", "let devices hash IP addresses only for their RX queues", rss<core::Rss::ip>},
    {"rss-udp", "", "let devices hash UDP only for their RX queues", rss<core::Rss::udp>},
    {"eth-peer", "PORT,MAC", "destination of frames that leave by a port; once for each", eth_peer, true},
    {"txpkts", "N[,N...]", "size of frames that txonly and flowgen make: the sum", txpkts},
    {"tx-first", "", "send a burst by every port before forwarding starts", flag<&Cli::tx_first>},
    {"i,interactive", "", "commands from a prompt, or line by line from a pipe; start begins to forward",
     flag<&Cli::interactive>},
    {"a,auto-start", "", "with -i: begin to forward at once", flag<&Cli::auto_start>},
    {"cmdline-file", "FILE", "run the commands of a file first", file_name<&Cli::cmdline_file>},
    {"ctl", "PATH", "control socket; with --config there is one anyway", file_name<&Cli::ctl>},
    {"no-ctl", "", "no control socket", flag<&Cli::no_ctl>},
    {"metrics", "ADDRESS:PORT", "metrics for Prometheus and the status page, as in 127.0.0.1:9464",
     file_name<&Cli::metrics>},
    {"stats-period", "S", "print statistics every S seconds", seconds<&Cli::stats_period_s>},
    {"duration", "S", "stop after S seconds", seconds<&Cli::duration_s>},
    {"idle-exit", "S", "stop after S seconds without a data packet", seconds<&Cli::idle_exit_s>},
    {"report", "FILE", "write the final report as JSON", file_name<&Cli::report>},
    {"v,version", "", "print the version and stop", flag<&Cli::version>},
    {"h,help", "", "print this and stop", flag<&Cli::help>},
};
}  // namespace

std::span<const Option> cli_options() {
  return kOptions;
}

}  // namespace control
