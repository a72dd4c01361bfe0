// SPDX-License-Identifier: BSD-3-Clause
// Decides the arguments of rte_eal_init: a plain function of what the user asked and what the machine has,
// tested as a table. Called by main on the main thread, before EAL starts. Pure.
#pragma once

#include <cstdint>
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

// Worker lcores that EAL may have with these arguments, which name some; what --no-huge memory is sized for.
unsigned workers_at_most(const std::vector<std::string>& eal_args, const HostFacts& host);

}  // namespace glue
