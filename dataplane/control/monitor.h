// SPDX-License-Identifier: BSD-3-Clause
// Watches what may fail: links, by the driver and, where a port works on a kernel interface, by netlink; and
// next hops that are probed. Once a tick on the control thread; core/member_health judges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/member_health.h"
#include "core/settings.h"
#include "pmd_glue/kernel_links.h"
#include "pmd_glue/ports.h"

namespace control {

class Monitor {
 public:
  // All ports of the settings, by index; they are started.
  Monitor(const core::Settings& settings, const std::vector<glue::Port>& ports, uint64_t now_ns);

  // A port whose verdict has changed.
  struct Verdict {
    uint16_t port = 0;
    core::DownCause cause = core::DownCause::none;  // none: it can carry traffic again
  };
  // `answers[i]`: of port i's next hop so far.
  std::vector<Verdict> tick(uint64_t now_ns, const std::vector<uint64_t>& answers);
  // Whether to probe this port's next hop now; counts as having done it.
  bool ask_now(uint16_t port, uint64_t now_ns) { return health_[port].ask_now(now_ns); }

  // By port: can it carry traffic?
  std::vector<bool> up() const;
  core::DownCause cause(uint16_t port) const { return health_[port].cause(); }

  // Whether its link is up at this moment; a verdict may still wait for the hold-down.
  bool link_up(size_t port) const;

  // Policies of changed settings.
  void set_policies(const core::Settings& settings);

 private:
  const std::vector<glue::Port>& ports_;
  glue::KernelLinks kernel_links_;
  std::vector<core::MemberHealth> health_;
};

}  // namespace control
