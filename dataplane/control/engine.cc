// SPDX-License-Identifier: BSD-3-Clause
// Builds, runs and ends the data plane; see engine.h. Main thread.
#include "control/engine.h"

#include <algorithm>
#include <utility>

#include "control/describe.h"
#include "control/words.h"
#include "core/neighbor.h"
#include "pmd_glue/captures.h"

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

constexpr size_t kRecentEvents = 256;
constexpr const char* kVerdict = "the verdict";

std::string in_lines(const std::vector<core::Problem>& problems) {
  std::string text;
  for (const core::Problem& problem : problems) text += (text.empty() ? "" : "\n") + core::text_of(problem);
  return text;
}

}  // namespace

UnsuitedSettings::UnsuitedSettings(std::vector<core::Problem> found)
    : StartError(in_lines(found)), problems(std::move(found)) {}

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
  layout_ = core::lay_out_queues(settings_, facts_, static_cast<unsigned>(lcores_.size()));
  if (!layout_.problems.empty()) throw UnsuitedSettings(layout_.problems);
  needs_ = core::pool_needs(settings_, facts_, layout_);
  pools_ = std::make_unique<glue::Pools>(needs_, settings_.engine.mbuf_bytes);
  for (size_t i = 0; i < facts_.size(); ++i) {
    ports_.emplace_back(facts_[i], settings_.ports[i], layout_.ports[i],
                        pools_->on_node(facts_[i].numa_node));
  }
  plane_ = std::make_unique<path::Plane>(
      std::make_unique<core::Plan>(core::make_plan(settings_, facts_, layout_)));
  publisher_.emplace(facts_, layout_, *plane_);
  make_workers();
}

void Engine::make_workers() {
  std::vector<rte_mempool*> pool_of_port;
  for (const core::PortFacts& facts : facts_) pool_of_port.push_back(pools_->on_node(facts.numa_node));
  const core::EngineSettings& engine = settings_.engine;
  for (unsigned w = 0; w < lcores_.size(); ++w) {
    workers_.push_back(std::make_unique<path::Worker>(
        path::WorkerSetup{*plane_,
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
  for (uint16_t i = 0; i < ports_.size(); ++i) {
    if (!settings_.ports[i].enabled) ports_[i].pause();
  }
  started_at_ = std::chrono::steady_clock::now();
  if (settings_.engine.mode == core::Mode::gateway) {
    monitor_.emplace(settings_, ports_, now_ns());
    for (uint16_t i = 0; i < ports_.size(); ++i) {
      if (monitor_->cause(i) != core::DownCause::none && settings_.ports[i].enabled) {
        publisher_->note(member_name(i) + " is " + state_word(monitor_->cause(i)), kVerdict, now_ns());
      }
    }
    publish();  // before the first packet
  }
  std::vector<std::function<void()>> bodies;
  for (const auto& worker : workers_) bodies.push_back([this, &worker] { worker->run(stop_); });
  running_.start(lcores_, std::move(bodies));
}

void Engine::tick() {
  if (monitor_) watch_ports();
  publish();
  pause_ports();
}

void Engine::watch_ports() {
  const uint64_t now = now_ns();
  std::vector<uint64_t> answers;
  for (uint16_t i = 0; i < ports_.size(); ++i) answers.push_back(totals_of_port(i).answers);
  for (const Monitor::Verdict& verdict : monitor_->tick(now, answers)) {
    if (!settings_.ports[verdict.port].enabled) continue;
    publisher_->note(member_name(verdict.port) + " is " + state_word(verdict.cause), kVerdict, now);
  }
  probe_next_hops(now);
}

void Engine::probe_next_hops(uint64_t now) {
  for (uint16_t i = 0; i < ports_.size(); ++i) {
    const core::PortSettings& port = settings_.ports[i];
    if (port.liveness != core::Liveness::probe || !port.enabled || !monitor_->ask_now(i, now)) continue;
    const core::NeighborFrame question =
        core::make_question({facts_[i].mac, *port.address}, *port.next_hop_ip);
    rte_mbuf* mbuf = path::packet_of(question, pools_->on_node(facts_[i].numa_node), facts_[i].port);
    if (mbuf == nullptr) continue;  // no packet, no answer: an empty pool is a failure like any other
    const uint16_t exit = plan().ports[i].first_exit;
    const unsigned owner =
        settings_.distribution.owner == core::Owner::by_hash ? core::owner_of(exit, layout_.workers) : 0;
    if (!workers_[owner]->post(mbuf, exit)) rte_pktmbuf_free(mbuf);
  }
}

void Engine::publish() {
  const std::optional<Published> published =
      publisher_->tick(settings_, monitor_ ? monitor_->up() : std::vector<bool>{});
  if (!published) return;
  buckets_moved_ |= published->moved.buckets > 0;
  happened(told(*published));
}

std::string Engine::told(const Published& published) {
  std::string text = published.what + ": ";
  text += published.buckets == 0 ? std::string("no bucket moved")
                                 : grouped(published.moved.buckets) + " of " + grouped(published.buckets) +
                                       " buckets moved, " + grouped(published.moved.needed) + " had to";
  for (const uint16_t i : std::exchange(resumed_, {})) {
    if (monitor_ && !monitor_->link_up(i))
      text += "; the link of " + member_name(i) + " is down: it takes no bucket yet";
  }
  for (const size_t group : published.emptied) text += "; " + nobody_left(settings_, plan(), group);
  return text + "; published " + fixed(static_cast<double>(published.took_ns) / 1e6, 2) + " ms after " +
         published.since;
}

// A port stops when no worker can use it any more: the plan without it is out and taken up.
void Engine::pause_ports() {
  if (to_pause_.empty() || !publisher_->settled()) return;
  for (const uint16_t i : to_pause_) {
    ports_[i].pause();
    happened(member_name(i) + " is stopped");
  }
  to_pause_.clear();
}

void Engine::apply(core::Settings next, const std::string& what) {
  for (uint16_t i = 0; i < ports_.size(); ++i) {
    if (settings_.ports[i].enabled && !next.ports[i].enabled) {
      to_pause_.push_back(i);
      std::erase(resumed_, i);
    }
    if (settings_.ports[i].enabled || !next.ports[i].enabled) continue;
    std::erase(to_pause_, i);
    if (const auto refused = ports_[i].resume()) {
      happened(member_name(i) + " cannot be started: " + *refused);
      next.ports[i].enabled = false;
    } else {
      resumed_.push_back(i);
    }
  }
  settings_ = std::move(next);
  if (monitor_) monitor_->set_policies(settings_);
  publisher_->note(what, "the file was read", now_ns());
}

bool Engine::settled() const {
  return publisher_->settled() && to_pause_.empty() &&
         std::all_of(workers_.begin(), workers_.end(),
                     [this](const auto& worker) { return worker->loop().settled_on(plan().generation); });
}

void Engine::happened(const std::string& text) {
  const double at_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_at_).count();
  event_lines_.push_back(padded(fixed(at_s, 6), 12) + " s  " + text);
  recent_events_.push_back({at_s, text});
  if (recent_events_.size() > kRecentEvents) recent_events_.pop_front();
}

std::vector<std::string> Engine::take_event_lines() {
  return std::exchange(event_lines_, {});
}

std::string Engine::member_name(uint16_t port) const {
  return settings_.ports[port].device +
         (settings_.ports[port].group.empty() ? "" : " of " + settings_.ports[port].group);
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
  return control::describe(settings_, facts_, layout_, needs_, plan(), lcores_);
}

}  // namespace control
