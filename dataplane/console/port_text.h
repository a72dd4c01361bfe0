// SPDX-License-Identifier: BSD-3-Clause
// What devices are, in testpmd's shape: its labels in its order, so that scripts which read testpmd's output
// read ours. Values come from pmd_glue, text goes into answers of commands. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pmd_glue/flow_rules.h"
#include "pmd_glue/port_info.h"
#include "pmd_glue/port_rss.h"

namespace console {

// show port info
std::string port_info_text(const glue::PortInfo& info);
// show port summary
// `available`: how many there are, shown or not.
std::string port_summary_text(const std::vector<glue::PortInfo>& ports, size_t available);
// show device info
std::string device_info_text(const std::vector<glue::DeviceInfo>& devices);
// show rxq info, show txq info
std::string rx_queue_text(uint16_t port, uint16_t queue, const glue::QueueInfo& info);
std::string tx_queue_text(uint16_t port, uint16_t queue, const glue::QueueInfo& info);
// show port ID rss-hash [key]
std::string rss_hash_text(const glue::RssHash& hash, bool with_key);
// show port ID rss reta: the entries whose bit is set, 64 to a mask.
std::string reta_text(const std::vector<uint16_t>& queues, const std::vector<uint64_t>& masks);
// flow list, of these groups or of all; flow query
std::string flow_list_text(const std::map<uint32_t, glue::FlowRules::Installed>& rules,
                           const std::vector<uint32_t>& groups = {});
std::string flow_count_text(const glue::FlowCount& count);

// 02:00:00:00:00:0A, with capitals as testpmd has them.
std::string mac_text(const core::MacAddress& mac);

}  // namespace console
