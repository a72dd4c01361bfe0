// SPDX-License-Identifier: BSD-3-Clause
// Workers of one run and what they counted; see run.h. Control thread.
#include "control/run.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace control {
namespace {

void add_order(const OrderReport& from, OrderReport& to) {
  to.packets += from.packets;
  to.flows += from.flows;
  to.reordered += from.reordered;
  to.repeated += from.repeated;
  to.evicted += from.evicted;
  to.farthest = std::max(to.farthest, from.farthest);
}

OrderReport order_of(const core::ReorderCounters& counters) {
  return {counters.packets.read(),  counters.flows.read(),   counters.reordered.read(),
          counters.repeated.read(), counters.evicted.read(), counters.farthest.read()};
}

}  // namespace

QueueReport RunTotals::OfPort::sent() const {
  QueueReport sum;
  for (const QueueReport& queue : queues) {
    sum.packets += queue.packets;
    sum.bytes += queue.bytes;
    sum.dropped += queue.dropped;
  }
  return sum;
}

void RunTotals::add(const RunTotals& other) {
  for (const auto& [device, from] : other.ports) {
    OfPort& to = ports[device];
    to.ingress += from.ingress;
    to.queues.resize(std::max(to.queues.size(), from.queues.size()));
    for (size_t q = 0; q < from.queues.size(); ++q) {
      to.queues[q].packets += from.queues[q].packets;
      to.queues[q].bytes += from.queues[q].bytes;
      to.queues[q].dropped += from.queues[q].dropped;
    }
  }
  for (const auto& [name, from] : other.groups) {
    groups[name].flows.merge(from.flows);
    add_order(from.order, groups[name].order);
  }
  for (const auto& [lcore, from] : other.lcores) {
    OfLcore& to = lcores[lcore];
    to.busy_s += from.busy_s;
    to.total_s += from.total_s;
    to.worst_round_us = std::max(to.worst_round_us, from.worst_round_us);
  }
  publications += other.publications;
  longest_publication_ns = std::max(longest_publication_ns, other.longest_publication_ns);
}

Run::Run(const core::Settings& settings, const Devices& devices, const std::vector<unsigned>& lcores_,
         core::Layout layout_, unsigned tx_first_bursts)
    : lcores(lcores_),
      layout(std::move(layout_)),
      flowgen(settings.flowgen),
      plane(std::make_unique<path::Plane>(
          std::make_unique<core::Plan>(core::make_plan(settings, devices.facts(), layout)))) {
  publisher.emplace(devices.facts(), layout, *plane);
  std::vector<rte_mempool*> pool_of_port;
  for (size_t port = 0; port < devices.facts().size(); ++port) pool_of_port.push_back(devices.pool_of(port));
  const core::EngineSettings& engine = settings.engine;
  const path::IdlePolicy idle{engine.idle == core::Idle::sleep, engine.idle_rounds, engine.idle_sleep_us};
  for (unsigned w = 0; w < lcores.size(); ++w) {
    workers.push_back(std::make_unique<path::Worker>(
        path::WorkerSetup{*plane, w, path::sources_of(layout, devices.facts(), w), idle, flowgen,
                          pool_of_port, tx_first_bursts}));
  }
}

void Run::start() {
  std::vector<std::function<void()>> bodies;
  for (const auto& worker : workers) bodies.push_back([this, &worker] { worker->run(stop_); });
  running_.start(lcores, std::move(bodies));
  started = true;
}

void Run::stop() {
  if (!started || stopped) return;
  stop_.store(true, std::memory_order_release);  // behind what was posted
  running_.join();
  stopped = true;
}

core::IngressTotals Run::ingress(uint16_t port) const {
  core::IngressTotals totals;
  for (const auto& worker : workers) totals += worker->ingress(port);
  return totals;
}

QueueReport Run::sent_by(uint16_t exit) const {
  QueueReport queue;
  for (const auto& worker : workers) {
    queue.packets += worker->exit(exit).packets.read();
    queue.bytes += worker->exit(exit).bytes.read();
    queue.dropped += worker->exit(exit).dropped.read();
  }
  return queue;
}

RunTotals Run::totals() const {
  RunTotals totals;
  for (uint16_t index = 0; index < plan().ports.size(); ++index) {
    const core::PortPlan& port = plan().ports[index];
    RunTotals::OfPort& of_port = totals.ports[port.device];
    of_port.ingress = ingress(index);
    for (uint16_t q = 0; q < port.queues_per_nic; ++q) {
      of_port.queues.push_back(sent_by(static_cast<uint16_t>(port.first_exit + q)));
    }
  }
  for (size_t group = 0; group < plan().groups.size(); ++group) {
    RunTotals::OfGroup& of_group = totals.groups[plan().groups[group].name];
    for (const auto& worker : workers) {
      of_group.flows.merge(worker->flows(group));
      const core::ReorderCounters* order = worker->reordering(group);
      if (order != nullptr) add_order(order_of(*order), of_group.order);
    }
  }
  const auto hz = static_cast<double>(glue::tsc_hz());
  for (size_t w = 0; w < workers.size(); ++w) {
    const core::LoopCounters& loop = workers[w]->loop();
    totals.lcores[lcores[w]] = {static_cast<double>(loop.busy_tsc.read()) / hz,
                                static_cast<double>(loop.total_tsc.read()) / hz,
                                static_cast<double>(loop.worst_round_tsc.read()) / hz * 1e6};
  }
  totals.publications = publisher->publications();
  totals.longest_publication_ns = publisher->longest_ns();
  return totals;
}

}  // namespace control
