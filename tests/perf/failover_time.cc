// SPDX-License-Identifier: BSD-3-Clause
// How long a lost link takes until workers have the table without it: by default 1,000 events, on one CPU
// that the control thread shares with a worker that always has packets. Two figures: from the verdict to the
// published plan, and from the link's change to that plan (a tick of 1 ms included). A benchmark, not a test:
// docs/numbers.md.
//   failover_time configs/flows.pcap NICS QUEUES [EVENTS]
#include <rte_ethdev.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "control/engine.h"
#include "pmd_glue/eal.h"
#include "pmd_glue/eal_plan.h"
#include "pmd_glue/host.h"

namespace {

core::Settings settings_of(unsigned nics, uint16_t queues) {
  core::Settings settings;
  settings.distribution.queues_per_nic = queues;
  settings.engine.hold_packets = 16;
  settings.failover.hold_down_ms = 0;
  settings.ports.resize(1 + nics);
  settings.ports[0].device = "net_pcap0";
  settings.ports[0].group = "access";
  for (unsigned nic = 0; nic < nics; ++nic) {
    core::PortSettings& port = settings.ports[1 + nic];
    port.device = "net_ring" + std::to_string(nic);
    port.group = "uplink";
    port.rx_queues = queues;  // what was sent comes back and is taken out of the ring
    port.rx_descriptors = port.tx_descriptors = 32;
  }
  return settings;
}

double at(std::vector<double>& sorted, double part) {
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void tell(const char* what, std::vector<double>& ms) {
  std::sort(ms.begin(), ms.end());
  std::printf("  %-28s median %6.3f ms, 99th percentile %6.3f ms, longest %6.3f ms\n", what, at(ms, 0.5),
              at(ms, 0.99), ms.back());
}

void measure(const glue::Eal& eal, unsigned nics, uint16_t queues, unsigned events) {
  control::Engine engine(settings_of(nics, queues), eal, 0);
  engine.start();
  std::vector<double> from_verdict, from_link;
  const timespec tick{
      0, 1'000'000};  // the supervisor's: it sleeps between ticks, and so its delay is measured, too
  for (unsigned event = 0; event < events; ++event) {
    const unsigned nic = event / 2 % nics;
    uint16_t port = 0;
    rte_eth_dev_get_port_by_name(("net_ring" + std::to_string(nic)).c_str(), &port);
    const uint64_t changed_ns = control::now_ns();
    event % 2 == 0 ? rte_eth_dev_set_link_down(port) : rte_eth_dev_set_link_up(port);
    std::vector<control::Event> told;
    while (told.empty()) {
      nanosleep(&tick, nullptr);
      engine.tick();
      told = engine.take_events();
    }
    from_link.push_back(static_cast<double>(control::now_ns() - changed_ns) / 1e6);
    for (const auto& [name, value] : told.front().fields) {
      if (name == "took_ms") from_verdict.push_back(std::strtod(value.c_str(), nullptr));
    }
    // The next event comes when publications are not paced any more: a storm of events is merged, by design.
    const uint64_t next_ns = control::now_ns() + 2 * core::PublicationPacer::kIntervalNs;
    while (!engine.settled() || control::now_ns() < next_ns) {
      nanosleep(&tick, nullptr);
      engine.tick();
    }
  }
  engine.stop();
  std::printf("%u NICs x %u queues, %u events, %llu packets sent meanwhile\n", nics, queues, events,
              static_cast<unsigned long long>(engine.report().ledger().sent));
  tell("verdict to published plan:", from_verdict);
  tell("link to published plan:", from_link);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at) { return at < argc ? std::atoi(argv[at]) : 0; };
  const int nics = argument(2), queues = argument(3), events = argc > 4 ? argument(4) : 1000;
  if (argc > 5 || nics < 2 || nics > 31 || queues < 1 || queues > static_cast<int>(core::kMaxQueuesPerNic) ||
      events < 1) {
    std::fprintf(stderr, "usage: failover_time CAPTURE NICS QUEUES [EVENTS]; NICS 2 to 31, QUEUES 1 to %u\n",
                 core::kMaxQueuesPerNic);
    return 2;
  }
  const glue::HostFacts host = glue::look_at_host();
  const unsigned cpu = host.cpus.back();
  glue::EalRequest request;
  request.name = "roceway-failover-time-" + std::to_string(getpid());
  request.command_args = {"--lcores", "0@" + std::to_string(cpu) + ",1@" + std::to_string(cpu),
                          "--no-pci", "--no-huge",
                          "-m",       "1024",
                          "--vdev",   std::string("net_pcap0,infinite_rx=1,rx_pcap=") + argv[1]};
  for (int nic = 0; nic < nics; ++nic) {
    request.command_args.insert(request.command_args.end(), {"--vdev", "net_ring" + std::to_string(nic)});
  }
  try {
    const glue::EalPlan plan = glue::plan_eal(request, host);
    glue::remove_leftovers_now_and_at_exit(plan);
    const glue::Eal eal(plan);
    measure(eal, static_cast<unsigned>(nics), static_cast<uint16_t>(queues), static_cast<unsigned>(events));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "failover_time: %s\n", error.what());
    return 1;
  }
  return 0;
}
