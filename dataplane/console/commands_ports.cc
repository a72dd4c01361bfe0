// SPDX-License-Identifier: BSD-3-Clause
// Section ports: start, stop, attach, detach and reconfigure devices, in testpmd's words. Control thread.
#include <algorithm>

#include "console/console.h"
#include "pmd_glue/captures.h"
#include "pmd_glue/port_controls.h"
#include "pmd_glue/port_rss.h"

namespace console {
namespace {

Answer switch_ports(Console& console, const Arguments& arguments, bool on) {
  core::Settings next = console.settings();
  for (const size_t index : console.ports_of(arguments.text("ports"))) next.ports[index].enabled = on;
  const std::string what = std::string("port ") + (on ? "start " : "stop ") + arguments.text("ports");
  return console.change(std::move(next), what, on ? "Starting ports...\n" : "Stopping ports...\n");
}
Answer start_ports(Console& console, const Arguments& arguments) {
  return switch_ports(console, arguments, true);
}
Answer stop_ports(Console& console, const Arguments& arguments) {
  return switch_ports(console, arguments, false);
}

constexpr const char* kStopFirst = "packets are being forwarded; stop comes first";

Answer reset_ports(Console& console, const Arguments& arguments) {
  if (console.engine().forwarding()) return Answer::refuse(kStopFirst);
  for (const size_t index : console.ports_of(arguments.text("ports"))) {
    console.flow_rules.flush(console.dpdk_port(index));
    if (const auto refused = console.engine().reset(index)) return Answer::refuse(*refused);
  }
  return Answer::say("Resetting ports...\n");
}

Answer attach_port(Console& console, const Arguments& arguments) {
  if (console.engine().forwarding()) return Answer::refuse(kStopFirst);
  const auto refused = console.engine().attach(arguments.text("device"));
  if (refused) return Answer::refuse(*refused);
  for (const std::string& file : glue::capture_files({"--vdev=" + arguments.text("device")}))
    console.files_of_run.push_back(file);
  const size_t index = console.settings().ports.size() - 1;
  return Answer::say("Attaching a new port...\nPort " + std::to_string(console.dpdk_port(index)) +
                     " is attached. Now total ports is " + std::to_string(index + 1) + "\nDone\n");
}

Answer detach_port(Console& console, const Arguments& arguments) {
  if (console.engine().forwarding()) return Answer::refuse(kStopFirst);
  const size_t index = *console.port_of(arguments.text("port"));
  console.flow_rules.flush(console.dpdk_port(index));
  if (const auto refused = console.engine().detach(index)) return Answer::refuse(*refused);
  console.shown.clear();
  console.statistics_from.clear();
  console.xstats_from.clear();
  console.undo.clear();  // earlier settings have another number of ports
  return Answer::say("Removing a device...\nDevice is detached\nNow total ports is " +
                     std::to_string(console.settings().ports.size()) + " and rollback begins anew\nDone\n");
}

// rxq, txq, rxd, txd and burst of all ports.
Answer config_all(Console& console, const Arguments& arguments) {
  const std::string& what = arguments.text("rxq|txq|rxd|txd|burst");
  const uint64_t count = arguments.number("count");
  core::Settings next = console.settings();
  if (what == "burst") next.engine.burst = static_cast<uint16_t>(std::min<uint64_t>(count, UINT16_MAX));
  if (what == "txq")
    next.distribution.queues_per_nic = static_cast<uint16_t>(std::min<uint64_t>(count, UINT16_MAX));
  for (core::PortSettings& port : next.ports) {
    if (what == "rxq") port.rx_queues = static_cast<uint16_t>(std::min<uint64_t>(count, UINT16_MAX));
    if (what == "rxd") port.rx_descriptors = static_cast<uint16_t>(std::min<uint64_t>(count, UINT16_MAX));
    if (what == "txd") port.tx_descriptors = static_cast<uint16_t>(std::min<uint64_t>(count, UINT16_MAX));
  }
  return console.change(std::move(next), "port config all " + what + " " + std::to_string(count), "");
}

Answer config_mtu(Console& console, const Arguments& arguments) {
  core::Settings next = console.settings();
  next.ports[*console.port_of(arguments.text("port"))].mtu =
      static_cast<uint16_t>(std::min<uint64_t>(arguments.number("bytes"), UINT16_MAX));
  return console.change(std::move(next),
                        "port config mtu " + arguments.text("port") + " " + arguments.text("bytes"), "");
}

Answer config_rss(Console& console, const Arguments& arguments) {
  std::vector<size_t> changed;
  std::optional<std::string> refused;
  for (size_t index = 0; index < console.settings().ports.size() && !refused; ++index) {
    refused = glue::set_rss_types(console.dpdk_port(index), {arguments.text("types")});
    if (!refused) changed.push_back(index);
  }
  const std::string notes = device_notes(
      console.engine().hashes_otherwise(changed, false, "port config all rss " + arguments.text("types")));
  if (!refused) return Answer::say(notes);
  // Those before it have changed.
  return Answer::refuse(*refused + (notes.empty() ? "" : "\n" + notes.substr(0, notes.size() - 1)));
}

Answer config_reta(Console& console, const Arguments& arguments) {
  const std::string& text = arguments.text("entries");
  std::vector<uint64_t> numbers;
  std::string list = text;
  std::erase_if(list, [](char c) { return c == '(' || c == ')'; });
  for (const uint64_t number : numbers_of(list)) numbers.push_back(number);
  if (numbers.empty() || numbers.size() % 2 != 0)
    return Answer::refuse("entries: found \"" + text + "\"; allowed: (ENTRY,QUEUE)[,(ENTRY,QUEUE)...]");
  std::vector<glue::RetaEntry> entries;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    entries.push_back({static_cast<uint16_t>(std::min<uint64_t>(numbers[i], UINT16_MAX)),
                       static_cast<uint16_t>(std::min<uint64_t>(numbers[i + 1], UINT16_MAX))});
  }
  const auto refused = glue::set_reta(console.dpdk_port(*console.port_of(arguments.text("port"))), entries);
  return refused ? Answer::refuse(*refused) : Answer{};
}

Answer set_threshold(Console& console, const Arguments& arguments) {
  const auto refused = glue::set_available_threshold(
      console.dpdk_port(*console.port_of(arguments.text("port"))),
      static_cast<uint16_t>(arguments.number("queue")), static_cast<uint8_t>(arguments.number("percent")));
  return refused ? Answer::refuse(*refused) : Answer{};
}

}  // namespace

std::vector<Command> port_commands() {
  constexpr Effect kLive = Effect::live;
  constexpr Effect kRestart = Effect::restart;
  return {
      {"ports", "port start <ports:ports>", "Start a device, and use it again.", kLive, start_ports},
      {"ports", "port stop <ports:ports>", "Stop a device once no worker uses it; its flows move away first.",
       kLive, stop_ports},
      {"ports", "port reset <ports:ports>", "Reset a device and set it up again; after stop.", kRestart,
       reset_ports},
      {"ports", "port attach <device>",
       "Add a device by its name and devargs; after stop, modes other than gateway.", kRestart, attach_port},
      {"ports", "port detach <port:port>", "Remove a device; after stop.", kRestart, detach_port},
      {"ports", "port config all rxq|txq|rxd|txd|burst <count:number(1,32768)>",
       "Set queues of every port, descriptors of every queue, or the burst.", kRestart, config_all},
      {"ports", "port config mtu <port:port> <bytes:number(1,65535)>", "Set the MTU of a port.", kRestart,
       config_mtu},
      {"ports", "port config all rss <types>",
       "Set what devices hash for their RX queues: all, ip, udp, tcp, none and others.", kLive, config_rss},
      {"ports", "port config <port:port> rss reta <entries>",
       "Set RX queues of RETA entries: (ENTRY,QUEUE)[,...].", kLive, config_reta},
      {"ports", "set port <port:port> rxq <queue:number(0,65535)> avail_thresh <percent:number(0,99)>",
       "Let the driver tell when so few RX descriptors are free.", kLive, set_threshold},
  };
}

}  // namespace console
