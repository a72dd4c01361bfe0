// SPDX-License-Identifier: BSD-3-Clause
// EAL's arguments from the user's and the machine's; see eal_plan.h. Pure.
#include "pmd_glue/eal_plan.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "core/eal_options.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/start_error.h"

namespace glue {
namespace {

constexpr uint64_t kMega = 1 << 20;
// Beside the pools EAL holds rings, device structures and its own tables.
constexpr uint64_t kEalBaseBytes = 128 * kMega;

std::string cpu_list(const std::vector<unsigned>& cpus) {
  std::string text;
  for (unsigned cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

// "0@(0),1@1": the main lcore takes a CPU that no worker has, else it shares all of them.
std::string lcores_argument(const std::vector<core::LcoreEntry>& workers, const HostFacts& host,
                            unsigned& main_lcore) {
  std::set<unsigned> ids, busy_cpus;
  std::string text;
  for (const core::LcoreEntry& worker : workers) {
    if (std::find(host.cpus.begin(), host.cpus.end(), worker.cpu) == host.cpus.end()) {
      throw StartError("engine.lcores: CPU " + std::to_string(worker.cpu) +
                       " is not there; this process may use CPUs " + cpu_list(host.cpus) +
                       " (two workers on one CPU: \"" + std::to_string(worker.lcore) + "@" +
                       std::to_string(host.cpus.front()) + "\")");
    }
    ids.insert(worker.lcore);
    busy_cpus.insert(worker.cpu);
    text += "," + std::to_string(worker.lcore) + "@" + std::to_string(worker.cpu);
  }
  main_lcore = 0;
  while (ids.contains(main_lcore)) ++main_lcore;
  std::vector<unsigned> main_cpus;
  for (unsigned cpu : host.cpus) {
    if (!busy_cpus.contains(cpu)) main_cpus.push_back(cpu);
  }
  if (main_cpus.empty()) main_cpus = host.cpus;
  return std::to_string(main_lcore) + "@(" + cpu_list(main_cpus) + ")" + text;
}

// Lcores in "1,3-5,(0-3)@0,7@(1,2)": what stands before each @, ranges counted whole.
unsigned lcores_in(const std::string& list) {
  unsigned lcores = 0, parentheses = 0;
  bool cpus = false;  // behind an @
  std::string number, range_start;
  const auto end_of_entry = [&] {
    if (!cpus && !number.empty()) {
      const unsigned last = static_cast<unsigned>(std::strtoul(number.c_str(), nullptr, 10));
      const unsigned first =
          range_start.empty() ? last : static_cast<unsigned>(std::strtoul(range_start.c_str(), nullptr, 10));
      lcores += last >= first ? last - first + 1 : 1;
    }
    number.clear();
    range_start.clear();
  };
  for (const char c : list + ",") {
    if (c == '-' && !cpus) {
      range_start = std::exchange(number, {});
    } else if (c == ',' || c == '@' || c == '(' || c == ')') {
      end_of_entry();
      if (c == '(') ++parentheses;
      if (c == ')') --parentheses;
      if (c == '@') cpus = true;
      if (c == ',' && parentheses == 0) cpus = false;
    } else {
      number += c;
    }
  }
  return lcores;
}

// EAL takes the last of several.
std::string last_value(const std::vector<std::string>& args, std::string_view name) {
  const std::vector<std::string> values = core::option_values(args, name);
  return values.empty() ? std::string() : values.back();
}

// Hugepages when they work and suffice; otherwise ordinary memory, and a note that says so.
void choose_memory(const EalRequest& request, const HostFacts& host, EalPlan& plan) {
  const uint64_t page = host.hugepage_bytes ? host.hugepage_bytes : 2 * kMega;
  const uint64_t need = pool_bytes(request.pool_mbufs, request.mbuf_bytes, page) + kEalBaseBytes / 2;
  if (request.secondary) {
    if (!host.hugepages_usable || !host.hugetlbfs_writable) {
      throw StartError(
          "eal.secondary = true shares memory with other processes and needs hugepages and a hugetlbfs mount "
          "that can be written; set them up with `dpdk-hugepages.py --setup 1G`, or set secondary = false");
    }
    plan.keeps_files = true;
    return;
  }
  if (host.hugepages_usable && host.free_hugepage_bytes >= need) {
    plan.argv.push_back("--in-memory");
    return;
  }
  const auto small_page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t megabytes =
      (pool_bytes(request.pool_mbufs, request.mbuf_bytes, small_page) * 9 / 8 + kEalBaseBytes) / kMega;
  plan.argv.insert(plan.argv.end(), {"--no-huge", "--no-shconf", "-m", std::to_string(megabytes)});
  const uint64_t pages = host.hugepage_bytes ? (need + host.hugepage_bytes - 1) / host.hugepage_bytes : 0;
  plan.notes.push_back(
      "hugepages: " + std::to_string(host.free_hugepage_bytes / kMega) + " MB free" +
      (host.free_hugepage_bytes && !host.hugepages_usable ? " but not for this user" : "") + ", " +
      std::to_string(need / kMega) + " MB wanted: going on without them, a little slower" +
      (pages ? " (to have them: echo " + std::to_string(pages) + " > /proc/sys/vm/nr_hugepages)"
             : std::string()));
}

}  // namespace

EalPlan plan_eal(const EalRequest& request, const HostFacts& host) {
  std::vector<std::string> given = request.config_args;
  given.insert(given.end(), request.command_args.begin(), request.command_args.end());

  EalPlan plan;
  plan.argv = {"roceway"};
  if (core::names_lcores(given)) {
    if (!request.workers.empty()) {
      throw StartError(
          "lcores are named twice, by engine.lcores and by an EAL option (-l, -c, -s, --lcores); keep one of "
          "them");
    }
  } else {
    std::vector<core::LcoreEntry> workers = request.workers;
    if (workers.empty()) {
      const unsigned cpu = host.cpus.back();
      workers.push_back({std::max(cpu, 1u), cpu});
    }
    unsigned main_lcore = 0;
    plan.argv.push_back("--lcores=" + lcores_argument(workers, host, main_lcore));
    if (!core::has_option(given, {"--main-lcore"}))
      plan.argv.push_back("--main-lcore=" + std::to_string(main_lcore));
  }

  plan.needs_pdump = request.secondary;
  plan.file_prefix = last_value(given, "--file-prefix");
  if (plan.file_prefix.empty()) {
    plan.file_prefix = request.name;
    plan.argv.push_back("--file-prefix=" + plan.file_prefix);
  }
  if (core::has_option(given, {"--no-huge", "--in-memory", "-m", "--socket-mem", "--legacy-mem", "--huge-dir",
                               "--no-shconf", "--proc-type", "--single-file-segments"})) {
    plan.keeps_files =
        request.secondary || !core::has_option(given, {"--no-shconf", "--in-memory", "--proc-type"});
    if (core::has_option(given, {"--no-huge"}) && !request.secondary &&
        !core::has_option(given, {"--no-shconf"})) {
      plan.argv.push_back("--no-shconf");
      plan.keeps_files = false;
    }
  } else {
    choose_memory(request, host, plan);
  }
  plan.argv.insert(plan.argv.end(), given.begin(), given.end());
  return plan;
}

unsigned workers_at_most(const std::vector<std::string>& eal_args, const HostFacts& host) {
  unsigned lcores = static_cast<unsigned>(host.cpus.size());
  for (const char* option : {"--lcores", "-l"}) {
    lcores = std::max(lcores, lcores_in(last_value(eal_args, option)));
  }
  return std::max(lcores - 1, 1u);
}

}  // namespace glue
