// SPDX-License-Identifier: BSD-3-Clause
// Puts the running data plane together, keeps it going and takes it apart: devices, queues, pools, plans,
// workers. Built after EAL has started; every step that fails throws glue::StartError and leaves nothing
// running. Main thread (the control thread) only; reading counters while workers run is allowed at any
// moment.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/monitor.h"
#include "control/publisher.h"
#include "control/report.h"
#include "core/plan.h"
#include "core/settings.h"
#include "path/plane.h"
#include "path/worker.h"
#include "pmd_glue/eal.h"
#include "pmd_glue/lcores.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/ports.h"
#include "pmd_glue/start_error.h"

namespace control {

// mbufs that these settings can need at most, before any device or lcore is known; EAL's memory is sized by
// them. `workers`: how many there may be.
uint64_t pool_mbufs_at_most(const core::Settings& settings, const std::vector<std::string>& eal_args,
                            unsigned workers);

// Without a file every device that EAL found is a port, as in testpmd. Throws StartError when there is none,
// or when one that `eal_args` ask for is not there: EAL goes on without it, and packets would go elsewhere.
void take_all_devices(core::Settings& settings, const std::vector<std::string>& eal_args,
                      const glue::Eal& eal);

// Valid settings that do not suit the devices and the workers; what() is without the lines of a file.
struct UnsuitedSettings : glue::StartError {
  explicit UnsuitedSettings(std::vector<core::Problem> found);
  std::vector<core::Problem> problems;
};

class Engine {
 public:
  // `nb_cores` 0: all worker lcores that EAL has. Devices are configured, nothing runs yet.
  Engine(core::Settings settings, const glue::Eal& eal, unsigned nb_cores);
  ~Engine();

  void start();
  // A step of control, once a tick while workers run: watches ports, publishes what changed, frees old plans.
  void tick();
  // What has happened since the last call, one line each, with its time since start.
  std::vector<std::string> take_event_lines();
  // What of settings that are to be applied does not suit this run.
  std::vector<core::Problem> unsuited(const core::Settings& next) const {
    return core::pins_beyond(next, layout_);
  }
  // Settings in which only live keys differ from the present ones (control/settings_difference); they take
  // effect within the next ticks. `what`: the change in words.
  void apply(core::Settings next, const std::string& what);
  // Whether all that was changed is taken up by the workers, and buckets that were to move have moved.
  bool settled() const;
  // Stops workers, then ports, closes them and counts the pool; the last report is complete after it.
  void stop();

  const core::Settings& settings() const { return settings_; }
  // The books at this moment; exact once stopped.
  Report report() const;
  // Received and generated packets that are not control frames, and packets held now: what --idle-exit looks
  // at.
  struct Activity {
    uint64_t data_packets = 0;
    uint64_t held = 0;
  };
  Activity activity() const;

  // What was decided, for the user: one line each.
  std::vector<std::string> describe() const;

 private:
  void make_workers();
  void watch_ports();
  void probe_next_hops(uint64_t now);
  void publish();
  void pause_ports();
  void start_enabled(const core::Settings& next);
  std::string told(const Published& published);
  void happened(const std::string& text);
  std::string member_name(uint16_t port) const;

  core::IngressTotals totals_of_port(uint16_t index) const;
  PortReport port_report(uint16_t index) const;
  MemberReport member_report(uint16_t index, bool link_up) const;
  GroupReport group_report(size_t group, const std::vector<MemberReport>& members) const;
  std::string state_of(uint16_t index) const;
  QueueReport sent_by(uint16_t exit) const;
  const core::Plan& plan() const { return plane_->publication.newest(); }

  core::Settings settings_;
  std::vector<unsigned> lcores_;
  std::vector<core::PortFacts> facts_;
  core::Layout layout_;
  std::vector<core::PoolNeed> needs_;
  std::unique_ptr<glue::Pools> pools_;
  std::vector<glue::Port> ports_;
  std::unique_ptr<path::Plane> plane_;
  std::vector<std::unique_ptr<path::Worker>> workers_;
  std::optional<Publisher> publisher_;
  std::optional<Monitor> monitor_;  // mode gateway, from start() on
  std::vector<uint16_t> to_pause_;  // ports that stop as soon as nobody uses them
  std::vector<uint16_t> resumed_;   // ports that were started again, of which no event has told yet
  std::atomic<bool> stop_{false};
  glue::WorkerLcores running_;
  bool stopped_ = false;
  bool buckets_moved_ = false;  // since start
  std::vector<glue::DriverCounters> last_counted_;
  std::vector<glue::LinkState> last_link_;
  uint32_t mbufs_back_ = 0;
  std::chrono::steady_clock::time_point started_at_, stopped_at_;
  std::vector<std::string> event_lines_;   // not yet taken
  std::deque<EventReport> recent_events_;  // for the report
};

}  // namespace control
