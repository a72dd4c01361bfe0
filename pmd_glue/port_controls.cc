// SPDX-License-Identifier: BSD-3-Clause
// Switches of devices; see port_controls.h. Control thread.
#define ALLOW_EXPERIMENTAL_API  // the threshold of available descriptors
#include "pmd_glue/port_controls.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "pmd_glue/ports.h"

namespace glue {
namespace {

std::vector<uint16_t> ports_there() {
  std::vector<uint16_t> ports;
  uint16_t port = 0;
  RTE_ETH_FOREACH_DEV(port) ports.push_back(port);
  return ports;
}

// On any bus; null when there is none with a driver.
rte_device* find_device(const std::string& name) {
  const auto any = [](const rte_bus*, const void*) { return 0; };
  for (const rte_bus* bus = nullptr; (bus = rte_bus_find(bus, any, nullptr)) != nullptr;) {
    const std::string filter = std::string("bus=") + rte_bus_name(bus);
    rte_dev_iterator iterator;
    rte_device* device = nullptr;
    RTE_DEV_FOREACH(device, filter.c_str(), &iterator) {
      if (rte_dev_driver(device) != nullptr && name == rte_dev_name(device)) return device;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> set_promiscuous(uint16_t port, bool on) {
  return refusal_of(port, on ? "promiscuous mode on" : "promiscuous mode off",
                    on ? rte_eth_promiscuous_enable(port) : rte_eth_promiscuous_disable(port));
}

std::optional<std::string> set_allmulticast(uint16_t port, bool on) {
  return refusal_of(port, on ? "allmulticast mode on" : "allmulticast mode off",
                    on ? rte_eth_allmulticast_enable(port) : rte_eth_allmulticast_disable(port));
}

std::optional<std::string> set_link(uint16_t port, bool up) {
  return refusal_of(port, up ? "link up" : "link down",
                    up ? rte_eth_dev_set_link_up(port) : rte_eth_dev_set_link_down(port));
}

std::optional<std::string> set_available_threshold(uint16_t port, uint16_t queue, uint8_t per_cent) {
  if (per_cent >= 100) return "available threshold: found " + std::to_string(per_cent) + "; allowed: 0 to 99";
  return refusal_of(port, "available threshold of RX queue " + std::to_string(queue),
                    rte_eth_rx_avail_thresh_set(port, queue, per_cent));
}

std::optional<std::string> reset(uint16_t port) {
  return refusal_of(port, "reset", rte_eth_dev_reset(port));
}

namespace {

// DPDK's log goes into memory instead, for a while.
class LogKeeper {
 public:
  LogKeeper() : file_(open_memstream(&text_, &bytes_)) {
    if (file_ != nullptr) rte_openlog_stream(file_);
  }
  // Its lines, one behind the other. Once.
  std::string end() {
    if (file_ == nullptr) return "";
    rte_openlog_stream(nullptr);
    std::fclose(file_);
    std::string lines;
    std::istringstream log(std::string(text_, bytes_));
    std::free(text_);
    for (std::string line; std::getline(log, line);) {
      if (!line.empty()) lines += (lines.empty() ? "" : " | ") + line;
    }
    return lines;
  }

 private:
  char* text_ = nullptr;
  size_t bytes_ = 0;
  FILE* file_;
};

}  // namespace

Outcome<std::vector<uint16_t>> attach(const std::string& devargs) {
  using Ports = Outcome<std::vector<uint16_t>>;
  const std::string name = devargs.substr(0, devargs.find(','));
  const std::vector<std::string> names = list_devices();
  if (std::find(names.begin(), names.end(), name) != names.end())
    return Ports::refuse(name + ": is there already");
  const std::vector<uint16_t> before = ports_there();
  LogKeeper keeper;
  const int error = rte_dev_probe(devargs.c_str());
  const std::string log = keeper.end();
  if (error < 0)
    return Ports::refuse(devargs + ": cannot be attached: " +
                         (log.empty() ? std::string(rte_strerror(-error)) : "EAL said: " + log));
  Ports attached;
  for (const uint16_t port : ports_there()) {
    if (std::find(before.begin(), before.end(), port) == before.end()) attached.value.push_back(port);
  }
  if (attached.value.empty()) return Ports::refuse(devargs + ": was attached, but brought no port");
  return attached;
}

std::optional<std::string> detach(const std::string& device) {
  rte_device* found = find_device(device);
  if (found == nullptr) return device + ": EAL has no such device";
  if (const int error = rte_dev_remove(found); error != 0)
    return device + ": cannot be detached: " + rte_strerror(-error);
  return std::nullopt;
}

}  // namespace glue
