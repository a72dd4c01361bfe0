// SPDX-License-Identifier: BSD-3-Clause
// Plans, starts and ends EAL; see eal.h. Main thread.
#include "pmd_glue/eal.h"

#include <fcntl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_pdump.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <utility>

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

std::string option_value(const std::vector<std::string>& args, const std::string& name) {
  std::string value;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].starts_with(name + "=")) value = args[i].substr(name.size() + 1);
    if (args[i] == name && i + 1 < args.size()) value = args[i + 1];
  }
  return value;
}

// Hugepages when they work and suffice; otherwise ordinary memory, and a note that says so.
void choose_memory(const EalRequest& request, const HostFacts& host, EalPlan& plan) {
  const uint64_t page = host.hugepage_bytes ? host.hugepage_bytes : 2 * kMega;
  const uint64_t need = pool_bytes(request.pool_mbufs, request.mbuf_bytes, page) + kEalBaseBytes / 2;
  if (request.secondary) {
    if (!host.hugepages_usable || !host.hugetlbfs_writable) {
      throw StartError(
          "eal.secondary = true shares memory with other processes and needs hugepages and a hugetlbfs mount "
          "that "
          "can be written; set them up with `dpdk-hugepages.py --setup 1G`, or set secondary = false");
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
  plan.file_prefix = option_value(given, "--file-prefix");
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
    lcores = std::max(lcores, lcores_in(option_value(eal_args, option)));
  }
  return std::max(lcores - 1, 1u);
}

std::string explain_eal_failure(const std::string& log) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kKnown = {{
      {"Cannot create lock on",
       "another DPDK process uses this --file-prefix; stop it or choose another prefix"},
      {"Is another primary process running",
       "another DPDK process uses this --file-prefix; stop it or choose another"},
      {"Cannot get hugepage information",
       "no hugepages; set some up with `dpdk-hugepages.py --setup 1G`, or give --no-huge"},
      {"No free hugepages", "no free hugepages; raise /proc/sys/vm/nr_hugepages, or give --no-huge"},
      {"Not enough memory available",
       "not enough hugepages for the memory asked for; raise /proc/sys/vm/nr_hugepages or lower "
       "-m/--socket-mem"},
      {"Cannot init memory", "memory could not be reserved; lower -m, or raise /proc/sys/vm/nr_hugepages"},
      {"lcore", "the lcores asked for are not usable; see `lscpu` for the CPUs of this machine"},
      {"unrecognized option", "EAL does not know an option; `dpdk-testpmd --help` lists EAL's"},
      {"failed to parse device", "a --vdev or -a argument does not name a device that a driver knows"},
      {"Error creating",
       "the runtime directory cannot be made; set XDG_RUNTIME_DIR to a directory you may write"},
  }};
  std::string first, line;
  std::string_view fix;
  std::istringstream lines(log);
  while (std::getline(lines, line)) {
    if (line.find("Detected") != std::string::npos) continue;
    for (const auto& [words, mend] : kKnown) {
      if (fix.empty() && line.find(words) != std::string::npos) {
        fix = mend;
        first = line;
      }
    }
    if (first.empty() && line.find("EAL:") != std::string::npos) first = line;
  }
  if (first.empty()) first = "no reason given";
  return "EAL did not start: " + first + (fix.empty() ? std::string() : "; " + std::string(fix));
}

namespace {

// Sends stdout and stderr to memory while EAL starts: it prints its usage and its log there. EAL may also end
// the process (rte_panic, rte_exit); then what was kept is shown after all.
class OutputKeeper {
 public:
  OutputKeeper() : memory_(memfd_create("eal-log", MFD_CLOEXEC)), out_(dup(1)), err_(dup(2)) {
    std::fflush(nullptr);
    dup2(memory_, 1);
    dup2(memory_, 2);
    active_ = this;
    static const int once = std::atexit([] {
      if (active_ != nullptr) std::fputs(active_->end().c_str(), stderr);
    });
    static_cast<void>(once);
  }
  // Puts both back; returns what was written meanwhile.
  std::string end() {
    active_ = nullptr;
    std::fflush(nullptr);
    dup2(out_, 1);
    dup2(err_, 2);
    close(out_);
    close(err_);
    std::string text(static_cast<size_t>(lseek(memory_, 0, SEEK_END)), '\0');
    if (pread(memory_, text.data(), text.size(), 0) < 0) text.clear();
    close(memory_);
    return text;
  }

 private:
  static inline OutputKeeper* active_ = nullptr;
  int memory_, out_, err_;
};

}  // namespace

void remove_leftovers_now_and_at_exit(const EalPlan& plan) {
  static std::string file_prefix;
  static bool kept_files;
  file_prefix = plan.file_prefix;
  kept_files = plan.keeps_files;
  remove_leftovers(file_prefix, kept_files);
  std::atexit([] { remove_leftovers(file_prefix, kept_files); });
}

Eal::Eal(const EalPlan& plan) {
  std::vector<std::string> arguments = plan.argv;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  OutputKeeper keeper;
  const int used = rte_eal_init(static_cast<int>(argv.size()) - 1, argv.data());
  const int error = rte_errno;
  log_ = keeper.end();
  if (used < 0) {
    throw StartError(explain_eal_failure(log_.empty() ? std::string("EAL: ") + rte_strerror(error) : log_));
  }
  pdump_ = plan.keeps_files && rte_pdump_init() == 0;
  if (plan.needs_pdump && !pdump_) {
    const std::string why = rte_strerror(rte_errno);
    rte_eal_cleanup();
    throw StartError("eal.secondary = true: packet capture cannot be offered: " + why +
                     "; set secondary = false to go on without it");
  }
}

Eal::~Eal() {
  if (pdump_) rte_pdump_uninit();
  rte_eal_cleanup();
}

std::vector<unsigned> Eal::worker_lcores() const {
  std::vector<unsigned> lcores;
  unsigned lcore = 0;
  RTE_LCORE_FOREACH_WORKER(lcore) lcores.push_back(lcore);
  return lcores;
}

std::string Eal::log_about(const std::string& device) const {
  // The line that names a device often follows the one that says why.
  std::istringstream lines(log_);
  std::string found, before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (line.find(device) == std::string::npos) continue;
    const bool tells_more = !before.empty() && before.find("Detected") == std::string::npos &&
                            before.find("Selected") == std::string::npos &&
                            found.find(before) == std::string::npos;
    if (tells_more) found += (found.empty() ? "" : " | ") + before;
    found += (found.empty() ? "" : " | ") + line;
  }
  return found;
}

}  // namespace glue
