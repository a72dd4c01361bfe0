// SPDX-License-Identifier: BSD-3-Clause
// Rules in a NIC's own steering (rte_flow): turns core's values into DPDK's, and keeps what was installed,
// with numbers as testpmd gives them. Control thread. Rules of a port are gone when its device stops, closes
// or is reset: flush before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/flow_rule.h"
#include "pmd_glue/outcome.h"

struct rte_flow;

namespace glue {

struct FlowCount {
  std::optional<uint64_t> packets, bytes;  // what the device counts
};

class FlowRules {
 public:
  FlowRules() = default;
  ~FlowRules();  // flushes every port that has rules; the ports are open still
  FlowRules(const FlowRules&) = delete;
  FlowRules& operator=(const FlowRules&) = delete;

  // Each answers what the driver said when it refused; nothing has changed then.
  static std::optional<std::string> validate(uint16_t port, const core::FlowRule& rule);
  Outcome<uint32_t> create(uint16_t port, const core::FlowRule& rule);  // the rule's number
  std::optional<std::string> destroy(uint16_t port, uint32_t id);
  std::optional<std::string> flush(uint16_t port);
  Outcome<FlowCount> query(uint16_t port, uint32_t id) const;  // of a rule with action count
  // Packets that no rule takes stay with the kernel, or are dropped. Most drivers want this before the device
  // is configured.
  static std::optional<std::string> isolate(uint16_t port, bool on);

  struct Installed {
    core::FlowRule rule;
    rte_flow* handle = nullptr;
  };
  // By number.
  const std::map<uint32_t, Installed>& rules_of(uint16_t port) const;

 private:
  std::string no_such_rule(uint16_t port, uint32_t id) const;

  std::map<uint16_t, std::map<uint32_t, Installed>> ports_;
};

}  // namespace glue
