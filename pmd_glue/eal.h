// SPDX-License-Identifier: BSD-3-Clause
// Decides the arguments of rte_eal_init and runs it once. The deciding half is a plain function of what the
// user asked and what the machine has, tested as a table; the running half turns EAL's many lines into one
// cause and one fix. Called by main on the main thread; teardown by main.
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"
#include "pmd_glue/host.h"

namespace glue {

struct EalRequest {
  std::vector<std::string> config_args;   // [eal] args of the file
  std::vector<std::string> command_args;  // before `--`; they come later and so win
  std::vector<core::LcoreEntry> workers;  // [engine] lcores; may be empty
  std::string name = "roceway";           // of the configuration: the default file prefix
  bool secondary = false;                 // keep files for dpdk-dumpcap and dpdk-proc-info
  uint64_t pool_mbufs = 0;                // that the packet pools will have at most
  uint16_t mbuf_bytes = 2048;             // data room of each
};

struct EalPlan {
  std::vector<std::string> argv;   // argv[0] included
  std::vector<std::string> notes;  // what was decided for the user, one line each
  std::string file_prefix;
  bool keeps_files = false;  // EAL leaves files for secondary processes: remove them at the end
  bool needs_pdump = false;  // eal.secondary: dpdk-dumpcap must be able to attach
};

// Throws StartError for an lcore whose CPU is not there, lcores named twice, and secondary without hugepages.
EalPlan plan_eal(const EalRequest& request, const HostFacts& host);

// Removes an earlier run's leftovers of this prefix now, and this run's when the process exits: DPDK unlinks
// its telemetry socket in an exit handler, and only behind that is the directory empty. Call before EAL
// starts, while holding the name.
void remove_leftovers_now_and_at_exit(const EalPlan& plan);

// EAL from start to cleanup. Its log is kept back while it starts and asked afterwards: one translated line
// (StartError) when it failed, log_about when a device is missing.
class Eal {
 public:
  explicit Eal(const EalPlan& plan);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  // Worker lcores in EAL's order: every lcore but the main one.
  std::vector<unsigned> worker_lcores() const;
  // What EAL's log said of this device while it started; empty when nothing.
  std::string log_about(const std::string& device) const;

 private:
  std::string log_;
  bool pdump_ = false;
};

// Worker lcores that EAL may have with these arguments, which name some; what --no-huge memory is sized for.
unsigned workers_at_most(const std::vector<std::string>& eal_args, const HostFacts& host);

// EAL's own words -> cause and fix, in one line. Pure; tested with real logs.
std::string explain_eal_failure(const std::string& log);

}  // namespace glue
