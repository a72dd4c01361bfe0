// SPDX-License-Identifier: BSD-3-Clause
// Section config: testpmd's set. What packets meet changes at once; testpmd's own lines come first. Control
// thread.
#include <algorithm>
#include <functional>

#include "console/console.h"
#include "control/settings_values.h"
#include "pmd_glue/dumps.h"
#include "pmd_glue/port_controls.h"

namespace console {
namespace {

constexpr const char* kModes = "gateway|io|mac|macswap|5tswap|rxonly|txonly|flowgen";

// `how`: what testpmd says behind it.
Answer set_mode(Console& console, const Arguments& arguments, const std::string& how) {
  const std::string& name = arguments.text(kModes);
  const auto mode = core::mode_of(name);
  core::Settings next = console.settings();
  next.engine.mode = *mode;
  if (*mode == core::Mode::gateway) next.engine.forwarding_ports.clear();
  return console.change(std::move(next), "set fwd " + name,
                        "Set " + name + " packet forwarding mode" + how + "\n");
}
Answer set_fwd(Console& console, const Arguments& arguments) {
  return set_mode(console, arguments, "");
}
Answer set_fwd_retry(Console& console, const Arguments& arguments) {
  return set_mode(console, arguments, " with retry");
}

Answer set_burst(Console& console, const Arguments& arguments) {
  core::Settings next = console.settings();
  next.engine.burst = static_cast<uint16_t>(arguments.number("packets"));
  const std::string packets = arguments.text("packets");
  return console.change(std::move(next), "set burst " + packets,
                        "Number of packets per burst set to " + packets + "\n");
}

Answer use_lcores(Console& console, const std::vector<unsigned>& lcores, const std::string& what,
                  const std::string& said) {
  const auto& all = console.engine().all_lcores();
  for (const unsigned lcore : lcores) {
    if (std::find(all.begin(), all.end(), lcore) != all.end()) continue;
    std::string allowed;
    for (const unsigned one : all) allowed += (allowed.empty() ? "" : ", ") + std::to_string(one);
    return Answer::refuse("lcore " + std::to_string(lcore) +
                          " is no worker lcore of EAL; allowed: " + allowed);
  }
  if (lcores.empty()) return Answer::refuse("no lcore is left to forward; allowed: at least one");
  return console.change_lcores(lcores, what, said);
}

Answer set_nbcore(Console& console, const Arguments& arguments) {
  const auto& all = console.engine().all_lcores();
  const uint64_t count = arguments.number("count");
  if (count > all.size()) {
    return Answer::refuse("count: found " + std::to_string(count) + "; allowed: 1 to " +
                          std::to_string(all.size()) + ", the worker lcores that EAL has");
  }
  const std::vector<unsigned> lcores(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  return use_lcores(console, lcores, "set nbcore " + std::to_string(count),
                    "Number of forwarding cores set to " + std::to_string(count) + "\n");
}

Answer set_corelist(Console& console, const Arguments& arguments) {
  std::vector<unsigned> lcores;
  for (const uint64_t lcore : numbers_of(arguments.text("lcores"))) {
    if (std::find(lcores.begin(), lcores.end(), lcore) != lcores.end())
      return Answer::refuse("lcores: " + std::to_string(lcore) + " is listed twice");
    lcores.push_back(static_cast<unsigned>(lcore));
  }
  return use_lcores(console, lcores, "set corelist " + arguments.text("lcores"), "");
}

Answer set_coremask(Console& console, const Arguments& arguments) {
  const uint64_t mask = arguments.number("mask");
  std::vector<unsigned> lcores;
  for (unsigned lcore = 0; lcore < 64; ++lcore) {
    if (mask >> lcore & 1) lcores.push_back(lcore);
  }
  return use_lcores(console, lcores, "set coremask " + arguments.text("mask"), "");
}

Answer use_ports(Console& console, const std::vector<uint64_t>& ids, const std::string& what) {
  if (ids.empty()) return Answer::refuse("no port is left to forward; allowed: at least one");
  core::Settings next = console.settings();
  next.engine.forwarding_ports.clear();
  for (const uint64_t id : ids) {
    const auto port = console.port_of(std::to_string(id));
    if (!port)
      return Answer::refuse("port " + std::to_string(id) + ": there is none; see show port summary all");
    next.engine.forwarding_ports.push_back(next.ports[*port].device);
  }
  return console.change(std::move(next), what,
                        "Number of forwarding ports set to " + std::to_string(ids.size()) + "\n");
}

Answer set_portlist(Console& console, const Arguments& arguments) {
  return use_ports(console, numbers_of(arguments.text("ids")), "set portlist " + arguments.text("ids"));
}

Answer set_portmask(Console& console, const Arguments& arguments) {
  std::vector<uint64_t> ids;
  for (unsigned id = 0; id < 64; ++id) {
    if (arguments.number("mask") >> id & 1) ids.push_back(id);
  }
  return use_ports(console, ids, "set portmask " + arguments.text("mask"));
}

Answer set_nbport(Console& console, const Arguments& arguments) {
  const uint64_t count = arguments.number("count");
  const size_t ports = console.settings().ports.size();
  if (count > ports)
    return Answer::refuse("count: found " + std::to_string(count) + "; allowed: 1 to " +
                          std::to_string(ports));
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(console.dpdk_port(i));
  return use_ports(console, ids, "set nbport " + std::to_string(count));
}

// testpmd's lengths are of segments of one packet; here it is one frame of their sum. FlowPattern counts the
// FCS.
Answer set_txpkts(Console& console, const Arguments& arguments) {
  constexpr uint64_t kFcsBytes = 4;
  uint64_t bytes = 0;
  for (const uint64_t segment : numbers_of(arguments.text("bytes")))
    bytes += std::min<uint64_t>(segment, UINT16_MAX);
  core::Settings next = console.settings();
  next.flowgen.sizes = {static_cast<uint16_t>(std::min<uint64_t>(bytes + kFcsBytes, UINT16_MAX))};
  return console.change(std::move(next), "set txpkts " + arguments.text("bytes"),
                        "Frames that are made have " + std::to_string(bytes) + " bytes without FCS\n");
}

Answer show_txpkts(Console& console, const Arguments&) {
  std::string text = "TX frames that are made, bytes with FCS:";
  for (const uint16_t size : console.settings().flowgen.sizes) text += " " + std::to_string(size);
  return Answer::show(text + "\n", console.settings().flowgen.sizes);
}

template <auto kSet>
Answer set_switch(Console& console, const Arguments& arguments) {
  for (const size_t index : console.ports_of(arguments.text("ports"))) {
    if (const auto refused = kSet(console.dpdk_port(index), arguments.is_on("on|off")))
      return Answer::refuse(*refused);
  }
  return {};
}

Answer set_eth_peer(Console& console, const Arguments& arguments) {
  core::Settings next = console.settings();
  next.ports[*console.port_of(arguments.text("port"))].next_hop_mac = control::mac_in(arguments.text("mac"));
  return console.change(std::move(next),
                        "set eth-peer " + arguments.text("port") + " " + arguments.text("mac"), "");
}

Answer set_link(Console& console, const Arguments& arguments, bool up) {
  if (const auto refused = glue::set_link(console.dpdk_port(*console.port_of(arguments.text("port"))), up))
    return Answer::refuse(*refused);
  return {};
}
Answer set_link_up(Console& console, const Arguments& arguments) {
  return set_link(console, arguments, true);
}
Answer set_link_down(Console& console, const Arguments& arguments) {
  return set_link(console, arguments, false);
}

template <bool core::EngineSettings::*kFlag>
Answer set_recording(Console& console, const Arguments& arguments) {
  core::Settings next = console.settings();
  next.engine.*kFlag = arguments.is_on("on|off");
  return console.change(std::move(next), "recording is " + arguments.text("on|off"), "");
}

// testpmd prints every packet; here the trace does that for the few that are asked for.
Answer set_verbose(Console&, const Arguments& arguments) {
  if (arguments.number("level") == 0) return {};
  return Answer::say("Packets are not printed one by one here: trace add N, then show trace\n");
}

Answer set_log(Console&, const Arguments& arguments) {
  const std::string& level = arguments.text("level");
  const std::vector<std::string> names = glue::log_levels();
  const auto named = std::find(names.begin(), names.end(), level);
  unsigned number = static_cast<unsigned>(named - names.begin()) + 1;
  if (named == names.end()) {
    char* end = nullptr;
    number = static_cast<unsigned>(std::strtoul(level.c_str(), &end, 10));
    std::string allowed;
    for (const std::string& name : names) allowed += ", " + name;
    if (*end != '\0' || number < 1 || number > names.size())
      return Answer::refuse("level: found \"" + level + "\"; allowed: 1 to " + std::to_string(names.size()) +
                            allowed);
  }
  const auto set = glue::set_log_level(arguments.text("type"), number);
  if (!set) return Answer::refuse(*set.problem);
  return Answer::say("");
}

}  // namespace

std::vector<Command> config_commands() {
  constexpr Effect kLive = Effect::live;
  constexpr Effect kRestart = Effect::restart;
  constexpr Effect kShows = Effect::shows;
  static const std::string kSetFwd = "set fwd " + std::string(kModes);
  static const std::string kSetFwdRetry = kSetFwd + " retry";
  return {
      {"config", kSetFwd, "Set what happens to a packet.", kRestart, set_fwd},
      {"config", kSetFwdRetry, "The same: what a full ring refuses is always held and offered again.",
       kRestart, set_fwd_retry},
      {"config", "set burst <packets:number(1,512)>", "Set how many packets are asked for at once.", kLive,
       set_burst},
      {"config", "set nbcore <count:number(1,127)>", "Forward on the first so many worker lcores of EAL.",
       kRestart, set_nbcore},
      {"config", "set corelist <lcores:numbers>", "Forward on these lcores.", kRestart, set_corelist},
      {"config", "set coremask <mask:hex>", "Forward on the lcores of this mask.", kRestart, set_coremask},
      {"config", "set nbport <count:number(1,32)>", "Forward by the first so many ports.", kLive, set_nbport},
      {"config", "set portlist <ids:numbers>", "Forward by these ports, paired in this order.", kLive,
       set_portlist},
      {"config", "set portmask <mask:hex>", "Forward by the ports of this mask.", kLive, set_portmask},
      {"config", "set txpkts <bytes:numbers>", "Set the size of frames that txonly and flowgen make.",
       kRestart, set_txpkts},
      {"config", "show config txpkts", "Show the sizes of frames that are made.", kShows, show_txpkts},
      {"config", "set promisc <ports:ports> on|off", "Take in frames for any MAC address, or not.", kLive,
       set_switch<glue::set_promiscuous>},
      {"config", "set allmulti <ports:ports> on|off", "Take in all multicast frames, or not.", kLive,
       set_switch<glue::set_allmulticast>},
      {"config", "set eth-peer <port:port> <mac:mac>", "Set the destination of frames that leave by a port.",
       kLive, set_eth_peer},
      {"config", "set verbose <level:number(0,65535)>", "Kept for testpmd's scripts; see trace add.", kShows,
       set_verbose},
      {"config", "set link-up port <port:port>", "Bring the link of a port up.", kLive, set_link_up},
      {"config", "set link-down port <port:port>", "Take the link of a port down.", kLive, set_link_down},
      {"config", "set record-core-cycles on|off", "Count clocks of every step, for show runtime.", kLive,
       set_recording<&core::EngineSettings::record_core_cycles>},
      {"config", "set record-burst-stats on|off", "Count how many bursts have how many packets.", kLive,
       set_recording<&core::EngineSettings::record_burst_stats>},
      {"config", "set log <type> <level>", "Set the level of a log type, a pattern of types, or global.",
       kLive, set_log},
  };
}

}  // namespace console
