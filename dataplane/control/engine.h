// SPDX-License-Identifier: BSD-3-Clause
// Puts the data plane together, keeps it going, changes it and takes it apart: devices for as long as the
// program lives, and runs of forwarding, one after the other. Built after EAL has started; a step that fails
// throws glue::StartError and leaves what was. Main thread (the control thread) only.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/devices.h"
#include "control/event.h"
#include "control/report.h"
#include "control/run.h"
#include "control/settings_difference.h"
#include "core/settings.h"
#include "pmd_glue/eal.h"
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

// What became of a change of settings.
struct ChangeResult {
  std::optional<std::string> problem;    // then nothing has changed
  std::vector<SettingChange> changes;    // what differs, in the file's words
  core::Moves moved;                     // buckets that change their exit, and how many had to
  uint32_t buckets = 0;                  // of the tables in which any did
  std::vector<std::string> notes;        // groups that nobody is left in
  std::vector<std::string> of_devices;   // what they cannot do, or not before the next run
  bool at_next_start = false;            // nothing forwards now
  std::optional<double> stood_still_ms;  // forwarding was ended and begun again for it
};

class Engine {
 public:
  // `nb_cores` 0: all worker lcores that EAL has. Devices are configured, nothing runs yet. `eal` outlives
  // it.
  Engine(core::Settings settings, const glue::Eal& eal, unsigned nb_cores);
  ~Engine();

  // Forwarding begins; a run that ended may be followed by another. Throws StartError, and then nothing has
  // changed. `tx_first_bursts`: that every TX queue sends before its worker polls.
  void start(unsigned tx_first_bursts = 0);
  // Workers stop; devices stay as they are. Counters go on with the next run.
  void halt();
  bool forwarding() const { return run_->started && !run_->stopped; }
  // A step of control, once a tick: watches ports, publishes what changed, frees old plans.
  void tick();
  // What has happened since the last call.
  std::vector<Event> take_events();
  // Brings settings into effect: at once where their keys are live, else by ending forwarding and beginning
  // it again while devices stay up, or at the next start when nothing forwards. `what`: the change in words.
  // `since`: what the log counts its time from.
  ChangeResult change(core::Settings next, const std::string& what, const std::string& since = "the command");
  // Workers from now on: so many of EAL's worker lcores, or these. The same rules.
  ChangeResult change_lcores(const std::vector<unsigned>& lcores, const std::string& what);
  // While nothing forwards: another device, named as for --vdev or -a; or one less, or one as it was before
  // it was set up. What went wrong, in words.
  std::optional<std::string> attach(const std::string& devargs);
  std::optional<std::string> detach(size_t port);
  std::optional<std::string> reset(size_t port);
  // Devices hash otherwise than they were set up to, by command (`rules`: by rules in their steering).
  // Workers take their hashes no longer. What that means, one line each.
  std::vector<std::string> hashes_otherwise(const std::vector<size_t>& ports, bool rules,
                                            const std::string& what);
  // What of settings that change live does not suit this run.
  std::vector<core::Problem> unsuited(const core::Settings& next) const {
    return core::pins_beyond(next, run_->layout);
  }
  // Whether all that was changed is taken up by the workers, and buckets that were to move have moved.
  bool settled() const;
  // The end: stops workers, then ports, closes them and counts the pool; the last report is complete after
  // it.
  void stop();

  const core::Settings& settings() const { return settings_; }
  const core::Plan& plan() const { return run_->plan(); }
  const Run& run() const { return *run_; }
  Run& run() { return *run_; }
  Devices& devices() { return devices_; }
  const Devices& devices() const { return devices_; }
  const std::vector<unsigned>& lcores() const { return lcores_; }          // of workers
  const std::vector<unsigned>& all_lcores() const { return all_lcores_; }  // that workers could have

  // The books at this moment; exact once stopped.
  Report report() const;
  // The same, at most 10 ms old: reading counters costs workers a little, and many may ask.
  const Report& recent_report();
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
  std::vector<std::string> device_notes() const;
  std::vector<std::string> device_notes_since(const std::vector<std::string>& before) const;
  core::Layout lay_out(const core::Settings& settings, const std::vector<unsigned>& lcores) const;
  void prepare(const core::Settings& settings, const std::vector<unsigned>& lcores,
               unsigned tx_first_bursts = 0);
  void watch_ports();
  void probe_next_hops(uint64_t now);
  void publish();
  std::vector<bool> up() const;  // by port; empty: all
  void pause_ports();
  void change_live(core::Settings next, const std::string& what, const std::string& since,
                   ChangeResult& result);
  void begin_again(core::Settings next, std::vector<unsigned> lcores, const std::string& what,
                   ChangeResult& result);
  void go_on(ChangeResult& result);
  std::string told(const Published& published);
  // For the log; what a report tells of, too, when it is a change.
  void happened(Event event, bool is_change = true);
  void watch_books();
  std::string member_name(uint16_t port) const;

  RunTotals totals() const;
  double seconds() const;
  PortReport port_report(uint16_t index, const RunTotals& totals) const;
  MemberReport member_report(const PortReport& port, uint16_t index, const RunTotals& totals) const;
  GroupReport group_report(const RunTotals& totals, const std::string& group,
                           const std::vector<MemberReport>& members) const;
  std::string state_of(uint16_t index) const;

  core::Settings settings_;
  const std::vector<unsigned> all_lcores_;
  std::vector<unsigned> lcores_;
  unsigned most_simd_bits_;  // of --force-max-simd-bitwidth
  Devices devices_;
  std::unique_ptr<Run> run_;  // never null: the present one, the last one, or one that was never started
  RunTotals past_;            // of the runs before it
  std::chrono::steady_clock::duration past_time_{};
  std::vector<uint16_t> to_pause_;  // ports that stop as soon as nobody uses them
  std::vector<uint16_t> resumed_;   // ports that were started again, of which no event has told yet
  bool stopped_ = false;
  bool buckets_moved_ = false;  // since start
  std::vector<glue::DriverCounters> last_counted_;
  std::vector<glue::LinkState> last_link_;
  uint32_t mbufs_ = 0, mbufs_back_ = 0;
  std::chrono::steady_clock::time_point made_at_, begun_at_, ended_at_;
  std::vector<Event> events_;              // not yet taken
  std::deque<EventReport> recent_events_;  // for the report
  // What the log was told of last: drops at full rings by port, the longest round by worker.
  struct Told {
    uint64_t dropped = 0;
    uint64_t until_ns = 0;  // quiet until then
  };
  std::map<std::string, Told> told_of_ports_;
  std::vector<uint64_t> told_rounds_us_;
  uint64_t look_at_books_ns_ = 0;
  Report recent_report_;
  std::chrono::steady_clock::time_point reported_at_;
};

}  // namespace control
