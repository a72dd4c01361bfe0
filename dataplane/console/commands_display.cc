// SPDX-License-Identifier: BSD-3-Clause
// Section display: testpmd's show and clear. Control thread.
#include <functional>

#include "console/console.h"
#include "console/forward_text.h"
#include "console/port_text.h"
#include "console/statistics_text.h"
#include "pmd_glue/port_rss.h"

namespace console {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// One text of all ports that `ports` names, and one JSON entry for each; the first that refuses ends it.
Answer of_ports(Console& console, const Arguments& arguments,
                const std::function<std::optional<std::string>(size_t index, Answer& answer)>& tell) {
  Answer answer = Answer::show("", json::array());
  for (const size_t index : console.ports_of(arguments.text("ports"))) {
    if (const auto problem = tell(index, answer)) return Answer::refuse(*problem);
  }
  return answer;
}

json json_of(const glue::PortInfo& info) {
  return {{"port", info.port},
          {"device", info.device},
          {"driver", info.driver},
          {"mac", mac_text(info.mac)},
          {"link_up", info.link_up},
          {"link_speed", info.link_speed},
          {"mtu", info.mtu},
          {"promiscuous", info.promiscuous},
          {"allmulticast", info.allmulticast},
          {"rx_queues", info.rx_queues},
          {"tx_queues", info.tx_queues},
          {"most_rx_queues", info.most_rx_queues},
          {"most_tx_queues", info.most_tx_queues},
          {"reta_size", info.reta_size},
          {"rss_types", info.rss_types},
          {"socket", info.socket}};
}

Answer show_port_info(Console& console, const Arguments& arguments) {
  return of_ports(console, arguments, [&](size_t index, Answer& answer) {
    const auto info = glue::port_info(console.dpdk_port(index));
    if (!info) return info.problem;
    answer.text += port_info_text(info.value);
    answer.json.push_back(json_of(info.value));
    return info.problem;
  });
}

Answer show_port_summary(Console& console, const Arguments& arguments) {
  std::vector<glue::PortInfo> ports;
  Answer summary = of_ports(console, arguments, [&](size_t index, Answer& answer) {
    const auto info = glue::port_info(console.dpdk_port(index));
    if (!info) return info.problem;
    ports.push_back(info.value);
    answer.json.push_back(json_of(info.value));
    return info.problem;
  });
  summary.text = port_summary_text(ports, console.settings().ports.size());
  return summary;
}

json json_of(uint16_t port, const glue::PortStatistics& counted, const PortRates& rates) {
  return {{"port", port},
          {"rx_packets", counted.packets.rx_packets},
          {"rx_missed", counted.packets.rx_missed},
          {"rx_bytes", counted.rx_bytes},
          {"rx_errors", counted.packets.rx_errors},
          {"rx_nombuf", counted.packets.rx_nombuf},
          {"tx_packets", counted.packets.tx_packets},
          {"tx_errors", counted.packets.tx_errors},
          {"tx_bytes", counted.tx_bytes},
          {"rx_pps", rates.rx_pps},
          {"rx_bps", rates.rx_bps},
          {"tx_pps", rates.tx_pps},
          {"tx_bps", rates.tx_bps}};
}

Answer show_port_stats(Console& console, const Arguments& arguments) {
  return of_ports(console, arguments, [&](size_t index, Answer& answer) {
    const uint16_t port = console.dpdk_port(index);
    const auto counted = glue::port_statistics(port);
    if (!counted) return counted.problem;
    const Clock::time_point now = Clock::now();
    PortRates rates;
    if (const auto last = console.shown.find(index); last != console.shown.end()) {
      rates = rates_between(last->second.statistics, counted.value, now - last->second.at);
    }
    console.shown[index] = {now, counted.value};
    const glue::PortStatistics since = counted.value - console.statistics_from[index];
    answer.text += nic_statistics_text(port, since, rates);
    answer.json.push_back(json_of(port, since, rates));
    return counted.problem;
  });
}

// The device's own counters stay, since the books count from them: what is shown counts from now.
Answer clear_port_stats(Console& console, const Arguments& arguments) {
  return of_ports(console, arguments, [&](size_t index, Answer& answer) {
    const auto counted = glue::port_statistics(console.dpdk_port(index));
    if (!counted) return counted.problem;
    console.statistics_from[index] = counted.value;
    answer.text += "\n  NIC statistics for port " + std::to_string(console.dpdk_port(index)) + " cleared\n";
    return counted.problem;
  });
}

// What was counted since `from`; a counter that is new, or has fallen, counts whole.
glue::ExtendedStatistics since(glue::ExtendedStatistics counted, const glue::ExtendedStatistics& from) {
  for (size_t i = 0; i < counted.size() && i < from.size(); ++i) {
    if (counted[i].first == from[i].first && counted[i].second >= from[i].second)
      counted[i].second -= from[i].second;
  }
  return counted;
}

Answer show_port_xstats(Console& console, const Arguments& arguments) {
  return of_ports(console, arguments, [&](size_t index, Answer& answer) {
    const uint16_t port = console.dpdk_port(index);
    const auto counted = glue::extended_statistics(port);
    if (!counted) return counted.problem;
    const glue::ExtendedStatistics shown = since(counted.value, console.xstats_from[index]);
    answer.text += extended_statistics_text(port, shown);
    json values = json::object();
    for (const auto& [name, value] : shown) values[name] = value;
    answer.json.push_back({{"port", port}, {"xstats", values}});
    return counted.problem;
  });
}

// The driver's own stay, as with `clear port stats`.
Answer clear_port_xstats(Console& console, const Arguments& arguments) {
  return of_ports(console, arguments, [&](size_t index, Answer& answer) {
    const auto counted = glue::extended_statistics(console.dpdk_port(index));
    if (!counted) return counted.problem;
    console.xstats_from[index] = counted.value;
    answer.text +=
        "\n  NIC extended statistics for port " + std::to_string(console.dpdk_port(index)) + " cleared\n";
    return counted.problem;
  });
}

Answer rss_hash(Console& console, const Arguments& arguments, bool with_key) {
  const auto hash = glue::rss_hash(console.dpdk_port(*console.port_of(arguments.text("port"))));
  if (!hash) return Answer::refuse(*hash.problem);
  return Answer::show(rss_hash_text(hash.value, with_key),
                      {{"types", hash.value.types}, {"key", hash.value.key}});
}
Answer show_rss_hash(Console& console, const Arguments& arguments) {
  return rss_hash(console, arguments, false);
}
Answer show_rss_key(Console& console, const Arguments& arguments) {
  return rss_hash(console, arguments, true);
}

// testpmd wants the size and a mask for each 64 entries; without them all are shown.
Answer show_reta(Console& console, const Arguments& arguments) {
  const auto queues = glue::reta(console.dpdk_port(*console.port_of(arguments.text("port"))));
  if (!queues) return Answer::refuse(*queues.problem);
  std::vector<uint64_t> masks((queues.value.size() + 63) / 64, UINT64_MAX);
  if (arguments.has("masks")) {
    masks.clear();
    std::string word;
    for (const char c : arguments.text("masks") + ",") {
      if (c == '(' || c == ')') continue;
      if (c != ',') {
        word += c;
        continue;
      }
      char* end = nullptr;
      masks.push_back(std::strtoull(word.c_str(), &end, 0));
      if (word.empty() || *end != '\0')
        return Answer::refuse("masks: found \"" + word + "\"; allowed: 0x..., one for each 64 entries");
      word.clear();
    }
  }
  return Answer::show(reta_text(queues.value, masks), queues.value);
}

template <auto kInfo, auto kText>
Answer show_queue(Console& console, const Arguments& arguments) {
  const uint16_t port = console.dpdk_port(*console.port_of(arguments.text("port")));
  const auto queue = static_cast<uint16_t>(arguments.number("queue"));
  const auto info = kInfo(port, queue);
  if (!info) return Answer::refuse(*info.problem);
  return Answer::show(kText(port, queue, info.value), {{"port", port},
                                                       {"queue", queue},
                                                       {"pool", info.value.pool},
                                                       {"descriptors", info.value.descriptors},
                                                       {"state", info.value.state},
                                                       {"burst_mode", info.value.burst_mode}});
}

template <auto kStatus>
Answer show_descriptor(Console& console, const Arguments& arguments) {
  const uint16_t port = console.dpdk_port(*console.port_of(arguments.text("port")));
  const auto status = kStatus(port, static_cast<uint16_t>(arguments.number("queue")),
                              static_cast<uint16_t>(arguments.number("descriptor")));
  if (!status) return Answer::refuse(*status.problem);
  return Answer::show("Desc status = " + status.value + "\n", {{"status", status.value}});
}

Answer show_used(Console& console, const Arguments& arguments) {
  const uint16_t port = console.dpdk_port(*console.port_of(arguments.text("port")));
  const auto used = glue::rx_descriptors_used(port, static_cast<uint16_t>(arguments.number("queue")));
  if (!used) return Answer::refuse(*used.problem);
  return Answer::show("Used desc count = " + std::to_string(used.value) + "\n", {{"used", used.value}});
}

Answer show_device_info(Console&, const Arguments& arguments) {
  const std::string& name = arguments.text("name");
  const std::vector<glue::DeviceInfo> devices = glue::devices(name == "all" ? "" : name);
  if (devices.empty())
    return Answer::refuse("name: found \"" + name + "\"; allowed: a device of show device info all");
  json list = json::array();
  for (const glue::DeviceInfo& device : devices) {
    list.push_back(
        {{"name", device.name}, {"bus", device.bus}, {"driver", device.driver}, {"devargs", device.devargs}});
  }
  return Answer::show(device_info_text(devices), list);
}

Answer show_fwd_stats(Console& console, const Arguments&) {
  const control::Report& now = console.engine().recent_report();
  json ports = json::array();
  for (size_t i = 0; i < now.ports.size(); ++i) {
    ports.push_back({{"port", now.ports[i].id},
                     {"rx_packets", now.ports[i].rx_packets},
                     {"tx_packets", now.ports[i].tx_packets},
                     {"tx_dropped", now.ports[i].tx_dropped}});
  }
  return Answer::show(forward_statistics(now, console.forwarded_from) + cycles_line(console.engine().run()),
                      ports);
}

Answer clear_fwd_stats(Console& console, const Arguments&) {
  console.forwarded_from = console.engine().report();
  return Answer::say("Forward statistics count from now; the ledger goes on\n");
}

Answer show_config(Console& console, const Arguments& arguments) {
  const control::Engine& engine = console.engine();
  const std::string& what = arguments.text("rxtx|cores|fwd");
  const std::string text = what == "fwd"    ? forwarding_text(engine)
                           : what == "rxtx" ? queues_text(engine)
                                            : lcores_text(engine);
  const core::Plan& plan = engine.plan();
  json config = {{"mode", core::name_of(plan.mode)},
                 {"burst", plan.burst},
                 {"lcores", engine.lcores()},
                 {"ports", plan.ports.size()},
                 {"forwarding", engine.forwarding()}};
  if (plan.mode == core::Mode::gateway) {
    config["burst_kernels"] = {{"name", core::name_of(plan.simd)},
                               {"packets", core::bits_of(plan.simd) / 32}};
  }
  return Answer::show(text, config);
}

}  // namespace

std::vector<Command> display_commands() {
  constexpr Effect kShows = Effect::shows;
  return {
      {"display", "show port info <ports:ports>", "Show what a device is and can do.", kShows,
       show_port_info},
      {"display", "show port summary <ports:ports>", "Show a line for each port.", kShows, show_port_summary},
      {"display", "show port stats <ports:ports>",
       "Show what the device counted, and rates since the last show.", kShows, show_port_stats},
      {"display", "show port xstats <ports:ports>", "Show the driver's extended statistics.", kShows,
       show_port_xstats},
      {"display", "clear port stats <ports:ports>", "Let show port stats count from now.", kShows,
       clear_port_stats},
      {"display", "clear port xstats <ports:ports>", "Let show port xstats count from now.", kShows,
       clear_port_xstats},
      {"display", "show port <port:port> rss-hash", "Show what the device hashes for its RX queues.", kShows,
       show_rss_hash},
      {"display", "show port <port:port> rss-hash key", "The same with the key.", kShows, show_rss_key},
      {"display", "show port <port:port> rss reta", "Show the RX queue of every RETA entry.", kShows,
       show_reta},
      {"display", "show port <port:port> rss reta <size:number(1,65535)> <masks>",
       "Show the RETA entries whose bit is set, 64 to a mask.", kShows, show_reta},
      {"display", "show rxq info <port:port> <queue:number(0,65535)>", "Show how an RX queue is set up.",
       kShows, show_queue<glue::rx_queue_info, rx_queue_text>},
      {"display", "show txq info <port:port> <queue:number(0,65535)>", "Show how a TX queue is set up.",
       kShows, show_queue<glue::tx_queue_info, tx_queue_text>},
      {"display",
       "show port <port:port> rxq <queue:number(0,65535)> desc <descriptor:number(0,65535)> status",
       "Show the state of an RX descriptor, counted from the next one.", kShows,
       show_descriptor<glue::rx_descriptor_status>},
      {"display",
       "show port <port:port> txq <queue:number(0,65535)> desc <descriptor:number(0,65535)> status",
       "Show the state of a TX descriptor, counted from the next one.", kShows,
       show_descriptor<glue::tx_descriptor_status>},
      {"display", "show port <port:port> rxq <queue:number(0,65535)> desc used count",
       "Show how many RX descriptors hold a packet.", kShows, show_used},
      {"display", "show device info <name>", "Show a device by name, or all.", kShows, show_device_info},
      {"display", "show fwd stats all", "Show packets since start or clear fwd stats.", kShows,
       show_fwd_stats},
      {"display", "clear fwd stats all", "Let show fwd stats count from now.", kShows, clear_fwd_stats},
      {"display", "show config rxtx|cores|fwd", "Show queues, lcores, or which lcore forwards what.", kShows,
       show_config},
  };
}

}  // namespace console
