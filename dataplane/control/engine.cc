// SPDX-License-Identifier: BSD-3-Clause
// Builds, runs and ends the data plane; see engine.h. Main thread.
#include "control/engine.h"

#include <algorithm>
#include <utility>

#include "control/describe.h"
#include "core/fairness.h"
#include "pmd_glue/captures.h"
#include "pmd_glue/start_error.h"

namespace control {
namespace {

std::vector<core::PortFacts> find_ports(const core::Settings& settings, const glue::Eal& eal) {
  std::vector<core::PortFacts> facts;
  for (const core::PortSettings& port : settings.ports) {
    facts.push_back(glue::port_facts(port.device, eal.log_about(port.device)));
  }
  return facts;
}

std::vector<unsigned> choose_lcores(const glue::Eal& eal, unsigned nb_cores) {
  std::vector<unsigned> lcores = eal.worker_lcores();
  if (lcores.empty()) {
    throw glue::StartError("EAL has no worker lcore beside the main one; give it two, as in -l 0,1");
  }
  if (nb_cores > lcores.size()) {
    throw glue::StartError("--nb-cores " + std::to_string(nb_cores) + ": EAL has " +
                           std::to_string(lcores.size()) +
                           " worker lcore(s); give it more with -l, or lower the number");
  }
  if (nb_cores > 0) lcores.resize(nb_cores);
  return lcores;
}

[[noreturn]] void refuse(const std::vector<core::Problem>& problems) {
  std::string text;
  for (const core::Problem& problem : problems)
    text += (text.empty() ? "" : "\n") + problem.where + ": " + problem.what;
  throw glue::StartError(text);
}

}  // namespace

void take_all_devices(core::Settings& settings, const std::vector<std::string>& eal_args,
                      const glue::Eal& eal) {
  for (const std::string& device : glue::devices_asked_for(eal_args)) {
    glue::port_facts(device, eal.log_about(device));
  }
  for (const std::string& device : glue::list_devices()) settings.ports.emplace_back().device = device;
  if (settings.ports.empty()) {
    throw glue::StartError("there is no port; name devices by --vdev or -a before --, or use --config FILE");
  }
}

uint64_t pool_mbufs_at_most(const core::Settings& settings, const std::vector<std::string>& eal_args,
                            unsigned workers) {
  // Devices are taken to have every queue that is asked for; without [[port]], eight ports.
  core::Settings assumed = settings;
  if (assumed.ports.empty()) assumed.ports.resize(8);
  std::vector<core::PortFacts> facts(assumed.ports.size());
  for (core::PortFacts& port : facts) port.max_rx_queues = port.max_tx_queues = UINT16_MAX;
  facts.front().preloaded_mbufs = glue::preloaded_packets(eal_args);
  const core::Layout layout = core::lay_out_queues(assumed, facts, workers);
  return core::pool_needs(assumed, facts, layout).front().mbufs();
}

Engine::Engine(core::Settings settings, const glue::Eal& eal, unsigned nb_cores)
    : settings_(std::move(settings)),
      lcores_(choose_lcores(eal, nb_cores)),
      facts_(find_ports(settings_, eal)) {
  const auto workers = static_cast<unsigned>(lcores_.size());
  layout_ = core::lay_out_queues(settings_, facts_, workers);
  if (!layout_.problems.empty()) refuse(layout_.problems);
  needs_ = core::pool_needs(settings_, facts_, layout_);
  pools_ = std::make_unique<glue::Pools>(needs_, settings_.engine.mbuf_bytes);
  for (size_t i = 0; i < facts_.size(); ++i) {
    ports_.emplace_back(facts_[i], settings_.ports[i], layout_.ports[i], workers,
                        pools_->on_node(facts_[i].numa_node));
  }
  plan_ = core::make_plan(settings_, facts_, layout_);

  std::vector<rte_mempool*> pool_of_port;
  for (const core::PortFacts& facts : facts_) pool_of_port.push_back(pools_->on_node(facts.numa_node));
  const core::EngineSettings& engine = settings_.engine;
  for (unsigned w = 0; w < workers; ++w) {
    workers_.push_back(std::make_unique<path::Worker>(
        path::WorkerSetup{plan_,
                          w,
                          path::sources_of(layout_, facts_, w),
                          {engine.idle == core::Idle::sleep, engine.idle_rounds, engine.idle_sleep_us},
                          settings_.flowgen,
                          pool_of_port}));
  }
}

Engine::~Engine() {
  stop();
}

void Engine::start() {
  for (glue::Port& port : ports_) port.start();  // all of them before the first poll
  std::vector<std::function<void()>> bodies;
  for (const auto& worker : workers_) bodies.push_back([this, &worker] { worker->run(stop_); });
  started_at_ = std::chrono::steady_clock::now();
  running_.start(lcores_, std::move(bodies));
}

void Engine::stop() {
  if (stopped_) return;
  for (const glue::Port& port : ports_) last_link_.push_back(port.link());
  stop_.store(true, std::memory_order_relaxed);
  running_.join();
  stopped_at_ = std::chrono::steady_clock::now();
  for (uint16_t index = 0; index < ports_.size(); ++index) {
    ports_[index].stop(port_report(index).tx_packets);
    last_counted_.push_back(ports_[index].counted());
  }
  ports_.clear();  // closes them: rings give their mbufs back
  mbufs_back_ = pools_->available();
  stopped_ = true;
}

std::vector<std::string> Engine::describe() const {
  return control::describe(settings_, facts_, layout_, needs_, plan_, lcores_);
}

core::IngressTotals Engine::totals_of_port(uint16_t index) const {
  core::IngressTotals totals;
  for (const auto& worker : workers_) totals += worker->ingress(index);
  return totals;
}

Engine::Activity Engine::activity() const {
  // Only what is counted as done: workers go on while this adds up, and a difference of two counters would
  // flicker.
  constexpr auto kMacControl = static_cast<size_t>(core::DropReason::mac_control);
  constexpr auto kLinkLocal = static_cast<size_t>(core::DropReason::link_local);
  Activity activity;
  for (uint16_t index = 0; index < plan_.ports.size(); ++index) {
    const core::IngressTotals totals = totals_of_port(index);
    activity.held += totals.held;
    activity.data_packets += totals.sent;
    for (size_t reason = 0; reason < core::kDropReasons; ++reason) {
      if (reason != kMacControl && reason != kLinkLocal) activity.data_packets += totals.dropped[reason];
    }
  }
  return activity;
}

QueueReport Engine::sent_by(uint16_t exit) const {
  QueueReport queue;
  for (const auto& worker : workers_) {
    queue.packets += worker->exit(exit).packets.read();
    queue.bytes += worker->exit(exit).bytes.read();
  }
  return queue;
}

PortReport Engine::port_report(uint16_t index) const {
  const core::PortPlan& plan = plan_.ports[index];
  PortReport port;
  port.device = plan.device;
  port.group = plan.group;
  port.from_here = totals_of_port(index);
  port.rx_packets = port.from_here.rx_packets;
  port.rx_bytes = port.from_here.rx_bytes;
  for (uint16_t q = 0; q < plan.queues_per_nic; ++q) {
    const QueueReport queue = sent_by(static_cast<uint16_t>(plan.first_exit + q));
    port.tx_packets += queue.packets;
    port.tx_bytes += queue.bytes;
  }
  port.driver = stopped_ ? last_counted_[index] : ports_[index].counted();
  const glue::LinkState link = stopped_ ? last_link_[index] : ports_[index].link();
  port.link_up = link.up;
  port.speed_bps = plan.speed_bps ? plan.speed_bps : link.speed_bps;
  return port;
}

MemberReport Engine::member_report(uint16_t index, bool link_up) const {
  const core::PortPlan& plan = plan_.ports[index];
  MemberReport member{plan.device, plan.group, link_up, settings_.ports[index].weight, 0, 0, {}};
  for (uint16_t q = 0; q < plan.queues_per_nic; ++q) {
    const QueueReport queue = sent_by(static_cast<uint16_t>(plan.first_exit + q));
    member.packets += queue.packets;
    member.bytes += queue.bytes;
    member.queues.push_back(queue);
  }
  return member;
}

GroupReport Engine::group_report(size_t group, const std::vector<MemberReport>& members) const {
  GroupReport report;
  report.group = plan_.groups[group].name;
  std::vector<uint64_t> loads;
  std::vector<double> shares;
  for (const MemberReport& member : members) {
    if (member.group != report.group) continue;
    report.packets += member.packets;
    for (const QueueReport& queue : member.queues) {
      loads.push_back(queue.packets);
      shares.push_back(member.weight);
    }
  }
  const double shares_max = *std::max_element(shares.begin(), shares.end());
  core::FlowMeter flows;
  for (const auto& worker : workers_) flows.merge(worker->flows(group));
  report.flows = flows.estimate();
  report.queues =
      static_cast<uint32_t>(std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0; }));
  report.equal_shares =
      std::all_of(shares.begin(), shares.end(), [&](double s) { return s == 0 || s == shares_max; });
  report.fairness = core::fairness_of(loads, shares);
  return report;
}

Report Engine::report() const {
  Report report;
  report.mode = core::name_of(plan_.mode);
  const auto now = stopped_ ? stopped_at_ : std::chrono::steady_clock::now();
  report.seconds = std::chrono::duration<double>(now - started_at_).count();
  for (uint16_t index = 0; index < plan_.ports.size(); ++index) report.ports.push_back(port_report(index));
  if (plan_.mode == core::Mode::gateway) {
    for (uint16_t index = 0; index < plan_.ports.size(); ++index) {
      report.members.push_back(member_report(index, report.ports[index].link_up));
    }
  }
  for (size_t g = 0; g < plan_.groups.size(); ++g) {
    report.groups.push_back(group_report(g, report.members));
    report.moved.buckets += plan_.groups[g].moved.buckets;
    report.moved.needed += plan_.groups[g].moved.needed;
  }
  const auto hz = static_cast<double>(glue::tsc_hz());
  for (size_t w = 0; w < workers_.size(); ++w) {
    const core::LoopCounters& loop = workers_[w]->loop();
    const auto total = static_cast<double>(std::max<uint64_t>(loop.total_tsc.read(), 1));
    report.lcores.push_back({lcores_[w], static_cast<double>(loop.busy_tsc.read()) / total,
                             static_cast<double>(loop.worst_round_tsc.read()) / hz * 1e6});
  }
  report.final = stopped_;
  report.pool_mbufs = pools_->size();
  report.pool_back = mbufs_back_;
  return report;
}

}  // namespace control
