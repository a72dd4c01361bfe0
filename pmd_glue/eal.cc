// SPDX-License-Identifier: BSD-3-Clause
// Starts and ends EAL; see eal.h. Main thread.
#include "pmd_glue/eal.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_pdump.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "core/eal_options.h"
#include "pmd_glue/start_error.h"

namespace glue {

std::string explain_eal_failure(const std::string& log) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kKnown = {{
      {"Too many open files", "too few file descriptors; raise their limit, as in `ulimit -n 1024`"},
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
      {"--force-max-simd-bitwidth", "allowed, once: 64, 128, 256, 512, or 0 for all that the CPU has"},
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
    if (line.starts_with("Usage:")) break;  // it names every option
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
  most_simd_bits_ = core::most_simd_bits(plan.argv);  // EAL's own default is no wish of the user's
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
