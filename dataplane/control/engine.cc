// SPDX-License-Identifier: BSD-3-Clause
// Builds, runs and ends the data plane; see engine.h. Main thread.
#include "control/engine.h"

#include <algorithm>
#include <utility>

#include "control/describe.h"
#include "control/words.h"
#include "core/neighbor.h"
#include "path/neighbors.h"
#include "pmd_glue/captures.h"

namespace control {
namespace {

std::vector<unsigned> choose_lcores(std::vector<unsigned> lcores, unsigned nb_cores) {
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

}  // namespace

UnsuitedSettings::UnsuitedSettings(std::vector<core::Problem> found)
    : StartError(core::in_lines(found)), problems(std::move(found)) {}

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
      all_lcores_(eal.worker_lcores()),
      lcores_(choose_lcores(all_lcores_, nb_cores)),
      most_simd_bits_(eal.most_simd_bits()),
      devices_(settings_, eal),
      made_at_(std::chrono::steady_clock::now()) {
  prepare(settings_, lcores_);
}

Engine::~Engine() {
  stop();
}

core::Layout Engine::lay_out(const core::Settings& settings, const std::vector<unsigned>& lcores) const {
  core::Layout layout =
      core::lay_out_queues(settings, devices_.facts(), static_cast<unsigned>(lcores.size()));
  if (const auto simd = core::resolve(settings.engine.simd, most_simd_bits_)) {
    layout.simd = *simd;
  } else {
    layout.problems.push_back({"engine.simd", "this CPU does not have " +
                                                  std::string(core::name_of(settings.engine.simd)) +
                                                  "; its widest is " +
                                                  std::string(core::name_of(core::widest())) +
                                                  ", which \"auto\" takes"});
  }
  return layout;
}

void Engine::prepare(const core::Settings& settings, const std::vector<unsigned>& lcores,
                     unsigned tx_first_bursts) {
  core::Layout layout = lay_out(settings, lcores);
  if (!layout.problems.empty()) throw UnsuitedSettings(layout.problems);
  devices_.fit(settings, layout);
  devices_.start(settings);
  auto next = std::make_unique<Run>(settings, devices_, lcores, std::move(layout), tx_first_bursts);
  if (run_ && run_->started) {
    past_.add(run_->totals());
    past_time_ += ended_at_ - begun_at_;
  }
  run_ = std::move(next);
}

void Engine::start(unsigned tx_first_bursts) {
  if (forwarding()) throw glue::StartError("packets are being forwarded already; stop comes first");
  prepare(settings_, lcores_, tx_first_bursts);
  begun_at_ = std::chrono::steady_clock::now();
  told_rounds_us_.clear();
  if (settings_.engine.mode == core::Mode::gateway) {
    run_->monitor.emplace(settings_, devices_.ports(), now_ns());
    for (uint16_t i = 0; i < settings_.ports.size(); ++i) {
      if (run_->monitor->cause(i) != core::DownCause::none && settings_.ports[i].enabled) {
        run_->publisher->note(member_name(i) + " is " + state_word(run_->monitor->cause(i)), kVerdict,
                              now_ns());
      }
    }
    publish();  // before the first packet
  }
  run_->start();
}

void Engine::halt() {
  if (!forwarding()) return;
  reported_at_ = {};
  run_->stop();
  ended_at_ = std::chrono::steady_clock::now();
  for (const uint16_t i : std::exchange(to_pause_, {})) devices_.ports()[i].pause();
}

void Engine::tick() {
  if (!forwarding()) return;
  if (run_->monitor) watch_ports();
  publish();
  pause_ports();
  watch_books();
}

void Engine::watch_ports() {
  const uint64_t now = now_ns();
  std::vector<uint64_t> answers;
  for (uint16_t i = 0; i < settings_.ports.size(); ++i) answers.push_back(run_->ingress(i).answers);
  for (const Monitor::Verdict& verdict : run_->monitor->tick(now, answers)) {
    if (!settings_.ports[verdict.port].enabled) continue;
    run_->publisher->note(member_name(verdict.port) + " is " + state_word(verdict.cause), kVerdict, now);
  }
  probe_next_hops(now);
}

void Engine::probe_next_hops(uint64_t now) {
  for (uint16_t i = 0; i < settings_.ports.size(); ++i) {
    const core::PortSettings& port = settings_.ports[i];
    if (port.liveness != core::Liveness::probe || !port.enabled || !run_->monitor->ask_now(i, now)) continue;
    const core::NeighborFrame question =
        core::make_question({devices_.facts()[i].mac, *port.address}, *port.next_hop_ip);
    rte_mbuf* mbuf = path::packet_of(question, devices_.pool_of(i), devices_.facts()[i].port);
    if (mbuf == nullptr) continue;  // no packet, no answer: an empty pool is a failure like any other
    const uint16_t exit = plan().ports[i].first_exit;
    const unsigned owner =
        settings_.distribution.owner == core::Owner::by_hash ? core::owner_of(exit, run_->layout.workers) : 0;
    if (!run_->workers[owner]->post(mbuf, exit)) rte_pktmbuf_free(mbuf);
  }
}

void Engine::publish() {
  const std::optional<Published> published = run_->publisher->tick(settings_, up());
  if (!published) return;
  buckets_moved_ |= published->moved.buckets > 0;
  happened({.name = "published",
            .text = told(*published),
            .fields = {{"moved", std::to_string(published->moved.buckets)},
                       {"of", std::to_string(published->buckets)},
                       {"needed", std::to_string(published->moved.needed)},
                       {"took_ms", fixed(static_cast<double>(published->took_ns) / 1e6, 3)}}});
}

std::string Engine::told(const Published& published) {
  std::string text = published.what + ": ";
  text += published.buckets == 0 ? std::string("no bucket moved")
                                 : grouped(published.moved.buckets) + " of " + grouped(published.buckets) +
                                       " buckets moved, " + grouped(published.moved.needed) + " had to";
  for (const uint16_t i : std::exchange(resumed_, {})) {
    if (run_->monitor && !run_->monitor->link_up(i))
      text += "; the link of " + member_name(i) + " is down: it takes no bucket yet";
  }
  for (const size_t group : published.emptied) text += "; " + nobody_left(settings_, plan(), group);
  return text + "; published " + fixed(static_cast<double>(published.took_ns) / 1e6, 2) + " ms after " +
         published.since;
}

std::vector<bool> Engine::up() const {
  return run_->monitor ? run_->monitor->up() : std::vector<bool>{};
}

// A port stops when no worker can use it any more: the plan without it is out and taken up.
void Engine::pause_ports() {
  if (to_pause_.empty() || !run_->publisher->settled()) return;
  for (const uint16_t i : to_pause_) {
    devices_.ports()[i].pause();
    happened({.name = "port",
              .text = member_name(i) + " is stopped",
              .fields = {{"device", settings_.ports[i].device}}});
  }
  to_pause_.clear();
}

bool Engine::settled() const {
  return !forwarding() ||
         (run_->publisher->settled() && to_pause_.empty() &&
          std::all_of(run_->workers.begin(), run_->workers.end(),
                      [this](const auto& worker) { return worker->loop().settled_on(plan().generation); }));
}

void Engine::happened(Event event, bool is_change) {
  event.time = std::chrono::system_clock::now();
  event.at_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - made_at_).count();
  if (is_change) recent_events_.push_back({event.at_s, event.text});
  if (recent_events_.size() > kRecentEvents) recent_events_.pop_front();
  events_.push_back(std::move(event));
}

std::vector<Event> Engine::take_events() {
  return std::exchange(events_, {});
}

// Ten times a second: rings and holds that are full, rounds that took long. A port or a worker is told of
// once in ten seconds.
void Engine::watch_books() {
  constexpr uint64_t kEveryNs = 100'000'000, kQuietNs = 10'000'000'000;
  const uint64_t now = now_ns();
  if (now < look_at_books_ns_) return;
  look_at_books_ns_ = now + kEveryNs;
  for (const core::PortPlan& port : plan().ports) {
    uint64_t dropped = 0;
    for (uint16_t q = 0; q < port.queues_per_nic; ++q)
      dropped += run_->sent_by(static_cast<uint16_t>(port.first_exit + q)).dropped;
    Told& told = told_of_ports_[port.device];
    if (dropped < told.dropped) told.dropped = 0;  // another run
    if (dropped == told.dropped || now < told.until_ns) continue;
    happened({.name = "limit",
              .text = port.device + " is full: its ring refuses packets and the hold limit is reached",
              .fields = {{"device", port.device}, {"dropped", std::to_string(dropped - told.dropped)}}},
             false);
    told = {dropped, now + kQuietNs};
  }
  told_rounds_us_.resize(run_->workers.size());
  for (size_t w = 0; w < run_->workers.size(); ++w) {
    const uint64_t longest_us = run_->workers[w]->loop().worst_round_tsc.read() * 1'000'000 / glue::tsc_hz();
    if (settings_.log.slow_round_us == 0 ||
        longest_us <= std::max<uint64_t>(settings_.log.slow_round_us, told_rounds_us_[w]))
      continue;
    told_rounds_us_[w] = longest_us;
    happened({.name = "slow_round",
              .text = "lcore " + std::to_string(run_->lcores[w]) + " took long for a round",
              .fields = {{"lcore", std::to_string(run_->lcores[w])}, {"us", std::to_string(longest_us)}}},
             false);
  }
}

std::string Engine::member_name(uint16_t port) const {
  return settings_.ports[port].device +
         (settings_.ports[port].group.empty() ? "" : " of " + settings_.ports[port].group);
}

void Engine::stop() {
  if (stopped_) return;
  for (const glue::Port& port : devices_.ports()) last_link_.push_back(port.link());
  halt();
  const RunTotals sent = totals();
  for (uint16_t index = 0; index < devices_.ports().size(); ++index) {
    glue::Port& port = devices_.ports()[index];
    const auto of_port = sent.ports.find(settings_.ports[index].device);
    port.stop(of_port == sent.ports.end() ? 0 : of_port->second.sent().packets);
    last_counted_.push_back(port.counted());
  }
  devices_.close();
  mbufs_ = devices_.mbufs();
  mbufs_back_ = devices_.mbufs_back();
  stopped_ = true;
}

std::vector<std::string> Engine::describe() const {
  return control::describe(settings_, devices_.facts(), run_->layout, devices_.needs(), plan(), lcores_);
}

}  // namespace control
