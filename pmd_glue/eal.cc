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
#include <utility>

#include "pmd_glue/pools.h"
#include "pmd_glue/start_error.h"

namespace glue {
namespace {

constexpr uint64_t kMega = 1 << 20;
// Beside the pools EAL holds rings, device structures and its own tables.
constexpr uint64_t kEalBaseBytes = 128 * kMega;

// "-l 0,1", "-l0,1", "--lcores=0,1" or "--lcores 0,1", but "-mx" is not "--main-lcore".
bool has_option(const std::vector<std::string>& args, std::initializer_list<std::string_view> names) {
  return std::any_of(args.begin(), args.end(), [&](const std::string& arg) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      if (arg == name) return true;
      if (!arg.starts_with(name)) return false;
      // "-l0,1" and "--lcores=0,1", but "-mx" is not "--main-lcore"
      return name.starts_with("--") ? arg[name.size()] == '=' : true;
    });
  });
}

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

bool names_lcores(const std::vector<std::string>& args) {
  return has_option(args, {"-l", "-c", "-s", "--lcores"});
}

EalPlan plan_eal(const EalRequest& request, const HostFacts& host) {
  std::vector<std::string> given = request.config_args;
  given.insert(given.end(), request.command_args.begin(), request.command_args.end());

  EalPlan plan;
  plan.argv = {"roceway"};
  if (names_lcores(given)) {
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
    if (!has_option(given, {"--main-lcore"}))
      plan.argv.push_back("--main-lcore=" + std::to_string(main_lcore));
  }

  plan.file_prefix = option_value(given, "--file-prefix");
  if (plan.file_prefix.empty()) {
    plan.file_prefix = request.name;
    plan.argv.push_back("--file-prefix=" + plan.file_prefix);
  }
  if (has_option(given, {"--no-huge", "--in-memory", "-m", "--socket-mem", "--legacy-mem", "--huge-dir",
                         "--no-shconf", "--proc-type", "--single-file-segments"})) {
    plan.keeps_files = request.secondary || !has_option(given, {"--no-shconf", "--in-memory"});
    if (has_option(given, {"--no-huge"}) && !request.secondary && !has_option(given, {"--no-shconf"})) {
      plan.argv.push_back("--no-shconf");
      plan.keeps_files = false;
    }
  } else {
    choose_memory(request, host, plan);
  }
  plan.argv.insert(plan.argv.end(), given.begin(), given.end());
  return plan;
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

// Sends stdout and stderr to memory while it lives: EAL prints its usage and its log there.
class OutputKeeper {
 public:
  OutputKeeper() : memory_(memfd_create("eal-log", MFD_CLOEXEC)), out_(dup(1)), err_(dup(2)) {
    std::fflush(nullptr);
    dup2(memory_, 1);
    dup2(memory_, 2);
  }
  std::string end() {
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
  if (plan.keeps_files && rte_pdump_init() == 0) pdump_ = true;
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
  std::istringstream lines(log_);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(device) != std::string::npos) found += (found.empty() ? "" : " | ") + line;
  }
  return found;
}

}  // namespace glue
