// SPDX-License-Identifier: BSD-3-Clause
// testpmd's texts of forwarding; see forward_text.h.
#include "console/forward_text.h"

#include <string_view>

#include "console/port_text.h"
#include "console/statistics_text.h"
#include "pmd_glue/lcores.h"

namespace console {
namespace {

control::PortReport since(const control::PortReport& now, const control::PortReport* from) {
  control::PortReport port = now;
  if (from == nullptr) return port;
  port.rx_packets -= from->rx_packets;
  port.tx_packets -= from->tx_packets;
  port.tx_dropped -= from->tx_dropped;
  port.driver = now.driver - from->driver;
  return port;
}

std::string socket_of(const core::PortFacts& port) {
  return "(socket " + std::to_string(port.numa_node) + ")";
}

// testpmd's peer of a port that was given none.
std::string peer_text(const core::PortPlan& port) {
  return mac_text(port.next_hop.value_or(core::MacAddress{2, 0, 0, 0, 0, static_cast<uint8_t>(port.port)}));
}

// Where packets of an RX queue go.
std::string destination(const control::Engine& engine, uint16_t port, uint16_t queue) {
  const core::Plan& plan = engine.plan();
  switch (plan.mode) {
    case core::Mode::gateway: {
      const auto target = plan.groups[plan.ports[port].group].routes.constant();
      const bool known = target && *target != core::kNoGroup;
      return "group " + (known ? plan.groups[*target].name : std::string("by route")) + " by hash";
    }
    case core::Mode::rxonly:
    case core::Mode::txonly:
    case core::Mode::flowgen:
      return "dropped (rx_only)";
    default: {
      const core::PortPlan& to = plan.ports[plan.ports[port].paired];
      return "TX P=" + std::to_string(to.port) + "/Q=" + std::to_string(queue % to.queues_per_nic) + " " +
             socket_of(engine.devices().facts()[plan.ports[port].paired]) + " peer=" + peer_text(to);
    }
  }
}

}  // namespace

std::string forwarding_text(const control::Engine& engine) {
  const core::Plan& plan = engine.plan();
  const core::Layout& layout = engine.run().layout;
  size_t streams = 0;
  for (size_t port = 0; port < layout.ports.size(); ++port) {
    if (plan.ports[port].enabled) streams += layout.ports[port].rx_queues;
  }
  std::string text = std::string(core::name_of(plan.mode)) +
                     " packet forwarding - ports=" + std::to_string(plan.ports.size()) +
                     " - cores=" + std::to_string(engine.lcores().size()) +
                     " - streams=" + std::to_string(streams) +
                     " - NUMA support enabled, MP allocation mode: native\n";
  for (size_t worker = 0; worker < engine.run().lcores.size(); ++worker) {
    std::string queues;
    size_t count = 0;
    for (uint16_t port = 0; port < layout.ports.size(); ++port) {
      for (uint16_t queue = 0; queue < layout.ports[port].rx_queues; ++queue) {
        if (!plan.ports[port].enabled || layout.ports[port].rx_queue_worker[queue] != worker) continue;
        ++count;
        queues += "  RX P=" + std::to_string(plan.ports[port].port) + "/Q=" + std::to_string(queue) + " " +
                  socket_of(engine.devices().facts()[port]) + " -> " + destination(engine, port, queue) +
                  "\n";
      }
    }
    text += "Logical Core " + std::to_string(engine.run().lcores[worker]) +
            " (socket 0) forwards packets on " + std::to_string(count) + " streams:\n" + queues;
  }
  if (plan.mode == core::Mode::gateway) {
    text += "Burst kernels: " + std::string(core::name_of(plan.simd)) + ", " +
            std::to_string(core::bits_of(plan.simd) / 32) + " packets at once\n";
  }
  return text + "\n";
}

std::string queues_text(const control::Engine& engine) {
  const core::Plan& plan = engine.plan();
  std::string text = "  " + std::string(core::name_of(plan.mode)) +
                     " packet forwarding packets/burst=" + std::to_string(plan.burst) +
                     "\n  nb forwarding cores=" + std::to_string(engine.lcores().size()) +
                     " - nb forwarding ports=" + std::to_string(plan.ports.size()) + "\n";
  for (const core::PortPlan& port : plan.ports) {
    const size_t index = static_cast<size_t>(&port - plan.ports.data());
    const glue::PortShape& shape = engine.devices().ports()[index].shape();
    text += "  port " + std::to_string(port.port) + ": RX queue number: " + std::to_string(shape.rx_queues) +
            " Tx queue number: " + std::to_string(shape.tx_queues) +
            "\n    RX desc=" + std::to_string(shape.rx_descriptors) +
            " TX desc=" + std::to_string(shape.tx_descriptors) + " MTU=" + std::to_string(shape.mtu) + "\n";
  }
  return text;
}

std::string lcores_text(const control::Engine& engine) {
  std::string text = "List of forwarding lcores:";
  for (const unsigned lcore : engine.lcores()) text += "  " + std::to_string(lcore);
  return text + "\n";
}

std::string cycles_line(const control::Run& run) {
  uint64_t clocks = 0, packets = 0;
  for (const auto& worker : run.workers) {
    const core::StepTable& steps = worker->steps();
    for (size_t step = 0; step < core::kSteps; ++step) {
      if (static_cast<core::Step>(step) != core::Step::poll) clocks += steps[step].tsc.read();
    }
    packets += steps[static_cast<size_t>(core::Step::receive)].packets.read();
  }
  return cycles_text(clocks, packets, core::name_of(run.plan().mode), glue::tsc_hz());
}

std::string forward_statistics(const control::Report& now, const control::Report& from) {
  std::vector<ForwardStatistics> ports;
  for (size_t index = 0; index < now.ports.size(); ++index) {
    const control::PortReport* start = nullptr;
    for (const control::PortReport& candidate : from.ports) {
      if (candidate.device == now.ports[index].device) start = &candidate;
    }
    const control::PortReport port = since(now.ports[index], start);
    ports.push_back({.port = port.id,
                     .rx_packets = port.rx_packets,
                     .rx_dropped = port.driver.rx_missed,
                     .rx_errors = port.driver.rx_errors,
                     .rx_nombuf = port.driver.rx_nombuf,
                     .tx_packets = port.tx_packets,
                     .tx_dropped = port.tx_dropped});
  }
  return forward_statistics_text(ports);
}

}  // namespace console
