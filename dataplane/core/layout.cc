// SPDX-License-Identifier: BSD-3-Clause
// Queues and pools from settings and device facts; see layout.h. Pure.
#include "core/layout.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/distribution_table.h"
#include "core/route.h"

namespace core {
namespace {

std::string key_of(size_t port, const char* name) {
  return "port[" + std::to_string(port) + "]." + name;
}

void check_pin(const std::string& where, uint64_t number, uint64_t count, std::vector<Problem>& problems) {
  if (number >= count) problems.push_back({where, found_outside(std::to_string(number), {0, count - 1})});
}

// Call when the port's Q is known.
uint16_t rx_queues_of(const PortSettings& port, const PortFacts& facts, size_t index, Layout& layout) {
  const unsigned tx_queues = layout.ports[index].tx_queues;
  if (port.rx_queues) {
    if (*port.rx_queues > facts.max_rx_queues) {
      layout.problems.push_back(
          {key_of(index, "rx_queues"), facts.device + " has " + std::to_string(facts.max_rx_queues) +
                                           " RX queue(s), asked for " + std::to_string(*port.rx_queues) +
                                           "; lower it, or leave it out to take what there is"});
    } else if (facts.pairs_queues && *port.rx_queues != tx_queues) {
      layout.problems.push_back({key_of(index, "rx_queues"),
                                 facts.driver + " wants as many RX as TX queues, and the workers need " +
                                     std::to_string(tx_queues) + " TX queue(s); asked for " +
                                     std::to_string(*port.rx_queues) + "; set it to " +
                                     std::to_string(tx_queues) + ", or leave it out"});
    }
    return *port.rx_queues;
  }
  const unsigned wanted = 2 * layout.workers;
  const unsigned given = facts.pairs_queues ? tx_queues : std::min<unsigned>(wanted, facts.max_rx_queues);
  if (given != wanted) {
    layout.notes.push_back(
        facts.device + ": " + std::to_string(given) + " RX queue(s) instead of " + std::to_string(wanted) +
        " (2 x lcores): " +
        (facts.pairs_queues ? facts.driver + " wants as many as TX queues" : "the device has no more"));
  }
  return static_cast<uint16_t>(given);
}

// How many workers need a TX queue of their own for each queue of the rule.
unsigned senders(const Settings& settings, unsigned workers) {
  return settings.distribution.owner == Owner::by_hash ? 1 : workers;
}

// The largest Q this device can carry; problems when not even one for each sender.
unsigned possible_q(const PortFacts& facts, unsigned workers, size_t index, Layout& layout) {
  const unsigned possible = facts.max_tx_queues / workers;
  if (possible == 0) {
    layout.problems.push_back(
        {key_of(index, "device"), facts.device + " has " + std::to_string(facts.max_tx_queues) +
                                      " TX queue(s) for " + std::to_string(workers) +
                                      " workers, and each needs one of its own; use fewer lcores, or owner "
                                      "= \"by_hash\""});
  }
  return std::max(possible, 1u);
}

// One Q for each set of ports that take the same packets: a group in mode gateway, else the port itself.
// Ports that cannot send have no say in it.
void choose_queues_per_nic(const Settings& settings, const std::vector<PortFacts>& facts, Layout& layout) {
  const unsigned workers = senders(settings, layout.workers);
  const auto& asked = settings.distribution.queues_per_nic;
  const unsigned wanted = asked.value_or(static_cast<uint16_t>(layout.workers));
  std::map<std::string, unsigned> given;
  const auto set_of = [&](size_t i) {
    return settings.engine.mode == Mode::gateway ? settings.ports[i].group : facts[i].device;
  };
  for (size_t i = 0; i < facts.size(); ++i) {
    unsigned& q = given.try_emplace(set_of(i), wanted).first->second;
    if (!facts[i].sends) continue;
    const unsigned possible = possible_q(facts[i], workers, i, layout);
    if (possible >= q) continue;
    if (asked) {
      layout.problems.push_back({"distribution.queues_per_nic",
                                 facts[i].device + " has " + std::to_string(facts[i].max_tx_queues) +
                                     " TX queue(s); " + std::to_string(wanted) + " for each of " +
                                     std::to_string(workers) + " worker(s) was asked for; lower it to " +
                                     std::to_string(possible) + ", or leave it out"});
    } else {
      layout.notes.push_back(set_of(i) + ": queues_per_nic is " + std::to_string(possible) + " instead of " +
                             std::to_string(wanted) + " there: " + facts[i].device +
                             " has no more TX queues");
    }
    q = possible;
  }
  std::map<std::string, uint64_t> queues;
  for (size_t i = 0; i < facts.size(); ++i) {
    PortLayout& port = layout.ports[i];
    port.sends = facts[i].sends;
    port.queues_per_nic = static_cast<uint16_t>(given.at(set_of(i)));
    port.tx_queues = static_cast<uint16_t>(port.sends ? workers * port.queues_per_nic : 1);
    queues[set_of(i)] += given.at(set_of(i));
  }
  if (settings.engine.mode != Mode::gateway) return;
  for (const auto& [group, count] : queues) {
    const uint64_t buckets = count * settings.distribution.buckets_per_queue;
    if (buckets <= kMaxBuckets) continue;
    layout.problems.push_back(
        {"distribution.buckets_per_queue",
         std::to_string(settings.distribution.buckets_per_queue) + " for each of " + std::to_string(count) +
             " queues of " + group + " are " + std::to_string(buckets) +
             " buckets; allowed: " + std::to_string(kMaxBuckets) + "; lower it, or queues_per_nic"});
  }
}

}  // namespace

std::vector<Problem> pins_beyond(const Settings& settings, const Layout& layout) {
  std::vector<Problem> problems;
  if (settings.engine.mode != Mode::gateway) return problems;
  for (size_t i = 0; i < settings.pins.size(); ++i) {
    const PinSettings& pin = settings.pins[i];
    const std::string where = "pin[" + std::to_string(i) + "].";
    uint64_t members = 0, queues = 0;
    for (size_t p = 0; p < settings.ports.size(); ++p) {
      if (settings.ports[p].group != pin.group) continue;
      ++members;
      queues = layout.ports[p].queues_per_nic;
    }
    check_pin(where + "bucket", pin.bucket, members * queues * settings.distribution.buckets_per_queue,
              problems);
    check_pin(where + "queue", pin.queue, queues, problems);
  }
  return problems;
}

Layout lay_out_queues(const Settings& settings, const std::vector<PortFacts>& facts, unsigned workers) {
  Layout layout;
  layout.workers = workers;
  layout.ports.resize(facts.size());
  choose_queues_per_nic(settings, facts, layout);
  if (layout.problems.empty()) layout.problems = pins_beyond(settings, layout);
  unsigned next_worker = 0;  // runs on over all ports, so that single-queue ports do not all meet on worker 0
  for (size_t i = 0; i < facts.size(); ++i) {
    PortLayout& port = layout.ports[i];
    port.rx_queues = rx_queues_of(settings.ports[i], facts[i], i, layout);
    for (uint16_t r = 0; r < port.rx_queues; ++r) {
      port.rx_queue_worker.push_back(static_cast<uint16_t>(next_worker++ % workers));
    }
  }
  return layout;
}

bool may_free_fast(const Settings& settings, const std::vector<PortFacts>& facts) {
  if (settings.eal.secondary) return false;  // dpdk-dumpcap may hold packets, too
  constexpr uint32_t kHeadBytes = 14 + 8;    // Ethernet and two tags, beside the MTU
  for (size_t i = 0; i < facts.size(); ++i) {
    const bool alone = settings.ports[i].mtu + kHeadBytes <= settings.engine.mbuf_bytes;
    // A ring hands on what others made, devices made of others may send one mbuf by several (net_bonding's
    // broadcast) or mbufs of their own (its LACP); mlx5 may attach buffers of its own (mprq_en).
    static constexpr std::array<std::string_view, 3> kHandOn = {"net_ring", "net_bonding", "net_failsafe"};
    const bool hands_on = std::find(kHandOn.begin(), kHandOn.end(), facts[i].driver) != kHandOn.end();
    const bool own = !hands_on && !facts[i].attaches_buffers;
    if (!alone || !own || facts[i].numa_node != facts.front().numa_node) return false;
  }
  return true;
}

std::vector<PoolNeed> pool_needs(const Settings& settings, const std::vector<PortFacts>& facts,
                                 const Layout& layout) {
  uint64_t tx_rings = 0, held = 0;
  std::map<int, PoolNeed> nodes;
  for (size_t i = 0; i < facts.size(); ++i) {
    const uint64_t tx_queues = layout.ports[i].tx_queues;
    tx_rings += tx_queues * settings.ports[i].tx_descriptors;
    held += tx_queues * settings.engine.hold_packets;
    PoolNeed& need = nodes[facts[i].numa_node];
    need.rx_rings += uint64_t{layout.ports[i].rx_queues} * settings.ports[i].rx_descriptors;
    need.preloaded += facts[i].preloaded_mbufs;
  }
  const uint64_t workers = layout.workers;
  if (settings.engine.mode == Mode::gateway) {
    held += workers * group_names(settings).size() * kWaitingPackets;
  }
  if (settings.distribution.owner == Owner::by_hash) {  // in the ring, and in line for it
    held += workers * (workers - 1) * 2 * kHandoverSlots;
  }
  std::vector<PoolNeed> needs;
  for (auto& [node, need] : nodes) {
    need.numa_node = node;
    need.tx_rings = tx_rings;
    need.held = held;
    need.caches = (workers + 1) * kPoolCache * 3 / 2;  // a cache is flushed at one and a half its size
    need.in_flight = workers * settings.engine.burst;
    need.reserve = settings.engine.reserve_mbufs;
    needs.push_back(need);
  }
  return needs;
}

}  // namespace core
