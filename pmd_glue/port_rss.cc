// SPDX-License-Identifier: BSD-3-Clause
// RSS of devices; see port_rss.h. Control thread.
#include "pmd_glue/port_rss.h"

#include <rte_ethdev.h>

#include <array>

#include "pmd_glue/rss_types.h"

namespace glue {
namespace {

// Longer than any driver's key: some copy theirs without asking how much room there is.
using KeyRoom = std::array<uint8_t, 255>;

std::string found_allowed(const std::string& what, unsigned found, unsigned end) {
  return what + ": found " + std::to_string(found) +
         "; allowed: " + (end == 0 ? "none" : "0 to " + std::to_string(end - 1));
}

std::optional<std::string> read(uint16_t port, KeyRoom& key, rte_eth_rss_conf& conf) {
  conf = {};
  conf.rss_key = key.data();
  conf.rss_key_len = key.size();
  return refusal_of(port, "RSS hash", rte_eth_dev_rss_hash_conf_get(port, &conf));
}

std::optional<std::string> describe(uint16_t port, rte_eth_dev_info& info) {
  info = {};
  return refusal_of(port, "the driver does not describe it", rte_eth_dev_info_get(port, &info));
}

using Table = std::vector<rte_eth_rss_reta_entry64>;

// No entry asked for yet.
Table table_for(const rte_eth_dev_info& info) {
  return Table((info.reta_size + RTE_ETH_RETA_GROUP_SIZE - 1u) / RTE_ETH_RETA_GROUP_SIZE);
}

void ask_for(Table& table, unsigned index, uint16_t queue) {
  rte_eth_rss_reta_entry64& group = table[index / RTE_ETH_RETA_GROUP_SIZE];
  group.mask |= uint64_t{1} << index % RTE_ETH_RETA_GROUP_SIZE;
  group.reta[index % RTE_ETH_RETA_GROUP_SIZE] = queue;
}

}  // namespace

Outcome<RssHash> rss_hash(uint16_t port) {
  rte_eth_dev_info info;
  rte_eth_rss_conf conf;
  KeyRoom key{};
  if (auto problem = describe(port, info)) return Outcome<RssHash>::refuse(*problem);
  if (auto problem = read(port, key, conf)) return Outcome<RssHash>::refuse(*problem);
  return {.value = {rss_type_and_group_names(conf.rss_hf), {key.begin(), key.begin() + info.hash_key_size}}};
}

std::optional<std::string> set_rss_types(uint16_t port, const std::vector<std::string>& types) {
  rte_eth_dev_info info;
  if (auto problem = describe(port, info)) return problem;
  const Outcome<uint64_t> wanted = rss_types_of(types);
  if (!wanted) return wanted.problem;
  // A group stands for those of its types that the device has; a type that it has not is refused.
  rte_eth_rss_conf conf{};
  for (const std::string& name : types) {
    const uint64_t bits = rss_types_of({name}).value;
    if (bits != 0 && (bits & info.flow_type_rss_offloads) == 0) {
      std::string able;
      for (const std::string& type : rss_type_names(info.flow_type_rss_offloads))
        able += (able.empty() ? "" : ", ") + type;
      return "RSS type: found \"" + name + "\"; this device has: " + (able.empty() ? "none" : able);
    }
    conf.rss_hf |= bits & info.flow_type_rss_offloads;
  }
  return refusal_of(port, "RSS types", rte_eth_dev_rss_hash_update(port, &conf));
}

Outcome<std::vector<uint16_t>> reta(uint16_t port) {
  using Queues = Outcome<std::vector<uint16_t>>;
  rte_eth_dev_info info;
  if (auto problem = describe(port, info)) return Queues::refuse(*problem);
  Table table = table_for(info);
  for (unsigned i = 0; i < info.reta_size; ++i) ask_for(table, i, 0);
  const int error =
      info.reta_size == 0 ? -ENOTSUP : rte_eth_dev_rss_reta_query(port, table.data(), info.reta_size);
  if (error != 0) return Queues::refuse(refusal(port, "redirection table", error));
  Queues queues;
  for (unsigned i = 0; i < info.reta_size; ++i)
    queues.value.push_back(table[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE]);
  return queues;
}

std::optional<std::string> set_reta(uint16_t port, const std::vector<RetaEntry>& entries) {
  rte_eth_dev_info info;
  if (auto problem = describe(port, info)) return problem;
  if (info.reta_size == 0) return refusal(port, "redirection table", ENOTSUP);
  Table table = table_for(info);
  for (const RetaEntry& entry : entries) {
    if (entry.index >= info.reta_size)
      return found_allowed("redirection table, hash index", entry.index, info.reta_size);
    if (entry.queue >= info.nb_rx_queues)
      return found_allowed("redirection table, queue", entry.queue, info.nb_rx_queues);
    ask_for(table, entry.index, entry.queue);
  }
  return refusal_of(port, "redirection table",
                    rte_eth_dev_rss_reta_update(port, table.data(), info.reta_size));
}

}  // namespace glue
