// SPDX-License-Identifier: BSD-3-Clause
// Refusals in words; see outcome.h.
#include "pmd_glue/outcome.h"

#include <rte_errno.h>
#include <rte_ethdev.h>

#include <cstdlib>

namespace glue {

std::string refusal(uint16_t port, const std::string& step, int error) {
  char name[RTE_ETH_NAME_MAX_LEN];
  const bool known = rte_eth_dev_get_name_by_port(port, name) == 0;
  return (known ? std::string(name) : "port " + std::to_string(port)) + ": " + step + ": " +
         (known ? rte_strerror(std::abs(error)) : "EAL has no such port");
}

std::optional<std::string> refusal_of(uint16_t port, const std::string& step, int error) {
  if (error == 0) return std::nullopt;
  return refusal(port, step, error);
}

}  // namespace glue
