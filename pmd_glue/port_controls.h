// SPDX-License-Identifier: BSD-3-Clause
// Switches of a device: modes of reception, link, reset, and devices that come and go. Each
// answers what the driver said when it refused; nothing has changed then. Control thread. What needs a
// stopped device or one that no worker uses says so; the engine sees to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types.h"
#include "pmd_glue/outcome.h"

namespace glue {

std::optional<std::string> set_promiscuous(uint16_t port, bool on);
std::optional<std::string> set_allmulticast(uint16_t port, bool on);
std::optional<std::string> set_link(uint16_t port, bool up);
// The driver reports an event when less than so many per cent of the queue's descriptors are free; 0 turns it
// off.
std::optional<std::string> set_available_threshold(uint16_t port, uint16_t queue, uint8_t per_cent);

// Brings a stopped device back to where it was before it was configured: it must be configured again.
std::optional<std::string> reset(uint16_t port);

// A device by its name and devargs ("net_null2,size=64", "0000:3b:00.0"); its ports, not configured.
Outcome<std::vector<uint16_t>> attach(const std::string& devargs);
// Takes a device away, with all ports it has, by its name on its bus (DeviceInfo::name). Its Port objects are
// gone: they close it.
std::optional<std::string> detach(const std::string& device);

}  // namespace glue
